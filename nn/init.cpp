#include "init.h"

#include <fmt/format.h>

#include <cmath>

#include "../autograd/grad_mode.h"
#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::nn {
namespace {

void write(Tensor& tensor, const Array& numbers) {
  const NoGrad scope;
  tensor.copy_from(numbers);
}

// Before anything is drawn: write() would refuse it.
void check_written(const char* op, const Tensor& tensor) {
  if (tensor.is_leaf()) return;
  throw GradError(fmt::format("{}: {} is the result of a recorded operator", op, describe(tensor)));
}

struct Fans {
  double in, out;
};

Fans fans_of(const char* op, const Tensor& tensor) {
  if (tensor.rank() < 2) {
    throw ShapeError(fmt::format("{}: needs rank 2 or more, not {}", op, describe(tensor)));
  }
  double rest = 1;
  for (Index axis = 2; axis < tensor.rank(); ++axis) rest *= static_cast<double>(tensor.size(axis));
  return {static_cast<double>(tensor.size(1)) * rest, static_cast<double>(tensor.size(0)) * rest};
}

double xavier(const char* op, const Tensor& tensor, double gain) {
  const Fans fans = fans_of(op, tensor);
  return gain * std::sqrt(2 / std::fmax(1, fans.in + fans.out));
}

double kaiming(const char* op, const Tensor& tensor, double slope, Fan fan) {
  const Fans fans = fans_of(op, tensor);
  return std::sqrt(2 / ((1 + slope * slope) * std::fmax(1, fan == Fan::in ? fans.in : fans.out)));
}

double kaiming(const char* op, const Tensor& tensor, std::string_view mode,
               std::string_view nonlinearity) {
  if (mode != "fan_in" && mode != "fan_out") {
    throw ValueError(
        fmt::format("{}: mode is \"fan_in\" or \"fan_out\", not {}", op, in_quotes(mode)));
  }
  // A slope of 1 is a gain of 1.
  return calculate_gain(nonlinearity, 0) *
         kaiming(op, tensor, 1, mode == "fan_in" ? Fan::in : Fan::out);
}

// A uniform's half width for a deviation of 1.
const double kRoot3 = std::sqrt(3.0);

double dot(const double* x, const double* y, Index n) {
  double total = 0;
  for (Index i = 0; i < n; ++i) total += x[i] * y[i];
  return total;
}

}  // namespace

void uniform_(Tensor tensor, double low, double high, Generator& generator) {
  check_written("uniform_", tensor);
  write(tensor, generator.uniform(tensor.shape(), low, high, tensor.dtype()));
}

void normal_(Tensor tensor, double mean, double deviation, Generator& generator) {
  check_written("normal_", tensor);
  write(tensor, generator.normal(tensor.shape(), mean, deviation, tensor.dtype()));
}

void constant_(Tensor tensor, double value) {
  write(tensor, Array::full(tensor.shape(), value, tensor.dtype()));
}

void zeros_(Tensor tensor) { constant_(std::move(tensor), 0); }
void ones_(Tensor tensor) { constant_(std::move(tensor), 1); }

void xavier_uniform_(Tensor tensor, double gain, Generator& generator) {
  const double bound = kRoot3 * xavier("xavier_uniform_", tensor, gain);
  uniform_(std::move(tensor), -bound, bound, generator);
}

void xavier_normal_(Tensor tensor, double gain, Generator& generator) {
  const double deviation = xavier("xavier_normal_", tensor, gain);
  normal_(std::move(tensor), 0, deviation, generator);
}

void kaiming_uniform_(Tensor tensor, double slope, Fan fan, Generator& generator) {
  const double bound = kRoot3 * kaiming("kaiming_uniform_", tensor, slope, fan);
  uniform_(std::move(tensor), -bound, bound, generator);
}

void kaiming_normal_(Tensor tensor, double slope, Fan fan, Generator& generator) {
  const double deviation = kaiming("kaiming_normal_", tensor, slope, fan);
  normal_(std::move(tensor), 0, deviation, generator);
}

double calculate_gain(std::string_view nonlinearity, double slope) {
  if (nonlinearity == "tanh") return 5.0 / 3;
  if (nonlinearity == "relu") return std::sqrt(2.0);
  if (nonlinearity == "leaky_relu") return std::sqrt(2 / (1 + slope * slope));
  if (nonlinearity == "selu") return 0.75;
  for (const std::string_view plain : {"linear", "sigmoid", "conv1d", "conv2d", "conv3d",
                                       "conv_transpose1d", "conv_transpose2d"}) {
    if (nonlinearity == plain) return 1;
  }
  throw ValueError(fmt::format("calculate_gain: unknown nonlinearity {}", in_quotes(nonlinearity)));
}

void kaiming_uniform_(Tensor tensor, std::string_view mode, std::string_view nonlinearity) {
  const double bound = kRoot3 * kaiming("kaiming_uniform_", tensor, mode, nonlinearity);
  uniform_(std::move(tensor), -bound, bound);
}

void kaiming_normal_(Tensor tensor, std::string_view mode, std::string_view nonlinearity) {
  const double deviation = kaiming("kaiming_normal_", tensor, mode, nonlinearity);
  normal_(std::move(tensor), 0, deviation);
}

void orthogonal_(Tensor tensor, double gain, Generator& generator) {
  fans_of("orthogonal_", tensor);
  check_floating("orthogonal_", tensor.dtype());
  check_written("orthogonal_", tensor);
  if (tensor.numel() == 0) return;
  const Index rows = tensor.size(0);
  const Index columns = tensor.numel() / rows;
  const Index few = std::min(rows, columns);
  const Index many = std::max(rows, columns);
  // Gram and Schmidt on the rows of a normal matrix; twice, which is enough for full precision.
  Array matrix = generator.normal({few, many}, 0, 1, DType::f64);
  double* first = matrix.mutable_data<double>();
  for (Index i = 0; i < few; ++i) {
    double* x = first + i * many;
    for (int pass = 0; pass < 2; ++pass) {
      for (Index j = 0; j < i; ++j) {
        const double* y = first + j * many;
        const double share = dot(x, y, many);
        for (Index k = 0; k < many; ++k) x[k] -= share * y[k];
      }
      const double length = std::sqrt(dot(x, x, many));
      for (Index k = 0; k < many; ++k) x[k] /= length;
    }
  }
  for (Index k = 0; k < few * many; ++k) first[k] *= gain;
  if (rows > columns) matrix = matrix.transpose(0, 1);
  write(tensor, matrix.to(tensor.dtype()).reshape(tensor.shape()));
}

}  // namespace heed::nn
