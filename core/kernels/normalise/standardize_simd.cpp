// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/normalise/standardize_simd.cpp"
#include "standardize_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>

#include "../elementwise/each_vector_simd-inl.h"
#include "../reduce/long_sum_simd-inl.h"
#include "../reduce/partial_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
double squares_of(const T* x, T mean, std::size_t n) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto middle = hn::Set(d, mean);
  LongSum total;
  std::size_t i = 0;
  while (i + lanes <= n) {
    auto even = hn::Zero(d), odd = hn::Zero(d);
    const std::size_t stop = std::min(n, i + 2 * kChain * lanes);
    for (; i + 2 * lanes <= stop; i += 2 * lanes) {
      const auto a = hn::Sub(hn::LoadU(d, x + i), middle);
      const auto b = hn::Sub(hn::LoadU(d, x + i + lanes), middle);
      even = hn::MulAdd(a, a, even);
      odd = hn::MulAdd(b, b, odd);
    }
    for (; i + lanes <= stop; i += lanes) {
      const auto a = hn::Sub(hn::LoadU(d, x + i), middle);
      even = hn::MulAdd(a, a, even);
    }
    total.add(hn::Add(even, odd));
  }
  if (i < n) {
    const auto a = hn::IfThenElseZero(
        hn::FirstN(d, n - i), hn::Sub(load_first(d, x + i, static_cast<Index>(n - i)), middle));
    total.add(hn::Mul(a, a));
  }
  return total.total();
}

template <class T>
void standardize_run(const T* x, Centre<T> at, const T* weight, const T* bias, bool many, T* to,
                     std::size_t n) {
  const hn::ScalableTag<T> d;
  const auto mean = hn::Set(d, at.mean), scale = hn::Set(d, at.scale);
  const auto one_weight = hn::Set(d, weight && !many ? *weight : T{1});
  const auto one_bias = hn::Set(d, bias && !many ? *bias : T{0});
  each_vector(d, n, [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
    const auto z = hn::Mul(hn::Sub(load(x), mean), scale);
    const auto w = weight && many ? load(weight) : one_weight;
    const auto b = bias && many ? load(bias) : one_bias;
    store(hn::MulAdd(z, w, b), to);
  });
}

template <class T>
void sums_of(const T* g, const T* x, Centre<T> at, const T* weight, double& sum, double& product,
             std::size_t n) {
  const hn::ScalableTag<T> d;
  const auto mean = hn::Set(d, at.mean), scale = hn::Set(d, at.scale);
  const std::size_t block = static_cast<std::size_t>(kChain) * hn::Lanes(d);
  LongSum all_sum, along_sum;
  for (std::size_t first = 0; first < n; first += block) {
    auto all = hn::Zero(d), along = hn::Zero(d);
    const T *const own_g = g + first, *const own_x = x + first;
    const T* const own_weight = weight ? weight + first : nullptr;
    each_vector(d, std::min(block, n - first),
                [&](std::size_t, const auto& load, const auto&) HWY_ATTR {
                  const auto z = hn::Mul(hn::Sub(load(own_x), mean), scale);
                  const auto h = weight ? hn::Mul(load(own_g), load(own_weight)) : load(own_g);
                  all = hn::Add(all, h);
                  along = hn::MulAdd(h, z, along);  // beyond the end h is 0
                });
    all_sum.add(all);
    along_sum.add(along);
  }
  sum += all_sum.total();
  product += along_sum.total();
}

template <class T>
void grad_run(const T* g, const T* x, Centre<T> at, const T* weight, bool many, T sum, T product,
              T* to, std::size_t n) {
  const hn::ScalableTag<T> d;
  const auto mean = hn::Set(d, at.mean), scale = hn::Set(d, at.scale);
  const auto all = hn::Set(d, sum), along = hn::Set(d, product);
  const auto one_weight = hn::Set(d, weight && !many ? *weight : T{1});
  each_vector(d, n, [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
    const auto z = hn::Mul(hn::Sub(load(x), mean), scale);
    const auto w = weight && many ? load(weight) : one_weight;
    const auto h = hn::MulSub(load(g), w, all);
    store(hn::Mul(scale, hn::NegMulAdd(z, along, h)), to);
  });
}

template <class T>
void weight_grad_run(const T* g, const T* x, Centre<T> at, T* gweight, T* gbias, std::size_t n) {
  const hn::ScalableTag<T> d;
  const auto mean = hn::Set(d, at.mean), scale = hn::Set(d, at.scale);
  each_vector(d, n, [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
    const auto z = hn::Mul(hn::Sub(load(x), mean), scale);
    const auto h = load(g);
    store(hn::MulAdd(h, z, load(gweight)), gweight);
    store(hn::Add(h, load(gbias)), gbias);
  });
}

