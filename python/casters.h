// How values cross between Python and heed: None is an undefined Tensor, numbers are Scalars,
// tuples and lists are shapes and axes, texts are the names of enums. Every file of python/ that
// binds something includes this one, so that all agree.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "../heed.h"
#include "lock.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace heed::python {

/// Lets the interpreter go on meanwhile: of everything that computes.
using Free = py::call_guard<py::gil_scoped_release>;

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Throws what Ctrl-C has asked for meanwhile. Under the lock only.
inline void check_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// One text for each value of an enum, in its order.
template <std::size_t N>
using Names = std::array<const char*, N>;

/// A list of whole numbers, or one alone. False for anything else.
inline bool load_numbers(py::handle from, std::vector<Index>& to) {
  const auto one = [&to](py::handle number) {
    if (PyBool_Check(number.ptr()) || !PyIndex_Check(number.ptr())) return false;
    const Py_ssize_t value = PyNumber_AsSsize_t(number.ptr(), PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred()) throw py::error_already_set();
    to.push_back(value);
    return true;
  };
  if (PyTuple_Check(from.ptr()) || PyList_Check(from.ptr())) {
    for (const py::handle number : py::reinterpret_borrow<py::sequence>(from)) {
      if (!one(number)) return false;
    }
    return true;
  }
  return one(from);
}

/// Sizes that stand by themselves, in a tuple, or by their name: view(2, 3), view((2, 3)),
/// view(size=(2, 3)). Throws TypeError.
inline std::vector<Index> numbers_of(const char* op, const py::args& args,
                                     const py::object& named) {
  std::vector<Index> numbers;
  const bool both = !named.is_none() && !args.empty();
  const py::object given = !named.is_none()   ? named
                           : args.size() == 1 ? py::object(args[0])
                                              : py::object(args);
  if (both || !load_numbers(given, numbers)) {
    throw py::type_error(std::string(op) + "(): whole numbers, or a tuple of them, not " +
                         (both ? "both with and without a name" : std::string(py::repr(args))));
  }
  return numbers;
}

/// What is said of an object whose class did not call the __init__() that makes what is behind it.
inline py::type_error unmade(py::handle object) {
  return py::type_error(std::string(Py_TYPE(object.ptr())->tp_name) +
                        ".__init__() must call super().__init__() first");
}

/// A tensor of Python's, which may be a Parameter.
class TensorObject : public py::object {
 public:
  TensorObject() = default;
  explicit TensorObject(py::object object) : py::object(std::move(object)) {}
};

}  // namespace heed::python

namespace pybind11::detail {

template <class T>
requires std::is_base_of_v<heed::nn::Module, T> || std::is_base_of_v<heed::optim::Optimizer, T>
struct type_caster<std::shared_ptr<T>> : copyable_holder_caster<T, std::shared_ptr<T>> {
  bool load(handle from, bool convert) {
    try {
      return copyable_holder_caster<T, std::shared_ptr<T>>::load(from, convert);
    } catch (const cast_error&) {
      throw heed::python::unmade(from);
    }
  }
};

template <>
struct type_caster<heed::Tensor> : type_caster_base<heed::Tensor> {
  bool load(handle from, bool convert) {
    if (!from.is_none()) return type_caster_base<heed::Tensor>::load(from, convert);
    if (!convert) return false;
    value = &undefined_;
    return true;
  }
  template <class T>
  static handle cast(T&& from, return_value_policy, handle parent) {
    if (!from.defined()) return none().release();
    return type_caster_base<heed::Tensor>::cast(heed::Tensor(from), return_value_policy::move,
                                                parent);
  }

