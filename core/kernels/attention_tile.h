// What every walk over tiles of attention needs, whatever the score: memory for the tiles, the bias
// and the masks laid over a tile of scores, and the care for numbers that are not finite.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "attention_plan.h"
#include "attention_simd.h"

namespace heed::kernels {

/// Blocks of one thread, taken once for many tiles.
template <class T>
class TileMemory {
 public:
  /// Uninitialised.
  T* take(Index n) {
    blocks_.push_back(Array::empty(Shape{padded<T>(std::max<Index>(n, 1))}, dtype_of<T>));
    return blocks_.back().template mutable_data<T>();
  }

 private:
  std::vector<Array> blocks_;
};

template <class T>
void clear_unless_finite(Index n, T* x) {
  for (Index i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) x[i] = T{0};
  }
}

/// Products of weights with rows leave out what is not finite in the rows, as 0 times NaN is not 0;
/// this adds it where the weight is not 0: c_i += a(i, at) row(at), a a_row i + a_column at apart
/// as in multiply_tile, the weight at the same place of p.
template <class T, class Row>
void add_infinite(Index m, Index k, Index width, const T* p, const T* a, Index a_row,
                  Index a_column, const Row& row, T factor, T* c, Index c_step) {
  for (Index at = 0; at < k; ++at) {
    const T* const from = row(at);
    for (Index x = 0; x < width; ++x) {
      if (std::isfinite(from[x])) continue;
      for (Index i = 0; i < m; ++i) {
        const Index place = i * a_row + at * a_column;
        if (p[place] != T{0}) c[i * c_step + x] += a[place] * from[x] * factor;
      }
    }
  }
}

/// An operand [lead.., n, width] in the tiles of one LeadingAxes; T may be const.
template <class T>
class OperandRows {
  using Number = std::remove_const_t<T>;

 public:
  OperandRows(Array x, const LeadingAxes& axes)
      : data_(x.mutable_data<Number>()),
        strides_(x.strides()),
        step_(x.strides()[x.rank() - 2]),
        column_(x.strides()[x.rank() - 1]),
        axes_(axes) {}
  Index step() const { return step_; }
  Index column() const { return column_; }
  T* block(Index unit, Index member) const { return data_ + axes_.offset(strides_, unit, member); }
  /// The first row of a run.
  T* run(Index unit, const QueryTile::Run& run) const {
    return block(unit, run.member) + run.query * step_;
  }
  T* row(Index unit, const QueryTile& tile, Index i) const {
    const QueryTile::Run& at = tile.run_of(i);
    return run(unit, at) + (i - at.row) * step_;
  }

  /// The tile's rows, n wide, times the factor, one after the other in `to`, whose rows are padded
  /// with zeros to whole vectors, as are the rows to a number of whole vectors.
  void load(Index unit, const QueryTile& tile, Index n, Number factor, Number* to) const {
    const Index width = padded<Number>(n);
    for (Index r = 0; r < tile.run_count; ++r) {
      const QueryTile::Run& at = tile.runs[static_cast<std::size_t>(r)];
      simd::scale_rows(at.count, n, run(unit, at), step_, &factor, 0, to + at.row * width, width,
                       width);
    }
    std::fill(to + tile.count * width, to + padded<Number>(tile.count) * width, Number{0});
  }
  /// The way back, without the padding; row i times factors[i * factor_step].
  void store(Index unit, const QueryTile& tile, Index n, const Number* from, const Number* factors,
             Index factor_step) const {
    const Index width = padded<Number>(n);
    for (Index r = 0; r < tile.run_count; ++r) {
      const QueryTile::Run& at = tile.runs[static_cast<std::size_t>(r)];
      simd::scale_rows(at.count, n, from + at.row * width, width, factors + at.row * factor_step,
                       factor_step, run(unit, at), step_, n);
    }
  }

 private:
  T* data_;
  Strides strides_;
  Index step_, column_;
  const LeadingAxes& axes_;
};

/// Bias and masks of the plan, over tiles of one LeadingAxes.
template <class T>
class TileTerms {
 public:
  TileTerms(const AttentionPlan& plan, const LeadingAxes& axes) {
    if (plan.bias.defined()) bias_.emplace(plan.bias, axes);
    if (plan.allowed.defined()) allowed_.emplace(plan.allowed, axes);
  }

  /// False where `allowed` lets no row of the tile see any of the keys.
  bool open(Index unit, const QueryTile& tile, KeyRange keys) const {
    if (!allowed_) return true;
    for (Index i = 0; i < tile.count; ++i) {
      const KeyRange sees = tile.sees[static_cast<std::size_t>(i)];
      const bool* const may = allowed_->row(unit, tile, i);
      for (Index j = std::max(keys.begin, sees.begin); j < std::min(keys.end, sees.end); ++j) {
        if (may[j * allowed_->column()]) return true;
      }
    }
    return false;
  }

  /// True when every row of the tile may see all of the keys, and no bias says how much.
  bool whole(const QueryTile& tile, KeyRange keys) const {
    if (allowed_ || bias_) return false;
    for (Index i = 0; i < tile.count; ++i) {
      const KeyRange sees = tile.sees[static_cast<std::size_t>(i)];
      if (sees.begin > keys.begin || sees.end < keys.end) return false;
    }
    return true;
  }

  /// s [keys, step]: adds the bias, then -infinity in all masked places.
  void lay_over(Index unit, const QueryTile& tile, KeyRange keys, T* s, Index step) const {
    for (Index i = 0; i < tile.count; ++i) {
      T* const column = s + i - keys.begin * step;
      const KeyRange sees = tile.sees[static_cast<std::size_t>(i)];
      const KeyRange seen{std::clamp(sees.begin, keys.begin, keys.end),
                          std::clamp(sees.end, keys.begin, keys.end)};
      for (Index j = keys.begin; j < seen.begin; ++j) column[j * step] = kHidden;
      for (Index j = seen.end; j < keys.end; ++j) column[j * step] = kHidden;
      if (bias_) {
        const T* const bias = bias_->row(unit, tile, i);
        for (Index j = seen.begin; j < seen.end; ++j) column[j * step] += bias[j * bias_->column()];
      }
      if (allowed_) {
        const bool* const may = allowed_->row(unit, tile, i);
        for (Index j = seen.begin; j < seen.end; ++j) {
          if (!may[j * allowed_->column()]) column[j * step] = kHidden;
        }
      }
    }
  }

 private:
  static constexpr T kHidden = -std::numeric_limits<T>::infinity();
  std::optional<OperandRows<const T>> bias_;
  std::optional<OperandRows<const bool>> allowed_;
};

}  // namespace heed::kernels
