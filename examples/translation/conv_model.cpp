#include "conv_model.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../nn/init.h"
#include "../../nn/weight_norm.h"
#include "longest.h"

namespace translation {

using attention::ConvDecoder;

namespace {

attention::ConvSeq2SeqOptions stack_of(const ModelOptions& options) {
  return {.width = options.width,
          .hidden = options.hidden,
          .layers = options.layers,
          .kernel = options.kernel,
          .dropout = options.dropout,
          .weight_norm = true,
          .attentions = options.layers,
          .dtype = options.dtype};
}

// A gate halves the numbers, and dropout makes those that it keeps larger.
void begin(const nn::Module& stack, double dropout) {
  const NoGrad scope;
  Tensor lengths;  // stand before their directions
  for (const auto& [key, weight] : stack.named_parameters()) {
    if (weight.rank() == 1) {
      nn::zeros_(weight);
    } else if (key.ends_with("weight_g")) {
      lengths = weight;
    } else {
      const bool gated = weight.rank() == 3;
      const bool dropped = gated || key == "input_projection.weight_v";
      const auto inputs = static_cast<double>(weight.numel() / weight.size(0));
      nn::normal_(weight, 0, std::sqrt((gated ? 4 : 1) * (dropped ? 1 - dropout : 1) / inputs));
      lengths.copy_from(nn::weight_lengths(weight));
    }
  }
}

}  // namespace

ConvModel::ConvModel(const ModelOptions& given)
    : Translator(given, given.width),
      source_places(child<attention::LearnedPositions>("source_places", places(given), given.width,
                                                       given.dtype)),
      target_places(child<attention::LearnedPositions>("target_places", places(given), given.width,
                                                       given.dtype)),
      encoder(child<attention::ConvEncoder>("encoder", stack_of(given))),
      decoder(child<attention::ConvDecoder>("decoder", stack_of(given))) {
  begin(encoder, given.dropout);
  begin(decoder, given.dropout);
}

Tensor ConvModel::target(const Tensor& words, Index first) const {
  check_longest(options, first + words.size(1));
  return target_places(tables.target_words(words), first);
}

// The stacks drop from embeddings themselves.
ConvDecoder::State ConvModel::read(const Rows& source) const {
  check_longest(options, source.ids.size(1));
  return decoder.start(encoder(source_places(tables.source_words(source.ids)), source.lengths));
}

Tensor ConvModel::features(const Rows& source, const Rows& before, std::vector<Look>* looks) const {
  ConvDecoder::State state = read(source);
  const attention::StackOutput out =
      decoder.run(target(before.ids), state, {.need_weights = looks != nullptr}, before.lengths);
  for (std::size_t i = 0; i < out.weights.size(); ++i) {
    looks->push_back({fmt::format("layer {}", i + 1), out.weights[i]});
  }
  return tables.dropout(out.output);
}

std::unique_ptr<nn::Decoding> ConvModel::start(const Rows& source) const {
  return std::make_unique<attention::Writing<ConvDecoder>>(
      decoder, read(source),
      attention::Writing<ConvDecoder>::Ends{
          .embed = [this](const Tensor& ids,
                          Index t) { return squeeze(target(unsqueeze(ids, 1), t), 1); },
          .logits = [this](const Tensor& out) { return logits(tables.dropout(out)); },
          .weights = [](const std::vector<Tensor>& looks) { return mean(stack(looks), {0}); }});
}

}  // namespace translation
