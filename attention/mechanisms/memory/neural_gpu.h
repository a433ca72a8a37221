// Neural GPU (Kaiser, Sutskever 2016, "Neural GPUs Learn Algorithms"): a sequence of n symbols
// stands in the first column of a mental image, which convolutional gated recurrent units change n
// times; the answer is read from the first column. What is learned on short sequences may go on to
// longer ones: the units are the same at every place and in every step.
//
//   CGRU(s) = u o s + (1 - u) o tanh(U * (r o s) + B)
//   u = sigma'(U' * s + B'),  r = sigma'(U'' * s + B'')
//   sigma'(x) = max(0, min(1, 1.2 sigma(x) - 0.1))
//   s_0: x in the first column, 0 elsewhere
//   s_{t+1} = CGRU_l(.. CGRU_1(s_t)),  output = the first column of s_n
//
// x [B, T, m] -> [B, T, m]: an embedding stands before it, a linear layer behind it. * is a
// convolution that keeps sizes, 0 beyond the image. O(T^2 l w k^2 m^2). The paper's image [w, n, m]
// is our [B, m, T, w], its U' and U'' one convolution. Biases of gates begin as 1, as in the
// authors' program. A row's image is as high as the row is long, and changes as many times.
#pragma once

#include <vector>

#include "../../../nn/conv.h"
#include "../../../nn/module_list.h"

namespace heed::attention {

struct NeuralGPUOptions {
  Index width = 0;     ///< of a symbol, and of each place of the image, m
  Index columns = 4;   ///< of the image, w
  Index layers = 2;    ///< of units in a step, l
  Index kernel = 3;    ///< k in both directions
  bool cutoff = true;  ///< gates saturate: sigma'; else the sigmoid
  DType dtype = DType::f32;
};

/// A convolutional gated recurrent unit, which an image [B, m, T, w] goes through; same shape.
class CGRU : public nn::Layer<CGRU> {
 public:
  /// Throws ValueError unless width and kernel are positive.
  explicit CGRU(const NeuralGPUOptions& options);

 private:
  bool cutoff_;

 public:
  nn::Conv2d& gates;      ///< U', U'' [2 m, m, k, k]
  nn::Conv2d& candidate;  ///< U [m, m, k, k]

  Tensor operator()(const Tensor& image) const;
};

struct NeuralGPUOutput {
  Tensor output;  ///< [B, T, m], zeros in the padding
  Tensor image;   ///< s_n [B, m, T, w]; likewise
};

class NeuralGPU : public nn::Module {
 public:
  /// Throws ValueError unless sizes are positive.
  explicit NeuralGPU(const NeuralGPUOptions& options);

 private:
  NeuralGPUOptions options_;

 public:
  nn::ModuleListOf<CGRU>& layers;

  /// Row b of x [B, T, m] has lengths[b] symbols; none: T. Throws ShapeError, DTypeError.
  NeuralGPUOutput operator()(const Tensor& x, const std::vector<Index>& lengths = {}) const;
};

}  // namespace heed::attention
