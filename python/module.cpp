// heed._heed, the compiled part of the package heed: each family is bound in the file of its name.
#include "bindings.h"

PYBIND11_MODULE(_heed, m) {
  using namespace heed;
  using namespace heed::python;
  m.attr("__version__") = version();
  m.def(
      "build_info", [] { return build_info().text(); }, "Which heed this is, and what it runs on.");
  m.doc() = "The compiled part of heed: import heed instead.";
  bind_errors(m);
  TensorClass tensor = bind_tensor(m);
  bind_indexing(tensor);
  bind_numpy(m, tensor);
  bind_dlpack(m, tensor);
  bind_factories(m, tensor);
  bind_operators(m, tensor);
  bind_python_operators(m, tensor);
  bind_in_place_operators(tensor);
  bind_shapes(m, tensor);
  bind_other_words(m, tensor);
  bind_packed(m);
  py::module_ nn = m.def_submodule("_nn");
  py::module_ functional = nn.def_submodule("_functional");
  bind_functions(functional);
  bind_convolutions(functional);
  py::module_ autograd = m.def_submodule("_autograd");
  bind_autograd(m, autograd);
  bind_gradcheck(m, nn);
  bind_modules(nn);
  bind_layers(nn);
  bind_losses(nn);
  bind_recurrent(nn);
  bind_adapted(nn);
  bind_beam_search(nn);
  py::module_ padding = nn.def_submodule("_rnn");
  bind_padding(padding);
  py::module_ init = nn.def_submodule("_init");
  bind_init(init);
  py::module_ stochastic = m.def_submodule("_stochastic");
  bind_stochastic(m, stochastic);
  py::module_ attention = m.def_submodule("_attention");
  bind_traced(m, attention);
  bind_attention(attention);
  bind_multi_head(attention);
  bind_self_attention(attention);
  bind_transformer(attention);
  bind_mixtures(attention);
  bind_linear(attention);
  bind_pooling(attention);
  bind_hard(attention);
  bind_pointing(attention);
  bind_memories(attention);
  bind_decoders(attention);
  bind_pairs(attention);
  bind_sets(attention);
  bind_machines(attention);
  bind_graphs(attention);
  bind_structured(attention);
  bind_vision(attention);
  py::module_ optim = m.def_submodule("_optim");
  bind_optim(optim);
  py::module_ schedules = optim.def_submodule("_lr_scheduler");
  bind_schedules(schedules);
  py::module_ io = m.def_submodule("_io");
  bind_io(io);
  refuse_unmade();
}
