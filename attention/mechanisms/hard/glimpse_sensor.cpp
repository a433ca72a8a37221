#include "glimpse_sensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/factories.h"
#include "../../../autograd/ops/elementwise/clamp.h"
#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/elementwise/rounding.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/slicing.h"
#include "../../../autograd/record.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/kernels/reduce/finite.h"
#include "../../../core/parallel.h"
#include "../../../core/traced.h"

namespace heed::attention {
namespace {

constexpr Index kLargestSide = 65536;
constexpr Index kChunk = 16384;  // about as many elements are worth a thread

struct Sizes {
  Index B, N, C, H, W, g, S;
  Index features;  // S C g g
  Index pixels() const { return C * H * W; }
  Index grain() const {  // images a chunk
    const Index side = std::min(g << (S - 1), std::max(H, W));
    return std::max<Index>(1, kChunk / std::max<Index>(1, N * C * S * side * side));
  }
};

// The pixels of one axis under cell i of a patch that begins at `start`, within the image.
struct Span {
  Index begin, end;
};

Span span(Index start, Index i, Index pixels, Index size) {
  return {std::max<Index>(0, start + i * pixels), std::min(size, start + (i + 1) * pixels)};
}

// Where a patch of that side begins. Anything far outside is as good as just outside.
template <class T>
Index start_of(T place, Index size, Index side) {
  const double centre = (static_cast<double>(place) + 1) / 2 * static_cast<double>(size);
  const double start = std::floor(centre - static_cast<double>(side) / 2 + 0.5);
  return static_cast<Index>(
      std::clamp(start, static_cast<double>(-side), static_cast<double>(size)));
}

// Calls visit(first pixel of the plane's rows, rows, columns, cell, share) for each cell of all
// looks at image b: `plane` counts from the image's first, `cell` from its first feature.
template <class T, class Visit>
void each_cell(const Sizes& sizes, const T* places, Visit&& visit) {
  Index cell = 0;
  for (Index n = 0; n < sizes.N; ++n, places += 2) {
    for (Index k = 0; k < sizes.S; ++k) {
      const Index pixels = Index{1} << k, side = sizes.g << k;
      const Index left = start_of(places[0], sizes.W, side);
      const Index top = start_of(places[1], sizes.H, side);
      const T share = T{1} / static_cast<T>(pixels * pixels);
      for (Index c = 0; c < sizes.C; ++c) {
        for (Index i = 0; i < sizes.g; ++i) {
          const Span rows = span(top, i, pixels, sizes.H);
          for (Index j = 0; j < sizes.g; ++j, ++cell) {
            visit(c * sizes.H, rows, span(left, j, pixels, sizes.W), cell, share);
          }
        }
      }
    }
  }
}

template <class T>
void sense(const Sizes& sizes, const T* images, const T* centres, T* out) {
  parallel_for(sizes.B, sizes.grain(), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      const T* image = images + b * sizes.pixels();
      T* features = out + b * sizes.N * sizes.features;
      each_cell(sizes, centres + b * sizes.N * 2,
                [&](Index first, Span rows, Span columns, Index cell, T share) {
                  double total = 0;
                  for (Index y = rows.begin; y < rows.end; ++y) {
                    const T* row = image + (first + y) * sizes.W;
                    for (Index x = columns.begin; x < columns.end; ++x) {
                      total += static_cast<double>(row[x]);
                    }
                  }
                  features[cell] = static_cast<T>(total) * share;
                });
    }
  });
}

// The adjoint: every pixel gets its share of the cells that saw it. `out` holds zeros.
template <class T>
void spread(const Sizes& sizes, const T* features, const T* centres, T* out) {
  parallel_for(sizes.B, sizes.grain(), [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      T* image = out + b * sizes.pixels();
      const T* g = features + b * sizes.N * sizes.features;
      each_cell(sizes, centres + b * sizes.N * 2,
                [&](Index first, Span rows, Span columns, Index cell, T share) {
                  for (Index y = rows.begin; y < rows.end; ++y) {
                    T* row = image + (first + y) * sizes.W;
                    for (Index x = columns.begin; x < columns.end; ++x) row[x] += g[cell] * share;
                  }
                });
    }
  });
}

Tensor sense(const Tensor& images, const Tensor& centres, const Sizes& sizes);

Tensor spread(const Tensor& g, const Tensor& centres, const Sizes& sizes) {
  const Array from = g.array().contiguous();
  Array out = Array::zeros({sizes.B, sizes.C, sizes.H, sizes.W}, g.dtype());
  visit_floating("glimpse_sensor", g.dtype(), [&]<class T>(T) {
    spread(sizes, from.data<T>(), centres.array().data<T>(), out.mutable_data<T>());
  });
  return record(
      "glimpse_sensor_grad", out, {g},
      [sizes, centres = Saved(centres)](const Tensor& h) { return sense(h, centres(), sizes); });
}

