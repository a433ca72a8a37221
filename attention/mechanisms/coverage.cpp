#include "coverage.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/matmul.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"
#include "../../nn/init.h"
#include "../finite.h"
#include "../scores/prepared_score.h"
#include "named.h"

namespace heed::attention {
namespace {

Index checked(Index query_width, Index key_width, Index hidden) {
  if (query_width > 0 && key_width > 0 && hidden > 0) return query_width;
  throw ValueError(
      fmt::format("coverage: query_width {}, key_width {} and hidden {} must be positive",
                  query_width, key_width, hidden));
}

}  // namespace

CoverageScore::CoverageScore(Index query_width, Index key_width, Index hidden, DType dtype)
    : query_projection(child<nn::Linear>(
          "query_projection", checked(query_width, key_width, hidden), hidden, true, dtype)),
      key_projection(child<nn::Linear>("key_projection", key_width, hidden, false, dtype)),
      coverage_vector(parameter("coverage_vector", zeros(Shape{hidden}, dtype))),
      score_vector(parameter("score_vector", zeros(Shape{hidden}, dtype))) {
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  nn::uniform_(coverage_vector, -bound, bound);
  nn::uniform_(score_vector, -bound, bound);
}

Tensor CoverageScore::prepare(const Tensor& keys) const {
  check_rows("coverage", "keys", keys, key_projection.weight.size(1), score_vector.dtype());
  return key_projection(keys);
}

Tensor CoverageScore::operator()(const Tensor& query, const Tensor& prepared,
                                 const Tensor& last) const {
  const DType dtype = score_vector.dtype();
  check_rows("coverage", "query", query, query_projection.weight.size(1), dtype);
  check_rows("coverage", "prepared keys", prepared, score_vector.size(0), dtype);
  Tensor sum = unsqueeze(query_projection(query), -2) + unsqueeze(prepared, -3);
  if (last.defined()) sum = sum + unsqueeze(last, -1) * coverage_vector;
  return forwarded(matmul(tanh(sum), score_vector));
}

Coverage::Coverage(Index query_width, Index key_width, Index hidden, DType dtype)
    : score(child<CoverageScore>("score", query_width, key_width, hidden, dtype)) {}

Coverage::Source Coverage::prepare(const Tensor& keys, const Tensor& values,
                                   const Mask& mask) const {
  check_batch("coverage", "keys", keys);
  check_batch("coverage", "values", values);
  // attend() is to know the rows of keys that are not finite, and no parameter is to meet them.
  const FinitePart finite = finite_part(keys);
  Tensor prepared = score.prepare(finite.x);
  if (finite.bad.defined()) prepared = with_bad_rows(prepared, finite.bad);
  return {prepared, values, mask};
}

Covered Coverage::step(const Tensor& query, const Source& source, const Tensor& coverage) const {
  check_defined("coverage", query, "query");
  const Shape places{source.keys.size(0), source.keys.size(1)};
  if (query.rank() != 2 || query.size(0) != places[0]) {
    throw ShapeError(fmt::format("coverage: a step's query must be [{}, dq], not {}", places[0],
                                 describe(query)));
  }
  if (coverage.defined() && coverage.shape() != places) {
    throw ShapeError(fmt::format("coverage: the coverage must be {}, not {}",
                                 heed::to_string(places), describe(coverage)));
  }
  if (coverage.defined() && coverage.dtype() != source.keys.dtype()) {
    throw DTypeError(fmt::format("coverage: the coverage must be {}, not {}",
                                 name(source.keys.dtype()), describe(coverage)));
  }
  const Tensor c = coverage.defined() ? coverage : zeros(places, source.keys.dtype());
  // Past weights that are not finite are met by no parameter either: such a row sees as a query
  // does that is not finite itself.
  const FinitePart past = finite_part(c);
  const Tensor q = past.bad.defined() ? with_bad_rows(query, past.bad) : query;
  const PreparedScore scored(score, unsqueeze(past.x, 1));
  const Attended out = named("coverage", [&] {
    return attend(unsqueeze(q, 1), source.keys, source.values,
                  {.score = &scored, .mask = source.mask, .need_weights = true});
  });
  const Tensor weights = squeeze(out.weights, 1);
  return {forwarded(squeeze(out.context, 1)), weights, sum(minimum(weights, c), {-1}), c + weights};
}

Covered Coverage::operator()(const Tensor& query, const Tensor& keys, const Tensor& values,
                             const Mask& mask) const {
  check_batch("coverage", "query", query);
  const Source source = prepare(keys, values, mask);
  const Index B = query.size(0), Q = query.size(1);
  Covered out;
  out.coverage = zeros(Shape{keys.size(0), keys.size(1)}, keys.dtype());
  if (Q == 0) {
    out.context = zeros(Shape{B, 0, values.size(2)}, keys.dtype());
    out.weights = zeros(Shape{B, 0, keys.size(1)}, keys.dtype());
    out.loss = zeros(Shape{B, 0}, keys.dtype());
    return out;
  }
  std::vector<Tensor> contexts, weights, losses;
  for (Index t = 0; t < Q; ++t) {
    const Covered now = step(select(query, 1, t), source, out.coverage);
    contexts.push_back(unsqueeze(now.context, 1));
    weights.push_back(unsqueeze(now.weights, 1));
    losses.push_back(unsqueeze(now.loss, 1));
    out.coverage = now.coverage;
  }
  out.context = concat(contexts, 1);
  out.weights = concat(weights, 1);
  out.loss = concat(losses, 1);
  return out;
}

}  // namespace heed::attention
