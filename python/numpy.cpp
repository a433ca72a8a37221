// Numbers of NumPy and of all else that has Python's buffer protocol: shared with from_numpy() and
// Tensor.numpy(), copied by tensor(). Nothing of NumPy is linked: the protocol says all.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "device.h"

namespace heed::python {
namespace {

// What stands in a buffer, of the formats of Python's struct.
struct Format {
  char code;
  bool swapped;
};

Format format_of(const char* op, const Py_buffer& view) {
  std::string text = view.format ? view.format : "B";
  bool swapped = false;
  if (text.size() == 2 && std::string("@=<>!").find(text[0]) != std::string::npos) {
    swapped = text[0] == '>' || text[0] == '!';
    text.erase(0, 1);
  }
  if (text.size() == 1 && std::string("?bBhHiIlLqQnNefd").find(text[0]) != std::string::npos) {
    return {text[0], swapped && view.itemsize > 1};
  }
  if (text == "O") throw DTypeError(std::string(op) + ": an array of objects has no numbers");
  throw DTypeError(std::string(op) + ": numbers of the format \"" + text +
                   "\" have no dtype here: f32, f64, i64 and bool do");
}

bool is_whole(char code) { return std::string("bBhHiIlLqQnN").find(code) != std::string::npos; }
bool is_signed(char code) { return std::string("bhilqn").find(code) != std::string::npos; }

// The dtype of the very same bytes; nothing where there is none.
std::optional<DType> same_bytes(const Format& format, Py_ssize_t size) {
  if (format.swapped) return {};
  if (format.code == 'f') return DType::f32;
  if (format.code == 'd') return DType::f64;
  if (format.code == '?') return DType::boolean;
  if (is_whole(format.code) && is_signed(format.code) && size == 8) return DType::i64;
  return {};
}

// A view of a buffer, given back when it goes.
class Buffer {
 public:
  Buffer(const char* op, py::handle owner) {
    // Read-only ones, too: who shares asks for them by itself.
    if (PyObject_GetBuffer(owner.ptr(), &view_, PyBUF_RECORDS_RO) == 0) return;
    if (PyErr_ExceptionMatches(PyExc_BufferError) || PyErr_ExceptionMatches(PyExc_ValueError)) {
      const py::error_already_set why;
      throw DTypeError(std::string(op) + ": " + std::string(py::str(why.value())));
    }
    throw py::error_already_set();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&view_); }

  const Py_buffer& operator*() const { return view_; }
  const Py_buffer* operator->() const { return &view_; }
  Shape shape() const { return Shape(std::vector<Index>(view_.shape, view_.shape + view_.ndim)); }

 private:
  Py_buffer view_;
};

void release_buffer(void* owner) {
  if (!Py_IsInitialized()) return;
  const py::gil_scoped_acquire lock;
  delete static_cast<Buffer*>(owner);
}

double half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double size = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -size : size;
}

template <class To>
To read_as(const char* at, const Format& format, Py_ssize_t size) {
  char bytes[8] = {};
  for (Py_ssize_t i = 0; i < size; ++i) bytes[i] = at[format.swapped ? size - 1 - i : i];
  const auto as = [&bytes](auto number) {
    std::memcpy(&number, bytes, sizeof(number));
    return number;
  };
  if (format.code == 'f') return static_cast<To>(as(float{}));
  if (format.code == 'd') return static_cast<To>(as(double{}));
  if (format.code == 'e') return static_cast<To>(half(as(std::uint16_t{})));
  if (format.code == '?') return static_cast<To>(bytes[0] != 0);
  const auto bits = as(std::uint64_t{});
  if (!is_signed(format.code)) {
    if (bits >> 63) throw DTypeError("tensor: an unsigned number beyond i64");
    return static_cast<To>(bits);
  }
  const auto shift = static_cast<int>(64 - 8 * size);
  return static_cast<To>(static_cast<std::int64_t>(bits << shift) >> shift);
}

template <class To>
void read_all(const Py_buffer& view, const Format& format, int axis, const char* at, To*& to) {
  if (axis == view.ndim) {
    *to++ = read_as<To>(at, format, view.itemsize);
    return;
  }
  for (Py_ssize_t i = 0; i < view.shape[axis]; ++i) {
    read_all(view, format, axis + 1, at + i * view.strides[axis], to);
  }
}

