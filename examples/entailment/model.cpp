#include "model.h"

#include "../../attention/mechanisms/pooling/pooling.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../io/saved_model.h"
#include "../../nn/linear.h"

namespace entailment {
namespace {

constexpr Index kShared = 8;  // width of what says whether a word is shared

const ModelOptions& checked(const ModelOptions& options) {
  io::check_fields(options);
  return options;
}

attention::Mask places(const Side& side) {
  return attention::Mask::lengths(side.lengths, side.words.shape()[1]);
}

}  // namespace

PairReader::PairReader(const ModelOptions& o)
    : options(checked(o)),
      words(child<nn::Embedding>(
          "words",
          nn::EmbeddingOptions{
              .count = o.vocabulary, .width = o.width, .padding = 0, .dtype = o.dtype})),
      dropout(child<nn::Dropout>("dropout", o.dropout)),
      classify(child<nn::Sequential>(
          "classify", nn::Dropout(o.dropout), nn::Linear(make_mechanism(), o.hidden, true, o.dtype),
          nn::Tanh(), nn::Dropout(o.dropout), nn::Linear(o.hidden, 3, true, o.dtype))) {}

Index PairReader::make_mechanism() {
  const Index H = options.hidden;
  const Index in = options.width + (options.overlap ? kShared : 0);
  const DType type = options.dtype;
  if (options.overlap) {
    shared = &child<nn::Embedding>(
        "shared", nn::EmbeddingOptions{.count = 2, .width = kShared, .dtype = type});
  }
  switch (options.attention) {
    case Kind::two_way: two_way = &child<attention::TwoWay>("two_way", in, H, type); return 2 * H;
    case Kind::lstmn:
      tape = &child<attention::LSTMN>(
          "tape", attention::LSTMNOptions{.input = in, .hidden = H, .dtype = type});
      fused = &child<attention::LSTMNDecoder>(
          "fused",
          attention::LSTMNDecoderOptions{.input = in, .hidden = H, .source = H, .dtype = type});
      return 2 * H;
    case Kind::decomposable:
      decomposable = &child<attention::DecomposableAttention>(
          "decomposable", attention::DecomposableOptions{
                              .width = in, .hidden = H, .dropout = options.dropout, .dtype = type});
      return 2 * H;
    case Kind::esim:
      esim = &child<attention::ESIM>(
          "esim", attention::EsimOptions{
                      .width = in, .hidden = H, .dropout = options.dropout, .dtype = type});
      return 8 * H;
    default:
      read = &child<attention::ConditionalEncoding>("read", in, H, type);
      if (options.attention == Kind::last) {
        one_shot = &child<attention::OneShotAttention>("one_shot", H, type);
      } else if (options.attention == Kind::word_by_word) {
        word_by_word = &child<attention::WordByWord>("word_by_word", H, type);
      }
      return H;
  }
}

Tensor PairReader::vectors(const Side& side) const {
  const Tensor word = words(side.words);
  return dropout(shared ? concat({word, (*shared)(side.shared)}, -1) : word);
}

Tensor PairReader::match(const Batch& batch, bool need_weights, Reading& out) const {
  const Tensor a = vectors(batch.premise), b = vectors(batch.hypothesis);
  const auto& in_a = batch.premise.lengths;
  const auto& in_b = batch.hypothesis.lengths;
  const auto seen = [&](const auto& found) {
    out.weights = found.weights;
    out.premise_weights = found.premise_weights;
    return found.pair;
  };
  if (esim) return seen((*esim)(a, b, in_a, in_b, need_weights));
  if (decomposable) return seen((*decomposable)(a, b, in_a, in_b, need_weights));
  if (two_way) {
    const auto found = (*two_way)(a, b, in_a, in_b, need_weights);
    out.weights = found.there.weights;
    out.premise_weights = found.back.weights;
    return found.pair;
  }
  if (tape) {
    const auto source = (*tape)(a, in_a);
    const auto found = (*fused)(b, source.output, source.memory, places(batch.premise),
                                {.need_weights = need_weights}, in_b);
    if (need_weights) out.weights = found.weights.back();
    return concat({attention::average_pooling(source.output, places(batch.premise)),
                   attention::average_pooling(found.output, places(batch.hypothesis))},
                  -1);
  }
  const auto states = (*read)(a, b, in_a, in_b);
  if (one_shot) {
    const auto found =
        (*one_shot)(states.premise, states.last, places(batch.premise), need_weights);
    if (need_weights) out.weights = unsqueeze(found.weights, 1);
    return found.pair;
  }
  if (!word_by_word) return states.last;
  const auto found =
      (*word_by_word)(states.premise, states.hypothesis, places(batch.premise), in_b, need_weights);
  out.weights = found.weights;
  return found.pair;
}

Reading PairReader::operator()(const Batch& batch, bool need_weights) const {
  Reading out;
  out.logits = classify(match(batch, need_weights, out));
  return out;
}

io::DirectoryFiles files_of(const Judge& judge) {
  return io::ModelFiles("entailment")
      .options(judge.model->options)
      .text(io::kVocabularyFile, judge.vocabulary.serialize())
      .weights(*judge.model);
}

Judge load(const std::string& folder) {
  const io::ModelFolder saved(folder, "entailment");
  auto o = saved.options<ModelOptions>();
  Judge out{
      data::Vocabulary::parse(saved.text(io::kVocabularyFile), saved.path(io::kVocabularyFile)),
      nullptr};
  o.vocabulary = out.vocabulary.size();
  saved.expect({{"words.weight", {o.vocabulary, o.width}}, {"classify.1.weight", {o.hidden, -1}}});
  out.model = saved.make<PairReader>(o);
  return out;
}

}  // namespace entailment
