// heed.nn: beam search over anything that decodes, also what is written in Python.
#include "attention_options.h"

namespace heed::python {

HEED_FIELDS(nn::BeamSearchOptions, begin, end, beam, longest, length_penalty, coverage_penalty,
            n_best, forbidden, prefixes, suppressed, shortest, repetition_penalty, no_repeat,
            need_weights)

namespace {

/// class Writing(heed.nn.Decoding): step(words, need_weights), reorder(rows, sources)
class PythonDecoding : public nn::Decoding {
 public:
  Tensor step(const Tensor& words, Tensor* weights) override {
    const py::gil_scoped_acquire lock;
    check_signals();
    const py::object given = overridden("step")(words, weights != nullptr);
    if (!py::isinstance<py::tuple>(given)) return given.cast<Tensor>();
    const auto both = given.cast<std::pair<Tensor, Tensor>>();
    if (weights) *weights = both.second;
    return both.first;
  }
  void reorder(const Tensor& rows, bool sources) override {
    const py::gil_scoped_acquire lock;
    overridden("reorder")(rows, sources);
  }

 private:
  HeldFunction overridden(const char* name) const {
    const py::function found = py::get_override(static_cast<const nn::Decoding*>(this), name);
    if (!found) throw py::type_error(std::string("Decoding: there is no ") + name + "()");
    return HeldFunction(found);
  }
};

}  // namespace

void bind_beam_search(py::module_& m) {
  py::class_<nn::Decoding, PythonDecoding>(
      m, "Decoding",
      "A batch of texts being written, for beam_search(). Of one's own: step(words i64 [R], "
      "need_weights) -> logits [R, V], or logits and weights [R, K]; reorder(rows i64 [R'], "
      "sources).")
      .def(py::init<>());
  py::class_<nn::Hypothesis>(m, "Hypothesis", "A text that was written.")
      .def_readonly("words", &nn::Hypothesis::words)
      .def_readonly("log_probability", &nn::Hypothesis::log_probability)
      .def_readonly("score", &nn::Hypothesis::score)
      .def_readonly("finished", &nn::Hypothesis::finished)
      .def_property_readonly("weights", [](const nn::Hypothesis& text) {
        return text.weights.defined() ? Tensor(text.weights) : Tensor();
      });
  function(
      m, "beam_search", "decoding, sources",
      [](nn::Decoding& decoding, Index sources, const nn::BeamSearchOptions& options) {
        return nn::beam_search(decoding, sources, options);
      },
      "The n best texts of each source, best first.");
}

}  // namespace heed::python
