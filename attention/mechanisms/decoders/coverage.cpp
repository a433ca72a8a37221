#include "coverage.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"

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
                                 const Tensor& past) const {
  const Scope scope(*this);
  const DType dtype = score_vector.dtype();
  check_rows("coverage", "query", query, query_projection.weight.size(1), dtype);
  check_rows("coverage", "prepared keys", prepared, score_vector.size(0), dtype);
  Tensor sum = unsqueeze(query_projection(query), -2) + unsqueeze(prepared, -3);
  if (past.defined()) sum = sum + unsqueeze(past, -1) * coverage_vector;
  return forwarded(matmul(tanh(sum), score_vector));
}

Tensor CoverageScore::remember(const Tensor& past, const Tensor& weights) const {
  return past.defined() ? past + weights : weights;
}

Coverage::Coverage(Index query_width, Index key_width, Index hidden, DType dtype)
    : score(child<CoverageScore>("score", query_width, key_width, hidden, dtype)) {}

Memory Coverage::prepare(const Tensor& keys, const Tensor& values, const Mask& mask) const {
  check_batch("coverage", "keys", keys);
  check_batch("coverage", "values", values);
  return named("coverage", [&] { return Memory(score, keys, values, mask); });
}

CoverageOutput Coverage::step(const Tensor& query, const Memory& memory, Past& past,
                              const Terms& terms) const {
  const Scope scope(*this);
  check_defined("coverage", query, "query");
  const Index B = memory.keys().size(0), K = memory.keys().size(1);
  if (query.rank() != 2 || query.size(0) != B) {
    throw ShapeError(
        fmt::format("coverage: a step's query must be [{}, dq], not {}", B, describe(query)));
  }
  const DType dtype = memory.keys().dtype();
  if (!past.weights.defined()) past.weights = zeros(Shape{B, 1, K}, dtype);
  if (past.weights.shape() != Shape{B, 1, K} || past.weights.dtype() != dtype) {
    throw ShapeError(fmt::format("coverage: the past must be {}[{}, 1, {}], not {}", name(dtype), B,
                                 K, describe(past.weights)));
  }
  const Tensor before = squeeze(past.weights, 1);
  Terms with_weights = terms;
  with_weights.need_weights = true;
  const Attended out = named("coverage", [&] { return memory.step(query, past, with_weights); });
  return {forwarded(out.context), out.weights, sum(minimum(out.weights, before), {-1}),
          before + out.weights};
}

CoverageOutput Coverage::operator()(const Tensor& query, const Tensor& keys, const Tensor& values,
                                    const Mask& mask) const {
  const Scope scope(*this);
  check_batch("coverage", "query", query);
  const Memory memory = prepare(keys, values, mask);
  const Index B = query.size(0), Q = query.size(1);
  CoverageOutput out;
  out.coverage = zeros(Shape{keys.size(0), keys.size(1)}, keys.dtype());
  if (Q == 0) {
    out.context = zeros(Shape{B, 0, values.size(2)}, keys.dtype());
    out.weights = zeros(Shape{B, 0, keys.size(1)}, keys.dtype());
    out.loss = zeros(Shape{B, 0}, keys.dtype());
    return out;
  }
  Past past;
  std::vector<Tensor> contexts, weights, losses;
  for (Index t = 0; t < Q; ++t) {
    const CoverageOutput now = step(select(query, 1, t), memory, past);
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
