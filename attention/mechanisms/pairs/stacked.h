// Stacked attention (Yang et al. 2016, "Stacked Attention Networks for Image Question Answering",
// section 3.3): a question looks at an image several times, each time knowing what it saw before.
//
//   h^k = tanh(W_I^k V + (W_Q^k u^(k-1) + b^k)),  p^k = softmax(w_P^k . h^k)
//   u^k = sum_i p^k_i v_i + u^(k-1),  u^0 = q
//
// The paper's b_P is left out: the softmax does not see it. Image and question are of one width.
// Where there is nothing to look at, u^k = u^(k-1).
#pragma once

#include "../../../nn/module_list.h"
#include "../../attend.h"
#include "../../scores/additive.h"

namespace heed::attention {

struct StackedOptions {
  Index width = 0;   ///< of u and v
  Index hidden = 0;  ///< of h
  Index hops = 2;    ///< how often it looks
  DType dtype = DType::f32;
};

struct StackedOutput {
  Tensor context;               ///< u of the last hop, as the query
  std::vector<Tensor> weights;  ///< p of each hop, [B, N] or [B, Q, N]; none unless asked for
};

class StackedAttention : public nn::Module {
 public:
  /// Throws ValueError unless all numbers are positive.
  explicit StackedAttention(const StackedOptions& options);

  nn::ModuleListOf<Additive>& hops;  ///< W_Q with b, W_I and w_P of each

  /// query [B, d] or, for Q of them, [B, Q, d]; image [B, N, d], its mask broadcasting to
  /// [B, N]. Throws ShapeError, DTypeError.
  StackedOutput operator()(const Tensor& query, const Tensor& image,
                           const Mask& image_mask = Mask(), bool need_weights = false) const;

 private:
  Index width_;
};

}  // namespace heed::attention
