// Convolutional sequence to sequence learning (Gehring et al. 2017): words with learned positions,
// gated convolutions on both sides, a look at the source in each layer of the decoder. Of all
// models its steps cost the least: nothing in them waits for the step before.
#pragma once

#include "../../attention/mechanisms/decoders/conv_seq2seq.h"
#include "../../attention/positions/learned.h"
#include "translator.h"

namespace translation {

class ConvModel : public Translator {
 public:
  /// Weights begin as in the paper (section 3.5), which keeps the variance through all layers.
  explicit ConvModel(const ModelOptions& options);

  attention::LearnedPositions &source_places, &target_places;
  attention::ConvEncoder& encoder;
  attention::ConvDecoder& decoder;

  /// Throws ValueError for sentences beyond options.longest.
  Tensor features(const Rows& source, const Rows& before,
                  std::vector<Look>* looks = nullptr) const override;
  /// A step's weights are the mean over the layers.
  std::unique_ptr<nn::Decoding> start(const Rows& source) const override;

  attention::ConvDecoder::State read(const Rows& source) const;
  /// Words [B, T] of the target, the first of which stands at `first` -> [B, T, E].
  Tensor target(const Tensor& words, Index first = 0) const;
};

}  // namespace translation
