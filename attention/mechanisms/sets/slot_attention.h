// Slot attention (Locatello et al. 2020, "Object-Centric Learning with Slot Attention", algorithm
// 1): slots compete for the inputs, each of which is shared out among them; what each slot got is
// what it becomes.
//
//   A = softmax over slots of (W_q LN(s)) (W_k LN(x))^T / sqrt(D)
//   W_ij = A_ij / (eps + sum of A_ij over inputs j)
//   s = GRU(W (W_v LN(x)), s),   s = s + MLP(LN(s));   several times
//
// The paper adds eps to each A_ij before: (A_ij + eps) / sum over j of (A_ij + eps), by which a
// masked input would have a weight. The two differ by about eps.
//
// x [B, T, input] -> slots [B, N, D], weights [B, N, T], W of the last time; MLP(h) = W_2 relu(W_1
// h). A slot begins as mu + sigma o noise, one mu and sigma for all of them, so that any number may
// be asked for. O(times N T D). A slot's share depends on the others: the normaliser, SlotShares,
// is softmax over queries.
#pragma once

#include "../../../core/generator.h"
#include "../../../nn/cells.h"
#include "../../../nn/layer_norm.h"
#include "../../../nn/linear.h"
#include "../../attend.h"

namespace heed::attention {

/// softmax over the queries, then of each query's its share among the keys: w / (eps + sum w), 0
/// where nothing came to a query.
class SlotShares : public Normaliser {
 public:
  /// Throws ValueError for a negative eps.
  explicit SlotShares(double eps = 1e-8);

  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;

 private:
  double eps_;
};

struct SlotAttentionOptions {
  Index input = 0;
  Index width = 0;   ///< D of a slot
  Index hidden = 0;  ///< of the MLP; 0: D
  Index times = 3;
  double eps = 1e-8;  ///< of SlotShares
  DType dtype = DType::f32;
};

class SlotAttention : public nn::Module {
 public:
  /// Throws ValueError unless sizes are positive.
  explicit SlotAttention(const SlotAttentionOptions& options);

 private:
  SlotAttentionOptions options_;

 public:
  Tensor &mu, &log_sigma;  ///< [D]
  nn::LayerNorm &input_norm, &slot_norm, &mlp_norm;
  nn::Linear &query_projection, &key_projection, &value_projection;  ///< without biases
  nn::GRUCell& cell;
  nn::Linear &linear1, &linear2;
  SlotShares& shares;

  /// From slots [B, N, D] of one's own. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& slots, const Tensor& x, const Mask& mask = Mask(),
                      bool need_weights = false) const;
  /// From `count` that are drawn. Throws ValueError unless it is positive.
  Attended operator()(Index count, const Tensor& x, const Mask& mask = Mask(),
                      bool need_weights = false, Generator& generator = default_generator()) const;

 private:
  Attended run(Tensor slots, const Tensor& x, const Mask& mask, bool need_weights) const;
};

}  // namespace heed::attention
