// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/normalise/softmax_columns_simd.cpp"
#include "softmax_columns_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "../elementwise/each_vector_simd-inl.h"
#include "../elementwise/math_simd-inl.h"
#include "../reduce/long_sum_simd-inl.h"
#include "../simd_table.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Sums of columns in the making: of a few rows as they are, of more in doubles.
template <class T>
class Sums {
 public:
  explicit Sums(Index columns) : columns_(columns) { std::fill_n(few_, columns, T{0}); }
  T* few() { return few_; }
  /// To be called after each row.
  HWY_INLINE void row_done() {
    if (++rows_ % (4 * kChain) == 0) fold();
  }
  /// After the last: the sums.
  HWY_INLINE T* total() {
    if (rows_ < 4 * kChain) return few_;
    fold();
    std::transform(all_, all_ + columns_, few_, [](double v) { return static_cast<T>(v); });
    return few_;
  }

 private:
  HWY_INLINE void fold() {
    if (!begun_) std::fill_n(all_, columns_, 0.0);
    begun_ = true;
    move_sums(few_, all_, columns_);
  }

  Index columns_, rows_ = 0;
  bool begun_ = false;
  T few_[kStrip];
  double all_[kStrip];
};

template <class T>
void forward(const T* x, T* to, Index rows, Index step, Index columns, bool log_of) {
  const hn::ScalableTag<T> d;
  const auto width = static_cast<std::size_t>(columns);
  T top[kStrip];
  std::fill_n(top, columns, -std::numeric_limits<T>::infinity());
  Sums<T> sums(columns);
  T* sum = sums.few();
  for (Index r = 0; r < rows; ++r) {
    each_vector(d, width, [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
      store(maximum(d, load(top), load(x + r * step)), top);
    });
  }
  for (Index r = 0; r < rows; ++r) {
    each_vector(d, width, [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
      const auto moved = hn::Sub(load(x + r * step), load(top));
      const auto e = exp_of(d, moved);
      store(hn::Add(load(sum), e), sum);
      store(log_of ? moved : e, to + r * step);
    });
    sums.row_done();
  }
  sum = sums.total();
  each_vector(d, width, [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
    const auto total = load(sum);
    store(log_of ? log(d, total) : hn::Div(hn::Set(d, T{1}), total), sum);
  });
  for (Index r = 0; r < rows; ++r) {
    each_vector(d, width, [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
      const auto v = load(to + r * step);
      store(log_of ? hn::Sub(v, load(sum)) : hn::Mul(v, load(sum)), to + r * step);
    });
  }
}

template <class T>
void backward(const T* g, const T* y, T* to, Index rows, Index step, Index columns, bool log_of) {
  const hn::ScalableTag<T> d;
  const auto width = static_cast<std::size_t>(columns);
  const auto idle = log_of ? hn::Set(d, -std::numeric_limits<T>::infinity()) : hn::Zero(d);
  Sums<T> sums(columns);
  T* sum = sums.few();
  for (Index r = 0; r < rows; ++r) {
    each_vector(d, width, [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
      const auto vy = load(y + r * step);
      const auto vg = hn::IfThenZeroElse(hn::Eq(vy, idle), load(g + r * step));
      store(log_of ? hn::Add(load(sum), vg) : hn::MulAdd(vg, vy, load(sum)), sum);
    });
    sums.row_done();
  }
  sum = sums.total();
  for (Index r = 0; r < rows; ++r) {
    each_vector(d, width, [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
      const auto vy = load(y + r * step);
      const auto vg = load(g + r * step);
      const auto v = log_of ? hn::NegMulAdd(exp_of(d, vy), load(sum), vg)
                            : hn::Mul(vy, hn::Sub(vg, load(sum)));
      store(hn::IfThenZeroElse(hn::Eq(vy, idle), v), to + r * step);
    });
  }
}

HEED_SIMD_TABLE(softmax_columns, SoftmaxColumns, {.forward = forward<T>, .backward = backward<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(softmax_columns, SoftmaxColumns)

}  // namespace heed::kernels::simd
#endif
