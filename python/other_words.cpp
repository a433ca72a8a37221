// PyTorch's other words for what has one here already, and what needs a line: names of the module
// and of its tensors, and tensors like another one.
#include <numbers>

#include "device.h"

namespace heed::python {
namespace {

struct Other {
  const char* name;
  const char* of;
};

// Of the module and of its tensors.
constexpr Other kOthers[] = {
    {"absolute", "abs"},       {"negative", "neg"},      {"multiply", "mul"},  {"subtract", "sub"},
    {"divide", "div"},         {"true_divide", "div"},   {"not_equal", "ne"},  {"greater", "gt"},
    {"greater_equal", "ge"},   {"less", "lt"},           {"less_equal", "le"}, {"clip", "clamp"},
    {"swapaxes", "transpose"}, {"swapdims", "transpose"}};

void bind_names(py::module_& m) {
  for (const auto& [name, of] : kOthers) m.attr(name) = m.attr(of);
  m.attr("concatenate") = m.attr("cat");
  m.def(
      "is_tensor", [](const py::object& given) { return py::isinstance<Tensor>(given); },
      py::arg("obj"));
  m.def("is_floating_point", &Tensor::is_floating_point, py::arg("input").none(false));
  m.attr("pi") = std::numbers::pi;
  m.attr("inf") = std::numeric_limits<double>::infinity();
  m.attr("nan") = std::numeric_limits<double>::quiet_NaN();
  m.def(
      "use_deterministic_algorithms", [](bool, bool) {}, py::arg("mode"), py::kw_only(),
      py::arg("warn_only") = false, "Results are the same bits always: nothing changes.");
}

// The places `source` brought to `destination`, the others in their order.
Tensor moved(const Tensor& x, const Axes& source, const Axes& destination) {
  const auto axes_of = [&x](const Axes& axes) {
    std::vector<Index> out;
    for (const Index axis : axes) {
      if (axis < -x.rank() || axis >= x.rank()) {
        throw ShapeError("movedim: axis " + std::to_string(axis) + " of " + describe(x));
      }
      out.push_back(axis < 0 ? axis + x.rank() : axis);
      if (std::count(out.begin(), out.end(), out.back()) > 1) {
        throw ShapeError("movedim: axis " + std::to_string(axis) + " stands twice");
      }
    }
    return out;
  };
  const std::vector<Index> from = axes_of(source), to = axes_of(destination);
  if (from.size() != to.size()) throw ShapeError("movedim: as many axes as places");
  std::vector<Index> order(static_cast<std::size_t>(x.rank()), -1);
  for (std::size_t i = 0; i < from.size(); ++i) order[static_cast<std::size_t>(to[i])] = from[i];
  Index next = 0;
  for (Index& axis : order) {
    if (axis >= 0) continue;
    while (std::count(from.begin(), from.end(), next) > 0) ++next;
    axis = next++;
  }
  return permute(x, order);
}

void bind_methods(py::module_& m, TensorClass& c) {
  for (const auto& [name, of] : kOthers) c.attr(name) = c.attr(of);
  c.attr("ndimension") = c.attr("dim");
  c.attr("nelement") = c.attr("numel");
  c.def_property_readonly("is_cuda", [](const Tensor&) { return false; });
  const auto both = [&](const char* name, auto function, const auto&... extra) {
    m.def(name, function, Free(), py::arg("input"), extra...);
    c.def(name, function, Free(), extra...);
  };
  for (const char* name : {"movedim", "moveaxis"}) {
    both(name, &moved, py::arg("source"), py::arg("destination"));
  }
  both("ravel", [](const Tensor& x) { return flatten(x, 0, -1); });
  both(
      "clamp_min", [](const Tensor& x, double min) { return clamp(x, min, std::nullopt); },
      py::arg("min"));
  both(
      "clamp_max", [](const Tensor& x, double max) { return clamp(x, std::nullopt, max); },
      py::arg("max"));
}

// Of x's dtype unless another is given.
void bind_new(TensorClass& c) {
  using Maker = Tensor (*)(const Shape&, DType);
  const std::pair<const char*, Maker> makers[] = {
      {"new_zeros", [](const Shape& shape, DType dtype) { return zeros(shape, dtype); }},
      {"new_ones", [](const Shape& shape, DType dtype) { return ones(shape, dtype); }},
      {"new_empty", [](const Shape& shape, DType dtype) { return zeros(shape, dtype); }}};
  for (const auto& [name, make] : makers) {
    c.def(
        name,
        [name, make](const Tensor& x, const py::args& sizes, const py::object& size,
                     std::optional<DType> dtype, bool requires_grad, Device) {
          const Shape shape(numbers_of(name, sizes, size));
          const py::gil_scoped_release free;
          return make(shape, dtype.value_or(x.dtype())).set_requires_grad(requires_grad);
        },
        py::arg("size") = py::none(), py::arg("dtype") = py::none(),
        py::arg("requires_grad") = false, py::arg("device") = py::none(),
        "Without a dtype that of this tensor.");
  }
  c.def(
      "new_full",
      [](const Tensor& x, const Shape& size, Scalar value, std::optional<DType> dtype,
         bool requires_grad, Device) {
        return full(size, value, dtype.value_or(x.dtype())).set_requires_grad(requires_grad);
      },
      Free(), py::arg("size"), py::arg("fill_value"), py::kw_only(), py::arg("dtype") = py::none(),
      py::arg("requires_grad") = false, py::arg("device") = py::none());
  c.def(
      "new_tensor",
      [](const Tensor& x, const py::object& data, std::optional<DType> dtype, bool requires_grad,
         Device) {
        return tensor_of(data, dtype.value_or(x.dtype())).set_requires_grad(requires_grad);
      },
      py::arg("data"), py::kw_only(), py::arg("dtype") = py::none(),
      py::arg("requires_grad") = false, py::arg("device") = py::none());
}

// The tensor itself, or one around an array's numbers, where that can be; else a copy.
TensorObject as_tensor(const py::object& data, std::optional<DType> dtype, Device) {
  const auto object = [](const Tensor& x) { return TensorObject(py::cast(x)); };
  const auto of_dtype = [&](const Tensor& x) {
    return object(dtype && *dtype != x.dtype() ? heed::to(x, *dtype) : x);
  };
  if (py::isinstance<Tensor>(data)) {
    const auto& x = data.cast<const Tensor&>();
    return dtype && *dtype != x.dtype() ? object(heed::to(x, *dtype)) : TensorObject(data);
  }
  if (PyObject_CheckBuffer(data.ptr())) {
    try {
      return of_dtype(from_buffer(data));
    } catch (const Error&) {  // read-only, of narrow integers: a copy says more where that fails
    }
  }
  return object(tensor_of(data, dtype));
}

}  // namespace

void bind_other_words(py::module_& m, TensorClass& tensor) {
  bind_names(m);
  bind_methods(m, tensor);
  bind_new(tensor);
  for (const char* name : {"as_tensor", "asarray"}) {
    m.def(name, &as_tensor, py::arg("data"), py::kw_only(), py::arg("dtype") = py::none(),
          py::arg("device") = py::none(),
          "A tensor as it is, an array's own numbers where they can be shared, else a copy.");
  }
}

}  // namespace heed::python
