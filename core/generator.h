// Random numbers: Philox4x32-10 (Salmon et al. 2011), a counter-based generator. The number at
// place i of a stream depends on seed and place alone, so filling in parallel gives the same
// numbers for any number of threads, and the whole state is two integers.
//
// Threads: several may draw from one generator at once. No two draws get the same numbers, but
// which thread gets which is chance: for the same bits every time, each thread has its own.
// manual_seed(), set_state() and assigning to it want the generator for themselves.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "array.h"

namespace heed {

class DrawScope;

class Generator {
 public:
  explicit Generator(std::uint64_t seed = 0) : seed_(seed) {}
  Generator(const Generator& other) { set_state(other.state()); }
  Generator& operator=(const Generator& other) {
    set_state(other.state());
    return *this;
  }

  /// Seed, and how many blocks of four 32-bit numbers have been drawn.
  struct State {
    std::uint64_t seed = 0;
    std::uint64_t offset = 0;
    friend bool operator==(const State&, const State&) = default;
  };
  State state() const { return {seed_, offset_.load()}; }
  void set_state(const State& state) {
    seed_ = state.seed;
    offset_ = state.offset;
  }
  /// Starts the stream of `seed` from its beginning.
  Generator& manual_seed(std::uint64_t seed) {
    set_state({seed, 0});
    return *this;
  }

  /// 64 random bits.
  std::uint64_t next();
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Uniform in {0, ..., count - 1}, without bias. Throws ValueError unless count > 0.
  Index below(Index count);
  /// A random order of 0 .. count - 1. Throws ValueError for a negative count, OutOfMemory.
  std::vector<Index> permutation(Index count);

  /// Arrays of independent draws; f32 or f64, contiguous. Throw DTypeError, ShapeError, ValueError:
  /// low <= high, and both and the way between them are finite in the dtype.
  Array uniform(const Shape& shape, double low, double high, DType dtype = DType::f32);
  Array normal(const Shape& shape, double mean, double deviation, DType dtype = DType::f32);
  /// Passes over so many blocks of four 32-bit numbers: where they stand. Throws ValueError.
  State skip(Index blocks);
  /// bool, each true with probability p. Throws ValueError unless 0 <= p <= 1.
  Array bernoulli(const Shape& shape, double p);

 private:
  /// Where the next `blocks` blocks lie.
  State reserve(std::uint64_t blocks);

  friend class DrawScope;

  std::uint64_t seed_ = 0;
  std::atomic<std::uint64_t> offset_{0};
};

/// The generator used where none is given.
Generator& default_generator();
/// Seeds the default generator.
void manual_seed(std::uint64_t seed);

}  // namespace heed
