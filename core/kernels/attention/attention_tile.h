// What every walk over tiles of attention needs, whatever the score: memory for the tiles, the rows
// of an operand that make one, and the care for numbers that are not finite.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "attention_plan.h"
#include "attention_rows_simd.h"

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

/// The rows of a tile as the right-hand side of products with keys or values: turned, so that each
/// query is a column, or as they are where they are few.
template <class T>
class TurnedRows {
 public:
  TurnedRows(const AttentionPlan& plan, Index width, TileMemory<T>& memory)
      : multiply_(plan.multiply<T>()),
        takes_few_(!plan.in_bf16),
        n_(width),
        width_(padded<T>(width)),
        rows_(memory.take(QueryTile::kMost * width)) {}

  /// Copies `from` [count, width], padded with zeros to whole vectors either way.
  void load(Index count, const T* from) {
    count_ = count;
    step_ = padded<T>(count);
    if (few()) {
      std::copy_n(from, count * width_, rows_);
    } else {
      simd::rows<T>().turn(step_, n_, from, width_, rows_);
    }
  }
  /// s [keys, step] = left [keys, width] times the rows.
  void multiply(Index keys, const T* left, Index left_step, T* s) const {
    if (few()) {
      simd::rows<T>().multiply_few(keys, count_, n_, left, left_step, rows_, width_, s, step_);
    } else {
      multiply_(keys, step_, n_, left, left_step, 1, rows_, step_, false, s, step_);
    }
  }

 private:
  bool few() const { return takes_few_ && count_ <= simd::kFew; }

  simd::Multiply<T> multiply_;
  bool takes_few_;
  Index n_, width_;
  T* rows_;
  Index count_ = 0, step_ = 0;
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
      simd::rows<Number>().scale(at.count, n, run(unit, at), step_, &factor, 0, to + at.row * width,
                                 width, width);
    }
    std::fill(to + tile.count * width, to + padded<Number>(tile.count) * width, Number{0});
  }
  /// The way back, without the padding; row i times factors[i * factor_step].
  void store(Index unit, const QueryTile& tile, Index n, const Number* from, const Number* factors,
             Index factor_step) const {
    const Index width = padded<Number>(n);
    for (Index r = 0; r < tile.run_count; ++r) {
      const QueryTile::Run& at = tile.runs[static_cast<std::size_t>(r)];
      simd::rows<Number>().scale(at.count, n, from + at.row * width, width,
                                 factors + at.row * factor_step, factor_step, run(unit, at), step_,
                                 n);
    }
  }

 private:
  T* data_;
  Strides strides_;
  Index step_, column_;
  const LeadingAxes& axes_;
};

}  // namespace heed::kernels
