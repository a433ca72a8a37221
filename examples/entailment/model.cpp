#include "model.h"

#include "../../attention/mechanisms/pairs/decomposable.h"
#include "../../attention/mechanisms/pairs/esim.h"
#include "../../attention/mechanisms/pairs/lstmn_pair.h"
#include "../../attention/mechanisms/pairs/two_way.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../io/saved_model.h"
#include "../../nn/linear.h"

namespace entailment {
namespace {

constexpr Index kShared = 8;  // width of what says whether a word is shared

}  // namespace

PairReader::PairReader(const ModelOptions& o)
    : options(io::checked_fields(o)),
      words(child<nn::Embedding>(
          "words", nn::EmbeddingOptions{.count = o.vocabulary, .width = o.width, .padding = 0})),
      shared(o.overlap ? &child<nn::Embedding>("shared", 2, kShared) : nullptr),
      dropout(child<nn::Dropout>("dropout", o.dropout)),
      classify(child<nn::Sequential>("classify", nn::Dropout(o.dropout),
                                     nn::Linear(make_attention(), o.hidden), nn::Tanh(),
                                     nn::Dropout(o.dropout), nn::Linear(o.hidden, 3))) {}

Index PairReader::make_attention() {
  using namespace attention;
  const Index in = options.width + (shared ? kShared : 0), H = options.hidden;
  const auto by = [this](const auto& module, Index width) {
    match_ = std::cref(module);
    return width;
  };
  const std::string& kind = options.attention;
  if (kind == "two_way") return by(child<TwoWay>(kind, in, H), 2 * H);
  if (kind == "lstmn") return by(child<LSTMNPair>(kind, in, H), 2 * H);
  if (kind == "decomposable") {
    const DecomposableOptions o{
        .width = in, .hidden = H, .dropout = options.dropout, .differences = options.differences};
    return by(child<DecomposableAttention>(kind, o), 2 * H);
  }
  if (kind == "esim") {
    const EsimOptions o{.width = in, .hidden = H, .dropout = options.dropout};
    return by(child<ESIM>(kind, o), 8 * H);
  }
  const auto& read = child<ConditionalEncoding>("read", in, H);
  const auto* last = kind == "last" ? &child<OneShotAttention>(kind, H) : nullptr;
  const auto* each = kind == "word_by_word" ? &child<WordByWord>(kind, H) : nullptr;
  match_ = [=, &read](const Tensor& a, const Tensor& b, const Lengths& in_a, const Lengths& in_b,
                      bool need_weights) {
    const ConditionalEncodingOutput states = read(a, b, in_a, in_b);
    if (!last && !each) return PairOutput{states.hypothesis, states.premise, states.last};
    const Mask at = Mask::lengths(in_a, a.size(1));
    const EntailmentOutput found =
        last ? (*last)(states.premise, states.last, at, need_weights)
             : (*each)(states.premise, states.hypothesis, at, in_b, need_weights);
    const Tensor weights = last && need_weights ? unsqueeze(found.weights, 1) : found.weights;
    return PairOutput{found.context, states.premise, found.pair, weights};
  };
  return H;
}

Tensor PairReader::vectors(const Side& side) const {
  const Tensor word = words(side.words);
  return dropout(shared ? concat({word, (*shared)(side.shared)}, -1) : word);
}

Reading PairReader::operator()(const Batch& batch, bool need_weights) const {
  Reading out{match_(vectors(batch.premise), vectors(batch.hypothesis), batch.premise.lengths,
                     batch.hypothesis.lengths, need_weights)};
  out.logits = classify(out.pair);
  return out;
}

io::DirectoryFiles files_of(const Judge& judge) {
  return io::ModelFiles("entailment")
      .options(judge.model->options)
      .options(judge.known)
      .text(io::kVocabularyFile, judge.vocabulary.serialize())
      .weights(*judge.model);
}

Judge load(const std::string& folder) {
  const io::ModelFolder saved(folder, "entailment");
  auto o = saved.options<ModelOptions>();
  Judge out{saved.parse<data::Vocabulary>(), nullptr};
  o.vocabulary = out.vocabulary.size();
  saved.expect({{"words.weight", {o.vocabulary, o.width}}, {"classify.1.weight", {o.hidden, -1}}});
  out.known = saved.known_options(out.known);
  out.model = saved.make<PairReader>(o);
  return out;
}

}  // namespace entailment
