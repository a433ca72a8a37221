// Walks over N arrays of one shape as runs along the innermost axis: axes of size 1 are dropped and
// neighbouring axes merged where every operand's strides allow, so that a contiguous array is one
// run and a row broadcast over a matrix is a run with its own stride.
#pragma once

#include <algorithm>
#include <array>

#include "../../parallel.h"
#include "../../shape.h"

namespace heed::kernels {

/// Additions in a piece of work for one thread; also the length of the pieces runs are cut into.
inline constexpr Index kGrain = 32768;
/// Work up to which no region is begun: less than its threads take to wake.
inline constexpr Index kAlone = 2 * kGrain;

template <std::size_t N>
class Walk {
 public:
  /// `strides[k]` belongs to operand k; all have the rank of `shape`.
  Walk(const Shape& shape, const std::array<const Strides*, N>& strides) {
    // Beside a size of 0 the others may be anything: their products need not be numbers.
    empty_ = std::find(shape.begin(), shape.end(), 0) != shape.end();
    if (empty_) {
      inner_ = 0;
      inner_steps_.fill(1);
      return;
    }
    Index count = 0;  // axes kept, in order
    for (Index axis = 0; axis < shape.rank(); ++axis) {
      const Index size = shape[axis];
      if (size == 1) continue;
      bool merges = count > 0;
      for (std::size_t k = 0; k < N && merges; ++k) {
        merges = steps_[k][count - 1] == (*strides[k])[axis] * size;
      }
      if (merges) {
        sizes_[count - 1] *= size;
      } else {
        sizes_[count++] = size;
      }
      for (std::size_t k = 0; k < N; ++k) steps_[k][count - 1] = (*strides[k])[axis];
    }
    if (count > 0) {
      --count;
      inner_ = sizes_[count];
      for (std::size_t k = 0; k < N; ++k) inner_steps_[k] = steps_[k][count];
    } else {
      inner_steps_.fill(1);  // one element: call it contiguous
    }
    outer_axes_ = count;
    for (Index axis = 0; axis < count; ++axis) outer_ *= sizes_[axis];
  }

  /// Step in elements of operand k inside a run.
  Index inner_step(std::size_t k) const { return inner_steps_[k]; }
  Index inner_size() const { return inner_; }
  /// Step of operand k between runs of one stretch.
  Index outer_step(std::size_t k) const { return outer_axes_ > 0 ? steps_[k][outer_axes_ - 1] : 0; }

  /// Calls body(at, n) for every run or piece of one: operand k begins at element at[k] and has n
  /// elements, inner_step(k) apart. In parallel where the whole is large; `cost` is the work of one
  /// element in multiples of an addition.
  template <class Body>
  void run(const Body& body, Index cost = 1) const {
    walk<false>([&](const auto& at, Index n, Index) { body(at, n); }, cost);
  }

  /// body(at, n, rows): for stretches of runs, outer_step(k) apart.
  template <class Body>
  void run_rows(const Body& body, Index cost = 1) const {
    walk<true>(body, cost);
  }

  /// As run(), in order, on this thread.
  template <class Body>
  void run_here(const Body& body) const {
    if (empty_) return;
    cut<false>(0, outer_, inner_, 1, [&](const auto& at, Index n, Index) { body(at, n); });
  }

 private:
  template <bool kRows, class Body>
  void walk(const Body& body, Index cost) const {
    if (empty_) return;
    const Index limit = std::max<Index>(1, kGrain / std::max<Index>(cost, 1));
    if (outer_ == 1 && inner_ <= limit) {
      body(std::array<Index, N>{}, inner_, 1);
      return;
    }
    const Index piece = std::min(inner_, limit);
    const Index pieces = (inner_ - 1) / piece + 1;  // of each run
    const Index count = outer_ * pieces;
    const bool alone = count * piece <= kAlone / std::max<Index>(cost, 1);
    parallel_for(count, alone ? count : std::max<Index>(1, limit / piece),
                 [&](Index begin, Index end) { cut<kRows>(begin, end, piece, pieces, body); });
  }

  // Pieces [begin, end) of runs.
  template <bool kRows, class Body>
  void cut(Index begin, Index end, Index piece, Index pieces, const Body& body) const {
    const Index last = outer_axes_ - 1;
    std::array<Index, kMaxRank> place{};
    Index rest = begin / pieces;
    Index of_run = begin % pieces;
    for (Index axis = last; axis >= 0; --axis) {
      place[static_cast<std::size_t>(axis)] = rest % sizes_[axis];
      rest /= sizes_[axis];
    }
    for (Index i = begin; i < end;) {
      std::array<Index, N> at;
      for (std::size_t k = 0; k < N; ++k) {
        at[k] = of_run * piece * inner_steps_[k];
        for (Index axis = 0; axis < outer_axes_; ++axis) {
          at[k] += place[static_cast<std::size_t>(axis)] * steps_[k][axis];
        }
      }
      Index rows = 1;
      if (kRows && pieces == 1 && last >= 0) {
        rows = std::min(end - i, sizes_[last] - place[static_cast<std::size_t>(last)]);
      }
      body(at, std::min(piece, inner_ - of_run * piece), rows);
      i += rows;
      if (++of_run < pieces) continue;
      of_run = 0;
      for (Index axis = last; axis >= 0; --axis) {
        Index& here = place[static_cast<std::size_t>(axis)];
        here += axis == last ? rows : 1;
        if (here < sizes_[axis]) break;
        here = 0;
      }
    }
  }

  Index sizes_[kMaxRank] = {};
  Index steps_[N][kMaxRank] = {};
  std::array<Index, N> inner_steps_{};
  Index outer_axes_ = 0;
  Index outer_ = 1;
  Index inner_ = 1;
  bool empty_ = false;
};

}  // namespace heed::kernels
