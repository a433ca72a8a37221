// Recurrent: the base of RNN, GRU and LSTM, layers over sequences of any lengths, batch first.
// Names, layouts and first values are PyTorch's: weight_ih_l0 [G H, I], weight_hh_l0 [G H, H],
// bias_ih_l0 and bias_hh_l0 [G H] with G gates, then the same with _reverse for the second
// direction, then l1, which reads all directions of l0.
#pragma once

#include <concepts>
#include <vector>

#include "../autograd/ops/recurrent/recurrent.h"
#include "module.h"

namespace heed::nn {

struct RecurrentOptions {
  Index input = 0;   ///< I
  Index hidden = 0;  ///< H
  Index layers = 1;
  bool bidirectional = false;
  bool bias = true;
  double dropout = 0;  ///< of each layer's output but the last one's, in training
  DType dtype = DType::f32;
};

namespace detail {
/// `options` of these sizes.
template <class Options>
Options of_sizes(Options options, Index input, Index hidden) {
  options.input = input;
  options.hidden = hidden;
  return options;
}
}  // namespace detail

class Recurrent : public Module {
 protected:
  /// Every parameter begins uniform in (-1/sqrt(H), 1/sqrt(H)). Throws ValueError, in `name`'s
  /// name, unless sizes and layers are positive and dropout is in [0, 1].
  Recurrent(const char* name, kernels::RnnCell cell, const RecurrentOptions& options);

  /// All layers: output [B, T, D H], h_n [layers D, B, H] and, of an LSTM, c_n.
  std::vector<Tensor> run(const Tensor& x, const heed::detail::Sequences& sequences,
                          const LstmState& start) const;
  /// The same of a packed batch: output [N, D H].
  std::vector<Tensor> run(const Packed& x, const LstmState& start) const;

  const RecurrentOptions& base_options() const { return options_; }

 private:
  // One layer in one direction; references, because parameters may be tied later.
  struct Part {
    Tensor& w_ih;
    Tensor& w_hh;
    Tensor& b_ih;
    Tensor& b_hh;
  };

  const char* name_;
  kernels::RnnCell cell_;
  RecurrentOptions options_;
  std::vector<Part> parts_;  // layer by layer
};

}  // namespace heed::nn
