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
  using py::object::object;
  explicit TensorObject(py::object object) : py::object(std::move(object)) {}
  static bool check_(py::handle object) { return py::isinstance<Tensor>(object); }
  const Tensor& tensor() const { return cast<const Tensor&>(); }
};

/// Throws GradError for a tensor that requires a gradient, which a number would lose.
inline void check_number(const Tensor& x) {
  if (!recording() || !x.requires_grad()) return;
  throw GradError(
      "a number is needed here, which would lose the gradient of this tensor: detach() it");
}

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

/// A number, of a Tensor with one element, too, unless it would lose a gradient. A flag is none: it
/// is an argument of PyTorch's in another one's place.
template <>
struct type_caster<double> {
  PYBIND11_TYPE_CASTER(double, const_name("float"));
  bool load(handle from, bool convert) {
    if (!from || (!convert && !PyFloat_Check(from.ptr())) || PyBool_Check(from.ptr())) return false;
    if (isinstance<heed::Tensor>(from))
      heed::python::check_number(from.cast<const heed::Tensor&>());
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

/// One object each, so that `is` finds them equal, too.
template <>
struct type_caster<heed::DType> : type_caster_base<heed::DType> {
  static handle cast(heed::DType from, return_value_policy, handle) {
    static std::array<PyObject*, 5> all{};  // as long as the process
    PyObject*& one = all.at(static_cast<std::size_t>(from));
    if (!one) {
      one = type_caster_base<heed::DType>::cast(&from, return_value_policy::copy, {}).ptr();
    }
    return handle(one).inc_ref();
  }
};

/// A number, of a Tensor without axes, too, unless it would lose a gradient.
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
    } else if (convert && isinstance<heed::Tensor>(from)) {
      return load_tensor(from.cast<const heed::Tensor&>());
    } else {
      return false;
    }
    return true;
  }
  bool load_tensor(const heed::Tensor& x) {
    if (x.rank() != 0) return false;
    heed::python::check_number(x);
    if (x.dtype() == heed::DType::boolean) {
      value = heed::Scalar(x.item<bool>());
    } else if (x.dtype() == heed::DType::i64) {
      value = heed::Scalar(x.item<heed::Index>());
    } else {
      value = heed::Scalar(x.item());
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

}  // namespace pybind11::detail

#include "names.h"
