// Operators of Python and the functions element by element, over axes, and of matrices: each as a
// function of the module and as a method, by PyTorch's name. One table a signature, as each
// signature is compiled once.
#include "bindings.h"
#include "python_operators.h"

namespace heed::python {
namespace {

template <class F>
struct Row {
  const char* name;
  F* function;
  const char* second = "other";  // what PyTorch calls y
};
using Unary = Tensor(const Tensor&);
using Binary = Tensor(const Tensor&, const Tensor&);
using WithNumber = Tensor(const Tensor&, Scalar);
using OverAxes = Tensor(const Tensor&, const Axes&, bool);
using OverAxis = Tensor(const Tensor&, Index);

#define HEED_UNARY(NAME)                                 \
  {                                                      \
#NAME, [](const Tensor& x) { return heed::NAME(x); } \
  }
#define HEED_BINARY(NAME, ...)                                                        \
  {                                                                                   \
#NAME, [](const Tensor& x,                                                        \
              const Tensor& y) { return heed::NAME(x, y); } __VA_OPT__(, __VA_ARGS__) \
  }

void bind_unary(py::module_& m, TensorClass& c) {
  const Row<Unary> rows[] = {HEED_UNARY(abs),
                             HEED_UNARY(sign),
                             HEED_UNARY(exp),
                             HEED_UNARY(expm1),
                             HEED_UNARY(log),
                             HEED_UNARY(log1p),
                             HEED_UNARY(sqrt),
                             HEED_UNARY(rsqrt),
                             HEED_UNARY(square),
                             HEED_UNARY(reciprocal),
                             HEED_UNARY(sin),
                             HEED_UNARY(cos),
                             HEED_UNARY(tan),
                             HEED_UNARY(asin),
                             HEED_UNARY(acos),
                             HEED_UNARY(atan),
                             HEED_UNARY(sinh),
                             HEED_UNARY(cosh),
                             HEED_UNARY(tanh),
                             HEED_UNARY(erf),
                             HEED_UNARY(sigmoid),
                             HEED_UNARY(relu),
                             HEED_UNARY(floor),
                             HEED_UNARY(ceil),
                             HEED_UNARY(round),
                             HEED_UNARY(trunc),
                             HEED_UNARY(logical_not),
                             HEED_UNARY(isnan),
                             HEED_UNARY(isinf),
                             HEED_UNARY(isfinite),
                             HEED_UNARY(clone),
                             HEED_UNARY(unique),
                             HEED_UNARY(trace),
                             HEED_UNARY(t),
                             HEED_UNARY(bernoulli),
                             HEED_UNARY(median),
                             {"neg", [](const Tensor& x) { return -x; }},
                             {"contiguous", [](const Tensor& x) { return contiguous(x); }}};
  for (const auto& row : rows) {
    m.def(row.name, row.function, Free(), py::arg("input"));
    c.def(row.name, row.function, Free());
  }
  c.def("__neg__", rows[std::size(rows) - 2].function, Free());
  c.def("__abs__", rows[0].function, Free());
  c.def(
      "__invert__", [](const Tensor& x) { return ~x; }, Free());
}

// x op y and y op x, of tensors and of numbers.
void bind_python(TensorClass& c) {
  const Row<Binary> tensors[] = {
      {"__add__", [](const Tensor& x, const Tensor& y) { return x + y; }},
      {"__sub__", [](const Tensor& x, const Tensor& y) { return x - y; }},
      {"__mul__", [](const Tensor& x, const Tensor& y) { return x * y; }},
      {"__truediv__", [](const Tensor& x, const Tensor& y) { return x / y; }},
      {"__mod__", [](const Tensor& x, const Tensor& y) { return x % y; }},
      {"__pow__", [](const Tensor& x, const Tensor& y) { return pow(x, y); }},
      {"__matmul__", [](const Tensor& x, const Tensor& y) { return matmul(x, y); }},
      {"__eq__", [](const Tensor& x, const Tensor& y) { return x == y; }},
      {"__ne__", [](const Tensor& x, const Tensor& y) { return x != y; }},
      {"__lt__", [](const Tensor& x, const Tensor& y) { return x < y; }},
      {"__le__", [](const Tensor& x, const Tensor& y) { return x <= y; }},
      {"__gt__", [](const Tensor& x, const Tensor& y) { return x > y; }},
      {"__ge__", [](const Tensor& x, const Tensor& y) { return x >= y; }},
      {"__and__", [](const Tensor& x, const Tensor& y) { return x & y; }},
      {"__or__", [](const Tensor& x, const Tensor& y) { return x | y; }},
      {"__xor__", [](const Tensor& x, const Tensor& y) { return x ^ y; }}};
  for (const auto& row : tensors) {
    c.def(row.name, row.function, Free(), py::is_operator(), py::arg("other").none(false));
  }
  const Row<WithNumber> numbers[] = {
      {"__add__", [](const Tensor& x, Scalar y) { return x + y; }},
      {"__sub__", [](const Tensor& x, Scalar y) { return x - y; }},
      {"__mul__", [](const Tensor& x, Scalar y) { return x * y; }},
      {"__truediv__", [](const Tensor& x, Scalar y) { return x / y; }},
      {"__mod__", [](const Tensor& x, Scalar y) { return x % y; }},
      {"__pow__", [](const Tensor& x, Scalar y) { return pow(x, y.value()); }},
      {"__radd__", [](const Tensor& x, Scalar y) { return y + x; }},
      {"__rsub__", [](const Tensor& x, Scalar y) { return y - x; }},
      {"__rmul__", [](const Tensor& x, Scalar y) { return y * x; }},
      {"__rtruediv__", [](const Tensor& x, Scalar y) { return y / x; }},
      {"__rpow__", [](const Tensor& x, Scalar y) { return pow(y.value(), x); }},
      {"__eq__", [](const Tensor& x, Scalar y) { return x == y; }},
      {"__ne__", [](const Tensor& x, Scalar y) { return x != y; }},
      {"__lt__", [](const Tensor& x, Scalar y) { return x < y; }},
      {"__le__", [](const Tensor& x, Scalar y) { return x <= y; }},
      {"__gt__", [](const Tensor& x, Scalar y) { return x > y; }},
      {"__ge__", [](const Tensor& x, Scalar y) { return x >= y; }}};
  for (const auto& row : numbers) {
    c.def(row.name, row.function, Free(), py::is_operator(), py::arg("other").none(false));
  }
}

// `x += y` writes into x where nothing is to be recorded; else x becomes the new tensor.
void bind_in_place(TensorClass& c) {
  const Row<Binary> tensors[] = {{"__iadd__",
                                  [](const Tensor& x, const Tensor& y) {
                                    Tensor z = x;
                                    return z += y;
                                  }},
                                 {"__isub__",
                                  [](const Tensor& x, const Tensor& y) {
                                    Tensor z = x;
                                    return z -= y;
                                  }},
                                 {"__imul__",
                                  [](const Tensor& x, const Tensor& y) {
                                    Tensor z = x;
                                    return z *= y;
                                  }},
                                 {"__itruediv__", [](const Tensor& x, const Tensor& y) {
                                    Tensor z = x;
                                    return z /= y;
                                  }}};
  for (const auto& row : tensors) {
    c.def(row.name, row.function, Free(), py::is_operator(), py::arg("other").none(false));
  }
  const Row<WithNumber> numbers[] = {{"__iadd__",
                                      [](const Tensor& x, Scalar y) {
                                        Tensor z = x;
                                        return z += y;
                                      }},
                                     {"__isub__",
                                      [](const Tensor& x, Scalar y) {
                                        Tensor z = x;
                                        return z -= y;
                                      }},
                                     {"__imul__",
                                      [](const Tensor& x, Scalar y) {
                                        Tensor z = x;
                                        return z *= y;
                                      }},
                                     {"__itruediv__", [](const Tensor& x, Scalar y) {
                                        Tensor z = x;
                                        return z /= y;
                                      }}};
  for (const auto& row : numbers) {
    c.def(row.name, row.function, Free(), py::is_operator(), py::arg("other").none(false));
  }
  const Row<Binary> written[] = {
      {"copy_", [](const Tensor& x, const Tensor& y) { return copy_(x, y); }, "src"},
      {"add_", [](const Tensor& x, const Tensor& y) { return add_(x, y); }},
      {"sub_", [](const Tensor& x, const Tensor& y) { return sub_(x, y); }},
      {"mul_", [](const Tensor& x, const Tensor& y) { return mul_(x, y); }},
      {"div_", [](const Tensor& x, const Tensor& y) { return div_(x, y); }}};
  for (const auto& row : written) c.def(row.name, row.function, Free(), py::arg(row.second));
  const Row<WithNumber> by_number[] = {
      {"fill_", [](const Tensor& x, Scalar y) { return fill_(x, y); }},
      {"add_", [](const Tensor& x, Scalar y) { return add_(x, y); }},
      {"sub_", [](const Tensor& x, Scalar y) { return sub_(x, y); }},
      {"mul_", [](const Tensor& x, Scalar y) { return mul_(x, y); }},
      {"div_", [](const Tensor& x, Scalar y) { return div_(x, y); }}};
  for (const auto& row : by_number) c.def(row.name, row.function, Free(), py::arg("value"));
  const Row<Unary> alone[] = {{"zero_", [](const Tensor& x) { return zero_(x); }}};
  for (const auto& row : alone) c.def(row.name, row.function, Free());
  c.def("normal_", &Tensor::normal_, Free(), py::arg("mean") = 0, py::arg("std") = 1);
  c.def("uniform_", &Tensor::uniform_, Free(), py::arg("from_") = 0, py::arg("to") = 1);
  c.def("clamp_", &Tensor::clamp_, Free(), py::arg("min") = py::none(),
        py::arg("max") = py::none());
  c.def("masked_fill_", &Tensor::masked_fill_, Free(), py::arg("mask"), py::arg("value"));
  c.def(
      "masked_fill_",
      [](const Tensor& x, const Tensor& mask, const Tensor& value) {
        return masked_fill_(x, mask, filling(value));
      },
      Free(), py::arg("mask"), py::arg("value").none(false));
}

void bind_binary(py::module_& m, TensorClass& c) {
  const Row<Binary> rows[] = {HEED_BINARY(maximum),
                              HEED_BINARY(minimum),
                              HEED_BINARY(atan2),
                              HEED_BINARY(logical_and),
                              HEED_BINARY(logical_or),
                              HEED_BINARY(logical_xor),
                              HEED_BINARY(matmul),
                              HEED_BINARY(mm, "mat2"),
                              HEED_BINARY(mv, "vec"),
                              HEED_BINARY(bmm, "mat2"),
                              HEED_BINARY(dot),
                              HEED_BINARY(outer, "vec2"),
                              HEED_BINARY(remainder),
                              HEED_BINARY(masked_select, "mask"),
                              HEED_BINARY(pow, "exponent"),
                              {"add", [](const Tensor& x, const Tensor& y) { return x + y; }},
                              {"sub", [](const Tensor& x, const Tensor& y) { return x - y; }},
                              {"mul", [](const Tensor& x, const Tensor& y) { return x * y; }},
                              {"div", [](const Tensor& x, const Tensor& y) { return x / y; }},
                              {"eq", [](const Tensor& x, const Tensor& y) { return x == y; }},
                              {"ne", [](const Tensor& x, const Tensor& y) { return x != y; }},
                              {"lt", [](const Tensor& x, const Tensor& y) { return x < y; }},
                              {"le", [](const Tensor& x, const Tensor& y) { return x <= y; }},
                              {"gt", [](const Tensor& x, const Tensor& y) { return x > y; }},
                              {"ge", [](const Tensor& x, const Tensor& y) { return x >= y; }}};
  for (const auto& row : rows) {
    m.def(row.name, row.function, Free(), py::arg("input"), py::arg(row.second));
    c.def(row.name, row.function, Free(), py::arg(row.second));
  }
  const Row<WithNumber> numbers[] = {
      {"pow", [](const Tensor& x, Scalar y) { return pow(x, y.value()); }, "exponent"},
      {"add", [](const Tensor& x, Scalar y) { return x + y; }},
      {"sub", [](const Tensor& x, Scalar y) { return x - y; }},
      {"mul", [](const Tensor& x, Scalar y) { return x * y; }},
      {"div", [](const Tensor& x, Scalar y) { return x / y; }},
      {"eq", [](const Tensor& x, Scalar y) { return x == y; }},
      {"ne", [](const Tensor& x, Scalar y) { return x != y; }},
      {"lt", [](const Tensor& x, Scalar y) { return x < y; }},
      {"le", [](const Tensor& x, Scalar y) { return x <= y; }},
      {"gt", [](const Tensor& x, Scalar y) { return x > y; }},
      {"ge", [](const Tensor& x, Scalar y) { return x >= y; }},
      {"remainder", [](const Tensor& x, Scalar y) { return remainder(x, y); }}};
  for (const auto& row : numbers) {
    m.def(row.name, row.function, Free(), py::arg("input"), py::arg(row.second));
    c.def(row.name, row.function, Free(), py::arg(row.second));
  }
}

// keepdim, which a number, as of another axis, is not.
py::arg_v kept() { return py::arg_v(py::arg("keepdim").noconvert(), false); }

void bind_reductions(py::module_& m, TensorClass& c) {
  const Row<OverAxes> rows[] = {
      {"sum", &sum},   {"mean", &mean}, {"prod", &prod}, {"logsumexp", &logsumexp},
      {"amax", &amax}, {"amin", &amin}, {"all", &all},   {"any", &any}};
  for (const auto& row : rows) {
    m.def(row.name, row.function, Free(), py::arg("input"), py::arg("dim") = Axes(), kept());
    c.def(row.name, row.function, Free(), py::arg("dim") = Axes(), kept());
  }
  using Spread = Tensor(const Tensor&, const Axes&, bool, Index);
  const Row<Spread> spreads[] = {{"var", &var}, {"std", &stddev}};
  for (const auto& row : spreads) {
    const auto call = [f = row.function](const Tensor& x, const Axes& dim, bool keep,
                                         std::optional<Index> correction,
                                         std::optional<bool> unbiased) {
      if (correction && unbiased) throw ValueError("correction and unbiased are one thing");
      return f(x, dim, keep, correction.value_or(unbiased.value_or(true) ? 1 : 0));
    };
    // By their names, as in PyTorch, whose older second argument is another one.
    m.def(row.name, call, Free(), py::arg("input"), py::arg("dim") = Axes(), py::kw_only(), kept(),
          py::arg("correction") = py::none(), py::arg("unbiased") = py::none(),
          "Divides by the count less the correction, which is 1, of unbiased=False 0.");
    c.def(row.name, call, Free(), py::arg("dim") = Axes(), py::kw_only(), kept(),
          py::arg("correction") = py::none(), py::arg("unbiased") = py::none());
  }
  m.def("norm", &norm, Free(), py::arg("input"), py::arg("p") = 2, py::arg("dim") = Axes(), kept());
  c.def("norm", &norm, Free(), py::arg("p") = 2, py::arg("dim") = Axes(), kept());
  const Row<OverAxis> along[] = {
      {"cumsum", [](const Tensor& x, Index dim) { return cumsum(x, dim); }},
      {"cumprod", [](const Tensor& x, Index dim) { return cumprod(x, dim); }},
      {"softmax", [](const Tensor& x, Index dim) { return softmax(x, dim); }},
      {"log_softmax", [](const Tensor& x, Index dim) { return log_softmax(x, dim); }}};
  for (const auto& row : along) {
    m.def(row.name, row.function, Free(), py::arg("input"), py::arg("dim"));
    c.def(row.name, row.function, Free(), py::arg("dim"));
  }
}

// What gives values and where they stood.
void bind_choosing(py::module_& m, TensorClass& c) {
  const auto both = [&](const char* name, auto function, auto... arguments) {
    m.def(name, function, Free(), py::arg("input"), arguments...);
    c.def(name, function, Free(), arguments...);
  };
  // Before those of an axis, which one whole number in a tensor could be, too.
  both("max", static_cast<Binary*>(&heed::max), py::arg("other").none(false));
  both("min", static_cast<Binary*>(&heed::min), py::arg("other").none(false));
  using Along = Picked (*)(const Tensor&, Index, bool);
  const std::pair<const char*, Along> rows[] = {
      {"max", [](const Tensor& x, Index dim, bool keep) { return heed::max(x, dim, keep); }},
      {"min", [](const Tensor& x, Index dim, bool keep) { return heed::min(x, dim, keep); }},
      {"median", [](const Tensor& x, Index dim, bool keep) { return heed::median(x, dim, keep); }}};
  for (const auto& [name, function] : rows) both(name, function, py::arg("dim"), kept());
  both("max", static_cast<Unary*>(&heed::max));
  both("min", static_cast<Unary*>(&heed::min));
  using Arg = Tensor (*)(const Tensor&, std::optional<Index>, bool);
  const std::pair<const char*, Arg> args[] = {
      {"argmax", [](const Tensor& x, std::optional<Index> dim,
                    bool keep) { return dim ? argmax(x, *dim, keep) : argmax(x); }},
      {"argmin", [](const Tensor& x, std::optional<Index> dim, bool keep) {
         return dim ? argmin(x, *dim, keep) : argmin(x);
       }}};
  for (const auto& [name, function] : args) {
    both(name, function, py::arg("dim") = py::none(), kept());
  }
  both(
      "sort", [](const Tensor& x, Index dim, bool down) { return heed::sort(x, dim, down); },
      py::arg("dim") = -1, py::arg("descending") = false);
  both(
      "argsort", [](const Tensor& x, Index dim, bool down) { return argsort(x, dim, down); },
      py::arg("dim") = -1, py::arg("descending") = false);
  both(
      "topk",
      [](const Tensor& x, Index k, Index dim, bool largest, bool sorted) {
        return heed::topk(x, k, dim, largest, sorted);
      },
      py::arg("k"), py::arg("dim") = -1, py::arg("largest") = true, py::arg("sorted") = true);
  using Close = bool (*)(const Tensor&, const Tensor&, double, double, bool);
  both("allclose", static_cast<Close>(&allclose), py::arg("other"), py::arg("rtol") = 1e-5,
       py::arg("atol") = 1e-8, py::arg("equal_nan") = false);
  both("isclose", &isclose, py::arg("other"), py::arg("rtol") = 1e-5, py::arg("atol") = 1e-8,
       py::arg("equal_nan") = false);
  both("equal", &equal, py::arg("other"));
  both(  // first, so that bounds that are trained are not taken for numbers
      "clamp",
      [](const Tensor& x, const Tensor& low, const Tensor& high) {
        return clamp(x, beside(x, low), beside(x, high));
      },
      py::arg("min") = Tensor(), py::arg("max") = Tensor());
  both(
      "clamp",
      [](const Tensor& x, std::optional<double> low, std::optional<double> high) {
        return clamp(x, low, high);
      },
      py::arg("min") = py::none(), py::arg("max") = py::none());
}

}  // namespace

void bind_operators(py::module_& m, TensorClass& tensor) {
  const py::object hash = tensor.attr("__hash__");  // __eq__ would take it away
  bind_unary(m, tensor);
  bind_python(tensor);
  bind_in_place(tensor);
  bind_binary(m, tensor);
  bind_reductions(m, tensor);
  bind_choosing(m, tensor);
  tensor.attr("__hash__") = hash;
  m.def(
      "einsum",
      [](const std::string& equation, const py::args& operands) {
        const bool listed = operands.size() == 1 &&
                            (PyList_Check(operands[0].ptr()) || PyTuple_Check(operands[0].ptr()));
        std::vector<Tensor> tensors;
        for (const py::handle operand : listed ? operands[0] : py::handle(operands)) {
          tensors.push_back(operand.cast<Tensor>());
        }
        const py::gil_scoped_release free;
        return einsum(equation, tensors);
      },
      py::arg("equation"));
}

}  // namespace heed::python