double squares_f32(const float* x, float mean, std::size_t n) { return squares_of(x, mean, n); }

double squares_f64(const double* x, double mean, std::size_t n) { return squares_of(x, mean, n); }

void forward_f32(const float* x, Centre<float> at, const float* weight, const float* bias,
                 bool many, float* to, std::size_t n) {
  standardize_run(x, at, weight, bias, many, to, n);
}

void forward_f64(const double* x, Centre<double> at, const double* weight, const double* bias,
                 bool many, double* to, std::size_t n) {
  standardize_run(x, at, weight, bias, many, to, n);
}

void sums_f32(const float* g, const float* x, Centre<float> at, const float* weight, double& sum,
              double& product, std::size_t n) {
  sums_of(g, x, at, weight, sum, product, n);
}

void sums_f64(const double* g, const double* x, Centre<double> at, const double* weight,
              double& sum, double& product, std::size_t n) {
  sums_of(g, x, at, weight, sum, product, n);
}

void grad_f32(const float* g, const float* x, Centre<float> at, const float* weight, bool many,
              float sum, float product, float* to, std::size_t n) {
  grad_run(g, x, at, weight, many, sum, product, to, n);
}

void grad_f64(const double* g, const double* x, Centre<double> at, const double* weight, bool many,
              double sum, double product, double* to, std::size_t n) {
  grad_run(g, x, at, weight, many, sum, product, to, n);
}

void weight_grad_f32(const float* g, const float* x, Centre<float> at, float* gweight, float* gbias,
                     std::size_t n) {
  weight_grad_run(g, x, at, gweight, gbias, n);
}

void move_f32(float* few, double* sums, std::size_t n) {
  move_sums(few, sums, static_cast<Index>(n));
}

void weight_grad_f64(const double* g, const double* x, Centre<double> at, double* gweight,
                     double* gbias, std::size_t n) {
  weight_grad_run(g, x, at, gweight, gbias, n);
}

void move_f64(double* few, double* sums, std::size_t n) {
  move_sums(few, sums, static_cast<Index>(n));
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HWY_EXPORT(squares_f32);
HWY_EXPORT(squares_f64);
HWY_EXPORT(forward_f32);
HWY_EXPORT(forward_f64);
HWY_EXPORT(sums_f32);
HWY_EXPORT(sums_f64);
HWY_EXPORT(grad_f32);
HWY_EXPORT(grad_f64);
HWY_EXPORT(weight_grad_f32);
HWY_EXPORT(weight_grad_f64);
HWY_EXPORT(move_f32);
HWY_EXPORT(move_f64);

double squares(const float* x, float mean, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(squares_f32)(x, mean, n);
}

double squares(const double* x, double mean, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(squares_f64)(x, mean, n);
}

void standardize(const float* x, Centre<float> at, const float* weight, const float* bias,
                 bool many, float* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(forward_f32)(x, at, weight, bias, many, to, n);
}

void standardize(const double* x, Centre<double> at, const double* weight, const double* bias,
                 bool many, double* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(forward_f64)(x, at, weight, bias, many, to, n);
}

void standardize_sums(const float* g, const float* x, Centre<float> at, const float* weight,
                      double& sum, double& product, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(sums_f32)(g, x, at, weight, sum, product, n);
}

void standardize_sums(const double* g, const double* x, Centre<double> at, const double* weight,
                      double& sum, double& product, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(sums_f64)(g, x, at, weight, sum, product, n);
}

void standardize_grad(const float* g, const float* x, Centre<float> at, const float* weight,
                      bool many, float sum, float product, float* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(grad_f32)(g, x, at, weight, many, sum, product, to, n);
}

void standardize_grad(const double* g, const double* x, Centre<double> at, const double* weight,
                      bool many, double sum, double product, double* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(grad_f64)(g, x, at, weight, many, sum, product, to, n);
}

void standardize_weight_grad(const float* g, const float* x, Centre<float> at, float* gweight,
                             float* gbias, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(weight_grad_f32)(g, x, at, gweight, gbias, n);
}

void move_sums(float* few, double* sums, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(move_f32)(few, sums, n);
}

void standardize_weight_grad(const double* g, const double* x, Centre<double> at, double* gweight,
                             double* gbias, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(weight_grad_f64)(g, x, at, gweight, gbias, n);
}

void move_sums(double* few, double* sums, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(move_f64)(few, sums, n);
}

}  // namespace heed::kernels::simd
#endif
