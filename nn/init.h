// Initialisers: they write into a tensor in place, off the tape, f32 or f64, under torch.nn.init's
// names. fan_in and fan_out of [out, in, ...] are in and out times the product of the rest; where
// they are needed, ranks below 2 throw ShapeError. The result of a recorded operator is a
// GradError, before anything is drawn. A tensor is a handle: `xavier_uniform_(layer.weight)`.
//
// Glorot & Bengio 2010 (xavier), He et al. 2015 (kaiming), Saxe et al. 2013 (orthogonal).
#pragma once

#include <string_view>

#include "../autograd/tensor.h"
#include "../core/generator.h"

namespace heed::nn {

// NOLINTBEGIN(readability-identifier-naming)
void uniform_(Tensor tensor, double low = 0, double high = 1,
              Generator& generator = default_generator());
void normal_(Tensor tensor, double mean = 0, double deviation = 1,
             Generator& generator = default_generator());
void constant_(Tensor tensor, double value);
void zeros_(Tensor tensor);
void ones_(Tensor tensor);

/// Uniform within gain sqrt(6 / (fan_in + fan_out)).
void xavier_uniform_(Tensor tensor, double gain = 1, Generator& generator = default_generator());
/// Deviation gain sqrt(2 / (fan_in + fan_out)).
void xavier_normal_(Tensor tensor, double gain = 1, Generator& generator = default_generator());

enum class Fan : std::uint8_t { in, out };

/// Uniform within sqrt(6 / ((1 + slope^2) fan)); slope is the leaky ReLU's, 0 for ReLU.
void kaiming_uniform_(Tensor tensor, double slope = 0, Fan fan = Fan::in,
                      Generator& generator = default_generator());
/// Deviation sqrt(2 / ((1 + slope^2) fan)).
void kaiming_normal_(Tensor tensor, double slope = 0, Fan fan = Fan::in,
                     Generator& generator = default_generator());

/// The gain that keeps a deviation through `nonlinearity`, by PyTorch's names: "linear", "conv2d",
/// "sigmoid" 1, "tanh" 5/3, "relu" sqrt(2), "leaky_relu" sqrt(2 / (1 + slope^2)), "selu" 3/4.
/// Throws ValueError for others.
double calculate_gain(std::string_view nonlinearity, double slope = 0.01);
/// By PyTorch's words: mode "fan_in" or "fan_out", and the gain of the nonlinearity, a leaky ReLU's
/// slope being 0. Throws ValueError for others.
void kaiming_uniform_(Tensor tensor, std::string_view mode,
                      std::string_view nonlinearity = "leaky_relu");
void kaiming_normal_(Tensor tensor, std::string_view mode,
                     std::string_view nonlinearity = "leaky_relu");

/// A random matrix [out, rest] with orthonormal rows or columns, whichever are fewer, times gain.
void orthogonal_(Tensor tensor, double gain = 1, Generator& generator = default_generator());

// NOLINTEND(readability-identifier-naming)

}  // namespace heed::nn
