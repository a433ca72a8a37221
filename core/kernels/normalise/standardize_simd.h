// The vector loops behind standardize.h: one run of neighbouring elements, on one thread. A weight
// or bias is null (1 or 0), one element for each of the run, or one for all of it (`many` false).
#pragma once

#include <cstddef>

#include "../../shape.h"

namespace heed::kernels::simd {

/// z = (x - mean) scale
template <class T>
struct Centre {
  T mean, scale;
};

/// Sum of (x - mean)^2: this sum and those below go on in doubles after a few terms.
double squares(const float* x, float mean, std::size_t n);
double squares(const double* x, double mean, std::size_t n);

/// to = z weight + bias
void standardize(const float* x, Centre<float> at, const float* weight, const float* bias,
                 bool many, float* to, std::size_t n);
void standardize(const double* x, Centre<double> at, const double* weight, const double* bias,
                 bool many, double* to, std::size_t n);

/// sum += g weight, product += g weight z; with `weight` null, or one for each element.
void standardize_sums(const float* g, const float* x, Centre<float> at, const float* weight,
                      double& sum, double& product, std::size_t n);
void standardize_sums(const double* g, const double* x, Centre<double> at, const double* weight,
                      double& sum, double& product, std::size_t n);

/// to = scale (g weight - sum - z product)
void standardize_grad(const float* g, const float* x, Centre<float> at, const float* weight,
                      bool many, float sum, float product, float* to, std::size_t n);
void standardize_grad(const double* g, const double* x, Centre<double> at, const double* weight,
                      bool many, double sum, double product, double* to, std::size_t n);

/// gweight += g z, gbias += g, element by element.
void standardize_weight_grad(const float* g, const float* x, Centre<float> at, float* gweight,
                             float* gbias, std::size_t n);
void standardize_weight_grad(const double* g, const double* x, Centre<double> at, double* gweight,
                             double* gbias, std::size_t n);

/// sums += few, which become 0.
void move_sums(float* few, double* sums, std::size_t n);
void move_sums(double* few, double* sums, std::size_t n);

}  // namespace heed::kernels::simd
