// Synthesizer (Tay et al. 2021, "Synthesizer: Rethinking Self-Attention for Transformer Models"):
// self-attention whose scores do not come from pairs of tokens. For each head, T steps:
//
//   Y = softmax(sum_n w_n S_n(X)) G(X),  w = softmax of learned logits, one a kind of score
//   dense              S_i = W2 relu(W1 x_i + b1) + b2  in R^L
//   random             S = R [L, L], trained; fixed_random: not trained
//   factorised_dense   S_ij = A_i[j mod a] C_i[j div a];  A_i in R^a, C_i in R^b as dense; a b = L
//   factorised_random  S = R1 R2^T,  R1, R2 [L, rank]
//   dot_product        S_ij = q_i . k_j / sqrt(D): that of the Transformer
//
// x [B, T, E], T <= L -> context [B, T, E], weights [B, H, T, T]. Of fewer steps than L the first
// rows and columns are used. One kind alone has no w. There is no cache: to decode, run all steps
// again under a causal mask.
#pragma once

#include <cstdint>
#include <vector>

#include "../../../nn/linear.h"
#include "../../../nn/module_list.h"
#include "../../attend.h"
#include "self_attention.h"

namespace heed::attention {

enum class SynthesizerKind : std::uint8_t {
  dense,
  random,
  fixed_random,
  factorised_dense,
  factorised_random,
  dot_product,
};
/// "dense", "factorised_random" ...
const char* name(SynthesizerKind kind);

struct SynthesizerOptions {
  Index width = 0;       ///< E
  Index heads = 1;       ///< H, a divisor of E; D = E / H
  Index max_length = 0;  ///< L
  /// One, or several for a mixture.
  std::vector<SynthesizerKind> kinds = {SynthesizerKind::dense};
  Index rank = 8;      ///< of factorised_random
  Index factor = 0;    ///< a of factorised_dense, a divisor of L; 0: the largest up to sqrt(L)
  double dropout = 0;  ///< of the weights, in training
  DType dtype = DType::f32;
};

/// Scores for the heads of x [B, T, E], broadcasting to [B, H, T, T].
class Synthesis : public nn::Module {
 public:
  virtual Tensor operator()(const Tensor& x) const = 0;
};

class Synthesizer : public SelfAttention {
 public:
  /// Throws ValueError for sizes that are not positive, heads and factors that do not divide, no
  /// kind, and a kind given twice.
  explicit Synthesizer(const SynthesizerOptions& options);

 private:
  SynthesizerOptions options_;

 public:
  Tensor& mixture;                      ///< logits of w, one a kind; undefined for one kind alone
  nn::ModuleListOf<Synthesis>& scores;  ///< in the order of the kinds
  nn::Linear& value_projection;         ///< G
  nn::Linear& out_projection;

  /// Terms are of scores [B, H, T, T], a map of their whole mixture. Throws ShapeError, DTypeError,
  /// ValueError for a cache and relative positions.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
};

}  // namespace heed::attention
