// heed.attention: scores, normalisers, biases by position.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;
using nn::Module;

HEED_FIELDS(LocationAwareOptions, query_width, key_width, hidden, filters, kernel, dtype)
HEED_FIELDS(MonotonicEnergyOptions, query_width, key_width, hidden, offset, dtype)

namespace {

#define HEED_DTYPE py::kw_only(), py::arg("dtype") = DType::f32

void bind_score_classes(py::module_& m) {
  ModuleClass<Score>(m, "Score", "How well a query and a key match.")
      .def("prepare", &Score::prepare, Free(), py::arg("keys"))
      .def(
          "forward",
          [](const Score& score, const Tensor& query, const Tensor& keys) {
            return score(query, score.prepare(keys));
          },
          Free(), py::arg("query"), py::arg("keys"),
          "query [.., Q, dq], keys [.., K, dk] -> [.., Q, K].");
  ModuleClass<ScaledDot, Score>(m, "ScaledDot")
      .def(py::init<std::optional<double>>(), py::arg("scale") = py::none());
  ModuleClass<Dot, ScaledDot>(m, "Dot").def(py::init<>());
  ModuleClass<General, Score>(m, "General", "q W k (Luong et al. 2015).")
      .def(py::init<Index, Index, DType>(), py::arg("query_width"), py::arg("key_width"),
           HEED_DTYPE)
      .HEED_TENSOR(General, weight);
  ModuleClass<Additive, Score>(m, "Additive", "v . tanh(W1 q + W2 k) (Bahdanau et al. 2014).")
      .def(py::init<Index, Index, Index, bool, DType>(), py::arg("query_width"),
           py::arg("key_width"), py::arg("hidden"), py::arg("bias") = false, HEED_DTYPE)
      .HEED_CHILD(Additive, query_projection)
      .HEED_CHILD(Additive, key_projection)
      .HEED_TENSOR(Additive, score_vector);
  ModuleClass<FeatureWise, Score>(m, "FeatureWise")
      .def(py::init<Index, Index, Index, Index, DType>(), py::arg("query_width"),
           py::arg("key_width"), py::arg("hidden"), py::arg("value_width"), HEED_DTYPE);
  ModuleClass<LocationBased, Score>(m, "LocationBased")
      .def(py::init<Index, Index, DType>(), py::arg("query_width"), py::arg("max_keys"), HEED_DTYPE)
      .HEED_TENSOR(LocationBased, weight);
  Mechanism<LocationAware, Score>(m, "Sees where the last query looked (Chorowski et al. 2015).")
      .init<LocationAwareOptions>();
  Mechanism<ContextualPositions, Score>(
      m, "CoPE: counts what the query lets through (Golovneva et al. 2024).")
      .init<Index, Index, std::optional<double>, DType>("width, positions, scale, dtype");
  Mechanism<Gaussian, Score>(m, "By distance from a place: query [.., Q, d + 1], keys [.., K, d].")
      .init<>();
  Mechanism<MonotonicEnergy, Score>(m,
                                    "Additive, of a learnt size and middle (Raffel et al. 2017).")
      .init<MonotonicEnergyOptions>();
}

template <class T>
ModuleClass<T, Normaliser> normaliser(py::module_& m, const char* name, const char* what = "") {
  return ModuleClass<T, Normaliser>(m, name, what);
}

void bind_normalisers(py::module_& m) {
  ModuleClass<Normaliser>(m, "Normaliser", "Makes weights of scores along the axis of the keys.")
      .def(
          "forward",
          [](const Normaliser& f, const Tensor& scores, const Tensor& allowed) {
            return f(scores, allowed);
          },
          Free(), py::arg("scores"), py::arg("allowed") = Tensor());
  normaliser<Softmax>(m, "Softmax").def(py::init<>());
  normaliser<SoftmaxPlusOne>(m, "SoftmaxPlusOne", "exp(e) / (1 + sum exp(e)) (Miller 2023).")
      .def(py::init<>());
  normaliser<Sparsemax>(m, "Sparsemax").def(py::init<>());
  normaliser<Sigmoid>(m, "Sigmoid").def(py::init<>());
  normaliser<NormalisedSigmoid>(m, "NormalisedSigmoid").def(py::init<>());
  normaliser<TopK>(m, "TopK").def(py::init<Index>(), py::arg("k"));
  normaliser<Temperature>(m, "Temperature")
      .def(py::init<double, bool, DType>(), py::arg("beta"), py::arg("learned") = false, HEED_DTYPE)
      .HEED_TENSOR(Temperature, log_beta);
  normaliser<Entmax>(m, "Entmax",
                     "Between softmax (alpha 1) and sparsemax (2) (Peters et al. 2019).")
      .def(py::init([](double alpha, bool learned, Index heads, DType dtype) {
             return std::make_shared<Entmax>(
                 EntmaxOptions{.alpha = alpha, .learned = learned, .heads = heads, .dtype = dtype});
           }),
           py::arg("alpha") = 1.5, py::arg("learned") = false, py::arg("heads") = 0, HEED_DTYPE)
      .def("alpha", &Entmax::alpha, Free())
      .HEED_TENSOR(Entmax, log_excess);
  normaliser<Monotonic>(m, "Monotonic")
      .def(py::init<double>(), py::arg("noise") = 0)
      .def_readwrite("hard", &Monotonic::hard);
  Mechanism<Mocha, Monotonic>(m, "Chunks behind each place (Chiu and Raffel 2018).")
      .init<Index, double>("chunk, noise=0.0")
      .method("spread", "weights, chunk_scores, allowed=", &Mocha::spread, "[.., K].");
  Mechanism<ByCount, Normaliser>(m, "Scores over how many may be attended to (Wang et al. 2018).")
      .init<>();
}

void bind_biases(py::module_& m) {
  ModuleClass<OffsetBias>(m, "OffsetBias", "A bias by the distance of query and key alone.")
      .def(
          "forward",
          [](const OffsetBias& f, Index queries, Index keys) { return f(queries, keys); }, Free(),
          py::arg("queries"), py::arg("keys"), "[H, Q, K].");
  ModuleClass<Alibi, OffsetBias>(m, "Alibi", "Press et al. 2022.")
      .def(py::init<Index, DType>(), py::arg("heads"), HEED_DTYPE)
      .HEED_TENSOR(Alibi, slopes);
  ModuleClass<T5Bias, OffsetBias>(m, "T5Bias", "Raffel et al. 2020.")
      .def(py::init(
               [](Index heads, Index buckets, Index max_distance, bool bidirectional, DType dtype) {
                 return std::make_shared<T5Bias>(T5Options{.heads = heads,
                                                           .buckets = buckets,
                                                           .max_distance = max_distance,
                                                           .bidirectional = bidirectional,
                                                           .dtype = dtype});
               }),
           py::arg("heads"), py::arg("buckets") = 32, py::arg("max_distance") = 128,
           py::arg("bidirectional") = true, HEED_DTYPE)
      .HEED_TENSOR(T5Bias, weight);
  ModuleClass<RelativePositions>(m, "RelativePositions", "Shaw et al. 2018.")
      .def(py::init([](Index key_width, Index value_width, Index clip, DType dtype) {
             return std::make_shared<RelativePositions>(RelativeOptions{
                 .key_width = key_width, .value_width = value_width, .clip = clip, .dtype = dtype});
           }),
           py::arg("key_width"), py::arg("value_width") = 0, py::arg("clip") = 16, HEED_DTYPE)
      .def("scores", &RelativePositions::scores, Free(), py::arg("query"), py::arg("count"),
           py::arg("scale"), "[.., Q, d] -> [.., Q, K].")
      .def("context", &RelativePositions::context, Free(), py::arg("weights"),
           "[.., Q, K] -> [.., Q, dv].")
      .HEED_TENSOR(RelativePositions, keys)
      .HEED_TENSOR(RelativePositions, values);
}

}  // namespace

void bind_scores(py::module_& m) {
  bind_score_classes(m);
  bind_normalisers(m);
  bind_biases(m);
}

}  // namespace heed::python
