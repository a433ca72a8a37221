// LSTM: layers of long short-term memory over sequences of any lengths, batch first; see
// autograd/ops/recurrent/lstm.h for the formula, recurrent.h for the parameters: four gates, i, f,
// g, o.
#pragma once

#include <tuple>

#include "../autograd/ops/recurrent/lstm.h"
#include "recurrent.h"

namespace heed::nn {

using LSTMOptions = RecurrentOptions;

class LSTM : public Recurrent {
 public:
  using Options = LSTMOptions;

  /// Every parameter begins uniform in (-1/sqrt(H), 1/sqrt(H)). Throws ValueError unless sizes and
  /// layers are positive and dropout is in [0, 1].
  explicit LSTM(const LSTMOptions& options);
  LSTM(Index input, Index hidden, Index layers = 1)
      : LSTM(LSTMOptions{.input = input, .hidden = hidden, .layers = layers}) {}
  /// Both sizes, and what `others` says beside them.
  LSTM(Index input, Index hidden, const LSTMOptions& others)
      : LSTM(detail::of_sizes(others, input, hidden)) {}

  template <std::same_as<std::nullptr_t> T>
  explicit LSTM(T, Say<"nn::LSTM& name = child<nn::LSTM>(\"name\", 3, 4)"> = {}) = delete;

  /// x [B, T, I]; lengths: the real steps of each row, none for all T; `start` holds h0 and c0
  /// [layers D, B, H], each of which may be undefined: zeros -> output [B, T, D H], 0 in the
  /// padding, h_n and c_n [layers D, B, H]. D is 2 if bidirectional, else 1. Throws as lstm() does.
  LstmResult operator()(const Tensor& x, const std::vector<Index>& lengths = {},
                        const LstmState& start = {}) const;
  /// A start beside rows that are all of length T: lstm(x, {h0, c0}).
  LstmResult operator()(const Tensor& x, const LstmState& start) const {
    return (*this)(x, std::vector<Index>(), start);
  }
  /// Throws ValueError for one tensor or more than two.
  LstmResult operator()(const Tensor& x, std::initializer_list<Tensor> start) const;
  template <std::same_as<std::tuple<Tensor, Tensor>> State>
  LstmResult operator()(const Tensor& x, const State& start) const {
    return (*this)(x, LstmState{std::get<0>(start), std::get<1>(start)});
  }
  /// The same of a packed batch, tokens [N, I]: output [N, D H], and no work for padding.
  LstmResult operator()(const Packed& x, const LstmState& start = {}) const;

  LSTM* operator->() { return this; }  ///< lstm->forward(x), as libtorch writes it
  const LSTM* operator->() const { return this; }

  /// operator() by PyTorch's name for it.
  template <class... Args>
  LstmResult forward(const Args&... args) const {
    return (*this)(args...);
  }

  const LSTMOptions& options() const { return base_options(); }
};

}  // namespace heed::nn
