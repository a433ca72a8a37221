// A sparse mixture of experts in the place of a feed-forward part: each token goes to the k experts
// that a router prefers, and no other is computed for it.
//
//   p = softmax(W_g x),  y = sum over the k chosen of g_e E_e(x),  g = softmax of the chosen's logits
//   E_e(x) = W_2 (silu(W_1 x) o W_3 x), or what another activation makes of it
//   balance = N sum_e f_e P_e,  f_e: which share of the choices is e,  P_e: the mean of p_e
//
// Shazeer et al. 2017, "Outrageously Large Neural Networks"; gates by Jiang et al. 2024, "Mixtral
// of Experts"; the loss of Fedus et al. 2022, "Switch Transformers", eq. 4 to 6, for k choices.
// Dropless (Gale et al. 2023, "MegaBlocks"): an expert takes as many tokens as come, its rows
// gathered into one product; none is left out and nothing is padded. x [.., E] -> [.., E]; O(k
// tokens E hidden). TransformerOptions::experts puts it into the layers of a stack.
#pragma once

#include "../../../nn/module_list.h"
#include "layer_parts.h"

namespace heed::attention {

struct MixtureOfExpertsOptions {
  Index width = 0;    ///< E
  Index hidden = 0;   ///< of an expert
  Index experts = 0;  ///< N
  Index chosen = 2;   ///< k
  Activation activation = Activation::swiglu;
  double dropout = 0;  ///< inside an expert, in training
  DType dtype = DType::f32;
};

/// E_e.
class Expert : public nn::Module {
 public:
  explicit Expert(const MixtureOfExpertsOptions& options);

  nn::Linear& linear1;      ///< without biases, all of them
  nn::Linear* linear_gate;  ///< W_3; null unless the activation is gated
  nn::Dropout& dropout;
  nn::Linear& linear2;

  Tensor operator()(const Tensor& x) const;

 private:
  Activation activation_;
};

/// Who went where.
struct Routed {
  Tensor balance;                ///< []; to be added to the loss, times 0.01 in the paper
  Tensor chosen;                 ///< i64 [.., k], best first; -1 where a token does not count
  Tensor gates;                  ///< [.., k]
  std::vector<Index> load = {};  ///< tokens of each expert
};

struct MixtureOutput : Routed {
  Tensor output;  ///< [.., E]
};

class MixtureOfExperts : public nn::Module {
 public:
  /// Throws ValueError unless sizes are positive and k is at most N, and as Dropout.
  explicit MixtureOfExperts(const MixtureOfExpertsOptions& options);

 private:
  MixtureOfExpertsOptions options_;

 public:
  nn::Linear& router;  ///< W_g [N, E], without a bias
  nn::ModuleListOf<Expert>& experts;

  /// Tokens where bool `real`, x's shape but for its last axis, is false (undefined: nowhere) go to
  /// nobody, count for nothing and give zeros, whatever stands there. Throws ShapeError,
  /// DTypeError.
  MixtureOutput operator()(const Tensor& x, const Tensor& real = Tensor()) const;
};

}  // namespace heed::attention
