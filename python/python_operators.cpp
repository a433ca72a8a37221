// What Python asks of numbers and has no sign in the library: x // y, 7 % x, mask & True, v in x;
// and what is said of arrays of others, which Python would compare by itself.
#include "python_operators.h"

#include "bindings.h"

namespace heed::python {

/// An array that is none of ours.
struct ForeignArray {};
/// A text where a number is needed.
struct Text {};

}  // namespace heed::python

/// What has NumPy's protocol, when numbers have been asked for in vain.
template <>
struct pybind11::detail::type_caster<heed::python::ForeignArray> {
  PYBIND11_TYPE_CASTER(heed::python::ForeignArray, const_name("refused"));
  bool load(handle from, bool convert) { return convert && hasattr(from, "__array__"); }
};
template <>
struct pybind11::detail::type_caster<heed::python::Text> {
  PYBIND11_TYPE_CASTER(heed::python::Text, const_name("refused"));
  bool load(handle from, bool) { return PyUnicode_Check(from.ptr()); }
};

namespace heed::python {

Tensor like(const Tensor& x, Scalar y) { return zeros_like(x) + y; }
Tensor flag(Scalar y) { return full(Shape{}, y, y.dtype()); }

Tensor beside(const Tensor& x, const Tensor& y) {
  const bool other = y.defined() && y.rank() == 0 && y.dtype() != x.dtype();
  return other && x.is_floating_point() ? heed::to(y, x.dtype()) : y;
}

namespace {

// n / y of integers of which y is a divisor; f64 holds 53 bits of them, so that it takes two steps.
Tensor divided(const Tensor& n, const Tensor& y) {
  const auto near = [&y](const Tensor& part) {
    return heed::to(round(heed::to(part, DType::f64) / heed::to(y, DType::f64)), DType::i64);
  };
  const Tensor most = near(n);
  return most + near(n - most * y);
}

// Towards 0 there is a multiple of y, behind which no number goes around.
Tensor divided_down(const Tensor& x, const Tensor& y) {
  if (any(y == Scalar(0)).item<bool>()) throw ValueError("floor_divide: an integer by 0");
  const Tensor rest = x % y, apart = (x < Scalar(0)) != (y < Scalar(0));
  const Tensor up = divided(where(apart & (rest != Scalar(0)), x + (y - rest), x - rest), y);
  return where(apart & (rest != Scalar(0)), up - Scalar(1), up);
}

}  // namespace

Tensor floor_divide(const Tensor& x, Scalar y) {
  const Tensor by = like(x, y);
  return floor_divide(heed::to(x, by.dtype()), by);
}

Tensor floor_divide(const Tensor& x, const Tensor& y) {
  if (!x.is_floating_point() && !y.is_floating_point()) return divided_down(x, y);
  const Tensor whole = round((x - x % y) / y);               // but for rounding a multiple of y
  const Tensor far = minimum(sign(x) * sign(y), Scalar(0));  // of y that is infinite
  return where(y == Scalar(0), x / y, where(isinf(y) & isfinite(x), far, whole));
}

namespace {

void bind_dividing(py::module_& m, TensorClass& c) {
  using Of = Tensor (*)(const Tensor&, Scalar);
  const auto by_tensor = static_cast<Tensor (*)(const Tensor&, const Tensor&)>(&floor_divide);
  const auto by_number = static_cast<Of>(&floor_divide);
  c.def("__floordiv__", by_tensor, Free(), py::is_operator(), py::arg("other").none(false));
  c.def("floor_divide", by_tensor, Free(), py::arg("other").none(false));
  c.def("floor_divide", by_number, Free(), py::arg("other"));
  m.def("floor_divide", by_tensor, Free(), py::arg("input"), py::arg("other").none(false));
  m.def("floor_divide", by_number, Free(), py::arg("input"), py::arg("other"));
  const std::pair<const char*, Of> numbers[] = {
      {"__floordiv__", by_number},
      {"__rfloordiv__",
       [](const Tensor& x, Scalar y) {
         const Tensor of = like(x, y);
         return floor_divide(of, heed::to(x, of.dtype()));
       }},
      {"__rmod__",
       [](const Tensor& x, Scalar y) {
         const Tensor of = like(x, y);
         return of % heed::to(x, of.dtype());
       }},
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

// Without those of == and != Python says whether both are one object, as neither side has an
// answer; of the others it names neither what is wrong nor what to write.
void bind_foreign(TensorClass& c) {
  for (const char* name :
       {"__eq__",      "__ne__",       "__lt__",       "__le__",        "__gt__",  "__ge__",
        "__add__",     "__radd__",     "__sub__",      "__rsub__",      "__mul__", "__rmul__",
        "__truediv__", "__rtruediv__", "__floordiv__", "__rfloordiv__", "__mod__", "__rmod__",
        "__pow__",     "__rpow__",     "__matmul__",   "__rmatmul__"}) {
    c.def(
        name,
        [](const Tensor&, const ForeignArray&) -> Tensor {
          throw py::type_error(
              "a tensor and an array of others do not go together: heed.tensor(array), or "
              "x.numpy()");
        },
        py::is_operator(), py::arg("other"));
  }
  // A text would be repeated as often as the tensor says.
  c.def(
      "__mul__",
      [](const Tensor&, const Text&) -> Tensor {
        throw py::type_error("unsupported operand type(s) for *: 'Tensor' and 'str'");
      },
      py::is_operator(), py::arg("other"));
}

}  // namespace

void bind_python_operators(py::module_& m, TensorClass& tensor) {
  bind_dividing(m, tensor);
  bind_containing(tensor);
  bind_foreign(tensor);
}

}  // namespace heed::python
