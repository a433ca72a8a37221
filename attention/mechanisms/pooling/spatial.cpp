#include "spatial.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

// places [B, K, d], real bool [B, K] or undefined.
Attended look(const char* op, const Score& score, const Tensor& query, const Tensor& places,
              Terms terms, const Tensor& real) {
  if ((query.rank() != 2 && query.rank() != 3) || query.size(0) != places.size(0)) {
    throw ShapeError(fmt::format("{}: query must be [{}, dq] or [{}, Q, dq], not {}", op,
                                 places.size(0), places.size(0), describe(query)));
  }
  if (real.defined()) terms.mask = terms.mask & Mask::key_padding(real);
  const bool one = query.rank() == 2;
  const Tensor queries = one ? unsqueeze(query, 1) : query;
  Attended out = named(op, [&] { return attend(score, queries, places, places, terms); });
  if (!one) return out;
  out.context = squeeze(out.context, 1);
  if (out.weights.defined()) out.weights = squeeze(out.weights, 1);
  return out;
}

}  // namespace

Attended grid_attention(const Score& score, const Tensor& query, const Tensor& map,
                        const Terms& terms, const Tensor& real) {
  check_defined("grid_attention", query, "query", map, "map");
  if (map.rank() != 4) {
    throw ShapeError("grid_attention: map must be [B, C, H, W], not " + describe(map));
  }
  const Index B = map.size(0), H = map.size(2), W = map.size(3);
  Tensor cells_real;
  if (real.defined()) {
    bool fits = real.rank() <= 3;
    const Shape wanted{B, H, W};
    for (Index axis = 1; fits && axis <= real.rank(); ++axis) {
      fits = real.size(-axis) == 1 || real.size(-axis) == wanted[3 - axis];
    }
    if (!fits) {
      throw ShapeError(fmt::format("grid_attention: real {} does not broadcast to {}",
                                   describe(real), heed::to_string(wanted)));
    }
    cells_real = reshape(expand(real, wanted), Shape{B, H * W});
  }
  const Tensor cells = transpose(reshape(map, Shape{B, map.size(1), H * W}), 1, 2);
  Attended out = look("grid_attention", score, query, cells, terms, cells_real);
  if (out.weights.defined()) {
    // [B, (Q,) H W, ..] -> [B, (Q,) H, W, ..]
    const Index axis = query.rank() - 1;
    Shape shape(out.weights.shape().begin(), axis);
    shape.push_back(H);
    shape.push_back(W);
    for (Index a = axis + 1; a < out.weights.rank(); ++a) shape.push_back(out.weights.size(a));
    out.weights = reshape(out.weights, shape);
  }
  return out;
}

Attended box_attention(const Score& score, const Tensor& query, const Tensor& boxes,
                       const Terms& terms, const Tensor& real) {
  check_defined("box_attention", query, "query");
  check_batch("box_attention", "boxes", boxes);
  return look("box_attention", score, query, boxes, terms, real);
}

}  // namespace heed::attention
