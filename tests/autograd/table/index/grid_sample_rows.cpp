#include "../../../../autograd/ops/index/grid_sample.h"

#include <algorithm>
#include <cmath>

#include "../../../../core/error.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;
constexpr auto kNearest = Interpolation::nearest;
constexpr auto kBorder = GridPadding::border;

double among_pixels(double t, Index n, const GridSampleOptions& o) {
  const auto pixels = static_cast<double>(n);
  const double u = o.align_corners ? (t + 1) / 2 * (pixels - 1) : ((t + 1) * pixels - 1) / 2;
  return o.padding == kBorder ? std::min(std::max(u, 0.0), pixels - 1) : u;
}

// Of every pixel of the image, what it weighs at the place; most weigh nothing.
double read(const Block& x, Index b, Index c, double u, double v, const GridSampleOptions& o) {
  double sum = 0;
  for (Index row = 0; row < x.size(2); ++row) {
    for (Index column = 0; column < x.size(3); ++column) {
      const double across = std::fabs(u - static_cast<double>(column));
      const double down = std::fabs(v - static_cast<double>(row));
      const double weight = o.mode == kNearest
                                ? (across < 0.5 && down < 0.5 ? 1 : 0)
                                : std::max(0.0, 1 - across) * std::max(0.0, 1 - down);
      sum += weight * x({b, c, row, column});
    }
  }
  return sum;
}

Block sampled(const Block& x, const Block& grid, const GridSampleOptions& o) {
  return Block({x.size(0), x.size(1), grid.size(1), grid.size(2)}, [&](const Place& p) {
    const double u = among_pixels(grid({p[0], p[2], p[3], 0}), x.size(3), o);
    const double v = among_pixels(grid({p[0], p[2], p[3], 1}), x.size(2), o);
    return read(x, p[0], p[1], u, v, o);
  });
}

Row grid_sample_row() {
  const auto linear = [](const std::string& name, const Sizes& x, const Sizes& grid,
                         const GridSampleOptions& o = {}) {
    return sample(
        name, {in(x), in(grid)}, [=](X t) { return grid_sample(t[0], t[1], o); },
        [=](B b) { return sampled(b[0], b[1], o); });
  };
  // Whose grid gets no gradient.
  const auto nearest = [](const std::string& name, const GridSampleOptions& o) {
    const std::vector<double> numbers = {-0.3, 0.1, 0.74,  -0.9, 1.2, 0.35,
                                         0.62, 2.5, -1.05, 0.02, 0.9, -0.55};
    return sample(
        name, {in({2, 3, 3, 5})},
        [=](X t) {
          return grid_sample(t[0], tensor(numbers, {2, 1, 3, 2}, t[0].dtype()), o);
        },
        [=](B b) {
          return sampled(b[0], Block({2, 1, 3, 2}, numbers), o);
        });
  };
  std::vector<BadCall> bad_calls =
      bad_operands("grid_sample", [](const Tensor& x) { return grid_sample(x, of(1, 2, 3, 2)); });
  bad_calls.push_back(
      BAD(GradError, "grid_sample: grid is undefined", grid_sample(of(1, 2, 3, 5), Tensor())));
  bad_calls.push_back(BAD(DTypeError,
                          "grid_sample: dtypes differ: x is f32[1, 2, 3, 5], the grid "
                          "f64[1, 7, 3, 2]",
                          grid_sample(of(1, 2, 3, 5), of<DType::f64>(1, 7, 3, 2))));
  bad_calls.push_back(BAD(ShapeError,
                          "grid_sample: x must be [B, C, H, W] with pixels, not f32[3, 5]",
                          grid_sample(of(3, 5), of(1, 7, 3, 2))));
  bad_calls.push_back(BAD(ShapeError, "with pixels, not f32[1, 2, 0, 5]",
                          grid_sample(of(1, 2, 0, 5), of(1, 7, 3, 2))));
  bad_calls.push_back(BAD(ShapeError, "must be [1, OH, OW, 2], not f32[2, 7, 3, 2]",
                          grid_sample(of(1, 2, 3, 5), of(2, 7, 3, 2))));
  bad_calls.push_back(BAD(ShapeError, "must be [1, OH, OW, 2], not f32[1, 7, 3, 3]",
                          grid_sample(of(1, 2, 3, 5), of(1, 7, 3, 3))));
  bad_calls.push_back(BAD(ShapeError, "must be [1, OH, OW, 2], not f32[1, 7, 2]",
                          grid_sample(of(1, 2, 3, 5), of(1, 7, 2))));
  return {"grid_sample",
          {linear("zeros outside", {2, 3, 5, 7}, {2, 3, 4, 2}),
           linear("the border outside", {2, 2, 3, 5}, {2, 2, 7, 2}, {.padding = kBorder}),
           linear("corners aligned", {1, 3, 5, 3}, {1, 4, 5, 2}, {.align_corners = true}),
           linear("corners aligned, the border outside", {2, 1, 4, 3}, {2, 5, 1, 2},
                  {.padding = kBorder, .align_corners = true}),
           linear("one pixel", {1, 2, 1, 1}, {1, 3, 5, 2}),
           linear("one pixel with corners", {1, 2, 1, 1}, {1, 1, 7, 2},
                  {.padding = kBorder, .align_corners = true}),
           linear("no images", {0, 3, 5, 7}, {0, 2, 3, 2}),
           linear("no places", {2, 3, 5, 7}, {2, 0, 3, 2}),
           linear("no channels", {2, 0, 3, 5}, {2, 1, 3, 2}),
           nearest("nearest, zeros outside", {.mode = kNearest}),
           nearest("nearest, the border outside", {.mode = kNearest, .padding = kBorder}),
           nearest("nearest, corners aligned", {.mode = kNearest, .align_corners = true})},
          std::move(bad_calls)};
}