// centres [B, N, 2], contiguous -> [B, N, S C g g];  gx = spread(g)
Tensor sense(const Tensor& images, const Tensor& centres, const Sizes& sizes) {
  const Array from = images.array().contiguous();
  Array out = Array::empty({sizes.B, sizes.N, sizes.features}, images.dtype());
  visit_floating("glimpse_sensor", images.dtype(), [&]<class T>(T) {
    sense(sizes, from.data<T>(), centres.array().data<T>(), out.mutable_data<T>());
  });
  return record(
      "glimpse_sensor", out, {images},
      [sizes, centres = Saved(centres)](const Tensor& g) { return spread(g, centres(), sizes); });
}

// [.., size, pixels]: which of so many pixels lie under each cell of a patch, whose centre is at
// `place`, [..], in [-1, 1].
Tensor cells(const Tensor& place, Index pixels, Index size, Index each) {
  const auto whole = static_cast<double>(pixels), side = static_cast<double>(size * each);
  const Tensor start =
      clamp(floor((place + 1) * (whole / 2) + (0.5 - side / 2)), -side, whole);  // [..]
  const Tensor first = unsqueeze(unsqueeze(start, -1), -1) +
                       unsqueeze(arange(size, place.dtype()) * static_cast<double>(each), -1);
  const Tensor behind = arange(pixels, place.dtype()) - first;  // [.., size, pixels]
  return to(logical_and(behind >= 0, behind < static_cast<double>(each)), place.dtype());
}

// The sensor by operators that can be followed: sums of pixels as products with 0 and 1.
Tensor followed(const Tensor& images, const Tensor& centres, const Sizes& sizes) {
  std::vector<Tensor> scales;
  const Tensor all = unsqueeze(images, 1);  // [B, 1, C, H, W]
  for (Index k = 0; k < sizes.S; ++k) {
    const Index each = Index{1} << k;
    const Tensor rows = cells(select(centres, -1, 1), sizes.H, sizes.g, each);
    const Tensor columns = cells(select(centres, -1, 0), sizes.W, sizes.g, each);
    const Tensor sums = matmul(matmul(unsqueeze(rows, 2), all),
                               transpose(unsqueeze(columns, 2), -2, -1));  // [B, N, C, g, g]
    scales.push_back(sums * (1 / static_cast<double>(each * each)));
  }
  return reshape(stack(scales, 2), {sizes.B, sizes.N, sizes.features});
}

}  // namespace

void check_glimpse(const char* op, Index size, Index scales) {
  if (size < 1 || scales < 1 || scales > 17 || size > (kLargestSide >> (scales - 1))) {
    throw ValueError(
        fmt::format("{}: size {} and scales {} must be positive, and the largest side at most {}",
                    op, size, scales, kLargestSide));
  }
}

Tensor glimpse_sensor(const Tensor& images, const Tensor& centres, Index size, Index scales) {
  check_defined("glimpse_sensor", images, "images", centres, "centres");
  check_floating("glimpse_sensor", images.dtype());
  if (centres.dtype() != images.dtype()) {
    throw DTypeError(fmt::format("glimpse_sensor: dtypes differ: images are {}, centres {}",
                                 describe(images), describe(centres)));
  }
  if (images.rank() != 4) {
    throw ShapeError("glimpse_sensor: images must be [B, C, H, W], not " + describe(images));
  }
  const Index B = images.size(0);
  const bool one = centres.rank() == 2;
  if ((!one && centres.rank() != 3) || centres.size(0) != B || centres.size(-1) != 2) {
    throw ShapeError(fmt::format("glimpse_sensor: centres must be [{}, 2] or [{}, N, 2], not {}", B,
                                 B, describe(centres)));
  }
  check_glimpse("glimpse_sensor", size, scales);
  const Array places = centres.array().contiguous();
  if (!kernels::all_finite(places)) throw ValueError("glimpse_sensor: centres must be finite");
  const Sizes sizes{.B = B,
                    .N = one ? 1 : centres.size(1),
                    .C = images.size(1),
                    .H = images.size(2),
                    .W = images.size(3),
                    .g = size,
                    .S = scales,
                    .features = Checked("glimpse_sensor", scales) * size * size * images.size(1)};
  if (traced()) {
    const Tensor seen = followed(images, one ? unsqueeze(centres, 1) : centres, sizes);
    return one ? squeeze(seen, 1) : seen;
  }
  const Tensor out = sense(images, Tensor(one ? places.unsqueeze(1) : places), sizes);
  return one ? squeeze(out, 1) : out;
}

}  // namespace heed::attention
