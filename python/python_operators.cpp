// What Python asks of numbers and has no sign in the library: x // y, 7 % x, mask & True, v in x;
// and comparisons with arrays of others, which Python would answer by itself.
#include "bindings.h"

namespace heed::python {

/// An array that is none of ours.
struct ForeignArray {};

}  // namespace heed::python

/// What has NumPy's protocol, when numbers have been asked for in vain.
template <>
struct pybind11::detail::type_caster<heed::python::ForeignArray> {
  PYBIND11_TYPE_CASTER(heed::python::ForeignArray, const_name("object"));
  bool load(handle from, bool convert) { return convert && hasattr(from, "__array__"); }
};

namespace heed::python {
namespace {

Tensor like(const Tensor& x, Scalar y) { return zeros_like(x) + y; }
Tensor flag(Scalar y) { return full(Shape{}, y, y.dtype()); }

// The whole number at or below x / y: x is y (x // y) + x % y, as in Python.
Tensor floor_divide(const Tensor& x, const Tensor& y) {
  const Tensor whole = x - x % y;  // a multiple of y, but for rounding
  if (x.is_floating_point() || y.is_floating_point()) {
    return where(y == Scalar(0), x / y, round(whole / y));  // x % 0 is none, x / 0 may be infinite
  }
  if (any(y == Scalar(0)).item<bool>()) throw ValueError("floor_divide: an integer by 0");
  const auto divided = [&y](const Tensor& n) {
    const Tensor quotient = heed::to(n, DType::f64) / heed::to(y, DType::f64);
    return heed::to(round(quotient), DType::i64);
  };
  const Tensor near = divided(whole);  // f64 holds 53 bits of it
  return near + divided(whole - near * y);
}

void bind_dividing(TensorClass& c) {
  using Of = Tensor (*)(const Tensor&, Scalar);
  c.def("__floordiv__", &floor_divide, Free(), py::is_operator(), py::arg("other").none(false));
  c.def("floor_divide", &floor_divide, Free(), py::arg("other"));
  const std::pair<const char*, Of> numbers[] = {
      {"__floordiv__", [](const Tensor& x, Scalar y) { return floor_divide(x, like(x, y)); }},
      {"__rfloordiv__", [](const Tensor& x, Scalar y) { return floor_divide(like(x, y), x); }},
      {"__rmod__", [](const Tensor& x, Scalar y) { return like(x, y) % x; }},
      {"__and__", [](const Tensor& x, Scalar y) { return x & flag(y); }},
      {"__or__", [](const Tensor& x, Scalar y) { return x | flag(y); }},
      {"__xor__", [](const Tensor& x, Scalar y) { return x ^ flag(y); }},
      {"__rand__", [](const Tensor& x, Scalar y) { return x & flag(y); }},
      {"__ror__", [](const Tensor& x, Scalar y) { return x | flag(y); }},
      {"__rxor__", [](const Tensor& x, Scalar y) { return x ^ flag(y); }}};
  for (const auto& [name, function] : numbers) {
    c.def(name, function, Free(), py::is_operator(), py::arg("other").none(false));
  }
}

void bind_containing(TensorClass& c) {
  c.def(
      "__contains__", [](const Tensor& x, const Tensor& y) { return any(x == y).item<bool>(); },
      Free(), py::arg("value").none(false));
  c.def(
      "__contains__", [](const Tensor& x, Scalar y) { return any(x == y).item<bool>(); }, Free(),
      py::arg("value"));
}

// Without these two Python says whether both are one object, as neither side has an answer.
void bind_foreign(TensorClass& c) {
  for (const char* name : {"__eq__", "__ne__"}) {
    c.def(
        name,
        [](const Tensor&, const ForeignArray&) -> Tensor {
          throw py::type_error(
              "a tensor and an array of others are not compared: heed.tensor(array), or x.numpy()");
        },
        py::is_operator(), py::arg("other"));
  }
}

}  // namespace

void bind_python_operators(TensorClass& tensor) {
  bind_dividing(tensor);
  bind_containing(tensor);
  bind_foreign(tensor);
}

}  // namespace heed::python
