#include "inverse_cdf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../../core/error.h"
#include "../../core/parallel.h"

namespace heed {
namespace {

// Rows a chunk: about as much work whatever their length.
Index row_grain(Index places) { return std::max<Index>(1, 16384 / std::max<Index>(1, places)); }

// In four chains, which need not wait for each other.
template <class T>
double sum_of(const T* p, Index n) {
  double sums[4] = {};
  Index i = 0;
  for (; i + 4 <= n; i += 4) {
    for (Index k = 0; k < 4; ++k) sums[k] += static_cast<double>(p[i + k]);
  }
  for (; i < n; ++i) sums[0] += static_cast<double>(p[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Sums of whole blocks are kept for the search; inside a block one counts.
constexpr Index kBlock = 16;

template <class T>
void draw_rows(const Array& probs, const Array& u, Array& out) {
  const Index rows = probs.size(0), places = probs.size(1), draws = u.size(0);
  const T* const from = probs.data<T>();
  const double* const uniform = u.data<double>();
  Index* const to = out.mutable_data<Index>();
  parallel_for(rows, row_grain(places + kBlock * draws), [&](Index begin, Index end) {
    std::vector<double> before(static_cast<std::size_t>((places + kBlock - 1) / kBlock));
    for (Index row = begin; row < end; ++row) {
      const T* const p = from + row * places;
      double whole = 0;
      for (std::size_t b = 0; b < before.size(); ++b) {
        before[b] = whole;
        const Index at = static_cast<Index>(b) * kBlock;
        whole += sum_of(p + at, std::min(kBlock, places - at));
      }
      for (Index k = 0; k < draws; ++k) {
        const double target = uniform[k * rows + row] * whole;
        // The last block that begins at or below the target and adds something: u whole may round
        // up to the whole, and blocks without probability begin where the next one does.
        auto block = std::upper_bound(before.begin(), before.end(), target) - before.begin() - 1;
        Index found = -1;
        for (; found < 0 && block >= 0; --block) {
          double sum = before[static_cast<std::size_t>(block)];
          const Index last = std::min(places, (block + 1) * kBlock);
          for (Index i = block * kBlock; i < last && !(sum > target); ++i) {
            sum += static_cast<double>(p[i]);
            if (p[i] > 0) found = i;
          }
        }
        to[k * rows + row] = std::max<Index>(0, found);
      }
    }
  });
}

// How to name a row of [.., L] in a message.
std::string row_name(const Array& x, Index row) {
  if (x.rank() == 1) return describe(x);
  return fmt::format("row {} of {}", row, describe(x));
}

void check_rows(const char* op, const Array& x) {
  check_floating(op, x.dtype());
  if (x.rank() == 0) throw ShapeError(fmt::format("{}: {} has no axis of places", op, describe(x)));
  if (x.size(-1) == 0) {
    throw ShapeError(fmt::format("{}: {} has zero places to choose from", op, describe(x)));
  }
}

// Calls look(row, its first number, places) for all; errors are those of the first rows.
template <class T, class Look>
void each_row(const Array& x, const Look& look) {
  const Array dense = x.contiguous();
  const Index places = x.size(-1);
  const T* const from = dense.data<T>();
  parallel_for(x.numel() / places, row_grain(places), [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) look(row, from + row * places, places);
  });
}

template <class T>
void check_sums(const char* op, const Array& probs, double tolerance) {
  each_row<T>(probs, [&](Index row, const T* p, Index places) {
    const double sum = sum_of(p, places);
    int negative = 0;  // a NaN makes the sum NaN
    for (Index i = 0; i < places; ++i) negative |= p[i] < 0;
    if (!std::isnan(sum) && !negative && std::fabs(sum - 1) <= tolerance) return;
    const std::string name = row_name(probs, row);
    if (std::isnan(sum)) throw ValueError(fmt::format("{}: {} holds a NaN", op, name));
    if (negative) {
      throw ValueError(fmt::format("{}: {} holds {}, which is negative", op, name,
                                   static_cast<double>(*std::min_element(p, p + places))));
    }
    throw ValueError(fmt::format("{}: {} sums to {:.6g}, must sum to 1", op, name, sum));
  });
}

template <class T>
void check_finite_rows(const char* op, const Array& logits) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  each_row<T>(logits, [&](Index row, const T* x, Index places) {
    int bad = 0, any = 0;
    for (Index i = 0; i < places; ++i) {
      bad |= !(x[i] < kInfinity);
      any |= x[i] > -kInfinity;
    }
    if (!bad && any) return;
    const std::string name = row_name(logits, row);
    if (bad) throw ValueError(fmt::format("{}: {} holds a NaN or +infinity", op, name));
    throw ValueError(
        fmt::format("{}: {} holds -infinity alone: there is no place to choose", op, name));
  });
}

}  // namespace

Array inverse_cdf(const Array& probs, const Array& u) {
  Array out = Array::empty(u.shape(), DType::i64);
  if (probs.dtype() == DType::f32) {
    draw_rows<float>(probs, u, out);
  } else {
    draw_rows<double>(probs, u, out);
  }
  return out;
}

void check_probabilities(const char* op, const Array& probs) {
  check_rows(op, probs);
  if (probs.dtype() == DType::f32) {
    check_sums<float>(op, probs, 1e-3);
  } else {
    check_sums<double>(op, probs, 1e-6);
  }
}

void check_logits(const char* op, const Array& logits) {
  check_rows(op, logits);
  if (logits.dtype() == DType::f32) {
    check_finite_rows<float>(op, logits);
  } else {
    check_finite_rows<double>(op, logits);
  }
}

}  // namespace heed