Tensor copied(const Buffer& buffer) {
  const Format format = format_of("tensor", *buffer);
  const DType dtype = format.code == '?'      ? DType::boolean
                      : is_whole(format.code) ? DType::i64
                      : format.code == 'd'    ? DType::f64
                                              : DType::f32;
  Array out = Array::empty(buffer.shape(), dtype);
  if (same_bytes(format, buffer->itemsize) && PyBuffer_IsContiguous(&*buffer, 'C')) {
    std::memcpy(out.mutable_raw(), buffer->buf, static_cast<std::size_t>(buffer->len));
    if (dtype == DType::boolean) {  // others take any byte but 0 for true
      std::byte* const flags = out.mutable_raw();
      for (Index i = 0; i < out.numel(); ++i) flags[i] = std::byte{flags[i] != std::byte{0}};
    }
    return Tensor(std::move(out));
  }
  visit_dtype(dtype, [&](auto zero) {
    auto* to = out.mutable_data<decltype(zero)>();
    read_all(*buffer, format, 0, static_cast<const char*>(buffer->buf), to);
  });
  return Tensor(std::move(out));
}

// Numbers in lists in lists: their shape, and the widest kind among them.
struct Nest {
  std::vector<Index> shape;
  std::vector<Scalar> numbers;
  DType dtype = DType::boolean;
};

void unnest(py::handle data, std::size_t depth, Nest& nest, bool first) {
  if (!PyList_Check(data.ptr()) && !PyTuple_Check(data.ptr())) {
    if (depth != nest.shape.size() && !first) throw ShapeError("tensor: lists of unequal depth");
    const Scalar number =
        py::isinstance<Tensor>(data) ? data.attr("item")().cast<Scalar>() : data.cast<Scalar>();
    nest.numbers.push_back(number);
    if (number.dtype() == DType::f32 || nest.dtype == DType::boolean) nest.dtype = number.dtype();
    return;
  }
  const auto list = py::reinterpret_borrow<py::sequence>(data);
  const auto size = static_cast<Index>(list.size());
  if (first) nest.shape.push_back(size);
  if (depth >= nest.shape.size() || nest.shape[depth] != size) {
    throw ShapeError("tensor: lists of unequal length or depth");
  }
  if (nest.shape.size() > kMaxRank) throw ShapeError("tensor: lists nested deeper than 8");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const py::object item = list[i];
    unnest(item, depth + 1, nest, first && i == 0);
  }
}

// To `dtype` from what was written, so that no dtype in between rounds.
Tensor of_lists(const py::object& data, std::optional<DType> dtype) {
  Nest nest;
  try {
    unnest(data, 0, nest, true);
  } catch (const py::cast_error&) {
    throw DTypeError("tensor: numbers, lists of them, or an array, not " +
                     std::string(py::repr(data)));
  }
  const Shape shape(nest.shape);
  const DType made = dtype.value_or(nest.numbers.empty() ? DType::f32 : nest.dtype);
  if (nest.dtype != DType::f32) {
    std::vector<std::int64_t> whole;
    for (const Scalar& number : nest.numbers) whole.push_back(number.whole());
    return Tensor(Array::from(whole, shape).to(made));
  }
  std::vector<double> values;
  for (const Scalar& number : nest.numbers) values.push_back(number.value());
  Array out = Array::from(values, shape).to(made);
  if (made == DType::i64) {
    auto* to = out.mutable_data<std::int64_t>();
    for (const Scalar& number : nest.numbers) {
      if (number.dtype() != DType::f32) *to = number.whole();
      ++to;
    }
  }
  return Tensor(std::move(out));
}

// What a Py_buffer of ours points to.
struct Lent {
  Loan loan;
  Py_ssize_t shape[kMaxRank] = {};
  Py_ssize_t strides[kMaxRank] = {};
  // The tape keeps tensors: one whose only handle is Python's is in no derivative yet.
  explicit Lent(const Tensor& x) : loan(x.array(), !(x.impl()->unique() && x.array().unique())) {}
};

void check_lendable(const Tensor& x) {
  if (x.requires_grad()) {
    throw GradError("numpy: a tensor that requires a gradient; say x.detach().numpy()");
  }
  if (x.dtype() == DType::bf16) {
    throw DTypeError("numpy: it has no bf16; say x.float().numpy()");
  }
}

