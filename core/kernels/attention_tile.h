// What every walk over tiles of attention needs, whatever the score: memory for the tiles, the bias
// and the masks laid over a tile of scores, and the care for numbers that are not finite.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
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

/// The rows of a tile as the right-hand side of products with keys or values: turned, so that each
/// query is a column, or as they are where they are few.
template <class T>
class TurnedRows {
 public:
  TurnedRows(Index width, TileMemory<T>& memory)
      : n_(width), width_(padded<T>(width)), rows_(memory.take(QueryTile::kMost * width)) {}

  /// Copies `from` [count, width], padded with zeros to whole vectors either way.
  void load(Index count, const T* from) {
    count_ = count;
    step_ = padded<T>(count);
    if (few()) {
      std::copy_n(from, count * width_, rows_);
    } else {
      simd::turn_tile(step_, n_, from, width_, rows_);
    }
  }
  /// s [keys, step] = left [keys, width] times the rows.
  void multiply(Index keys, const T* left, Index left_step, T* s) const {
    if (few()) {
      simd::multiply_few(keys, count_, n_, left, left_step, rows_, width_, s, step_);
    } else {
      simd::multiply_tile(keys, step_, n_, left, left_step, 1, rows_, step_, false, s, step_);
    }
  }

 private:
  bool few() const { return count_ <= simd::kFew; }

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
    if (plan.bias.defined()) biases_[0].emplace(plan.bias, axes);
    if (plan.offset_bias.defined()) biases_[1].emplace(plan.offset_bias, axes);
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
    return !allowed_ && !biased() && ranges_cover(tile, keys);
  }

  /// s [keys, step]: adds the biases, then -infinity in all masked places.
  void lay_over(Index unit, const QueryTile& tile, KeyRange keys, T* s, Index step) const {
    // A mask of the keys alone hides them from all rows at once.
    const bool by_key = allowed_ && allowed_->step() == 0 && tile.run_count == 1;
    std::array<std::array<const T*, QueryTile::kMost>, 2> added;
    std::array<const bool*, QueryTile::kMost> open;
    for (Index i = 0; i < tile.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      for (std::size_t b = 0; b < biases_.size(); ++b) {
        if (biases_[b]) added[b][at] = biases_[b]->row(unit, tile, i);
      }
      if (allowed_) open[at] = allowed_->row(unit, tile, i);
    }
    for (Index j = keys.begin; by_key && j < keys.end; ++j) {
      if (!open[0][j * allowed_->column()]) std::fill_n(s + (j - keys.begin) * step, step, kHidden);
    }
    if (!biased() && (by_key || !allowed_) && ranges_cover(tile, keys)) return;
    // A few keys at a time: their scores stay in the nearest cache from row to row.
    for (KeyRange few{keys.begin, 0}; few.begin < keys.end; few.begin = few.end) {
      few.end = std::min(keys.end, few.begin + 16);
      for (Index i = 0; i < tile.count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        T* const column = s + i - keys.begin * step;
        const KeyRange seen{std::clamp(tile.sees[at].begin, few.begin, few.end),
                            std::clamp(tile.sees[at].end, few.begin, few.end)};
        for (Index j = few.begin; j < seen.begin; ++j) column[j * step] = kHidden;
        for (Index j = seen.end; j < few.end; ++j) column[j * step] = kHidden;
        for (std::size_t b = 0; b < biases_.size(); ++b) {
          if (!biases_[b]) continue;
          const Index apart = biases_[b]->column();
          for (Index j = seen.begin; j < seen.end; ++j) {
            column[j * step] += added[b][at][j * apart];
          }
        }
        if (allowed_ && !by_key) {
          for (Index j = seen.begin; j < seen.end; ++j) {
            column[j * step] = chosen(open[at][j * allowed_->column()], column[j * step]);
          }
        }
      }
    }
  }

 private:
  bool biased() const { return biases_[0] || biases_[1]; }

  static bool ranges_cover(const QueryTile& tile, KeyRange keys) {
    return std::all_of(tile.sees.begin(), tile.sees.begin() + tile.count, [=](KeyRange sees) {
      return sees.begin <= keys.begin && sees.end >= keys.end;
    });
  }

  static constexpr T kHidden = -std::numeric_limits<T>::infinity();

  // open ? score : kHidden, without a branch that nobody could foresee.
  static T chosen(bool open, T score) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const Bits keep = Bits{0} - static_cast<Bits>(open);
    return std::bit_cast<T>((std::bit_cast<Bits>(score) & keep) |
                            (std::bit_cast<Bits>(kHidden) & ~keep));
  }

  std::array<std::optional<OperandRows<const T>>, 2> biases_;
  std::optional<OperandRows<const bool>> allowed_;
};

}  // namespace heed::kernels
