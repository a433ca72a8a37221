// RNN: simple recurrent layers (Elman 1990) over sequences of any lengths, batch first; see
// autograd/ops/recurrent/rnn.h for the formula, recurrent.h for the parameters: one gate.
#pragma once

#include "../autograd/ops/recurrent/rnn.h"
#include "recurrent.h"

namespace heed::nn {

struct RNNOptions {
  Index input = 0;   ///< I
  Index hidden = 0;  ///< H
  Index layers = 1;
  Nonlinearity nonlinearity = Nonlinearity::tanh;
  bool bidirectional = false;
  bool bias = true;
  double dropout = 0;  ///< of each layer's output but the last one's, in training
  DType dtype = DType::f32;
};

class RNN : public Recurrent {
 public:
  using Options = RNNOptions;

  /// Every parameter begins uniform in (-1/sqrt(H), 1/sqrt(H)). Throws ValueError unless sizes and
  /// layers are positive and dropout is in [0, 1].
  explicit RNN(const RNNOptions& options);
  RNN(Index input, Index hidden, Index layers = 1)
      : RNN(RNNOptions{.input = input, .hidden = hidden, .layers = layers}) {}
  /// Both sizes, and what `others` says beside them.
  RNN(Index input, Index hidden, const RNNOptions& others)
      : RNN(detail::of_sizes(others, input, hidden)) {}

  /// x [B, T, I]; lengths: the real steps of each row, none for all T; h0 [layers D, B, H] or
  /// undefined: zeros -> output [B, T, D H], 0 in the padding, and h_n [layers D, B, H]. D is 2 if
  /// bidirectional, else 1. Throws as rnn() does.
  RnnResult operator()(const Tensor& x, const std::vector<Index>& lengths = {},
                       const Tensor& h0 = Tensor()) const;
  /// h0 beside rows that are all of length T.
  template <std::same_as<Tensor> State>
  RnnResult operator()(const Tensor& x, const State& h0) const {
    return (*this)(x, std::vector<Index>(), h0);
  }
  /// The same of a packed batch, tokens [N, I]: output [N, D H], and no work for padding.
  RnnResult operator()(const Packed& x, const Tensor& h0 = Tensor()) const;

  RNN* operator->() { return this; }  ///< rnn->forward(x), as libtorch writes it
  const RNN* operator->() const { return this; }

  /// operator() by PyTorch's name for it.
  template <class... Args>
  RnnResult forward(const Args&... args) const {
    return (*this)(args...);
  }

  const RNNOptions& options() const { return options_; }

 private:
  RNNOptions options_;
};

}  // namespace heed::nn
