#include "gemm_panels.h"

#include <algorithm>
#include <type_traits>

#include "../../array.h"
#include "../../parallel.h"
#include "../../precision.h"
#include "../elementwise/elementwise_simd.h"
#include "gemm_bf16.h"
#include "gemm_simd.h"

namespace heed::kernels {
namespace {

template <class T>
simd::GemmKernels<T> kernels_now() {
  if constexpr (std::is_same_v<T, float>) {
    if (precision() == Precision::bf16) return simd::gemm_bf16();
  }
  return simd::gemm<T>();
}

template <class T>
class Panelled {
 public:
  Panelled(Index m, Index n, Index k, Matrix<const T> a, Matrix<const T> b, bool add, const T* bias,
           T* c, Index c_step, double* sums)
      : m_(m),
        n_(n),
        k_(k),
        a_(a),
        b_(b),
        add_(add),
        bias_(bias),
        c_(c),
        c_step_(c_step),
        sums_(sums) {
    const Index most = simd::kTileDepth * kernels_.each;
    depth_ = places((k - 1) / ((k - 1) / most + 1) + 1) * kernels_.each;
    slices_ = (k - 1) / depth_ + 1;
  }

  void run() const {
    const Side rows{m_, kernels_.panels.rows};
    const Side columns{n_, kernels_.panels.columns};
    constexpr Index kFew = 96;  // lines on a side that make too few tiles
    if (slices_ > 2 && m_ * n_ <= kFew * kFew && k_ >= 4 * std::max(m_, n_)) {
      over_slices(rows, columns);
    } else if (m_ >= n_) {
      over_tiles(rows, columns, true);
    } else {
      over_tiles(columns, rows, false);
    }
  }

 private:
  // The rows of A or the columns of B.
  struct Side {
    Index lines, width;  // width: of a panel
    Index panels() const { return (lines - 1) / width + 1; }
    Index padded() const { return panels() * width; }
    // 8, 12, 16 .. of up to 16 panels, of which each reads all of the other side once from afar.
    Index tiles() const {
      return std::min(panels(), std::max<Index>((panels() - 1) / 64 * 4 + 4, 8));
    }
    Index line_of(Index tile) const { return std::min(lines, panels() * tile / tiles() * width); }
  };

  // Of a panel, for a line.
  Index places(Index depth) const { return (depth - 1) / kernels_.each + 1; }

  struct Slice {
    Index from, depth;
  };
  Slice slice(Index i) const { return {i * depth_, std::min(depth_, k_ - i * depth_)}; }

  // Multiplications below which threads are not worth waking.
  bool alone() const {
    return static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_) < 2e5;
  }

  // `first` is laid out for all, then the tiles of `tiled` one by one; both for a few slices at
  // once, so that threads wait for one another less often.
  void over_tiles(const Side& tiled, const Side& first, bool by_rows) const {
    constexpr Index kFew = Index{1} << 18;  // elements laid out for all
    const Index whole = first.padded() * places(depth_);
    const Index at_once = std::min(slices_, std::max<Index>(kFew / whole, 1));
    Array spare = Array::empty(Shape{at_once, whole}, dtype_of<T>);
    T* const shared = spare.mutable_data<T>();
    for (Index begin = 0; begin < slices_; begin += at_once) {
      const Index slices = std::min(at_once, slices_ - begin);
      lay_out_for_all(first, !by_rows, begin, slices, shared);
      parallel_for(tiled.tiles(), alone() ? tiled.tiles() : 1, [&](Index from, Index to) {
        const Index panels = tiled.panels() / tiled.tiles() + 1;
        Array mine = Array::empty(Shape{panels * tiled.width, places(depth_)}, dtype_of<T>);
        T* const own_panels = mine.mutable_data<T>();
        for (Index tile = from; tile < to; ++tile) {
          const Index line = tiled.line_of(tile);
          const Index count = tiled.line_of(tile + 1) - line;
          for (Index i = 0; i < slices; ++i) {
            const auto [k, own] = slice(begin + i);
            const T* const others = shared + i * whole;
            pack(by_rows, line, line + count, k, own, own_panels);
            if (by_rows) {
              multiply(line, count, 0, n_, k, own, own_panels, others);
            } else {
              multiply(0, m_, line, count, k, own, others, own_panels);
            }
          }
        }
      });
    }
  }

