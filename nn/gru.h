// GRU: layers of gated recurrent units over sequences of any lengths, batch first; see
// autograd/ops/recurrent/gru.h for the formula, recurrent.h for the parameters: three gates, r, z,
// n.
#pragma once

#include "../autograd/ops/recurrent/gru.h"
#include "recurrent.h"

namespace heed::nn {

using GRUOptions = RecurrentOptions;

class GRU : public Recurrent {
 public:
  using Options = GRUOptions;

  /// Every parameter begins uniform in (-1/sqrt(H), 1/sqrt(H)). Throws ValueError unless sizes and
  /// layers are positive and dropout is in [0, 1].
  explicit GRU(const GRUOptions& options);
  GRU(Index input, Index hidden, Index layers = 1)
      : GRU(GRUOptions{.input = input, .hidden = hidden, .layers = layers}) {}
  /// Both sizes, and what `others` says beside them.
  GRU(Index input, Index hidden, const GRUOptions& others)
      : GRU(detail::of_sizes(others, input, hidden)) {}

  template <std::same_as<std::nullptr_t> T>
  explicit GRU(T, Say<"nn::GRU& name = child<nn::GRU>(\"name\", 3, 4)"> = {}) = delete;

  /// x [B, T, I]; lengths: the real steps of each row, none for all T; h0 [layers D, B, H] or
  /// undefined: zeros -> output [B, T, D H], 0 in the padding, and h_n [layers D, B, H]. D is 2 if
  /// bidirectional, else 1. Throws as gru() does.
  RnnResult operator()(const Tensor& x, const std::vector<Index>& lengths = {},
                       const Tensor& h0 = Tensor()) const;
  /// h0 beside rows that are all of length T.
  template <std::same_as<Tensor> State>
  RnnResult operator()(const Tensor& x, const State& h0) const {
    return (*this)(x, std::vector<Index>(), h0);
  }
  /// The same of a packed batch, tokens [N, I]: output [N, D H], and no work for padding.
  RnnResult operator()(const Packed& x, const Tensor& h0 = Tensor()) const;

  GRU* operator->() { return this; }  ///< gru->forward(x), as libtorch writes it
  const GRU* operator->() const { return this; }

  /// operator() by PyTorch's name for it.
  template <class... Args>
  RnnResult forward(const Args&... args) const {
    return (*this)(args...);
  }

  const GRUOptions& options() const { return base_options(); }
};

}  // namespace heed::nn
