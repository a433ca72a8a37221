// Mixture of depths (Raposo et al. 2024, "Mixture-of-Depths: Dynamically allocating compute in
// transformer-based language models"): of each sequence a router lets the k tokens through a block
// that it prefers, and the others pass it by.
//
//   r_t = w . x_t;  y_t = x_t + r_t f(X)_t for the k tokens with the largest r, else x_t
//   f(X) = block(X) - X over these tokens alone, which keep their order;  k = max(1, floor(c T))
//
// x [B, T, E] -> [B, T, E]; O(k^2 E + k E hidden) in the place of O(T^2 E + T E hidden). Who is
// among the k is not known before the end of a sequence. So two losses are taught beside (section
// 3.5): a predictor that sees x_t alone, without a gradient to x_t, says whether t is chosen; or
// r_t itself is pulled to either side of 0. by_prediction() goes by the predictor, and is causal.
#pragma once

#include "transformer_encoder.h"

namespace heed::attention {

struct MixtureOfDepthsOptions {
  TransformerOptions block = {};  ///< positions in the block count the chosen: none of rotary
  double capacity = 0.125;        ///< c
  Index hidden = 0;               ///< of the predictor; 0: E
  Index layer = 0;                ///< of the block, for what its options say by layer
};

struct MixtureOfDepthsOutput {
  Tensor output;           ///< [B, T, E], zeros in the padding
  Tensor chosen;           ///< bool [B, T]
  Tensor prediction_loss;  ///< []: the predictor's, binary cross entropy over all tokens
  Tensor router_loss;      ///< []: the same of the router's own weights, for who goes by these
  Routed routed = {};      ///< by the block's experts; of nothing without
};

class MixtureOfDepths : public nn::Module {
 public:
  /// Throws ValueError for a capacity outside (0, 1], rotary positions, and as the block.
  explicit MixtureOfDepths(const MixtureOfDepthsOptions& options);

 private:
  MixtureOfDepthsOptions options_;

 public:
  TransformerEncoderLayer& block;
  nn::Linear& router;                   ///< w [1, E], without a bias
  nn::Linear &predictor1, &predictor2;  ///< E -> hidden -> 1

  /// Causal among the chosen, unless `both_ways`. Row b has lengths[b] tokens; none: all T. Throws
  /// ShapeError, DTypeError.
  MixtureOfDepthsOutput operator()(const Tensor& x, const std::vector<Index>& lengths = {},
                                   bool both_ways = false) const;

  /// What going on step by step keeps: the chosen so far.
  struct State {
    KeyValueCache past;
    Tensor chosen;  ///< bool [B, tokens in the cache]; undefined at the beginning
    void reorder(const Tensor& rows);
  };
  /// The next tokens [B, T, E], those chosen that the predictor names; where it names none of a
  /// call, the block does not run. Throws GradError while recording.
  Tensor by_prediction(const Tensor& x, State& state) const;
};

}  // namespace heed::attention
