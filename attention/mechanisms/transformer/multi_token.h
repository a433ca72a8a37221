// Multi-token prediction (DeepSeek-V3, 2024, section 2.2; after Gloeckle et al. 2024): beside the
// next token also those after it are foretold, one by one, each from the state that foretold the
// one before.
//
//   h'_i = M_k [RMSNorm(h^{k-1}_i); RMSNorm(Emb(t_{i+k}))],   h^k = TRM_k(h'),   k = 1 .. depth
//   P(t_{i+k+1}) = head(h^k_i),   loss = 1 / depth sum_k cross entropy of them
//
// h^0 [B, T, E]: the states of a causal stack that has read t_1 .. t_T; Emb(t) [B, T, E] its
// embeddings; embedding and head are the model's own. h^k is [B, T - k, E]. To draft a text that
// speculative decoding then checks, or to train by alone. O(depth) layers.
#pragma once

#include <functional>

#include "transformer_encoder.h"

namespace heed::attention {

struct MultiTokenOptions {
  Index depth = 1;
  TransformerOptions transformer = {};
};

struct MultiTokenOutput {
  std::vector<Tensor> foretold;     ///< h^1 .. h^depth; those beyond T are missing
  std::vector<Routed> routed = {};  ///< of each of these whose layer has experts, in their order
  /// The sum of these layers' balance losses, []; undefined where none has experts.
  Tensor balance() const;
};

class MultiTokenPrediction : public nn::Module {
 public:
  /// Throws ValueError unless depth is positive, and as TransformerEncoderLayer.
  explicit MultiTokenPrediction(const MultiTokenOptions& options);

 private:
  MultiTokenOptions options_;

 public:
  nn::ModuleListOf<nn::RMSNorm>&state_norms, &token_norms;
  nn::ModuleListOf<nn::Linear>& merges;  ///< M_k [E, 2 E], without biases
  nn::ModuleListOf<TransformerEncoderLayer>& layers;

  /// Lengths say how many tokens of each row are real; of these, depth k foretells k fewer. Throws
  /// ShapeError, DTypeError.
  MultiTokenOutput operator()(const Tensor& states, const Tensor& embedded,
                              const std::vector<Index>& lengths = {}) const;

  /// The mean over depths of each one's cross entropy, without the balance of experts: ids i64
  /// [B, T], tokens that were read; head takes states [n, E] to logits [n, V]. Tokens beyond a
  /// length are not foretold, and a depth that foretells none does not count. Throws ShapeError for
  /// other rows of lengths, ValueError where no depth counts, and as cross_entropy().
  Tensor loss(const std::vector<Tensor>& foretold, const Tensor& ids,
              const std::function<Tensor(const Tensor&)>& head,
              const std::vector<Index>& lengths = {}) const;
};

}  // namespace heed::attention
