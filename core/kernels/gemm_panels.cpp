#include "gemm_panels.h"

#include <algorithm>

#include "../array.h"
#include "../parallel.h"
#include "gemm_simd.h"

namespace heed::kernels {
namespace {

class Panelled {
 public:
  Panelled(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, bool add,
           const float* bias, float* c, Index c_step, float* sums)
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
    const Index slices = (k - 1) / simd::kTileDepth + 1;
    depth_ = (k - 1) / slices + 1;
  }

  void run() const {
    const Side rows{m_, panels_.rows};
    const Side columns{n_, panels_.columns};
    if (m_ >= n_) {
      over(rows, columns, true);
    } else {
      over(columns, rows, false);
    }
  }

 private:
  // The rows of A or the columns of B.
  struct Side {
    Index lines, width;  // width: of a panel
    Index panels() const { return (lines - 1) / width + 1; }
    // 8, 12, 16 .. of up to 16 panels, of which each reads all of the other side once from afar.
    Index tiles() const {
      return std::min(panels(), std::max<Index>((panels() - 1) / 64 * 4 + 4, 8));
    }
    Index line_of(Index tile) const { return std::min(lines, panels() * tile / tiles() * width); }
  };

  // `first` is laid out for all, then the tiles of `tiled` one by one.
  void over(const Side& tiled, const Side& first, bool by_rows) const {
    Array spare = Array::empty(Shape{first.panels() * first.width, depth_}, DType::f32);
    float* const shared = spare.mutable_data<float>();
    for (Index from = 0; from < k_; from += depth_) {
      const Index own = std::min(depth_, k_ - from);
      parallel_for(first.lines, 4 * first.width, [&](Index begin, Index end) {
        pack(!by_rows, begin, end, from, own, shared + begin * own);
      });
      parallel_for(tiled.tiles(), 1, [&](Index begin, Index end) {
        const Index panels = tiled.panels() / tiled.tiles() + 1;
        Array mine = Array::empty(Shape{panels * tiled.width, depth_}, DType::f32);
        float* const own_panels = mine.mutable_data<float>();
        for (Index tile = begin; tile < end; ++tile) {
          const Index line = tiled.line_of(tile);
          const Index count = tiled.line_of(tile + 1) - line;
          pack(by_rows, line, line + count, from, own, own_panels);
          if (by_rows) {
            multiply(line, count, 0, n_, from, own, own_panels, shared);
          } else {
            multiply(0, m_, line, count, from, own, shared, own_panels);
          }
        }
      });
    }
  }

  void pack(bool rows, Index begin, Index end, Index from, Index depth, float* to) const {
    if (rows) {
      simd::gemm_pack_rows(a_, begin, end, from, depth, to);
      if (sums_ != nullptr) simd::gemm_panel_sums(to, end - begin, depth, from > 0, sums_ + begin);
    } else {
      simd::gemm_pack_columns(b_, begin, end, from, depth, to);
    }
  }

  void multiply(Index row, Index rows, Index column, Index columns, Index from, Index depth,
                const float* a, const float* b) const {
    simd::gemm_tile(rows, columns, depth, a, b, add_ || from > 0,
                    from == 0 && bias_ != nullptr ? bias_ + column : nullptr,
                    c_ + row * c_step_ + column, c_step_);
  }

  simd::GemmPanels panels_ = simd::gemm_panels();
  Index m_, n_, k_;
  Matrix<const float> a_, b_;
  bool add_;
  const float* bias_;
  float* c_;
  Index c_step_;
  float* sums_;
  Index depth_;
};

}  // namespace

void gemm_in_panels(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b,
                    bool add, const float* bias, float* c, Index c_step, float* sums) {
  Panelled(m, n, k, a, b, add, bias, c, c_step, sums).run();
}

}  // namespace heed::kernels
