#include "cross_entropy.h"

#include <algorithm>
#include <cmath>

#include "../../parallel.h"
#include "../elementwise/elementwise_simd.h"
#include "../elementwise/iterate.h"
#include "../reduce/reduce_simd.h"

namespace heed::kernels {
namespace {

constexpr Index kPiece = 1024;

// exp(x - shift) of a piece of a row.
template <class T>
void shifted_exp(const T* x, T shift, T* to, Index n) {
  const auto count = static_cast<std::size_t>(n);
  simd::elements<T>().binary(Binary::sub, x, true, &shift, false, to, count);
  simd::elements<T>().unary(Unary::exp, to, to, count);
}

template <class T>
T log_sum_exp(const T* row, Index classes) {
  const T top =
      simd::reductions<T>().reduce(Reduce::max, row, 1, static_cast<std::size_t>(classes));
  T buffer[kPiece];
  double total = 0;
  for (Index first = 0; first < classes; first += kPiece) {
    const Index n = std::min(kPiece, classes - first);
    shifted_exp(row + first, top, buffer, n);
    total += simd::reductions<T>().sum(buffer, 1, static_cast<std::size_t>(n));
  }
  return top + std::log(static_cast<T>(total));
}

Index row_grain(Index classes) { return std::max<Index>(1, kGrain / (8 * classes)); }

}  // namespace

CrossEntropy::CrossEntropy(const Array& targets, const Array& weight, Index ignore_index,
                           double label_smoothing)
    : targets_(targets.contiguous()),
      weight_(weight.defined() ? weight.contiguous() : weight),
      ignore_index_(ignore_index),
      smoothing_(label_smoothing) {}

CrossEntropy::Result CrossEntropy::forward(const Array& logits) const {
  const Index rows = logits.size(0);
  const Index classes = logits.size(1);
  const Array dense = logits.contiguous();
  const auto* target = targets_.data<std::int64_t>();
  Result out{Array::empty(Shape{rows}, logits.dtype()), Array::empty(Shape{rows}, logits.dtype()),
             0};
  visit_floating("cross_entropy", logits.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = dense.data<T>();
    const T* weight = weight_.defined() ? weight_.data<T>() : nullptr;
    T* loss = out.losses.mutable_data<T>();
    T* norm = out.log_norms.mutable_data<T>();
    const T smooth = static_cast<T>(smoothing_ / static_cast<double>(classes));
    const T sure = static_cast<T>(1 - smoothing_);
    parallel_for(rows, row_grain(classes), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        loss[i] = norm[i] = 0;
        if (target[i] == ignore_index_) continue;
        const T* row = from + i * classes;
        norm[i] = log_sum_exp(row, classes);
        const T own = weight ? weight[target[i]] : T{1};
        loss[i] = sure * own * (norm[i] - row[target[i]]);
        if (smooth == 0) continue;
        double spread = 0;
        for (Index c = 0; c < classes; ++c) {
          const T w = weight ? weight[c] : T{1};
          if (w != 0) spread += static_cast<double>(w * (norm[i] - row[c]));
        }
        loss[i] += smooth * static_cast<T>(spread);
      }
    });
    for (Index i = 0; i < rows; ++i) {
      if (target[i] == ignore_index_) continue;
      out.count += weight ? static_cast<double>(weight[target[i]]) : 1.0;
    }
  });
  return out;
}

Array CrossEntropy::backward(const Array& logits, const Array& log_norms, const Array& g,
                             bool in_place) const {
  const Index classes = logits.size(1);
  const Array dense = logits.contiguous();
  const Array factors = g.contiguous();
  const auto* target = targets_.data<std::int64_t>();
  Array out = in_place ? dense : Array::empty(logits.shape(), logits.dtype());
  visit_floating("cross_entropy", logits.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = dense.data<T>();
    const T* norm = log_norms.data<T>();
    const T* factor = factors.data<T>();
    const T* weight = weight_.defined() ? weight_.data<T>() : nullptr;
    T* to = out.mutable_data<T>();
    const T smooth = static_cast<T>(smoothing_ / static_cast<double>(classes));
    T total_weight = static_cast<T>(classes);
    if (weight) {
      total_weight =
          simd::reductions<T>().reduce(Reduce::sum, weight, 1, static_cast<std::size_t>(classes));
    }
    parallel_for(logits.size(0), row_grain(classes), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        T* row = to + i * classes;
        if (target[i] == ignore_index_) {
          std::fill_n(row, classes, T{0});
          continue;
        }
        // p_c (sum of shares) - share_c, times g
        const T own = static_cast<T>(1 - smoothing_) * (weight ? weight[target[i]] : T{1});
        const T scale = factor[i] * (own + smooth * total_weight);
        for (Index first = 0; first < classes; first += kPiece) {
          const Index n = std::min(kPiece, classes - first);
          T* const piece = row + first;
          shifted_exp(from + i * classes + first, norm[i], piece, n);
          simd::elements<T>().binary(Binary::mul, piece, true, &scale, false, piece,
                                     static_cast<std::size_t>(n));
        }
        row[target[i]] -= factor[i] * own;
        if (smooth == 0) continue;
        for (Index c = 0; c < classes; ++c)
          row[c] -= factor[i] * smooth * (weight ? weight[c] : T{1});
      }
    });
  });
  return out;
}

}  // namespace heed::kernels
