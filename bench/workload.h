// The numbers that both sides of a comparison start from: a formula for weights and inputs that
// needs no library, so that the losses of both after the same steps must agree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// Knuth's linear congruential generator; the high half of the state is the number.
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) { next(); }
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

 private:
  std::uint64_t state_;
};

/// `count` numbers uniform in [center - bound, center + bound), the stream of `seed`.
inline void fill(float* to, std::int64_t count, std::uint64_t seed, float bound, float center = 0) {
  Sequence sequence(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = center + (static_cast<float>(sequence.next() >> 8) * 0x1p-23f - 1.0f) * bound;
  }
}

/// `count` integers in [low, high), the stream of `seed`.
inline void fill(std::int64_t* to, std::int64_t count, std::uint64_t seed, std::int64_t low,
                 std::int64_t high) {
  Sequence sequence(seed);
  const auto range = static_cast<std::uint64_t>(high - low);
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = low + static_cast<std::int64_t>((sequence.next() * range) >> 32);
  }
}

/// A weight: its name, its sizes in PyTorch's layout (cols 0 for a vector), the bound and center of
/// fill(). The seed is its place in the list, counted from 1.
struct Weight {
  std::string name;
  std::int64_t rows;
  std::int64_t cols;
  float bound;
  float center = 0;
  std::int64_t count() const { return cols == 0 ? rows : rows * cols; }
};
using Weights = std::vector<Weight>;

/// `name`.weight and .bias of a Linear.
inline void add_linear(Weights& to, const std::string& name, std::int64_t in, std::int64_t out) {
  to.push_back({name + ".weight", out, in, 0.06f});
  to.push_back({name + ".bias", out, 0, 0.06f});
}

/// `name`.weight_ih and so on, with what stands behind the names ("_l0"), of a recurrent layer
/// whose gates together are `gates` wide.
inline void add_recurrent(Weights& to, const std::string& name, const std::string& behind,
                          std::int64_t in, std::int64_t hidden, std::int64_t gates) {
  to.push_back({name + "weight_ih" + behind, gates, in, 0.06f});
  to.push_back({name + "weight_hh" + behind, gates, hidden, 0.06f});
  to.push_back({name + "bias_ih" + behind, gates, 0, 0.06f});
  to.push_back({name + "bias_hh" + behind, gates, 0, 0.06f});
}

/// By which rows without an optimizer show their gradients.
inline double sum_of_squares(const float* numbers, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += double{numbers[i]} * double{numbers[i]};
  return sum;
}

/// Forward, and backward for both operands: three products of m x k by k x n.
constexpr double trained_product(double m, double k, double n) { return 3 * 2 * m * k * n; }

}  // namespace bench
