// DLPack, by which array libraries hand each other memory without a copy: Tensor.__dlpack__() and
// from_dlpack(). The structures are those of the protocol's first version, as NumPy and PyTorch
// speak it.
#include "bindings.h"

namespace heed::python {
namespace {

extern "C" {
struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void* manager;
  void (*deleter)(DLManagedTensor*);
};
}

constexpr std::int32_t kCpu = 1;
constexpr std::uint8_t kInt = 0, kUint = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6;

// What stands behind a tensor of ours in another's hands.
struct Lent {
  DLManagedTensor managed = {};
  Loan loan;
  std::int64_t shape[kMaxRank] = {}, strides[kMaxRank] = {};
  explicit Lent(const Tensor& x) : loan(x.array(), !(x.impl()->unique() && x.array().unique())) {}
};

DLDataType type_of(DType dtype) {
  const auto bits = static_cast<std::uint8_t>(8 * size_of(dtype));
  const std::uint8_t code = dtype == DType::boolean ? kBool
                            : dtype == DType::i64   ? kInt
                            : dtype == DType::bf16  ? kBfloat
                                                    : kFloat;
  return {code, bits, 1};
}

void forget(PyObject* capsule) {  // one that nobody took
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  auto* const managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  managed->deleter(managed);
}

std::string name_of(const DLDevice& device) {
  const char* const kinds[] = {"?",      "cpu",       "cuda",    "cuda_host",    "opencl",
                               "?",      "?",         "vulkan",  "metal",        "vpi",
                               "rocm",   "rocm_host", "ext_dev", "cuda_managed", "oneapi",
                               "webgpu", "hexagon"};
  const bool known =
      device.device_type > 0 && device.device_type < static_cast<std::int32_t>(std::size(kinds));
  return (known ? kinds[device.device_type] : "device type " + std::to_string(device.device_type)) +
         ":" + std::to_string(device.device_id);
}

DLDevice device_of(const py::handle& pair) {
  const auto device = py::reinterpret_borrow<py::object>(pair).cast<py::tuple>();
  return {py::int_(device[0]).cast<std::int32_t>(), py::int_(device[1]).cast<std::int32_t>()};
}

py::object lend(const Tensor& x, const py::object&, const py::kwargs& wishes) {
  if (x.requires_grad())
    throw GradError("dlpack: a tensor that requires a gradient; say x.detach()");
  if (wishes.contains("dl_device") && !wishes["dl_device"].is_none()) {
    const DLDevice device = device_of(wishes["dl_device"]);
    if (device.device_type != kCpu) {
      throw py::buffer_error("dlpack: the tensor is on cpu:0, not on " + name_of(device));
    }
  }
  const bool copied = wishes.contains("copy") && py::bool_(wishes["copy"]);
  auto lent = std::make_unique<Lent>(copied ? Tensor(x.array().clone()) : x);
  const Array& array = lent->loan.array();
  for (Index i = 0; i < array.rank(); ++i) {
    lent->shape[i] = array.shape()[i];
    lent->strides[i] = array.strides()[i];
  }
  lent->managed.tensor = {.data = const_cast<std::byte*>(array.raw()),
                          .device = {kCpu, 0},
                          .ndim = static_cast<std::int32_t>(array.rank()),
                          .dtype = type_of(array.dtype()),
                          .shape = lent->shape,
                          .strides = lent->strides,
                          .byte_offset = 0};
  lent->managed.manager = lent.get();
  lent->managed.deleter = [](DLManagedTensor* managed) {
    delete static_cast<Lent*>(managed->manager);
  };
  PyObject* const capsule = PyCapsule_New(&lent->managed, "dltensor", &forget);
  if (!capsule) throw py::error_already_set();
  lent.release();
  return py::reinterpret_steal<py::object>(capsule);
}

void check_device(const DLDevice& device) {
  if (device.device_type == kCpu) return;
  throw ValueError("from_dlpack: the tensor is on " + name_of(device) +
                   ", heed computes on the processor: move it there first");
}

DType dtype_of(const DLDataType& type) {
  if (type.lanes == 1) {
    if (type.code == kFloat && type.bits == 32) return DType::f32;
    if (type.code == kFloat && type.bits == 64) return DType::f64;
    if (type.code == kInt && type.bits == 64) return DType::i64;
    if (type.code == kBfloat && type.bits == 16) return DType::bf16;
    if (type.code == kBool && type.bits == 8) return DType::boolean;
  }
  const std::map<int, const char*> kinds = {{kInt, "int"},         {kUint, "uint"},
                                            {kFloat, "float"},     {kBfloat, "bfloat"},
                                            {kComplex, "complex"}, {kBool, "bool"}};
  const auto kind = kinds.find(type.code);
  throw DTypeError(
      "from_dlpack: " +
      std::string(kind == kinds.end() ? "code " + std::to_string(type.code) : kind->second) +
      std::to_string(type.bits) + (type.lanes == 1 ? "" : " in vectors") +
      " has no dtype here: f32, f64, i64, bool and bf16 do");
}

// Theirs, given back when nobody here has it any more; their deleter may need the lock.
void give_back(void* owner) {
  auto* const managed = static_cast<DLManagedTensor*>(owner);
  if (!managed->deleter) return;
  if (!Py_IsInitialized()) return;
  const py::gil_scoped_acquire lock;
  managed->deleter(managed);
}

Tensor take(const py::object& from) {
  py::object capsule = from;
  if (!PyCapsule_CheckExact(from.ptr())) {
    if (py::hasattr(from, "__dlpack_device__")) {
      check_device(device_of(from.attr("__dlpack_device__")()));
    }
    if (!py::hasattr(from, "__dlpack__"))
      throw py::type_error("from_dlpack: an object without __dlpack__()");
    capsule = from.attr("__dlpack__")();
  }
  auto* const managed =
      static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (!managed) {
    PyErr_Clear();
    throw ValueError("from_dlpack: the capsule is no dltensor, or was taken before");
  }
  const DLTensor& theirs = managed->tensor;
  check_device(theirs.device);
  const DType dtype = dtype_of(theirs.dtype);
  if (theirs.ndim < 0 || theirs.ndim > kMaxRank) {
    throw ShapeError("from_dlpack: " + std::to_string(theirs.ndim) +
                     " axes, at most 8 are known here");
  }
  const Shape shape(theirs.shape, theirs.ndim);
  check_sizes("from_dlpack", shape);
  const Strides strides = theirs.strides ? Strides(theirs.strides, theirs.ndim) : row_major(shape);
  for (const Index step : strides) {
    if (step < 0) throw ShapeError("from_dlpack: an axis runs backwards; copy it first");
  }
  auto* const data = static_cast<std::byte*>(theirs.data) + theirs.byte_offset;
  if (reinterpret_cast<std::uintptr_t>(data) % size_of(dtype) != 0) {
    throw ValueError("from_dlpack: the numbers are not aligned");
  }
  if (dtype == DType::boolean && !has_bools(data, shape, strides)) {
    throw ValueError("from_dlpack: bool bytes other than 0 and 1; copy it first");
  }
  if (PyCapsule_SetName(capsule.ptr(), "used_dltensor") != 0) throw py::error_already_set();
  PyCapsule_SetDestructor(capsule.ptr(), nullptr);
  return Tensor(Array::around(data, shape, strides, dtype, &give_back, managed));
}

}  // namespace

void bind_dlpack(py::module_& m, TensorClass& tensor) {
  tensor
      .def("__dlpack__", &lend, py::arg("stream") = py::none(),
           "A capsule around the same memory, or with copy=True around its own.")
      .def("__dlpack_device__", [](const Tensor&) { return std::pair(kCpu, 0); });
  m.def("from_dlpack", &take, py::arg("ext_tensor"),
        "A tensor around the memory of an array of NumPy, PyTorch or another library that speaks "
        "DLPack; without a "
        "copy. Raises ValueError for another device, DTypeError for what is not f32, f64, i64, bool "
        "or bf16.");
}

}  // namespace heed::python
