// What all decoders have in Python: a state, one step from it, and a run over given words.
#pragma once

#include "attention_options.h"

namespace heed::python {

template <class D>
Mechanism<D> decoder(py::module_& m, const char* state_name, const char* what) {
  using State = typename D::State;
  py::class_<State>(m, state_name, "Where a decoder stands.")
      .def("reorder", &State::reorder, Free(), py::arg("rows"), py::arg("sources") = true);
  Mechanism<D> c(m, what);
  c.method(
      "step", "word, state",
      [](const D& d, const Tensor& word, State& state, const attention::Terms& terms) {
        return d.step(word, state, terms);
      },
      "output, weights of one step: word [B, E].");
  c.method(
      "run", "words, state, lengths",
      [](const D& d, const Tensor& words, State& state, const Lengths& lengths,
         const attention::Terms& terms) { return d.run(words, state, terms, lengths); },
      "output, weights of all: words [B, T, E].");
  return c;
}

}  // namespace heed::python
