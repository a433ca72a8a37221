#include "transformer.h"

#include "../../../nn/init.h"

namespace heed::attention {

Transformer::Transformer(Index encoder_layers, Index decoder_layers,
                         const TransformerOptions& options)
    : encoder(child<TransformerEncoder>("encoder", encoder_layers, options, true)),
      decoder(child<TransformerDecoder>("decoder", decoder_layers, options, true)) {
  for (const Tensor& weight : parameters()) {
    if (weight.rank() > 1) nn::xavier_uniform_(weight);
  }
}

Tensor Transformer::operator()(const Tensor& source, const Tensor& target, const Mask& source_mask,
                               const Mask& target_mask) const {
  const Scope scope(*this);
  return forwarded(decoder(target, encoder(source, {.mask = source_mask}).output,
                           {.mask = Mask::causal() & target_mask}, {.mask = source_mask})
                       .output);
}

}  // namespace heed::attention