 private:
  heed::Tensor undefined_;
};

/// Several tensors. One alone is a sequence, too, of its rows: not what is meant.
template <>
struct type_caster<std::vector<heed::Tensor>>
    : list_caster<std::vector<heed::Tensor>, heed::Tensor> {
  bool load(handle from, bool convert) {
    return !isinstance<heed::Tensor>(from) &&
           list_caster<std::vector<heed::Tensor>, heed::Tensor>::load(from, convert);
  }
};

template <>
struct handle_type_name<heed::python::TensorObject> {
  static constexpr auto name = const_name("heed._heed.Tensor");
};

/// Whole numbers are what Python indexes with: pybind11 would cut off what stands behind a point.
template <class T>
struct whole_caster {
  PYBIND11_TYPE_CASTER(T, const_name("int"));
  bool load(handle from, bool) {
    if (!from || !PyIndex_Check(from.ptr())) return false;
    if (const auto whole = reinterpret_steal<object>(PyNumber_Index(from.ptr()))) {
      if constexpr (std::is_signed_v<T>) {
        const long long number = PyLong_AsLongLong(whole.ptr());
        if (!std::in_range<T>(number)) return false;
        value = static_cast<T>(number);
      } else {
        value = PyLong_AsUnsignedLongLong(whole.ptr());
      }
    }
    if (!PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
  }
  static handle cast(T from, return_value_policy, handle) { return int_(from).release(); }
};
template <>
struct type_caster<std::int64_t> : whole_caster<std::int64_t> {};
template <>
struct type_caster<std::uint64_t> : whole_caster<std::uint64_t> {};
template <>
struct type_caster<int> : whole_caster<int> {};

/// A number, of a Tensor with one element, too, unless it would lose a gradient.
template <>
struct type_caster<double> {
  PYBIND11_TYPE_CASTER(double, const_name("float"));
  bool load(handle from, bool convert) {
    if (!from || (!convert && !PyFloat_Check(from.ptr()))) return false;
    if (isinstance<heed::Tensor>(from) && heed::recording() &&
        from.cast<const heed::Tensor&>().requires_grad()) {
      throw heed::GradError(
          "a number is needed here, which would lose the gradient of this tensor: detach() it");
    }
    value = PyFloat_AsDouble(from.ptr());
    if (value != -1 || !PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
  }
  static handle cast(double from, return_value_policy, handle) { return float_(from).release(); }
};

/// Values and where they stood, by name or unpacked.
template <>
struct type_caster<heed::Picked> {
  static constexpr auto name = const_name("heed._heed._Picked");
  static handle cast(const heed::Picked& from, return_value_policy, handle) {
    return module_::import("heed._heed").attr("_Picked")(from.values, from.indices).release();
  }
};

template <>
struct type_caster<heed::Scalar> {
  PYBIND11_TYPE_CASTER(heed::Scalar, const_name("float"));
  type_caster() : value(0) {}
  bool load(handle from, bool convert) {
    PyObject* const number = from.ptr();
    const std::string type = Py_TYPE(number)->tp_name;
    if (PyBool_Check(number) || type.starts_with("numpy.bool")) {
      value = heed::Scalar(PyObject_IsTrue(number) == 1);
    } else if (PyFloat_Check(number)) {
      value = heed::Scalar(PyFloat_AS_DOUBLE(number));
    } else if (PyLong_Check(number) || type.starts_with("numpy.int") ||
               type.starts_with("numpy.uint")) {
      const object whole = reinterpret_steal<object>(PyNumber_Index(number));
      const long long wide = whole ? PyLong_AsLongLong(whole.ptr()) : -1;
      if (wide == -1 && PyErr_Occurred()) throw error_already_set();
      value = heed::Scalar(static_cast<std::int64_t>(wide));
    } else if (convert && type.starts_with("numpy.float")) {
      const object real = reinterpret_steal<object>(PyNumber_Float(number));
      if (!real) throw error_already_set();
      value = heed::Scalar(PyFloat_AS_DOUBLE(real.ptr()));
    } else {
      return false;
    }
    return true;
  }
  static handle cast(const heed::Scalar& from, return_value_policy, handle) {
    if (from.dtype() == heed::DType::f32) return float_(from.value()).release();
    return int_(from.whole()).release();
  }
};

template <>
struct type_caster<heed::Dims> {
  PYBIND11_TYPE_CASTER(heed::Dims, const_name("Tuple[int, ...]"));
  bool load(handle from, bool) {
    std::vector<heed::Index> numbers;
    if (!from || !heed::python::load_numbers(from, numbers)) return false;
    value = heed::Dims(numbers);
    return true;
  }
  static handle cast(const heed::Dims& from, return_value_policy, handle) {
    tuple out(static_cast<std::size_t>(from.rank()));
    for (heed::Index i = 0; i < from.rank(); ++i) out[static_cast<std::size_t>(i)] = int_(from[i]);
    return out.release();
  }
};

template <>
struct type_caster<heed::Axes> {
  PYBIND11_TYPE_CASTER(heed::Axes, const_name("Union[int, Tuple[int, ...], None]"));
  bool load(handle from, bool) {
    std::vector<heed::Index> numbers;
    if (!from.is_none() && !heed::python::load_numbers(from, numbers)) return false;
    value = heed::Axes(std::move(numbers));
    return true;
  }
  static handle cast(const heed::Axes& from, return_value_policy, handle) {
    if (from.empty()) return none().release();
    tuple out(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) out[i] = int_(from[i]);
    return out.release();
  }
};

/// One number for both (all) axes, or one each.
template <class T, std::size_t N>
struct sizes_caster {
  PYBIND11_TYPE_CASTER(T, const_name("Union[int, Tuple[int, ...]]"));
  sizes_caster() : value(0) {}
  bool load(handle from, bool) {
    std::vector<heed::Index> n;
    if (!heed::python::load_numbers(from, n)) return false;
    if (n.size() == 1 && PyIndex_Check(from.ptr())) {
      value = T(n[0]);
    } else if (n.size() == N) {
      if constexpr (N == 2) value = T(n[0], n[1]);
      if constexpr (N == 3) value = T(n[0], n[1], n[2]);
    } else {
      return false;
    }
    return true;
  }
  static handle cast(const T& from, return_value_policy, handle) {
    if constexpr (N == 2) return make_tuple(from.y, from.x).release();
    if constexpr (N == 3) return make_tuple(from.z, from.y, from.x).release();
  }
};
template <>
struct type_caster<heed::PerAxis> : sizes_caster<heed::PerAxis, 2> {};
template <>
struct type_caster<heed::Triple> : sizes_caster<heed::Triple, 3> {};

/// (h, c)
template <>
struct type_caster<heed::LstmState> {
  PYBIND11_TYPE_CASTER(heed::LstmState, const_name("Optional[Tuple[heed.Tensor, heed.Tensor]]"));
  bool load(handle from, bool) {
    if (from.is_none()) return true;
    if (!isinstance<tuple>(from) && !isinstance<list>(from)) return false;
    const auto both = reinterpret_borrow<sequence>(from);
    if (both.size() != 2) return false;
    for (const auto& [place, to] : {std::pair(0, &value.h), std::pair(1, &value.c)}) {
      const object item = both[static_cast<std::size_t>(place)];
      make_caster<heed::Tensor> tensor;
      if (!tensor.load(item, true)) return false;
      *to = cast_op<const heed::Tensor&>(tensor);
    }
    return true;
  }
  static handle cast(const heed::LstmState& from, return_value_policy, handle) {
    if (!from.h.defined()) return none().release();
    return make_tuple(from.h, from.c).release();
  }
};

template <class Enum, std::size_t N>
struct names_caster {
  PYBIND11_TYPE_CASTER(Enum, const_name("str"));
  bool load_by(const heed::python::Names<N>& names, handle from) {
    if (!PyUnicode_Check(from.ptr())) return false;
    const auto text = from.cast<std::string>();
    for (std::size_t i = 0; i < N; ++i) {
      if (text != names[i]) continue;
      value = static_cast<Enum>(i);
      return true;
    }
    std::string all;
    for (const char* name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    throw heed::ValueError("\"" + text + "\" is none of " + all);
  }
};

// The names of ENUM's values, in its order.
#define HEED_NAMES(ENUM, ...)                                                      \
  template <>                                                                      \
  struct type_caster<ENUM>                                                         \
      : names_caster<ENUM, std::tuple_size_v<decltype(std::array{__VA_ARGS__})>> { \
    static constexpr std::array kNames{__VA_ARGS__};                               \
    bool load(handle from, bool) { return load_by(kNames, from); }                 \
    static handle cast(ENUM from, return_value_policy, handle) {                   \
      return str(kNames[static_cast<std::size_t>(from)]).release();                \
    }                                                                              \
  };
HEED_NAMES(heed::Reduction, "none", "mean", "sum")
HEED_NAMES(heed::Gelu, "none", "tanh")
HEED_NAMES(heed::Nonlinearity, "tanh", "relu")
HEED_NAMES(heed::PadMode, "constant", "reflect", "replicate")
HEED_NAMES(heed::nn::Fan, "fan_in", "fan_out")
HEED_NAMES(heed::Relaxation, "gumbel", "straight_through_gumbel", "straight_through")
HEED_NAMES(heed::optim::LineSearch, "none", "strong_wolfe")
HEED_NAMES(heed::attention::Norm, "layer", "rms")
HEED_NAMES(heed::attention::QkNorm, "none", "layer", "rms")
HEED_NAMES(heed::attention::Activation, "relu", "gelu", "gelu_tanh", "silu", "swiglu", "geglu",
           "geglu_tanh")
HEED_NAMES(heed::attention::RotaryLayout, "pairs", "halves")
HEED_NAMES(heed::attention::LocalKind, "monotonic", "predictive")
HEED_NAMES(heed::attention::LuongAttention, "global", "local_m", "local_p")
HEED_NAMES(heed::attention::RotaryScalingKind, "none", "linear", "ntk", "dynamic_ntk", "yarn",
           "llama3")
HEED_NAMES(heed::attention::DifferentialKind, "v1", "v2")
HEED_NAMES(heed::attention::SynthesizerKind, "dense", "random", "fixed_random", "factorised_dense",
           "factorised_random", "dot_product")
HEED_NAMES(heed::attention::PerformerFeatures, "positive", "hyperbolic")
HEED_NAMES(heed::attention::LinearForm, "chunked", "recurrent", "quadratic")
HEED_NAMES(heed::attention::Fusion, "shallow", "deep")
HEED_NAMES(heed::attention::HardEvaluation, "argmax", "sample", "expectation")
HEED_NAMES(heed::attention::MemoryTying, "adjacent", "layer_wise")
HEED_NAMES(heed::attention::PositionEncoding, "none", "published", "centred")
HEED_NAMES(heed::attention::CoAttentionKind, "parallel", "alternating")
HEED_NAMES(heed::attention::GraphAttentionKind, "gat", "gat_v2")
HEED_NAMES(heed::attention::NonLocalKind, "gaussian", "embedded_gaussian", "dot")
HEED_NAMES(heed::attention::SpatialTransform, "affine", "attention")
HEED_NAMES(heed::GridPadding, "zeros", "border")
#undef HEED_NAMES
/// PyTorch's word for linear of two axes is understood, too.
template <>
struct type_caster<heed::Interpolation> : names_caster<heed::Interpolation, 3> {
  static constexpr std::array kNames{"nearest", "linear", "bilinear"};
  bool load(handle from, bool) {
    if (!load_by(kNames, from)) return false;
    if (value != heed::Interpolation::nearest) value = heed::Interpolation::linear;
    return true;
  }
  static handle cast(heed::Interpolation from, return_value_policy, handle) {
    return str(kNames[static_cast<std::size_t>(from)]).release();
  }
};

}  // namespace pybind11::detail