// Whether a reader's wish for an order of the elements is met; what takes no strides is for C's.
bool keeps_order(const Array& array, int flags) {
  const auto wishes = [flags](int order) { return (flags & order) == order; };
  Array reversed = array;
  for (Index i = 0; i < array.rank() / 2; ++i) {
    reversed = reversed.transpose(i, array.rank() - 1 - i);
  }
  const bool c = array.is_contiguous(), fortran = reversed.is_contiguous();
  if (!wishes(PyBUF_STRIDES) || wishes(PyBUF_C_CONTIGUOUS)) return c;
  if (wishes(PyBUF_F_CONTIGUOUS)) return fortran;
  return !wishes(PyBUF_ANY_CONTIGUOUS) || c || fortran;
}

int lend(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  try {
    const auto& x = py::cast<const Tensor&>(py::handle(self));
    check_lendable(x);
    auto lent = std::make_unique<Lent>(x);
    const Array& array = lent->loan.array();
    static const std::map<DType, const char*> formats = {
        {DType::f32, "f"}, {DType::f64, "d"}, {DType::i64, "l"}, {DType::boolean, "?"}};
    if (!keeps_order(array, flags)) {
      throw ValueError(
          "numpy: the reader of this buffer takes no such strides; say x.contiguous()");
    }
    const auto size = static_cast<Py_ssize_t>(size_of(array.dtype()));
    for (Index i = 0; i < array.rank(); ++i) {
      lent->shape[i] = array.shape()[i];
      lent->strides[i] = array.strides()[i] * size;
    }
    view->buf = const_cast<std::byte*>(array.raw());
    view->itemsize = size;
    view->len = array.numel() * size;
    view->readonly = 0;
    view->ndim = flags & PyBUF_ND ? static_cast<int>(array.rank()) : 1;  // bytes in a row
    view->format = flags & PyBUF_FORMAT ? const_cast<char*>(formats.at(array.dtype())) : nullptr;
    view->shape = flags & PyBUF_ND ? lent->shape : nullptr;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? lent->strides : nullptr;
    view->suboffsets = nullptr;
    view->internal = lent.release();
    Py_INCREF(self);
    view->obj = self;
    return 0;
  } catch (const std::exception& e) {  // a C function may not throw
    PyErr_SetString(PyExc_BufferError, e.what());
    return -1;
  }
}

void take_back(PyObject*, Py_buffer* view) { delete static_cast<Lent*>(view->internal); }

bool has_bools(const std::byte* at, const Shape& shape, const Strides& strides, Index axis) {
  if (axis == shape.rank()) return std::to_integer<int>(*at) <= 1;
  for (Index i = 0; i < shape[axis]; ++i) {
    if (!has_bools(at + i * strides[axis], shape, strides, axis + 1)) return false;
  }
  return true;
}

}  // namespace

bool has_bools(const std::byte* data, const Shape& shape, const Strides& strides) {
  if (!(strides == row_major(shape))) return has_bools(data, shape, strides, 0);
  return std::all_of(data, data + shape.numel(),
                     [](std::byte flag) { return flag <= std::byte{1}; });
}

Tensor from_buffer(const py::object& owner) {
  auto buffer = std::make_unique<Buffer>("from_numpy", owner);
  const Py_buffer& view = **buffer;
  const Format format = format_of("from_numpy", view);
  const std::optional<DType> dtype = same_bytes(format, view.itemsize);
  const auto refuse = [](const std::string& what) {
    return "from_numpy: " + what + ", so it cannot be shared; heed.tensor(a) copies it";
  };
  if (!dtype) {
    throw DTypeError(refuse("the array's format is \"" + std::string(view.format) +
                            "\", not f32, f64, i64 or bool"));
  }
  if (view.readonly) throw ValueError(refuse("the array is read-only"));
  if (reinterpret_cast<std::uintptr_t>(view.buf) % size_of(*dtype) != 0) {
    throw ValueError(refuse("the array is not aligned to its numbers"));
  }
  Strides strides = Strides::filled(buffer->shape().rank(), 0);
  for (int i = 0; i < view.ndim; ++i) {
    if (view.strides[i] < 0)
      throw ShapeError(refuse("axis " + std::to_string(i) + " runs backwards"));
    if (view.strides[i] % view.itemsize != 0) {
      throw ShapeError(
          refuse("a step of axis " + std::to_string(i) + " is no whole number of elements"));
    }
    strides[i] = view.strides[i] / view.itemsize;
  }
  const Shape shape = buffer->shape();
  void* const data = view.buf;
  if (dtype == DType::boolean && !has_bools(static_cast<const std::byte*>(data), shape, strides)) {
    throw ValueError(refuse("bytes of its bools are neither 0 nor 1"));
  }
  return Tensor(Array::around(data, shape, strides, *dtype, &release_buffer, buffer.release()));
}

