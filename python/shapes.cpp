// Operators that arrange, join, cut and index: functions of the module and methods, by PyTorch's
// names.
#include "bindings.h"

namespace heed::python {

/// Several tensors, as what cuts gives them.
class TensorTuple : public py::tuple {
 public:
  explicit TensorTuple(const std::vector<Tensor>& tensors) : py::tuple(py::cast(tensors)) {}
};

}  // namespace heed::python

template <>
struct pybind11::detail::handle_type_name<heed::python::TensorTuple> {
  static constexpr auto name = const_name("Tuple[heed._heed.Tensor, ...]");
};

namespace heed::python {
namespace {

using Sized = Tensor (*)(const Tensor&, const std::vector<Index>&);

struct SizedRow {
  const char* name;
  const char* word;  // of the numbers, where they are named
  Sized function;
};

void bind_sized(py::module_& m, TensorClass& c) {
  const SizedRow rows[] = {
      {"view", "size",
       [](const Tensor& x, const std::vector<Index>& n) { return view(x, Shape(n)); }},
      {"reshape", "shape",
       [](const Tensor& x, const std::vector<Index>& n) { return reshape(x, Shape(n)); }},
      {"expand", "size",
       [](const Tensor& x, const std::vector<Index>& n) { return expand(x, Shape(n)); }},
      {"broadcast_to", "size",
       [](const Tensor& x, const std::vector<Index>& n) { return broadcast_to(x, Shape(n)); }},
      {"repeat", "repeats",
       [](const Tensor& x, const std::vector<Index>& n) { return repeat(x, n); }},
      {"tile", "dims", [](const Tensor& x, const std::vector<Index>& n) { return tile(x, n); }},
      {"permute", "dims",
       [](const Tensor& x, const std::vector<Index>& n) { return permute(x, n); }},
      {"flip", "dims",
       [](const Tensor& x, const std::vector<Index>& n) { return flip(x, Axes(n)); }}};
  for (const SizedRow& row : rows) {
    const auto call = [row](const Tensor& x, const py::args& sizes, const py::object& named) {
      const std::vector<Index> numbers = numbers_of(row.name, sizes, named);
      const py::gil_scoped_release free;
      return row.function(x, numbers);
    };
    c.def(row.name, call, py::arg(row.word) = py::none());
    m.def(row.name, call, py::arg("input"), py::arg(row.word) = py::none());
  }
}

// As a function and as a method.
template <class... Extra>
void both(py::module_& m, TensorClass& c, const char* name, auto function, const Extra&... extra) {
  m.def(name, function, Free(), py::arg("input"), extra...);
  c.def(name, function, Free(), extra...);
}

void bind_arranging(py::module_& m, TensorClass& c) {
  c.def_property_readonly("T", [](const Tensor& x) { return x.T(); });
  c.def_property_readonly("mT", [](const Tensor& x) { return x.mT(); });
  c.def(
      "view_as", [](const Tensor& x, const Tensor& y) { return view(x, y.shape()); }, Free(),
      py::arg("other"));
  c.def(
      "expand_as", [](const Tensor& x, const Tensor& y) { return expand(x, y.shape()); }, Free(),
      py::arg("other"));
  both(m, c, "flatten", &flatten, py::arg("start_dim") = 0, py::arg("end_dim") = -1);
  both(m, c, "transpose", &transpose, py::arg("dim0"), py::arg("dim1"));
  both(
      m, c, "squeeze",
      [](const Tensor& x, const Axes& dim) { return dim.empty() ? squeeze(x) : squeeze(x, dim); },
      py::arg("dim") = Axes());
  both(m, c, "unsqueeze", &unsqueeze, py::arg("dim"));
  both(m, c, "roll", &roll, py::arg("shifts"), py::arg("dims") = Axes());
  both(m, c, "repeat_interleave",
       static_cast<Tensor (*)(const Tensor&, Index, Index)>(&repeat_interleave), py::arg("repeats"),
       py::arg("dim"));
  both(m, c, "unfold", &unfold, py::arg("dimension"), py::arg("size"), py::arg("step"));
  using Diagonal = Tensor (*)(const Tensor&, Index);
  for (const auto& [name, f] : {std::pair<const char*, Diagonal>("tril", &tril), {"triu", &triu}}) {
    both(m, c, name, f, py::arg("diagonal") = 0);
  }
  both(m, c, "diag", static_cast<Diagonal>(&diag), py::arg("diagonal") = 0);
  both(m, c, "diag_embed", &diag_embed, py::arg("offset") = 0);
  both(m, c, "diagonal", &diagonal, py::arg("offset") = 0, py::arg("dim1") = 0,
       py::arg("dim2") = 1);
}

TensorTuple without_lock(const auto& f) {
  const std::vector<Tensor> parts = [&] {
    const py::gil_scoped_release free;
    return f();
  }();
  return TensorTuple(parts);
}

// A number for each place, of the dtype that both have together.
Tensor where_numbers(const Tensor& condition, Scalar x, Scalar y) {
  DType dtype = x.dtype();
  for (const DType wide : {DType::i64, DType::f32}) {
    if (y.dtype() == wide || x.dtype() == wide) dtype = wide;
  }
  return where(condition, full(Shape{}, x, dtype), full(Shape{}, y, dtype));
}

// One tensor of places for each axis.
TensorTuple places_of(const Tensor& x) {
  return without_lock([&] { return unbind(nonzero(x), 1); });
}

void bind_choosing_places(py::module_& m, TensorClass& c) {
  const auto condition = py::arg("condition").none(false);
  using Of = Tensor (*)(const Tensor&, const Tensor&, const Tensor&);
  m.def("where", static_cast<Of>(&where), Free(), condition, py::arg("input").none(false),
        py::arg("other").none(false));
  m.def("where", static_cast<Tensor (*)(const Tensor&, const Tensor&, Scalar)>(&where), Free(),
        condition, py::arg("input").none(false), py::arg("other"));
  m.def("where", static_cast<Tensor (*)(const Tensor&, Scalar, const Tensor&)>(&where), Free(),
        condition, py::arg("input"), py::arg("other").none(false));
  m.def("where", &where_numbers, Free(), condition, py::arg("input"), py::arg("other"));
  m.def("where", &places_of, condition, "As nonzero(condition, as_tuple=True).");
  c.def(
      "where",
      [](const Tensor& x, const Tensor& condition, const Tensor& y) {
        return where(condition, x, y);
      },
      Free(), condition, py::arg("other").none(false), "x where the condition holds, else other.");
  c.def(
      "where",
      [](const Tensor& x, const Tensor& condition, Scalar y) { return where(condition, x, y); },
      Free(), condition, py::arg("other"));
  both(m, c, "nonzero", static_cast<Tensor (*)(const Tensor&)>(&nonzero));
  const auto by_axis = [](const Tensor& x, bool as_tuple) -> py::object {
    if (as_tuple) return places_of(x);
    return py::cast(nonzero(x));
  };
  m.def("nonzero", by_axis, py::arg("input"), py::kw_only(), py::arg("as_tuple"));
  c.def("nonzero", by_axis, py::kw_only(), py::arg("as_tuple"));
}

void bind_joining(py::module_& m, TensorClass& c) {
  using Join = Tensor (*)(const std::vector<Tensor>&, Index);
  for (const auto& [name, f] :
       {std::pair<const char*, Join>("cat", &cat), {"concat", &concat}, {"stack", &stack}}) {
    m.def(name, f, Free(), py::arg("tensors"), py::arg("dim") = 0);
  }
  const auto pieces = [&](const char* name, auto function, const auto&... extra) {
    m.def(name, function, py::arg("input"), extra...);
    c.def(name, function, extra...);
  };
  pieces(
      "split",
      [](const Tensor& x, Index size, Index dim) {
        return without_lock([&] { return split(x, size, dim); });
      },
      py::arg("split_size"), py::arg("dim") = 0);
  pieces(
      "split",
      [](const Tensor& x, const std::vector<Index>& sizes, Index dim) {
        return without_lock([&] { return split(x, sizes, dim); });
      },
      py::arg("split_size"), py::arg("dim") = 0);
  pieces(
      "chunk",
      [](const Tensor& x, Index chunks, Index dim) {
        return without_lock([&] { return chunk(x, chunks, dim); });
      },
      py::arg("chunks"), py::arg("dim") = 0);
  pieces(
      "unbind",
      [](const Tensor& x, Index dim) { return without_lock([&] { return unbind(x, dim); }); },
      py::arg("dim") = 0);
}

void bind_parts(py::module_& m, TensorClass& c) {
  both(m, c, "select", &select, py::arg("dim"), py::arg("index"));
  both(m, c, "narrow", &narrow, py::arg("dim"), py::arg("start"), py::arg("length"));
  using Places = Tensor (*)(const Tensor&, Index, const Tensor&);
  for (const auto& [name, f] :
       {std::pair<const char*, Places>("index_select", &index_select), {"gather", &gather}}) {
    both(m, c, name, f, py::arg("dim"), py::arg("index"));
  }
  using Adding = Tensor (*)(const Tensor&, Index, const Tensor&, const Tensor&);
  both(m, c, "index_add", static_cast<Adding>(&index_add), py::arg("dim"), py::arg("index"),
       py::arg("source"));
  both(m, c, "scatter_add", static_cast<Adding>(&scatter_add), py::arg("dim"), py::arg("index"),
       py::arg("src"));
  both(m, c, "take_along_dim", &take_along, py::arg("indices"), py::arg("dim"));
  both(m, c, "masked_fill", &masked_fill, py::arg("mask"), py::arg("value"));
  using Filled = Tensor (*)(const Tensor&, const Tensor&, const Tensor&);
  both(m, c, "masked_fill",
       static_cast<Filled>([](const Tensor& x, const Tensor& mask, const Tensor& value) {
         return masked_fill(x, mask, filling(value));
       }),
       py::arg("mask"), py::arg("value").none(false));
  both(m, c, "index_put", &index_put, py::arg("indices"), py::arg("values"),
       py::arg("accumulate") = false);
  both(m, c, "bincount", &bincount, py::arg("minlength") = 0);
  both(m, c, "count_nonzero", &count_nonzero, py::arg("dim") = Axes());
  m.def("bucketize", &bucketize, Free(), py::arg("input"), py::arg("boundaries"),
        py::arg("right") = false);
  m.def("searchsorted", &searchsorted, Free(), py::arg("sorted_sequence"), py::arg("input"),
        py::arg("right") = false);
  m.def("lerp", static_cast<Tensor (*)(const Tensor&, const Tensor&, const Tensor&)>(&lerp), Free(),
        py::arg("input"), py::arg("end"), py::arg("weight"));
  m.def("lerp", static_cast<Tensor (*)(const Tensor&, const Tensor&, double)>(&lerp), Free(),
        py::arg("input"), py::arg("end"), py::arg("weight"));
  m.def("linear_scan", &linear_scan, Free(), py::arg("a"), py::arg("b"), py::arg("dim"),
        py::arg("reverse") = false,
        "h_t = a_t h_{t-1} + b_t along an axis, the first place b alone.");
}

}  // namespace

void bind_shapes(py::module_& m, TensorClass& tensor) {
  bind_sized(m, tensor);
  bind_arranging(m, tensor);
  bind_joining(m, tensor);
  bind_parts(m, tensor);
  bind_choosing_places(m, tensor);
}

}  // namespace heed::python
