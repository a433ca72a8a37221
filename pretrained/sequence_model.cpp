#include <cmath>

#include "../attention/mechanisms/decoders/decoder.h"
#include "../autograd/factories.h"
#include "../autograd/methods.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/join.h"
#include "../autograd/ops/shape/shape.h"
#include "ctranslate2.h"

namespace heed::pretrained {
namespace {

// [count, width] of the places first + 1 and on.
Tensor positions(Index first, Index count, Index width) {
  const auto half = static_cast<double>(width / 2);
  const Tensor rates = exp(arange(width / 2, DType::f32) * (-std::log(10000.0) / (half - 1)));
  const Tensor angles = unsqueeze(arange(first + 1, first + count + 1, 1, DType::f32), 1) * rates;
  return cat({sin(angles), cos(angles)}, 1);
}

}  // namespace

SequenceModel::SequenceModel(const SequenceModelOptions& options)
    : source(child<nn::Embedding>("source", options.source_words, options.stack.width)),
      target(child<nn::Embedding>("target", options.target_words, options.stack.width)),
      transformer(child<attention::Transformer>("transformer", options.encoder_layers,
                                                options.decoder_layers, options.stack)),
      projection(child<nn::Linear>("projection", options.stack.width, options.target_words)) {}

Tensor SequenceModel::embedded(const nn::Embedding& table, const Tensor& ids, Index first) {
  const Tensor x = table(ids);
  const Index width = x.size(2);
  return x * std::sqrt(static_cast<double>(width)) + positions(first, ids.size(1), width);
}

std::unique_ptr<nn::Decoding> SequenceModel::start(const Tensor& ids,
                                                   const std::vector<Index>& lengths) const {
  const auto mask = attention::Mask::lengths(lengths, ids.size(1));
  const Tensor memory = transformer.encoder(embedded(source, ids, 0), {.mask = mask}).output;
  using Writing = attention::Writing<attention::TransformerDecoder>;
  return std::make_unique<Writing>(
      transformer.decoder, transformer.decoder.start(memory, mask),
      Writing::Ends{
          .embed = [this](const Tensor& word,
                          Index t) { return squeeze(embedded(target, unsqueeze(word, 1), t), 1); },
          .logits = [this](const Tensor& output) { return projection(output); },
          .weights = [](const std::vector<Tensor>& looks) { return mean(looks.back(), 1); }});
}

Tensor SequenceModel::operator()(const Tensor& source_ids, const Tensor& target_ids,
                                 const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  const auto mask = attention::Mask::lengths(lengths, source_ids.size(1));
  return forwarded(projection(
      transformer(embedded(source, source_ids, 0), embedded(target, target_ids, 0), mask)));
}

}  // namespace heed::pretrained
