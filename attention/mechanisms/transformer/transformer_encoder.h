// The Transformer's encoder (Vaswani et al. 2017, section 3.1), x [B, T, E] -> [B, T, E]. A layer:
//
//   post-norm:  x = norm1(x + self_attn(x)),  x = norm2(x + feed_forward(x))
//   pre-norm (Xiong et al. 2020):  x = x + self_attn(norm1(x)),  x = x + feed_forward(norm2(x))
//   both (Ding et al. 2021):  x = x + norm1'(self_attn(norm1(x))),  the same of feed_forward
//   parallel (Wang and Komatsuzaki 2021):  x = x + self_attn(norm1(x)) + feed_forward(norm1(x))
//   feed_forward(x) = linear2(activation(linear1(x))), or a mixture of experts
//
// with dropout after each of the two and inside the feed-forward part. Parameters have the names
// of PyTorch's nn.TransformerEncoderLayer and nn.TransformerEncoder; experts are
// layers.0.mixture.router.weight, layers.0.mixture.experts.0.linear1.weight and so on.
#pragma once

#include "../../../autograd/ops/packed/packed.h"
#include "../../../nn/module_list.h"
#include "transformer_options.h"
#include "transformer_output.h"

namespace heed::attention {

class TransformerEncoderLayer : public nn::Module {
 public:
  /// Throws ValueError, as MultiHead and Linear.
  explicit TransformerEncoderLayer(const TransformerOptions& options, Index layer = 0);
  /// PyTorch's first arguments, and its defaults.
  template <Whole T>
  TransformerEncoderLayer(T width, Index heads, Index hidden = 2048, double p = 0.1)
      : TransformerEncoderLayer(TransformerOptions{.width = static_cast<Index>(width),
                                                   .heads = heads,
                                                   .hidden = hidden,
                                                   .dropout = p}) {}

 private:
  TransformerOptions options_;
  MixtureOfExpertsOptions experts_;

 public:
  SelfAttention& self_attn;
  nn::Linear* linear1;      ///< null with experts
  nn::Linear* linear_gate;  ///< null with experts, and unless the activation is gated
  nn::Dropout& dropout;
  nn::Linear* linear2;        ///< null with experts
  MixtureOfExperts* mixture;  ///< null without experts
  TransformerNorm &norm1, &norm2;
  TransformerNorm *norm1_after, *norm2_after;  ///< null without both_norms
  nn::Dropout &dropout1, &dropout2;

  /// The context is the layer's output. Weights [B, H, T, T] where the terms ask for them; what
  /// self-attention has for the layers above; where its tokens went among the experts.
  TransformerLayerOutput operator()(const Tensor& x, const Terms& terms = {},
                                    KeyValueCache* cache = nullptr) const;
};

class TransformerEncoder : public nn::Module {
 public:
  /// `final_norm`: another layer norm at the end, which pre-norm layers want, and which PyTorch's
  /// nn.Transformer has in any case.
  TransformerEncoder(Index layers, const TransformerOptions& options, bool final_norm = false);
  TransformerEncoder(
      const TransformerEncoderLayer&, Index,
      Say<"attention::TransformerEncoder(layers, options): it makes its layers"> = {}) = delete;

  nn::ModuleListOf<TransformerEncoderLayer>& layers;

  TransformerNorm* norm;  ///< null without `final_norm`

  /// The same terms for all layers. Throws ShapeError, DTypeError.
  TransformerOutput operator()(const Tensor& x, const Terms& terms = {}) const;
  /// Of a packed batch, tokens [N, E] -> output [N, E], weights [1, H, N, N] where asked for: each
  /// sequence sees itself alone, and nothing is computed for padding. Throws as check_offsets().
  TransformerOutput operator()(const Packed& x, const Terms& terms = {}) const;
  /// Terms of each layer's own. Throws ValueError for another number of them.
  TransformerOutput by_layer(const Tensor& x, const std::vector<Terms>& terms) const;

  /// What going on step by step keeps, as a language model does: each layer's past.
  struct State {
    std::vector<KeyValueCache> past;
    /// Steps so far.
    Index length() const { return past.empty() ? 0 : past.front().length(); }
    /// Carries on with these rows of the batch, i64 [R].
    void reorder(const Tensor& rows);
  };
  /// The next steps x [B, T, E], causal among themselves and after those before: what operator()
  /// gives under Mask::causal() & terms.mask, at a cost of O(T (past + T) E). A new State begins.
  /// Throws GradError while recording, ShapeError for another batch, ValueError for another stack's
  /// state; what throws leaves the state as it was, but for pasts that roll.
  TransformerOutput step(const Tensor& x, State& state, const Terms& terms = {}) const;

 private:
  TransformerOutput run(const Tensor& x, const std::vector<Terms>& terms, State* state) const;
};

}  // namespace heed::attention
