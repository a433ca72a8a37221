#include "grid_sample.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/precision.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../computed.h"
#include "../elementwise/activation.h"
#include "../elementwise/clamp.h"
#include "../elementwise/compare.h"
#include "../elementwise/elementwise.h"
#include "../elementwise/rounding.h"
#include "../linalg/matmul.h"
#include "../shape/join.h"
#include "../shape/shape.h"
#include "../shape/slicing.h"
#include "index.h"

namespace heed {
namespace {

// Where -1 .. 1 lies among n pixels. Beyond the last one that is read nothing changes, so places
// are held there: none is then too large for an integer.
Tensor among_pixels(const Tensor& t, Index n, const GridSampleOptions& options) {
  const auto pixels = static_cast<double>(n);
  const Tensor place =
      options.align_corners ? (t + 1) * ((pixels - 1) / 2) : ((t + 1) * pixels - 1) / 2;
  // At the border itself, too, what lies beyond it is the same: no gradient.
  return options.padding == GridPadding::border ? hardtanh(place, 0, pixels - 1)
                                                : clamp(place, -1, pixels);
}

// Rows of the images' pixels, one after the other, with a row of zeros behind them.
class Pixels {
 public:
  explicit Pixels(const Tensor& x)
      : B_(x.size(0)),
        H_(x.size(2)),
        W_(x.size(3)),
        rows_(concat({reshape(permute(x, {0, 2, 3, 1}), Shape{B_ * H_ * W_, x.size(1)}),
                      zeros(Shape{1, x.size(1)}, x.dtype())},
                     0)) {}

  // At whole places u, v [B, P] -> [B, P, C].
  Tensor operator()(const Tensor& u, const Tensor& v) const {
    const Index P = u.size(1);
    Array ids = Array::empty({B_ * P}, DType::i64);
    const Array across = u.array().to(DType::i64).contiguous();
    const Array down = v.array().to(DType::i64).contiguous();
    const auto *x = across.data<std::int64_t>(), *y = down.data<std::int64_t>();
    auto* id = ids.mutable_data<std::int64_t>();
    for (Index i = 0; i < B_ * P; ++i) {
      const bool inside = x[i] >= 0 && x[i] < W_ && y[i] >= 0 && y[i] < H_;
      id[i] = inside ? (i / P * H_ + y[i]) * W_ + x[i] : B_ * H_ * W_;
    }
    return reshape(index_select(rows_, 0, Tensor(ids)), Shape{B_, P, rows_.size(1)});
  }

 private:
  Index B_, H_, W_;
  Tensor rows_;
};

void check(const Tensor& x, const Tensor& grid) {
  check_defined("grid_sample", x, "x", grid, "grid");
  check_floating("grid_sample", x.dtype());
  if (grid.dtype() != x.dtype()) {
    throw DTypeError(fmt::format("grid_sample: dtypes differ: x is {}, the grid {}", describe(x),
                                 describe(grid)));
  }
  if (x.rank() != 4 || x.size(2) == 0 || x.size(3) == 0) {
    throw ShapeError(
        fmt::format("grid_sample: x must be [B, C, H, W] with pixels, not {}", describe(x)));
  }
  if (grid.rank() != 4 || grid.size(0) != x.size(0) || grid.size(3) != 2) {
    throw ShapeError(fmt::format("grid_sample: the grid of {} must be [{}, OH, OW, 2], not {}",
                                 describe(x), x.size(0), describe(grid)));
  }
}

}  // namespace

Tensor grid_sample(const Tensor& x, const Tensor& grid, const GridSampleOptions& options) {
  check(x, grid);
  const Index B = x.size(0), C = x.size(1), OH = grid.size(1), OW = grid.size(2);
  const Shape places{B, OH * OW};
  Tensor across = reshape(select(grid, 3, 0), places), down = reshape(select(grid, 3, 1), places);
  const Tensor nowhere = logical_or(isnan(across), isnan(down));  // [B, P]
  across = among_pixels(where(nowhere, 0, across), x.size(3), options);
  down = among_pixels(where(nowhere, 0, down), x.size(2), options);
  const Pixels pixels(x);
  Tensor y;
  if (options.mode == Interpolation::nearest) {
    y = pixels(round(across), round(down));
  } else {
    const Tensor u = floor(across.detach()), v = floor(down.detach());
    const Tensor right = unsqueeze(across - u, 2), below = unsqueeze(down - v, 2);  // [B, P, 1]
    const Tensor upper = (1 - right) * pixels(u, v) + right * pixels(u + 1, v);
    const Tensor lower = (1 - right) * pixels(u, v + 1) + right * pixels(u + 1, v + 1);
    y = (1 - below) * upper + below * lower;  // [B, P, C]
  }
  y = masked_fill(y, unsqueeze(nowhere, 2), std::numeric_limits<double>::quiet_NaN());
  y = reshape(transpose(y, 1, 2), Shape{B, C, OH, OW});
  if (traced()) {  // the pixels were found by no operator: all is told as one
    say("nearest", options.mode == Interpolation::nearest, "border",
        options.padding == GridPadding::border, "align_corners", options.align_corners);
    computed("grid_sample", y.array(), {x, grid});
  }
  return y;
}

Tensor affine_grid(const Tensor& theta, Index H, Index W, bool align_corners) {
  check_defined("affine_grid", theta, "theta");
  check_floating("affine_grid", theta.dtype());
  if (theta.rank() != 3 || theta.size(1) != 2 || theta.size(2) != 3) {
    throw ShapeError(fmt::format("affine_grid: theta must be [B, 2, 3], not {}", describe(theta)));
  }
  if (H <= 0 || W <= 0) {
    throw ValueError(fmt::format("affine_grid: sizes {} and {} must be positive", H, W));
  }
  const Index P = Checked("affine_grid", H) * W;
  const auto along = [&](Index n) {
    const auto pixels = static_cast<double>(n);
    const double end = align_corners ? (n == 1 ? 0 : 1) : (pixels - 1) / pixels;
    return linspace(-end, end, n, theta.dtype());
  };
  const Tensor across = reshape(expand(unsqueeze(along(W), 0), Shape{H, W}), Shape{P});
  const Tensor down = reshape(expand(unsqueeze(along(H), 1), Shape{H, W}), Shape{P});
  const Tensor pixels = stack({across, down, ones({P}, theta.dtype())}, 1);  // [P, 3]
  const PrecisionScope scope(Precision::f32);  // places among pixels need its digits
  return reshape(matmul(pixels, transpose(theta, 1, 2)), Shape{theta.size(0), H, W, 2});
}

}  // namespace heed
