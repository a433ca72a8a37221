// heed.attention: decoders that attend to a source, step by step or over whole sequences.
#include "attention.h"

namespace heed::python {
namespace {

using namespace heed::attention;

// What all decoders have: run over given words, and one step from a state.
template <class D>
void bind_steps(ModuleClass<D>& c, py::module_& m, const char* state_name) {
  using State = typename D::State;
  py::class_<State>(m, state_name, "Where a decoder stands.")
      .def("reorder", &State::reorder, Free(), py::arg("rows"), py::arg("sources") = true);
  c.def(
       "step",
       [](const D& decoder, const Tensor& word, State& state, const py::kwargs& terms) {
         const HeldTerms given = terms_of(terms);
         const py::gil_scoped_release free;
         return StackOutput(decoder.step(word, state, given));
       },
       py::arg("word"), py::arg("state"), "output, weights of one step: word [B, E].")
      .def(
          "run",
          [](const D& decoder, const Tensor& words, State& state, const Lengths& lengths,
             const py::kwargs& terms) {
            const HeldTerms given = terms_of(terms);
            const py::gil_scoped_release free;
            return StackOutput(decoder.run(words, state, given, lengths));
          },
          py::arg("words"), py::arg("state"), py::arg("lengths") = Lengths(),
          "output, weights of all: words [B, T, E].");
}

using LstmStart = std::vector<std::pair<Tensor, Tensor>>;

void bind_bahdanau(py::module_& m) {
  using O = BahdanauOptions;
  const Fields<O> fields = {field("word_width", &O::word_width),
                            field("annotation_width", &O::annotation_width),
                            field("state_width", &O::state_width),
                            field("hidden", &O::hidden),
                            field("readout", &O::readout),
                            field("start_width", &O::start_width),
                            field("score", &O::score),
                            field("layers", &O::layers),
                            field("dtype", &O::dtype)};
  ModuleClass<BahdanauDecoder> c(m, "BahdanauDecoder",
                                 ("Bahdanau et al. 2014. Options: " + names_of(fields)).c_str());
  bind_steps(c, m, "BahdanauState");
  c.def(py::init([fields](const py::kwargs& given) {
     return std::make_shared<BahdanauDecoder>(options_of("BahdanauDecoder", O(), given, fields));
   }))
      .def(
          "start",
          [](const BahdanauDecoder& d, const Tensor& annotations, const Mask& mask) {
            return d.start(annotations, mask);
          },
          py::keep_alive<0, 1>(), Free(), py::arg("annotations"), py::arg("mask") = Mask())
      .def(
          "forward",
          [](const BahdanauDecoder& d, const Tensor& words, const Tensor& annotations,
             const Mask& mask, const Lengths& lengths, const py::kwargs& terms) {
            const HeldTerms given = terms_of(terms);
            const py::gil_scoped_release free;
            return d(words, annotations, mask, given, lengths);
          },
          py::arg("words"), py::arg("annotations"), py::arg("source_mask") = Mask(),
          py::arg("lengths") = Lengths());
}

void bind_luong(py::module_& m) {
  using O = LuongOptions;
  const Fields<O> fields = {field("word_width", &O::word_width),
                            field("source_width", &O::source_width),
                            field("state_width", &O::state_width),
                            field("layers", &O::layers),
                            field("out", &O::out),
                            field("input_feeding", &O::input_feeding),
                            field("attention", &O::attention),
                            field("score", &O::score),
                            field("half_width", &O::half_width),
                            field("dropout", &O::dropout),
                            field("dtype", &O::dtype)};
  ModuleClass<LuongDecoder> c(m, "LuongDecoder",
                              ("Luong et al. 2015. Options: " + names_of(fields)).c_str());
  bind_steps(c, m, "LuongState");
  c.def(py::init([fields](const py::kwargs& given) {
     return std::make_shared<LuongDecoder>(options_of("LuongDecoder", O(), given, fields));
   }))
      .def(
          "start",
          [](const LuongDecoder& d, const Tensor& source, const Lengths& lengths,
             const LstmStart& begin) {
            std::vector<LstmState> states;
            for (const auto& [h, cell] : begin) states.push_back({h, cell});
            return d.start(source, lengths, states);
          },
          py::keep_alive<0, 1>(), Free(), py::arg("source"), py::arg("lengths") = Lengths(),
          py::arg("begin") = LstmStart())
      .def(
          "forward",
          [](const LuongDecoder& d, const Tensor& words, const Tensor& source,
             const Lengths& source_lengths, const Lengths& lengths, const py::kwargs& terms) {
            const HeldTerms given = terms_of(terms);
            const py::gil_scoped_release free;
            return d(words, source, source_lengths, given, lengths);
          },
          py::arg("words"), py::arg("source"), py::arg("source_lengths") = Lengths(),
          py::arg("lengths") = Lengths());
}

void bind_location_aware(py::module_& m) {
  using O = LocationAwareDecoderOptions;
  const Fields<O> fields = {field("word_width", &O::word_width),
                            field("annotation_width", &O::annotation_width),
                            field("state_width", &O::state_width),
                            field("hidden", &O::hidden),
                            field("readout", &O::readout),
                            field("filters", &O::filters),
                            field("kernel", &O::kernel),
                            field("window", &O::window),
                            field("normaliser", &O::normaliser),
                            field("score", &O::score),
                            field("dtype", &O::dtype)};
  ModuleClass<LocationAwareDecoder> c(
      m, "LocationAwareDecoder", ("Chorowski et al. 2015. Options: " + names_of(fields)).c_str());
  bind_steps(c, m, "LocationAwareState");
  c.def(py::init([fields](const py::kwargs& given) {
     return std::make_shared<LocationAwareDecoder>(
         options_of("LocationAwareDecoder", O(), given, fields));
   }))
      .def("start", &LocationAwareDecoder::start, py::keep_alive<0, 1>(), Free(),
           py::arg("annotations"), py::arg("mask") = Mask())
      .def(
          "forward",
          [](const LocationAwareDecoder& d, const Tensor& words, const Tensor& annotations,
             const Mask& mask, const Lengths& lengths, const py::kwargs& terms) {
            const HeldTerms given = terms_of(terms);
            const py::gil_scoped_release free;
            return d(words, annotations, mask, given, lengths);
          },
          py::arg("words"), py::arg("annotations"), py::arg("source_mask") = Mask(),
          py::arg("lengths") = Lengths());
}

void bind_pointing(py::module_& m) {
  ModuleClass<Pointer>(m, "Pointer", "Log-probabilities of places (Vinyals et al. 2015).")
      .def(py::init<Index, Index, Index, DType>(), py::arg("query_width"), py::arg("key_width"),
           py::arg("hidden"), py::kw_only(), py::arg("dtype") = DType::f32)
      .def(
          "forward",
          [](const Pointer& f, const Tensor& query, const Tensor& keys, const Mask& mask) {
            return f(query, keys, mask);
          },
          Free(), py::arg("query"), py::arg("keys"), py::arg("mask") = Mask());
  using O = LocalOptions;
  const Fields<O> fields = {field("kind", &O::kind),
                            field("half_width", &O::half_width),
                            field("gaussian", &O::gaussian),
                            field("score", &O::score),
                            field("query_width", &O::query_width),
                            field("hidden", &O::hidden),
                            field("dtype", &O::dtype)};
  ModuleClass<Local>(m, "Local",
                     ("Local attention (Luong et al. 2015). Options: " + names_of(fields)).c_str())
      .def(py::init([fields](const py::kwargs& given) {
        return std::make_shared<Local>(options_of("Local", O(), given, fields));
      }))
      .def(
          "forward",
          [](const Local& f, const Tensor& query, const Tensor& keys, const Tensor& values,
             const Lengths& lengths, const py::kwargs& terms) {
            const HeldTerms given = terms_of(terms);
            LocalCall call;
            call.terms = given;
            const py::gil_scoped_release free;
            return f(query, keys, values, lengths, call);
          },
          py::arg("query"), py::arg("keys"), py::arg("values"), py::arg("lengths") = Lengths());
}

}  // namespace

void bind_decoders(py::module_& m) {
  bind_bahdanau(m);
  bind_luong(m);
  bind_location_aware(m);
  bind_pointing(m);
}

}  // namespace heed::python
