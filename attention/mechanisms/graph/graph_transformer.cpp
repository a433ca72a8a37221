#include "graph_transformer.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../maps/maps.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "graph_transformer";

GraphTransformerOptions checked(const GraphTransformerOptions& o) {
  if (o.positions >= 0 && o.max_distance >= 0 && o.max_degree >= 0) return o;
  throw ValueError(
      fmt::format("{}: positions {}, max_distance {} and max_degree {} must not be negative", kOp,
                  o.positions, o.max_distance, o.max_degree));
}

void check_part(const char* what, const Tensor& x, const Shape& shape, DType dtype) {
  if (!x.defined()) throw ValueError(fmt::format("{}: the structure has no {}", kOp, what));
  if (x.shape() != shape) {
    throw ShapeError(
        fmt::format("{}: {} must be {}, not {}", kOp, what, heed::to_string(shape), describe(x)));
  }
  if (x.dtype() != dtype) {
    throw DTypeError(fmt::format("{}: {} must be {}, not {}", kOp, what, name(dtype), describe(x)));
  }
}

}  // namespace

GraphTransformer::GraphTransformer(const GraphTransformerOptions& o)
    : options_(checked(o)),
      position_projection(o.positions == 0 ? nullptr
                                           : &child<nn::Linear>("position_projection", o.positions,
                                                                o.transformer.width, false,
                                                                o.transformer.dtype)),
      degree_embedding(
          o.max_degree == 0
              ? nullptr
              : &child<nn::Embedding>("degree_embedding",
                                      nn::EmbeddingOptions{.count = Checked(kOp, o.max_degree) + 1,
                                                           .width = o.transformer.width,
                                                           .sparse = false,
                                                           .dtype = o.transformer.dtype})),
      distance_bias(parameter("distance_bias",
                              o.max_distance == 0
                                  ? Tensor()
                                  : zeros({o.transformer.heads, Checked(kOp, o.max_distance) + 1},
                                          o.transformer.dtype))),
      encoder(child<TransformerEncoder>("encoder", o.layers, o.transformer, o.final_norm)) {}

TransformerOutput GraphTransformer::operator()(const Tensor& h, const GraphStructure& graphs,
                                               const Terms& terms) const {
  const Scope scope(*this);
  const DType dtype = encoder.parameters().front().dtype();
  check_batch(kOp, "h", h);
  check_rows(kOp, "h", h, options_.transformer.width, dtype);
  const Index B = h.size(0), T = h.size(1);
  if (static_cast<Index>(graphs.lengths.size()) != B) {
    throw ShapeError(
        fmt::format("{}: {} graphs for h {}", kOp, graphs.lengths.size(), describe(h)));
  }
  Tensor x = h;
  if (position_projection != nullptr) {
    check_part("positions", graphs.positions, {B, T, options_.positions}, dtype);
    x = x + (*position_projection)(graphs.positions);
  }
  if (degree_embedding != nullptr) {
    check_part("degrees", graphs.degrees, {B, T}, DType::i64);
    x = x + (*degree_embedding)(graphs.degrees);
  }
  Terms own = terms;
  own.mask = named(kOp, [&] { return Mask::lengths(graphs.lengths, T); }) & terms.mask;
  if (distance_bias.defined()) {
    check_part("distances", graphs.distances, {B, T, T}, DType::i64);
    const ScoreMap bias = maps::by_distance(distance_bias, unsqueeze(graphs.distances, 1));
    own.map = terms.map.defined() ? terms.map.then(bias) : bias;
  }
  TransformerOutput out = named(kOp, [&] { return encoder(x, own); });
  out.output = forwarded(out.output);
  return out;
}

}  // namespace heed::attention
