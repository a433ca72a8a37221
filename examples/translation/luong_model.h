// Luong et al. 2015: an LSTM encoder whose last states begin the decoder's, which looks at the
// source after each of its steps, everywhere or in a window.
//
// Unlike the paper's, our encoder is bidirectional, of hidden / 2 in each direction, side by side:
// it learns more from little text.
#pragma once

#include "../../attention/mechanisms/decoders/luong_decoder.h"
#include "../../nn/lstm.h"
#include "translator.h"

namespace translation {

class LuongModel : public Translator {
 public:
  /// Throws ValueError for an odd `hidden`, and names of scores and attention that it does not
  /// know.
  explicit LuongModel(const ModelOptions& options);

  nn::LSTM& encoder;
  attention::LuongDecoder& decoder;

  /// With the location score throws ValueError for sources beyond options.longest.
  Tensor features(const Rows& source, const Rows& before,
                  std::vector<Look>* looks = nullptr) const override;
  std::unique_ptr<nn::Decoding> start(const Rows& source) const override;

  attention::LuongDecoder::State read(const Rows& source) const;

 private:
  std::shared_ptr<attention::Score> make_score() const;
};

}  // namespace translation
