#include "generator.h"

#include <Random123/philox.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "draws.h"
#include "error.h"
#include "kernels/elementwise/philox_simd.h"
#include "no_memory.h"
#include "parallel.h"

namespace heed {
namespace {

using Philox = r123::Philox4x32;
constexpr Index kGrain = 16384;
constexpr double kLargest = std::numeric_limits<float>::max();

// The block at a place of a stream: four 32-bit numbers.
Philox::ctr_type block(const Generator::State& at) {
  const auto [seed, place] = at;
  const Philox::ctr_type counter = {
      {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place >> 32), 0, 0}};
  const Philox::key_type key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  return Philox{}(counter, key);
}

std::uint64_t join(std::uint32_t high, std::uint32_t low) {
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

// [0, 1) with 24 and 53 bits.
float unit(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }
double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

Index blocks_for(Index count, Index each) { return (count + each - 1) / each; }

// Calls body(at, numbers, n) over [0, blocks * 4) in pieces: n random numbers for the places from
// `at`.
template <class Body>
void each_piece(const Generator::State& first, Index blocks, const Body& body) {
  parallel_for(blocks, kGrain, [&](Index begin, Index end) {
    constexpr Index kPiece = 256;
    std::uint32_t numbers[4 * kPiece];
    for (Index piece = begin; piece < end; piece += kPiece) {
      const Index n = std::min(kPiece, end - piece);
      kernels::simd::philox(first.seed, first.offset + static_cast<std::uint64_t>(piece),
                            static_cast<std::size_t>(n), numbers);
      body(4 * piece, numbers, 4 * n);
    }
  });
}

// Fills with `per` values a block of four random numbers, made by draw(numbers, values).
template <class T, Index per, class Draw>
void fill_blocks(Array& out, const Generator::State& first, const Draw& draw) {
  T* to = out.mutable_data<T>();
  const Index count = out.numel();
  each_piece(first, blocks_for(count, per), [&](Index at, const std::uint32_t* numbers, Index n) {
    for (Index i = 0; i < n; i += 4) {
      T values[per];
      draw(numbers + i, values);
      const Index place = (at + i) / 4 * per;
      std::copy_n(values, std::min(per, count - place), to + place);
    }
  });
}

void check_finite(const char* op, double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) {
    throw ValueError(fmt::format("{}: bounds {} and {} must be finite", op, a, b));
  }
}

}  // namespace

Generator::State Generator::reserve(std::uint64_t blocks) {
  if (DrawScope* scope = DrawScope::innermost()) return scope->take(*this, blocks);
  return {seed_, offset_.fetch_add(blocks)};
}

std::uint64_t Generator::next() {
  const auto numbers = block(reserve(1));
  return join(numbers[0], numbers[1]);
}

double Generator::uniform() { return unit(next()); }

Index Generator::below(Index count) {
  if (count <= 0) throw ValueError(fmt::format("below: count {} must be positive", count));
  const auto range = static_cast<std::uint64_t>(count);
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % range;
  std::uint64_t drawn = next();
  while (drawn >= limit) drawn = next();
  return static_cast<Index>(drawn % range);
}

std::vector<Index> Generator::permutation(Index count) {
  if (count < 0) throw ValueError(fmt::format("permutation: count {} is negative", count));
  std::vector<Index> order = fitting("permutation", count, "numbers", [&] {
    return std::vector<Index>(static_cast<std::size_t>(count));
  });
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = count - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(below(i + 1))]);
  }
  return order;
}

Array Generator::uniform(const Shape& shape, double low, double high, DType dtype) {
  check_floating("uniform", dtype);
  check_finite("uniform", low, high);
  const double width = high - low;
  if (!(low <= high) || !std::isfinite(width)) {
    throw ValueError(fmt::format("uniform: no range from {} to {}", low, high));
  }
  if (dtype == DType::f32 && std::max({std::fabs(low), std::fabs(high), width}) > kLargest) {
    throw ValueError(fmt::format("uniform: no range of f32 from {} to {}", low, high));
  }
  Array out = Array::empty(shape, dtype);
  if (dtype == DType::f32) {
    const auto first = reserve(static_cast<std::uint64_t>(blocks_for(out.numel(), 4)));
    fill_blocks<float, 4>(out, first, [&](const std::uint32_t* numbers, float* to) {
      for (int k = 0; k < 4; ++k) {
        to[k] = static_cast<float>(low) + unit(numbers[k]) * static_cast<float>(width);
      }
    });
  } else {
    const auto first = reserve(static_cast<std::uint64_t>(blocks_for(out.numel(), 2)));
    fill_blocks<double, 2>(out, first, [&](const std::uint32_t* numbers, double* to) {
      to[0] = low + unit(join(numbers[0], numbers[1])) * width;
      to[1] = low + unit(join(numbers[2], numbers[3])) * width;
    });
  }
  return out;
}

Array Generator::normal(const Shape& shape, double mean, double deviation, DType dtype) {
  check_floating("normal", dtype);
  check_finite("normal", mean, deviation);
  if (deviation < 0) throw ValueError(fmt::format("normal: deviation {} is negative", deviation));
  if (dtype == DType::f32 && std::max(std::fabs(mean), deviation) > kLargest) {
    throw ValueError(
        fmt::format("normal: f32 does not hold mean {} and deviation {}", mean, deviation));
  }
  Array out = Array::empty(shape, dtype);
  // Box and Muller's pairs, from 64-bit uniforms in (0, 1].
  const auto first = reserve(static_cast<std::uint64_t>(blocks_for(out.numel(), 2)));
  const auto draw = [&](const std::uint32_t* numbers, auto* to) {
    using T = std::remove_reference_t<decltype(*to)>;
    const double radius = std::sqrt(-2 * std::log(1 - unit(join(numbers[0], numbers[1]))));
    const double angle = 2 * std::numbers::pi * unit(join(numbers[2], numbers[3]));
    to[0] = static_cast<T>(mean + deviation * radius * std::cos(angle));
    to[1] = static_cast<T>(mean + deviation * radius * std::sin(angle));
  };
  if (dtype == DType::f32) {
    fill_blocks<float, 2>(out, first, draw);
  } else {
    fill_blocks<double, 2>(out, first, draw);
  }
  return out;
}

Generator::State Generator::skip(Index blocks) {
  if (blocks < 0) throw ValueError(fmt::format("skip: {} blocks", blocks));
  return reserve(static_cast<std::uint64_t>(blocks));
}

Array Generator::bernoulli(const Shape& shape, double p) {
  if (!(p >= 0 && p <= 1)) throw ValueError(fmt::format("bernoulli: p {} is not in [0, 1]", p));
  Array out = Array::empty(shape, DType::boolean);
  const Index count = out.numel();
  const Index blocks = blocks_for(count, 4);
  const auto first = reserve(static_cast<std::uint64_t>(blocks));
  // As a bound on 32 bits 1 would be 2^32: it is the one that needs no draw.
  const auto bound = static_cast<std::uint32_t>(std::min(p * 0x1p32, 0x1p32 - 1));
  const bool always = p == 1;
  bool* to = out.mutable_data<bool>();
  each_piece(first, blocks, [&](Index at, const std::uint32_t* numbers, Index n) {
    const Index filled = std::min(n, count - at);
    for (Index i = 0; i < filled; ++i) to[at + i] = always | (numbers[i] < bound);
  });
  return out;
}

Generator& default_generator() {
  static Generator generator(0);
  return generator;
}

void manual_seed(std::uint64_t seed) { default_generator().manual_seed(seed); }

}  // namespace heed
