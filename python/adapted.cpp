// heed.nn: what stands beside or in the place of a layer's weight: low-rank adapters of a model
// that somebody trained, weights as a length and a direction.
#include "modules.h"

namespace heed::python {
namespace {

using namespace heed::nn;
using Entries = std::map<std::string, Tensor>;

Entries entries_of(const NamedTensors& named) { return {named.begin(), named.end()}; }

void bind_adapters(py::module_& m) {
  m.def(
      "add_lora",
      [](Module& model, Index rank, double alpha, double dropout,
         const std::vector<std::string>& at) {
        return add_lora(model, {.rank = rank, .alpha = alpha, .dropout = dropout, .at = at});
      },
      py::arg("model"), py::arg("rank") = 8, py::arg("alpha") = 16, py::arg("dropout") = 0,
      py::arg("at") = std::vector<std::string>(),
      "Freezes the model and puts low-rank adapters beside the matrices of each Linear and "
      "MultiHead whose path holds one of `at` (Hu et al. 2022); how many there are.");
  m.def("merge_lora", &merge_lora, Free(), py::arg("model"),
        "Into the weights: as fast as before.");
  m.def("unmerge_lora", &unmerge_lora, Free(), py::arg("model"), "Out of them again, to the bit.");
  m.def("has_unmerged_lora", &has_unmerged_lora, py::arg("model"));
  m.def(
      "lora_state", [](const Module& model) { return entries_of(lora_state(model)); },
      py::arg("model"), "The adapters' parameters by their names.");
  m.def(
      "state_without_lora",
      [](const Module& model) { return entries_of(state_without_lora(model)); }, py::arg("model"),
      "The others'; of a merged model, the sums.");
  m.def(
      "load_lora",
      [](Module& model, const Entries& entries) {
        load_lora(model, NamedTensors(entries.begin(), entries.end()));
      },
      py::arg("model"), py::arg("state_dict"));
}

template <class T, class Base>
ModuleClass<T, Base> normalised(py::module_& m, const char* name) {
  ModuleClass<T, Base> c(m, name, "w = g v / ||v|| (Salimans, Kingma 2016).");
  c.HEED_TENSOR(T, weight_g).HEED_TENSOR(T, weight_v);
  c.def(
      "forward", [](const T& f, const Tensor& x) { return f(x); }, Free(), py::arg("input"));
  return c;
}

void bind_weight_norm(py::module_& m) {
  normalised<WeightNormLinear, Linear>(m, "WeightNormLinear")
      .def(py::init([](Index in, Index out, bool bias, DType dtype) {
             return std::make_shared<WeightNormLinear>(in, out, true, bias, dtype);
           }),
           py::arg("in_features"), py::arg("out_features"), py::arg("bias") = true, py::kw_only(),
           py::arg("dtype") = DType::f32);
  normalised<WeightNormConv1d, Conv1d>(m, "WeightNormConv1d")
      .def(py::init([](Index in, Index out, Index kernel, Index stride, Index padding,
                       Index dilation, Index groups, bool bias, DType dtype) {
             Conv1dOptions options;
             options.stride = stride;
             options.padding = padding;
             options.dilation = dilation;
             options.groups = groups;
             return std::make_shared<WeightNormConv1d>(in, out, kernel, true, options, bias, dtype);
           }),
           py::arg("in_channels"), py::arg("out_channels"), py::arg("kernel_size"),
           py::arg("stride") = 1, py::arg("padding") = 0, py::arg("dilation") = 1,
           py::arg("groups") = 1, py::arg("bias") = true, py::kw_only(),
           py::arg("dtype") = DType::f32);
}

}  // namespace

void bind_adapted(py::module_& m) {
  bind_adapters(m);
  bind_weight_norm(m);
}

}  // namespace heed::python
