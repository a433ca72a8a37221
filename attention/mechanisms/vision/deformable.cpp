#include "deformable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/grid_sample.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/slicing.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../detail/feature_map.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

DeformableOptions checked(const DeformableOptions& o) {
  for (const Index size : {o.width, o.heads, o.levels, o.points}) {
    if (size <= 0) throw ValueError(fmt::format("deformable: size {} must be positive", size));
  }
  if (o.width % o.heads != 0) {
    throw ValueError(fmt::format("deformable: heads {} do not divide width {}", o.heads, o.width));
  }
  return o;
}

Checked samples(const DeformableOptions& o) {
  return Checked("deformable", o.heads) * o.levels * o.points;
}

// Head m looks in direction m of all, point k k + 1 steps away, on the edge of a square.
Array ring(const DeformableOptions& o) {
  std::vector<double> out;
  for (Index m = 0; m < o.heads; ++m) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(m) / static_cast<double>(o.heads);
    const double x = std::cos(angle), y = std::sin(angle);
    const double side = std::max(std::fabs(x), std::fabs(y));
    for (Index l = 0; l < o.levels; ++l) {
      for (Index k = 1; k <= o.points; ++k) {
        out.push_back(static_cast<double>(k) * x / side);
        out.push_back(static_cast<double>(k) * y / side);
      }
    }
  }
  return Array::from(out).to(o.dtype);
}

}  // namespace

DeformableAttention::DeformableAttention(const DeformableOptions& given)
    : options_(checked(given)),
      sampling_offsets(child<nn::Linear>("sampling_offsets", options_.width, samples(options_) * 2,
                                         true, options_.dtype)),
      attention_weights(child<nn::Linear>("attention_weights", options_.width, samples(options_),
                                          true, options_.dtype)),
      value_proj(
          child<nn::Linear>("value_proj", options_.width, options_.width, true, options_.dtype)),
      output_proj(
          child<nn::Linear>("output_proj", options_.width, options_.width, true, options_.dtype)) {
  for (const Tensor& each : {sampling_offsets.weight, attention_weights.weight,
                             attention_weights.bias, value_proj.bias, output_proj.bias}) {
    nn::zeros_(each);
  }
  nn::xavier_uniform_(value_proj.weight);
  nn::xavier_uniform_(output_proj.weight);
  sampling_offsets.load_state_dict(
      {{"weight", sampling_offsets.weight.detach()}, {"bias", ring(options_)}});
}

DeformablyAttended DeformableAttention::operator()(const Tensor& query, const Tensor& references,
                                                   const std::vector<Tensor>& maps,
                                                   const Terms& terms) const {
  const Scope scope(*this);
  const Index E = options_.width, M = options_.heads, L = options_.levels, K = options_.points;
  check_batch("deformable", "query", query);
  check_rows("deformable", "query", query, E, value_proj.weight.dtype());
  const Index B = query.size(0), Q = query.size(1), D = E / M;
  check_defined("deformable", references, "references");
  if (!(references.shape() == Shape{B, Q, 2})) {
    throw ShapeError(fmt::format("deformable: references must be [{}, {}, 2], not {}", B, Q,
                                 describe(references)));
  }
  if (static_cast<Index>(maps.size()) != L) {
    throw ValueError(fmt::format("deformable: {} maps for {} levels", maps.size(), L));
  }
  for (const Tensor& map : maps) {
    check_map("deformable", map, E, value_proj.weight.dtype());
    if (map.size(0) != B) {
      throw ShapeError(
          fmt::format("deformable: {} rows of queries, and a map {}", B, describe(map)));
    }
  }
  const Tensor offsets = permute(reshape(sampling_offsets(query), Shape{B, Q, M, L, K, 2}),
                                 {0, 2, 1, 3, 4, 5});  // [B, M, Q, L, K, 2]
  const Tensor centres = reshape(references, Shape{B, 1, Q, 1, 2});
  std::vector<Tensor> values, places;
  for (Index l = 0; l < L; ++l) {
    const Tensor& map = maps[static_cast<std::size_t>(l)];
    const Index H = map.size(2), W = map.size(3);
    const Tensor size =
        tensor({static_cast<double>(W), static_cast<double>(H)}, {2}, value_proj.weight.dtype());
    const Tensor at = centres + select(offsets, 3, l) / size;   // [B, M, Q, K, 2]
    const Tensor x = map_of(value_proj(places_of(map)), H, W);  // [B, M D, H, W]
    const Tensor seen =
        grid_sample(reshape(x, Shape{B * M, D, H, W}), reshape(2 * at - 1, Shape{B * M, Q, K, 2}));
    values.push_back(permute(reshape(seen, Shape{B, M, D, Q, K}), {0, 1, 3, 4, 2}));
    places.push_back(at);
  }
  // Each query's own memory: [B, M, Q, L K, D].
  const Tensor scores = transpose(reshape(attention_weights(query), Shape{B, Q, M, L * K}), 1, 2);
  const Attended heads = named("deformable", [&] {
    return attend(dot_, unsqueeze(scores, 3), eye(L * K, value_proj.weight.dtype()),
                  concat(values, 3), terms);
  });
  const Tensor joined = reshape(transpose(squeeze(heads.context, 3), 1, 2), Shape{B, Q, E});
  return {forwarded(output_proj(joined)),
          heads.weights.defined() ? squeeze(heads.weights, 3) : Tensor(), stack(places, 3)};
}

}  // namespace heed::attention
