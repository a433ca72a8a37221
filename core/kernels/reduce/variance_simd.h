// The vector loop behind variance.h: one run, on one thread.
#pragma once

#include <limits>

#include "../../shape.h"

namespace heed::kernels::simd {

/// What a run of numbers says of its spread.
struct Spread {
  double count = 0, mean = 0;
  double squares = 0;  ///< the sum of (x - mean)^2

  /// That of both runs together (Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm
  /// for computing sample variances", 1979).
  void add(const Spread& other) {
    if (other.count == 0) return;
    if (count == 0) {  // whose mean may be too large to be squared
      *this = other;
      return;
    }
    const double both = count + other.count;
    const double apart = other.mean - mean;
    squares += other.squares + apart * apart * (count / both) * other.count;
    mean += apart * (other.count / both);
    count = both;
  }
};

/// Whether numbers of this mean, found by their sum, and this variance lie so far from 0 that what
/// was rounded away of the mean counts; true also of what is not finite.
inline bool is_far(double mean, double variance) {
  constexpr double kFar = 16;  // deviations
  return !(kFar * kFar * variance >= mean * mean && variance <= std::numeric_limits<double>::max());
}

template <class T>
struct VarianceKernels {
  /// Of x[0 .. n), a block of the nearest cache's size after another: memory is read once.
  Spread (*spread)(const T* x, Index n);
};
template <class T>
const VarianceKernels<T>& variances();  // f32, f64

}  // namespace heed::kernels::simd
