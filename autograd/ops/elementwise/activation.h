// Activations, f32 and f64, any strides. relu, sigmoid and tanh stand in elementwise.h. Each has
// its derivative in one pass; at a kink it is the one from the left, where nothing else is said.
#pragma once

#include "../../tensor.h"

namespace heed {

/// log(sigmoid(x)) = -log(1 + exp(-x)), exact in both tails.
Tensor log_sigmoid(const Tensor& x);
/// x where x > 0, else slope x; the gradient at 0 is `slope`.
Tensor leaky_relu(const Tensor& x, double slope = 0.01);
/// x where x > 0, else alpha (exp(x) - 1); the gradient at 0 is `alpha`. Clevert et al. 2015.
Tensor elu(const Tensor& x, double alpha = 1);

enum class Gelu : std::uint8_t { exact, tanh };
/// x P(N <= x) for a standard normal N: x (1 + erf(x / sqrt(2))) / 2, or its approximation
/// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2. Hendrycks & Gimpel 2016.
Tensor gelu(const Tensor& x, Gelu form = Gelu::exact);
/// x sigmoid(x), also called swish.
Tensor silu(const Tensor& x);
/// log(1 + exp(beta x)) / beta, and x itself where beta x > threshold. Throws ValueError when beta
/// is 0 or not finite.
Tensor softplus(const Tensor& x, double beta = 1, double threshold = 20);

/// min(max(x, 0), 6), and between other bounds. At either bound the gradient is 0, as in PyTorch.
/// Throws ValueError unless min <= max.
Tensor relu6(const Tensor& x);
Tensor hardtanh(const Tensor& x, double min = -1, double max = 1);
/// x / (1 + |x|)
Tensor softsign(const Tensor& x);
/// x tanh(softplus(x)). Misra 2019.
Tensor mish(const Tensor& x);

/// 1.0507 (x, or 1.6733 (e^x - 1) below 0) (Klambauer et al. 2017).
Tensor selu(const Tensor& x);
/// clamp(x + 3, 0, 6) / 6; at -3 and at 3 the gradient is 0, as in PyTorch.
Tensor hardsigmoid(const Tensor& x);
/// x hardsigmoid(x) (Howard et al. 2019); at -3 the gradient is 0, at 3 it is 1.
Tensor hardswish(const Tensor& x);

}  // namespace heed