Row affine_grid_row() {
  const auto form = [](const std::string& name, Index images, Index H, Index W, bool corners) {
    return sample(
        name, {in({images, 2, 3})}, [=](X t) { return affine_grid(t[0], H, W, corners); },
        [=](B b) {
          const auto at = [&](Index i, Index n) {
            const auto pixels = static_cast<double>(n), place = static_cast<double>(i);
            if (!corners) return (2 * place + 1) / pixels - 1;
            return n == 1 ? 0 : 2 * place / (pixels - 1) - 1;
          };
          return Block({images, H, W, 2}, [&](const Place& p) {
            return b[0]({p[0], p[3], 0}) * at(p[2], W) + b[0]({p[0], p[3], 1}) * at(p[1], H) +
                   b[0]({p[0], p[3], 2});
          });
        });
  };
  std::vector<BadCall> bad_calls = {
      BAD(GradError, "affine_grid: theta is undefined", affine_grid(Tensor(), 3, 5)),
      BAD(DTypeError, "affine_grid: takes f32 or f64, not i64",
          affine_grid(of<DType::i64>(1, 2, 3), 3, 5))};
  bad_calls.push_back(BAD(ShapeError, "affine_grid: theta must be [B, 2, 3], not f32[2, 3]",
                          affine_grid(of(2, 3), 3, 5)));
  bad_calls.push_back(BAD(ShapeError, "affine_grid: theta must be [B, 2, 3], not f32[1, 3, 2]",
                          affine_grid(of(1, 3, 2), 3, 5)));
  bad_calls.push_back(BAD(ValueError, "affine_grid: sizes 0 and 5 must be positive",
                          affine_grid(of(1, 2, 3), 0, 5)));
  bad_calls.push_back(BAD(ValueError, "affine_grid: sizes 3 and -1 must be positive",
                          affine_grid(of(1, 2, 3), 3, -1)));
  bad_calls.push_back(BAD(ShapeError, "affine_grid", affine_grid(of(1, 2, 3), INT64_MAX, 5)));
  return {"affine_grid",
          {form("pixels", 2, 3, 5, false), form("corners aligned", 2, 5, 3, true),
           form("one pixel", 3, 1, 1, false), form("one pixel with corners", 1, 1, 1, true),
           form("a row", 1, 1, 7, true), form("no images", 0, 3, 5, false)},
          std::move(bad_calls)};
}

}  // namespace

std::vector<Row> grid_sample_rows() { return {grid_sample_row(), affine_grid_row()}; }

}  // namespace heed::table
