// Coupled multi-layer attentions, CMLA (Wang et al. 2017, "Coupled Multi-Layer Attentions for
// Co-Extraction of Aspect and Opinion Terms"): two attentions over one sentence, each of which asks
// with its own prototype and with the other's, through K bilinear slices (a tensor).
//
//   beta_i^m = tanh([h_i^T G^m u^m ; h_i^T D^m u^other]) in R^2K,   m: aspect, opinion
//   r_i^m = GRU(beta_i^m, r_{i-1}^m),  alpha^m = softmax_i(v_m . r_i^m),  o^m = sum_i alpha_i^m h_i
//   next layer: u^m = tanh(V^m u^m) + o^m;   labels: softmax(C^m r_i^m) of the last layer
//
// h: tokens [B, T, d]. The layers share all parameters. The GRU is nn::GRU, which has biases; the
// others have none. Tokens beyond a sentence's length get logits of 0.
#pragma once

#include <vector>

#include "../../../nn/gru.h"
#include "../../../nn/linear.h"
#include "../../masks/mask.h"

namespace heed::attention {

struct CoupledOptions {
  Index width = 0;    ///< d of the tokens
  Index slices = 20;  ///< K
  Index hidden = 0;   ///< of r; 0: 2 K, as in the paper
  Index layers = 2;
  Index labels = 3;  ///< B, I, O
  /// False: D^m asks with u^m, too. Two attentions of as many parameters that know nothing of each
  /// other, to compare with.
  bool coupled = true;
  DType dtype = DType::f32;
};

/// What one of the two found.
struct CoupledSide {
  Tensor logits;                     ///< C^m r_i^m [B, T, labels]
  Tensor context;                    ///< o^m of the last layer [B, d]
  std::vector<Tensor> weights = {};  ///< alpha^m of each layer [B, T]; empty unless asked for
};

struct CoupledMultiLayerOutput {
  CoupledSide aspect, opinion;
};

/// One of the two attentions.
class CoupledAttention : public nn::Module {
 public:
  explicit CoupledAttention(const CoupledOptions& options);

  Tensor& prototype;     ///< u^m of the first layer [d]
  Tensor& own;           ///< G^m [K, d, d]
  Tensor& other;         ///< D^m [K, d, d]
  Tensor& score_vector;  ///< v_m [hidden]
  nn::GRU& gru;
  nn::Linear& transfer;  ///< V^m [d, d]
  nn::Linear& out;       ///< C^m [labels, hidden]

  /// r^m [B, T, hidden]; u, u_other: [B or 1, d].
  Tensor features(const Tensor& tokens, const std::vector<Index>& lengths, const Tensor& u,
                  const Tensor& u_other) const;
  /// alpha^m [B, T] of r^m; `real` bool [B, T] or undefined.
  Tensor weigh(const Tensor& features, const Tensor& real) const;
};

class CoupledMultiLayerAttention : public nn::Module {
 public:
  /// Throws ValueError unless all numbers are positive (hidden: not negative).
  explicit CoupledMultiLayerAttention(const CoupledOptions& options);

  CoupledAttention& aspect;
  CoupledAttention& opinion;

  /// tokens [B, T, d], of which lengths[b] count (none given: all). Throws ShapeError, DTypeError.
  CoupledMultiLayerOutput operator()(const Tensor& tokens, const std::vector<Index>& lengths = {},
                                     bool need_weights = false) const;

 private:
  Index layers_;
  bool coupled_;
};

}  // namespace heed::attention
