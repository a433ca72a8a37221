// Transformer-XL (Dai et al. 2019, "Transformer-XL: Attentive Language Models Beyond a Fixed-Length
// Context", section 3): a text in segments, each of which looks back into the last one's states;
// positions are distances, so that they go on across the cut.
//
//   h~ = [no gradient(memory); h],  q = W_q h,  k = W_k h~,  v = W_v h~
//   e_ij = ((q_i + u) . k_j + (q_i + w) . W_r r_{p_i - j}) / sqrt(D),   p_i = i + K - T,  j <= p_i
//   h = LayerNorm(h + W_o [head_1 ..]),   h = LayerNorm(h + W_2 relu(W_1 h))      a layer
//
// r_n is the sinusoid of distance n; the paper's v is w here, values being v. x [B, T, E] -> [B, T,
// E], weights [B, H, T, K], K = memory + T; causal always. What is added for positions is a block
// [B, H, T, K]: each query meets every distance once, O(T K E).
#pragma once

#include "../../../nn/module_list.h"
#include "self_attention.h"
#include "transformer_options.h"

namespace heed::attention {

struct TransformerXLOptions {
  Index layers = 1;
  Index width = 0;   ///< E
  Index heads = 1;   ///< H, a divisor of E
  Index hidden = 0;  ///< of the feed-forward part; 0: 4 E
  Index memory = 0;  ///< states of the past that each layer keeps
  double dropout = 0;
  DType dtype = DType::f32;
};

class TransformerXLHeads : public SelfAttention {
 public:
  /// Throws ValueError for sizes that are not positive, heads that do not divide.
  explicit TransformerXLHeads(const TransformerXLOptions& options);

 private:
  TransformerXLOptions options_;

 public:
  nn::Linear &q_proj, &k_proj, &v_proj, &r_proj;  ///< [E, E], without biases
  Tensor &content_bias, &position_bias;           ///< u, w [H, D]
  nn::Linear& out_proj;                           ///< without a bias

  /// memory [B, M, E], or undefined: none. The terms' mask is of M + T keys, a map of content and
  /// position together. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& x, const Tensor& memory, const Terms& terms = {}) const;
  /// Without a memory; a `cache` holds the keys and values of the steps before, so that distances
  /// go on. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;

 private:
  Tensor heads(const nn::Linear& project, const Tensor& x) const;
  // x [B, T, E] over keys and values [B, H, K, D], the last T of which are its own.
  Attended look(const Tensor& x, const Tensor& keys, const Tensor& values,
                const Terms& terms) const;
};

class TransformerXLLayer : public nn::Module {
 public:
  explicit TransformerXLLayer(const TransformerXLOptions& options);

  TransformerXLHeads& attend;
  TransformerNorm &norm1, &norm2;
  nn::Linear &linear1, &linear2;
  nn::Dropout& dropout;

  Attended operator()(const Tensor& x, const Tensor& memory = Tensor(),
                      const Terms& terms = {}) const;
};

class TransformerXL : public nn::Module {
 public:
  /// Throws ValueError unless there is a layer, for a negative memory, and as TransformerXLHeads.
  explicit TransformerXL(const TransformerXLOptions& options);

 private:
  TransformerXLOptions options_;

 public:
  nn::ModuleListOf<TransformerXLLayer>& layers;

  /// What each layer read, the last `memory` steps of it, without gradients: [B, .., E].
  struct State {
    std::vector<Tensor> memory;
    /// Carries on with these rows of the batch, i64 [R].
    void reorder(const Tensor& rows);
  };

  /// The next segment; the state, which begins empty, goes on. Throws ShapeError for one of another
  /// batch, ValueError for another stack's.
  StackOutput operator()(const Tensor& x, State& state, const Terms& terms = {}) const;
};

}  // namespace heed::attention
