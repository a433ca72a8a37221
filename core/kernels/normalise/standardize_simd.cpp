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
#include "../simd_table.h"

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

template <class T>
void move_run(T* few, double* sums, std::size_t n) {
  move_sums(few, sums, static_cast<Index>(n));
}

HEED_SIMD_TABLE(standardize_runs, StandardizeRuns,
                {.squares = squares_of<T>,
                 .forward = standardize_run<T>,
                 .sums = sums_of<T>,
                 .grad = grad_run<T>,
                 .weight_grad = weight_grad_run<T>,
                 .move = move_run<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(standardize_runs, StandardizeRuns)

}  // namespace heed::kernels::simd
#endif