  // All lines of `side`, of so many slices from `begin` on, each slice one behind the other.
  void lay_out_for_all(const Side& side, bool rows, Index begin, Index slices, T* to) const {
    const Index whole = side.padded() * places(depth_);
    const Index each = 4 * side.width, pieces = (side.lines - 1) / each + 1;
    const auto lay_out = [&](Index piece, Index i) {
      const auto [from, depth] = slice(begin + i);
      const Index line = piece * each;
      pack(rows, line, std::min(side.lines, line + each), from, depth,
           to + i * whole + line * places(depth));
    };
    if (rows && sums_ != nullptr) {  // the sums of a line are added slice after slice
      parallel_for(pieces, alone() ? pieces : 1, [&](Index first, Index last) {
        for (Index piece = first; piece < last; ++piece) {
          for (Index i = 0; i < slices; ++i) lay_out(piece, i);
        }
      });
    } else {
      const Index parts = pieces * slices;
      parallel_for(parts, alone() ? parts : 1, [&](Index first, Index last) {
        for (Index part = first; part < last; ++part) lay_out(part / slices, part % slices);
      });
    }
  }

  // The first slice straight into C, up to kMost others side by side into a place of their own.
  void over_slices(const Side& rows, const Side& columns) const {
    constexpr Index kMost = 32;
    const Index size = m_ * n_;
    const Index side_by_side = std::min(slices_ - 1, kMost);
    Array spare = Array::empty(Shape{side_by_side, size}, dtype_of<T>);
    Array spare_sums = Array::empty(Shape{side_by_side, sums_ ? m_ : 0}, DType::f64);
    T* const parts = spare.mutable_data<T>();
    double* const part_sums = spare_sums.mutable_data<double>();
    for (Index first = 0; first < slices_; first += side_by_side + (first == 0)) {
      const Index count = std::min(side_by_side + (first == 0), slices_ - first);
      const Index in_place = first == 0;
      parallel_for(count, alone() ? count : 1, [&](Index begin, Index end) {
        Array panels =
            Array::empty(Shape{rows.padded() + columns.padded(), places(depth_)}, dtype_of<T>);
        T* const of_b = panels.mutable_data<T>();
        T* const of_a = of_b + columns.padded() * places(depth_);
        for (Index i = begin; i < end; ++i) {
          const auto [from, own] = slice(first + i);
          kernels_.pack_rows(a_, 0, m_, from, own, of_a);
          kernels_.pack_columns(b_, 0, n_, from, own, of_b);
          const Index place = i - in_place;
          if (sums_) {
            kernels_.panel_sums(of_a, m_, own, false, place < 0 ? sums_ : part_sums + place * m_);
          }
          if (place < 0) {
            multiply(0, m_, 0, n_, 0, own, of_a, of_b);
          } else {
            kernels_.tile(m_, n_, own, of_a, of_b, false, nullptr, parts + place * size, n_);
          }
        }
      });
      for (Index place = 0; place < count - in_place; ++place) {
        for (Index row = 0; row < m_; ++row) {
          T* const to = c_ + row * c_step_;
          simd::elements<T>().binary(Binary::add, to, true, parts + place * size + row * n_, true,
                                     to, static_cast<std::size_t>(n_));
          if (sums_) sums_[row] += part_sums[place * m_ + row];
        }
      }
    }
  }

  void pack(bool rows, Index begin, Index end, Index from, Index depth, T* to) const {
    if (rows) {
      kernels_.pack_rows(a_, begin, end, from, depth, to);
      if (sums_ != nullptr) kernels_.panel_sums(to, end - begin, depth, from > 0, sums_ + begin);
    } else {
      kernels_.pack_columns(b_, begin, end, from, depth, to);
    }
  }

  void multiply(Index row, Index rows, Index column, Index columns, Index from, Index depth,
                const T* a, const T* b) const {
    kernels_.tile(rows, columns, depth, a, b, add_ || from > 0,
                  from == 0 && bias_ != nullptr ? bias_ + column : nullptr,
                  c_ + row * c_step_ + column, c_step_);
  }

  simd::GemmKernels<T> kernels_ = kernels_now<T>();
  Index m_, n_, k_;
  Matrix<const T> a_, b_;
  bool add_;
  const T* bias_;
  T* c_;
  Index c_step_;
  double* sums_;
  Index slices_, depth_;
};

}  // namespace

template <class T>
void gemm_in_panels(Index m, Index n, Index k, Matrix<const T> a, Matrix<const T> b, bool add,
                    const T* bias, T* c, Index c_step, double* sums) {
  Panelled<T>(m, n, k, a, b, add, bias, c, c_step, sums).run();
}

template void gemm_in_panels(Index, Index, Index, Matrix<const float>, Matrix<const float>, bool,
                             const float*, float*, Index, double*);
template void gemm_in_panels(Index, Index, Index, Matrix<const double>, Matrix<const double>, bool,
                             const double*, double*, Index, double*);

}  // namespace heed::kernels
