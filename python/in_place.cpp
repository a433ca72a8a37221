// x **= y, %=, &=, |=, ^=, which the library does not have: as += they write into x where nothing
// is to be recorded; else x becomes the new tensor.
#include "bindings.h"
#include "python_operators.h"

namespace heed::python {
namespace {

// x = made, for "x op y". Throws GradError for a leaf that requires a gradient while recording,
// ShapeError where x would grow, DTypeError where its kind would change.
Tensor become(const char* op, const Tensor& x, const Tensor& made) {
  const std::string name = std::string(op) + "=";
  if (x.is_leaf()) check_written(name.c_str(), x);
  if (!(made.shape() == x.shape())) {
    throw ShapeError(name + ": the result " + describe(made) + " is not of x's shape, " +
                     describe(x));
  }
  if (recording() && (made.requires_grad() || x.requires_grad())) return made;
  if (made.dtype() != x.dtype()) {
    throw DTypeError(name + ": the result " + describe(made) + " is no " + describe(x) +
                     "; write x = x " + op + " y");
  }
  return copy_(x, made);
}

}  // namespace

void bind_in_place_operators(TensorClass& tensor) {
  using Of = Tensor (*)(const Tensor&, const Tensor&);
  const std::pair<const char*, Of> tensors[] = {
      {"__ipow__",
       [](const Tensor& x, const Tensor& y) { return become("**", x, heed::pow(x, y)); }},
      {"__imod__", [](const Tensor& x, const Tensor& y) { return become("%", x, x % y); }},
      {"__ifloordiv__",
       [](const Tensor& x, const Tensor& y) { return become("//", x, floor_divide(x, y)); }},
      {"__iand__", [](const Tensor& x, const Tensor& y) { return become("&", x, x & y); }},
      {"__ior__", [](const Tensor& x, const Tensor& y) { return become("|", x, x | y); }},
      {"__ixor__", [](const Tensor& x, const Tensor& y) { return become("^", x, x ^ y); }}};
  for (const auto& [name, function] : tensors) {
    tensor.def(name, function, Free(), py::is_operator(), py::arg("other").none(false));
  }
  using OfNumber = Tensor (*)(const Tensor&, Scalar);
  const std::pair<const char*, OfNumber> numbers[] = {
      {"__ipow__",
       [](const Tensor& x, Scalar y) { return become("**", x, heed::pow(x, y.value())); }},
      {"__imod__", [](const Tensor& x, Scalar y) { return become("%", x, x % y); }},
      {"__ifloordiv__",
       [](const Tensor& x, Scalar y) { return become("//", x, floor_divide(x, y)); }},
      {"__iand__", [](const Tensor& x, Scalar y) { return become("&", x, x & flag(y)); }},
      {"__ior__", [](const Tensor& x, Scalar y) { return become("|", x, x | flag(y)); }},
      {"__ixor__", [](const Tensor& x, Scalar y) { return become("^", x, x ^ flag(y)); }}};
  for (const auto& [name, function] : numbers) {
    tensor.def(name, function, Free(), py::is_operator(), py::arg("other").none(false));
  }
}

}  // namespace heed::python