Tensor tensor_of(const py::object& data, std::optional<DType> dtype) {
  Tensor made = py::isinstance<Tensor>(data) ? Tensor(data.cast<const Tensor&>().array().clone())
                : PyObject_CheckBuffer(data.ptr()) ? copied(Buffer("tensor", data))
                                                   : of_lists(data, dtype);
  return dtype ? Tensor(made.array().to(*dtype)) : made;
}

py::dict dict_of(const io::NamedArrays& entries) {
  py::dict out;
  for (const auto& [name, array] : entries) out[py::str(name)] = Tensor(array);
  return out;
}

io::NamedArrays arrays_of(const py::dict& dict) {
  io::NamedArrays out;
  for (const auto& [name, value] : dict) {
    out.emplace_back(name.cast<std::string>(),
                     py::isinstance<Tensor>(value)
                         ? value.cast<const Tensor&>().array()
                         : tensor_of(py::reinterpret_borrow<py::object>(value), {}).array());
  }
  return out;
}

void bind_numpy(py::module_& m, TensorClass& tensor) {
  auto* const type = reinterpret_cast<PyHeapTypeObject*>(tensor.ptr());
  type->as_buffer.bf_getbuffer = &lend;
  type->as_buffer.bf_releasebuffer = &take_back;
  type->ht_type.tp_as_buffer = &type->as_buffer;

  m.def("from_numpy", &from_buffer, py::arg("array"),
        "A tensor around an array's own numbers (f32, f64, i64, bool; writable, aligned), without "
        "a copy: "
        "writes on either side are seen on both.");
  m.def(
      "tensor",
      [](const py::object& data, std::optional<DType> dtype, bool requires_grad, Device) {
        return tensor_of(data, dtype).set_requires_grad(requires_grad);
      },
      py::arg("data"), py::kw_only(), py::arg("dtype") = py::none(),
      py::arg("requires_grad") = false, py::arg("device") = py::none(),
      "A copy of a number, of lists of numbers, of an array or a tensor. Of numbers with a point "
      "f32, of "
      "whole ones i64; of arrays their own, where narrower integers become i64, f16 f32.");
  tensor.def(
      "numpy",
      [](const py::object& self) {
        check_lendable(self.cast<const Tensor&>());
        return py::module_::import("numpy").attr("asarray")(py::memoryview(self));
      },
      "A NumPy array of the same memory. Raises GradError where a gradient is required: detach() "
      "first.");
  tensor.def(
      "mark_written",
      [](const Tensor& x) {
        if (Storage* const storage = x.array().storage()) storage->bump_version();
      },
      "Says that the memory was written to from elsewhere, through numpy() or its owner: a "
      "derivative that kept the "
      "old numbers is then a GradError, and what was known of them (that all are finite) is "
      "forgotten.");
  tensor.def(
      "__array__",
      [](const py::object& self, const py::object& dtype, std::optional<bool> copy) {
        const py::object shared = self.attr("numpy")();
        if (dtype.is_none() && !copy.value_or(false)) return shared;
        const py::object kind = dtype.is_none() ? py::object(shared.attr("dtype")) : dtype;
        const py::object array =
            shared.attr("astype")(kind, py::arg("copy") = copy.value_or(false));
        if (copy == false && !array.is(shared)) {
          throw ValueError("numpy: another dtype is a copy, which copy=False refuses");
        }
        return array;
      },
      py::arg("dtype") = py::none(), py::arg("copy") = py::none());
  tensor.attr("__array_ufunc__") = py::none();  // so that `array + tensor` asks the tensor
}

}  // namespace heed::python
