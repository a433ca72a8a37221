#include "model.h"

#include <fmt/format.h>

#include <numeric>

#include "../../autograd/grad_mode.h"
#include "../../autograd/methods.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../io/saved_model.h"

namespace aspects {
namespace {

constexpr const char* kKind = "aspects";
using data::kIobLabels;

}  // namespace

Tagger::Tagger(const ModelOptions& o)
    : options(io::checked_fields(o)),
      words(child<nn::Embedding>(
          "words",
          nn::EmbeddingOptions{.count = o.vocabulary, .width = o.width, .dtype = o.dtype})),
      dropout(child<nn::Dropout>("dropout", o.dropout)),
      gru(child<nn::GRU>("gru", nn::GRUOptions{.input = o.width,
                                               .hidden = o.hidden,
                                               .bidirectional = o.bidirectional,
                                               .dtype = o.dtype})) {
  const Index width = o.hidden * (o.bidirectional ? 2 : 1);
  if (o.attention == "none") {
    for (std::size_t side = 0; side < 2; ++side)
      label[side] = &child<nn::Linear>(kSides[side], width, kIobLabels, true, o.dtype);
    return;
  }
  const bool coupled = o.attention == "cmla";
  attend = &child<attention::CoupledMultiLayerAttention>(
      "attend", attention::CoupledOptions{.width = width,
                                          .slices = o.slices,
                                          .layers = o.layers,
                                          .labels = kIobLabels,
                                          .coupled = coupled,
                                          .dtype = o.dtype});
}

Reading Tagger::operator()(const Tensor& ids, const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  const Tensor h = dropout(gru(dropout(words(ids)), lengths).output);  // [B, T, width]
  if (attend == nullptr) return {{(*label[0])(h), (*label[1])(h)}, {}};
  const auto tags = (*attend)(h, lengths, true);
  return {{tags.aspect.logits, tags.opinion.logits}, {tags.aspect.weights, tags.opinion.weights}};
}

train::Loss loss_of(const Tagger& tagger, const Batch& batch) {
  const Reading reading = tagger(batch.words, batch.lengths);
  const auto cost = [&](std::size_t side) {
    return cross_entropy(reshape(reading.logits[side], {-1, kIobLabels}),
                         reshape(batch.labels[side], {-1}), {.ignore_index = kNoWord});
  };
  const auto words = std::accumulate(batch.lengths.begin(), batch.lengths.end(), Index{0});
  return {.tensor = cost(0) + cost(1), .weight = static_cast<double>(words)};
}

Reader make_reader(ModelOptions options, const data::WordVectors& vectors) {
  if (vectors.rows.size(1) != options.width) {
    throw ValueError(
        fmt::format("vectors of width {}, not {}", vectors.rows.size(1), options.width));
  }
  options.vocabulary = vectors.vocabulary.size();
  Reader out{vectors.vocabulary, std::make_unique<Tagger>(options)};
  const NoGrad scope;
  out.tagger->words.weight.copy_(Tensor(vectors.rows));
  return out;
}

io::DirectoryFiles files_of(const Reader& reader) {
  return io::ModelFiles(kKind)
      .options(reader.tagger->options)
      .options(reader.begin)
      .text(io::kVocabularyFile, reader.vocabulary.serialize())
      .weights(*reader.tagger);
}

Reader load_reader(const std::string& folder) {
  const io::ModelFolder saved(folder, kKind);
  auto options = saved.options<ModelOptions>();
  Reader out;
  out.vocabulary = saved.parse<data::Vocabulary>();
  options.vocabulary = out.vocabulary.size();
  saved.expect({{"words.weight", {options.vocabulary, options.width}}});
  out.begin = saved.known_options<BeginOptions>();
  out.tagger = saved.make<Tagger>(options);
  return out;
}

}  // namespace aspects
