// Bahdanau et al. 2014: annotations of a bidirectional GRU, additive attention to them before each
// step of the decoder, a maxout readout.
#pragma once

#include "../../attention/mechanisms/decoders/bahdanau_decoder.h"
#include "../../nn/gru.h"
#include "translator.h"

namespace translation {

class BahdanauModel : public Translator {
 public:
  explicit BahdanauModel(const ModelOptions& options);

  nn::GRU& encoder;
  attention::BahdanauDecoder& decoder;

  Tensor features(const Rows& source, const Rows& before,
                  std::vector<Look>* looks = nullptr) const override;
  std::unique_ptr<nn::Decoding> start(const Rows& source) const override;

  attention::BahdanauDecoder::State read(const Rows& source) const;
};

}  // namespace translation
