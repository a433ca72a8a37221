// What makes tensors: constants, ranges, draws; the generator; threads and memory of the process.
#include "bindings.h"

namespace heed::python {
namespace {

using Maker = Tensor (*)(const Shape&, DType);

void bind_sized(py::module_& m, const char* name, Maker make) {
  m.def(
      name,
      [name, make](const py::args& size, DType dtype, bool requires_grad) {
        const Shape shape(numbers_of(name, size));
        return make(shape, dtype).set_requires_grad(requires_grad);
      },
      py::arg("dtype") = DType::f32, py::arg("requires_grad") = false);
}

DType kind_of(const Scalar& value, std::optional<DType> dtype) {
  return dtype.value_or(value.dtype());
}

void bind_constants(py::module_& m) {
  bind_sized(m, "zeros", [](const Shape& shape, DType dtype) { return zeros(shape, dtype); });
  bind_sized(m, "ones", [](const Shape& shape, DType dtype) { return ones(shape, dtype); });
  bind_sized(m, "empty", [](const Shape& shape, DType dtype) { return zeros(shape, dtype); });
  bind_sized(m, "rand", [](const Shape& shape, DType dtype) { return rand(shape, dtype); });
  bind_sized(m, "randn", [](const Shape& shape, DType dtype) { return randn(shape, dtype); });
  m.def(
      "full",
      [](const Shape& size, Scalar value, std::optional<DType> dtype) {
        return full(size, value, kind_of(value, dtype));
      },
      py::arg("size"), py::arg("fill_value"), py::kw_only(), py::arg("dtype") = py::none());
  m.def("full_like", &full_like, py::arg("input"), py::arg("fill_value"));
  m.def(
      "scalar_tensor",
      [](Scalar value, std::optional<DType> dtype) {
        return full(Shape{}, value, kind_of(value, dtype));
      },
      py::arg("value"), py::kw_only(), py::arg("dtype") = py::none());
  m.def(
      "eye",
      [](Index n, std::optional<Index> columns, DType dtype) {
        return eye(n, columns.value_or(n), dtype);
      },
      py::arg("n"), py::arg("m") = py::none(), py::kw_only(), py::arg("dtype") = DType::f32);
}

Tensor range(Scalar start, Scalar stop, Scalar step, std::optional<DType> dtype) {
  return dtype ? arange(start, stop, step, *dtype) : arange(start, stop, step);
}

void bind_ranges(py::module_& m) {
  m.def(
      "arange", [](Scalar end, std::optional<DType> dtype) { return range(0, end, 1, dtype); },
      py::arg("end"), py::kw_only(), py::arg("dtype") = py::none());
  m.def("arange", &range, py::arg("start"), py::arg("end"), py::arg("step") = Scalar(1),
        py::kw_only(), py::arg("dtype") = py::none(),
        "start, start + step, .. before end: i64 of whole numbers, else f32.");
  m.def("linspace", &linspace, py::arg("start"), py::arg("end"), py::arg("steps"), py::kw_only(),
        py::arg("dtype") = DType::f32);
}

void bind_draws(py::module_& m) {
  m.def("manual_seed", &manual_seed, py::arg("seed"), "Seeds the default generator.");
  m.def("randint", py::overload_cast<Index, const Shape&>(&randint), py::arg("high"),
        py::arg("size"));
  m.def("randint", py::overload_cast<Index, Index, const Shape&>(&randint), py::arg("low"),
        py::arg("high"), py::arg("size"));
  m.def("randperm", &randperm, Free(), py::arg("n"));
  py::class_<Generator>(m, "Generator",
                        "Random numbers, counted: the whole state is a seed and a place.")
      .def(py::init<std::uint64_t>(), py::arg("seed") = 0)
      .def("manual_seed", &Generator::manual_seed, py::arg("seed"))
      .def("get_state",
           [](const Generator& g) { return std::pair(g.state().seed, g.state().offset); })
      .def(
          "set_state",
          [](Generator& g, std::pair<std::uint64_t, std::uint64_t> state) {
            g.set_state({state.first, state.second});
          },
          py::arg("state"))
      .def(
          "randn",
          [](Generator& g, const Shape& size, DType dtype) { return randn(size, dtype, g); },
          py::arg("size"), py::arg("dtype") = DType::f32)
      .def(
          "rand", [](Generator& g, const Shape& size, DType dtype) { return rand(size, dtype, g); },
          py::arg("size"), py::arg("dtype") = DType::f32)
      .def("permutation", &Generator::permutation, py::arg("n"));
  m.def("default_generator", &default_generator, py::return_value_policy::reference);
}

void bind_process(py::module_& m) {
  m.def("get_num_threads", &num_threads);
  m.def("set_num_threads", &set_num_threads, py::arg("threads"), "For all threads of the process.");
  m.def(
      "memory_stats",
      [] {
        const MemoryStats stats = memory_stats();
        py::dict out;
        out["live_bytes"] = stats.live_bytes;
        out["live_storages"] = stats.live_storages;
        out["live_tensors"] = stats.live_tensors;
        out["live_nodes"] = stats.live_nodes;
        out["reserved_bytes"] = stats.reserved_bytes;
        return out;
      },
      "What the library holds now.");
  m.def("set_memory_limit", &set_memory_limit, py::arg("bytes"), "0: none.");
}

}  // namespace

void bind_factories(py::module_& m) {
  bind_constants(m);
  bind_ranges(m);
  bind_draws(m);
  bind_process(m);
}

}  // namespace heed::python
