// What makes tensors: constants, ranges, draws; the generator; threads and memory of the process.
#include "device.h"

namespace heed::python {
namespace {

Generator& generator_of(Generator* given) { return given ? *given : default_generator(); }

using Maker = Tensor (*)(const Shape&, DType);
using Drawer = Tensor (*)(const Shape&, DType, Generator&);

void bind_sized(py::module_& m, const char* name, Maker make) {
  m.def(
      name,
      [name, make](const py::args& sizes, const py::object& size, std::optional<DType> dtype,
                   bool requires_grad, Device) {
        const Shape shape(numbers_of(name, sizes, size));
        const py::gil_scoped_release free;
        return make(shape, dtype.value_or(DType::f32)).set_requires_grad(requires_grad);
      },
      py::arg("size") = py::none(), py::arg("dtype") = py::none(), py::arg("requires_grad") = false,
      py::arg("device") = py::none(), "Without a dtype f32.");
}

void bind_drawn(py::module_& m, const char* name, Drawer draw) {
  m.def(
      name,
      [name, draw](const py::args& sizes, const py::object& size, Generator* generator,
                   std::optional<DType> dtype, bool requires_grad, Device) {
        const Shape shape(numbers_of(name, sizes, size));
        const py::gil_scoped_release free;
        return draw(shape, dtype.value_or(DType::f32), generator_of(generator))
            .set_requires_grad(requires_grad);
      },
      py::arg("size") = py::none(), py::arg("generator") = py::none(),
      py::arg("dtype") = py::none(), py::arg("requires_grad") = false,
      py::arg("device") = py::none(), "Without a dtype f32.");
}

DType kind_of(const Scalar& value, std::optional<DType> dtype) {
  return dtype.value_or(value.dtype());
}

void bind_constants(py::module_& m) {
  bind_sized(m, "zeros", [](const Shape& shape, DType dtype) { return zeros(shape, dtype); });
  bind_sized(m, "ones", [](const Shape& shape, DType dtype) { return ones(shape, dtype); });
  bind_sized(m, "empty", [](const Shape& shape, DType dtype) { return zeros(shape, dtype); });
  m.def(
      "full",
      [](const Shape& size, Scalar value, std::optional<DType> dtype, bool requires_grad, Device) {
        return full(size, value, kind_of(value, dtype)).set_requires_grad(requires_grad);
      },
      Free(), py::arg("size"), py::arg("fill_value"), py::kw_only(), py::arg("dtype") = py::none(),
      py::arg("requires_grad") = false, py::arg("device") = py::none());
  m.def(
      "scalar_tensor",
      [](Scalar value, std::optional<DType> dtype, Device) {
        return full(Shape{}, value, dtype.value_or(DType::f32));
      },
      py::arg("value"), py::kw_only(), py::arg("dtype") = py::none(),
      py::arg("device") = py::none(), "Without a dtype f32.");
  m.def(
      "eye",
      [](Index n, std::optional<Index> columns, std::optional<DType> dtype, Device) {
        return eye(n, columns.value_or(n), dtype.value_or(DType::f32));
      },
      Free(), py::arg("n"), py::arg("m") = py::none(), py::kw_only(), py::arg("dtype") = py::none(),
      py::arg("device") = py::none(), "Without a dtype f32.");
}

// What has the shape of a tensor, and its dtype unless another is given.
void bind_likes(py::module_& m, TensorClass& c) {
  using Like = Tensor (*)(const Tensor&, DType);
  const std::pair<const char*, Like> likes[] = {
      {"zeros_like", [](const Tensor& x, DType dtype) { return zeros(x.shape(), dtype); }},
      {"ones_like", [](const Tensor& x, DType dtype) { return ones(x.shape(), dtype); }},
      {"empty_like", [](const Tensor& x, DType dtype) { return zeros(x.shape(), dtype); }},
      {"rand_like", [](const Tensor& x, DType dtype) { return rand(x.shape(), dtype); }},
      {"randn_like", [](const Tensor& x, DType dtype) { return randn(x.shape(), dtype); }}};
  for (const auto& [name, make] : likes) {
    const auto call = [make](const Tensor& x, std::optional<DType> dtype, bool requires_grad,
                             Device) {
      return make(x, dtype.value_or(x.dtype())).set_requires_grad(requires_grad);
    };
    m.def(name, call, Free(), py::arg("input").none(false), py::kw_only(),
          py::arg("dtype") = py::none(), py::arg("requires_grad") = false,
          py::arg("device") = py::none());
    c.def(name, call, Free(), py::kw_only(), py::arg("dtype") = py::none(),
          py::arg("requires_grad") = false, py::arg("device") = py::none());
  }
  m.def(
      "full_like",
      [](const Tensor& x, Scalar value, std::optional<DType> dtype, bool requires_grad, Device) {
        return full(x.shape(), value, dtype.value_or(x.dtype())).set_requires_grad(requires_grad);
      },
      Free(), py::arg("input").none(false), py::arg("fill_value"), py::kw_only(),
      py::arg("dtype") = py::none(), py::arg("requires_grad") = false,
      py::arg("device") = py::none());
}

Tensor range(Scalar start, Scalar stop, Scalar step, std::optional<DType> dtype, Device) {
  return dtype ? arange(start, stop, step, *dtype) : arange(start, stop, step);
}

void bind_ranges(py::module_& m) {
  m.def(
      "arange",
      [](Scalar end, std::optional<DType> dtype, Device device) {
        return range(0, end, 1, dtype, device);
      },
      Free(), py::arg("end"), py::kw_only(), py::arg("dtype") = py::none(),
      py::arg("device") = py::none());
  m.def("arange", &range, Free(), py::arg("start"), py::arg("end"), py::arg("step") = Scalar(1),
        py::kw_only(), py::arg("dtype") = py::none(), py::arg("device") = py::none(),
        "start, start + step, .. before end: i64 of whole numbers, else f32.");
  m.def(
      "linspace",
      [](double start, double end, Index steps, std::optional<DType> dtype, Device) {
        return linspace(start, end, steps, dtype.value_or(DType::f32));
      },
      Free(), py::arg("start"), py::arg("end"), py::arg("steps"), py::kw_only(),
      py::arg("dtype") = py::none(), py::arg("device") = py::none(), "Without a dtype f32.");
}

void bind_generator(py::module_& m) {
  constexpr auto kItself = py::return_value_policy::reference;
  py::class_<Generator>(m, "Generator",
                        "Random numbers, counted: the whole state is a seed and a place.")
      .def(py::init<std::uint64_t>(), py::arg("seed") = 0)
      .def(
          "manual_seed",
          [](Generator& g, std::uint64_t seed) -> Generator& {
            g.manual_seed(seed);
            return g;
          },
          kItself, py::arg("seed"), "Begins the stream of that seed; gives the generator.")
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
          Free(), py::arg("size"), py::arg("dtype") = DType::f32)
      .def(
          "rand", [](Generator& g, const Shape& size, DType dtype) { return rand(size, dtype, g); },
          Free(), py::arg("size"), py::arg("dtype") = DType::f32)
      .def("permutation", &Generator::permutation, Free(), py::arg("n"));
  m.def("default_generator", &default_generator, kItself);
  m.def(
      "manual_seed",
      [](std::uint64_t seed) -> Generator& {
        manual_seed(seed);
        return default_generator();
      },
      kItself, py::arg("seed"), "Seeds the default generator, and gives it.");
}

// As randint(), of any generator.
Tensor whole_numbers(Index low, Index high, const Shape& size, Generator& generator) {
  if (&generator == &default_generator() || low >= high || (low < 0 && high > low + INT64_MAX)) {
    return randint(low, high, size);  // which says what is wrong
  }
  Array out = Array::empty(size, DType::i64);
  auto* const to = out.mutable_data<std::int64_t>();
  for (Index i = 0; i < out.numel(); ++i) to[i] = low + generator.below(high - low);
  return Tensor(std::move(out));
}

void bind_draws(py::module_& m) {
  bind_drawn(m, "rand", [](const Shape& shape, DType dtype, Generator& generator) {
    return rand(shape, dtype, generator);
  });
  bind_drawn(m, "randn", [](const Shape& shape, DType dtype, Generator& generator) {
    return randn(shape, dtype, generator);
  });
  m.def(
      "randint",
      [](Index high, const Shape& size, Generator* generator, Device) {
        return whole_numbers(0, high, size, generator_of(generator));
      },
      Free(), py::arg("high"), py::arg("size"), py::kw_only(), py::arg("generator") = py::none(),
      py::arg("device") = py::none());
  m.def(
      "randint",
      [](Index low, Index high, const Shape& size, Generator* generator, Device) {
        return whole_numbers(low, high, size, generator_of(generator));
      },
      Free(), py::arg("low"), py::arg("high"), py::arg("size"), py::kw_only(),
      py::arg("generator") = py::none(), py::arg("device") = py::none());
  m.def(
      "randperm",
      [](Index n, Generator* generator, Device) {
        return generator && n >= 0 ? tensor(generator->permutation(n)) : randperm(n);
      },
      Free(), py::arg("n"), py::kw_only(), py::arg("generator") = py::none(),
      py::arg("device") = py::none());
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

void bind_factories(py::module_& m, TensorClass& tensor) {
  bind_generator(m);  // which draws name
  bind_likes(m, tensor);
  bind_constants(m);
  bind_ranges(m);
  bind_draws(m);
  bind_process(m);
}

}  // namespace heed::python
