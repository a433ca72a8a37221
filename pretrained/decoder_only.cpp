#include "decoder_only.h"

#include <fmt/format.h>

#include "../autograd/factories.h"
#include "../autograd/methods.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../core/error.h"

namespace heed::pretrained {

DecoderOnly::DecoderOnly(const DecoderOnlyOptions& options)
    : embedding(child<nn::Embedding>(
          "embedding",
          nn::EmbeddingOptions{.count = options.vocabulary, .width = options.stack.width})),
      positions(options.learned_positions
                    ? &child<nn::Embedding>("positions",
                                            nn::EmbeddingOptions{.count = options.context,
                                                                 .width = options.stack.width})
                    : nullptr),
      stack(child<attention::TransformerEncoder>("stack", options.layers, options.stack, true)),
      head(options.tied
               ? nullptr
               : &child<nn::Linear>("head", options.stack.width, options.vocabulary, false)),
      options_(options) {}

Tensor DecoderOnly::embedded(const Tensor& ids, Index first) const {
  if (ids.rank() != 2) {
    throw ShapeError(fmt::format("decoder_only: ids {} must be [B, T]", to_string(ids.shape())));
  }
  const Index steps = ids.size(1);
  if (first + steps > options_.context) {
    throw ShapeError(
        fmt::format("decoder_only: {} steps, of a context of {}", first + steps, options_.context));
  }
  const Tensor x = embedding(ids);
  return positions == nullptr ? x : x + (*positions)(arange(first, first + steps));
}

attention::Mask DecoderOnly::seen() const {
  return options_.window > 0 ? attention::Mask::window(options_.window - 1, 0) : attention::Mask();
}

Tensor DecoderOnly::scores(const Tensor& x) const {
  return head != nullptr ? (*head)(x) : embedding.scores(x);
}

Tensor DecoderOnly::operator()(const Tensor& ids) const {
  const Scope scope(*this);
  const Tensor x = embedded(ids, 0);
  return forwarded(scores(stack(x, {.mask = attention::Mask::causal() & seen()}).output));
}

Tensor DecoderOnly::step(const Tensor& ids, State& state) const {
  const Scope scope(*this);
  const Tensor x = embedded(ids, state.length());
  return scores(stack.step(x, state, {.mask = seen()}).output);
}

}  // namespace heed::pretrained
