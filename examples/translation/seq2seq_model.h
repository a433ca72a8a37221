// No attention: all that the decoder knows of a source is one vector of fixed size.
//
//   sutskever  the encoder, an LSTM, reads the source backwards; its last states begin the
//              decoder's (Sutskever et al. 2014)
//   cho        c = tanh(V h_K) of a GRU; the decoder's states begin as tanh(V' c), and c is given
//              to each of its steps and to a maxout readout of [h_t; E y_{t-1}; c]
//              (Cho et al. 2014)
#pragma once

#include "../../nn/gru.h"
#include "../../nn/lstm.h"
#include "../../nn/maxout.h"
#include "translator.h"

namespace translation {

class SutskeverModel : public Translator {
 public:
  explicit SutskeverModel(const ModelOptions& options);

  nn::LSTM &encoder, &decoder;

  Tensor features(const Rows& source, const Rows& before,
                  std::vector<Look>* looks = nullptr) const override;
  std::unique_ptr<nn::Decoding> start(const Rows& source) const override;

  /// The encoder's last states, [layers, B, H].
  LstmState read(const Rows& source) const;
};

class ChoModel : public Translator {
 public:
  explicit ChoModel(const ModelOptions& options);

  nn::GRU& encoder;
  nn::Linear &summary, &initial;  ///< V, V'
  nn::GRU& decoder;               ///< of [E y; c]
  nn::Maxout& readout;

  Tensor features(const Rows& source, const Rows& before,
                  std::vector<Look>* looks = nullptr) const override;
  std::unique_ptr<nn::Decoding> start(const Rows& source) const override;

  struct State {
    Tensor c;       ///< [B, H]
    Tensor hidden;  ///< [layers, B, H]
  };
  State read(const Rows& source) const;
  /// Goes on with these words [B, T] -> [B, T, R].
  Tensor write(const Tensor& words, State& state, const std::vector<Index>& lengths = {}) const;
};

}  // namespace translation
