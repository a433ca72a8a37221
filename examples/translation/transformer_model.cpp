#include "transformer_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../nn/positional_encoding.h"

namespace translation {

using attention::Mask;
using attention::TransformerDecoder;

namespace {

attention::TransformerOptions layer_of(const ModelOptions& options) {
  return {.width = options.width,
          .heads = options.heads,
          .hidden = options.hidden,
          .dropout = options.dropout,
          .pre_norm = true,
          .dtype = options.dtype};
}

Mask mask_of(const Rows& source) { return Mask::lengths(source.lengths, source.ids.size(1)); }

}  // namespace

TransformerModel::TransformerModel(const ModelOptions& given)
    : Translator(given, given.width),
      layers(child<attention::Transformer>("layers", given.layers, given.layers, layer_of(given))) {
}

Tensor TransformerModel::embed(const nn::Embedding& table, const Tensor& words, Index first) const {
  const Index E = options.width;
  return tables.dropout(table(words) * std::sqrt(static_cast<double>(E)) +
                        nn::sinusoidal_positions(words.size(1), E, first, options.dtype));
}

Tensor TransformerModel::read(const Rows& source) const {
  return layers.encoder(embed(tables.source_words, source.ids), {.mask = mask_of(source)}).output;
}

std::vector<Array> TransformerModel::self_looks(const Rows& source) const {
  const auto seen = layers.encoder(embed(tables.source_words, source.ids),
                                   {.mask = mask_of(source), .need_weights = true});
  std::vector<Array> out;
  for (const Tensor& weights : seen.weights) out.push_back(squeeze(weights, 0).array());
  return out;
}

Tensor TransformerModel::features(const Rows& source, const Rows& before,
                                  std::vector<Look>* looks) const {
  const attention::StackOutput out =
      layers.decoder(embed(tables.target_words, before.ids), read(source), {.mask = Mask::causal()},
                     {.mask = mask_of(source), .need_weights = looks != nullptr});
  for (std::size_t i = 0; i < out.weights.size(); ++i) {  // each [B, H, T, K]
    for (Index head = 0; head < options.heads; ++head) {
      looks->push_back(
          {fmt::format("layer {} head {}", i + 1, head + 1), select(out.weights[i], 1, head)});
    }
  }
  return out.output;
}

Packed TransformerModel::embed(const nn::Embedding& table, const Packed& words) const {
  const std::vector<Index> places = words.places();
  const Index longest = *std::max_element(places.begin(), places.end()) + 1;
  const Tensor rows = nn::sinusoidal_positions(longest, options.width, 0, options.dtype);
  const Tensor x = table(words.tokens) * std::sqrt(static_cast<double>(options.width));
  return {tables.dropout(x + index_select(rows, 0, Tensor(Array::from(places)))), words.offsets};
}

Tensor TransformerModel::features(const Packed& source, const Packed& before) const {
  const Packed read = embed(tables.source_words, source);
  const Packed memory{layers.encoder(read, {}).output, source.offsets};
  return layers.decoder(embed(tables.target_words, before), memory, {.mask = Mask::causal()}, {})
      .output;
}

std::unique_ptr<nn::Decoding> TransformerModel::start(const Rows& source) const {
  return std::make_unique<attention::Writing<TransformerDecoder>>(
      layers.decoder, layers.decoder.start(read(source), mask_of(source)),
      attention::Writing<TransformerDecoder>::Ends{
          .embed =
              [this](const Tensor& ids, Index t) {
                return select(embed(tables.target_words, unsqueeze(ids, 1), t), 1, 0);
              },
          .logits = [this](const Tensor& out) { return logits(out); },
          .weights =
              [](const std::vector<Tensor>& looks) {  // the last layer but one, each [R, H, K]
                return mean(looks[std::max<std::size_t>(looks.size(), 2) - 2], {1});
              }});
}

}  // namespace translation
