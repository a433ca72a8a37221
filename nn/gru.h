// GRU: layers of gated recurrent units over sequences of any lengths, batch first; see
// autograd/ops/gru.h for the formula. Names, layouts and first values are PyTorch's: weight_ih_l0
// [3H, I], weight_hh_l0 [3H, H], bias_ih_l0 and bias_hh_l0 [3H], then the same with _reverse for
// the second direction, then l1, which reads all directions of l0.
#pragma once

#include <vector>

#include "../autograd/ops/gru.h"
#include "module.h"

namespace heed::nn {

struct GRUOptions {
  Index input = 0;   ///< I
  Index hidden = 0;  ///< H
  Index layers = 1;
  bool bidirectional = false;
  bool bias = true;
  double dropout = 0;  ///< of each layer's output but the last one's, in training
  DType dtype = DType::f32;
};

class GRU : public Module {
 public:
  /// Every parameter begins uniform in (-1/sqrt(H), 1/sqrt(H)). Throws ValueError unless sizes and
  /// layers are positive and dropout is in [0, 1].
  explicit GRU(const GRUOptions& options);

  /// x [B, T, I]; lengths: the real steps of each row, none for all T; h0 [layers D, B, H] or
  /// undefined: zeros -> output [B, T, D H], 0 in the padding, and h_n [layers D, B, H]. D is 2 if
  /// bidirectional, else 1. Throws as gru() does.
  GruResult operator()(const Tensor& x, const std::vector<Index>& lengths = {},
                       const Tensor& h0 = Tensor()) const;

  const GRUOptions& options() const { return options_; }

 private:
  // One layer in one direction; references, because parameters may be tied later.
  struct Part {
    Tensor& w_ih;
    Tensor& w_hh;
    Tensor& b_ih;
    Tensor& b_hh;
  };

  GRUOptions options_;
  std::vector<Part> parts_;  // layer by layer
};

}  // namespace heed::nn
