#include "graph_score.h"

#include <cmath>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

// Glorot's, as the papers' programs begin.
Tensor begin(Index heads, Index width, DType dtype) {
  const double bound = std::sqrt(6 / static_cast<double>(1 + width));
  return default_generator().uniform({heads, width}, -bound, bound, dtype);
}

// v_h . x of x [.., H, n, D] -> [.., H, n]
Tensor along(const Tensor& x, const Tensor& vector) { return sum(x * unsqueeze(vector, 1), {-1}); }

// The same of nodes x [N, H, D] -> [N, H]; those that are not finite do not meet the vector.
Tensor of_nodes(const Tensor& x, const Tensor& vector) {
  return guarded(flatten(x, 1, 2), true, [&](const Tensor& finite) {
    return sum(reshape(finite, x.shape()) * vector, {-1});
  });
}

}  // namespace

StaticGraphScore::StaticGraphScore(Index heads, Index width, double slope, DType dtype)
    : GraphScore(slope),
      target_vector(parameter("target_vector", begin(heads, width, dtype))),
      source_vector(parameter("source_vector", begin(heads, width, dtype))) {}

Tensor StaticGraphScore::operator()(const Tensor& query, const Tensor& keys, const Tensor&) const {
  const Scope scope(*this);
  const Tensor e = unsqueeze(along(query, target_vector), -1) +  //
                   unsqueeze(along(keys, source_vector), -2);
  return forwarded(leaky_relu(e, slope_));
}

Tensor StaticGraphScore::of_edges(const Tensor& target, const Tensor& source, const Tensor& targets,
                                  const Tensor& sources) const {
  const Scope scope(*this);
  const Tensor of_targets = of_nodes(target, target_vector);  // [N, H]
  const Tensor of_sources = of_nodes(source, source_vector);
  return forwarded(leaky_relu(
      index_select(of_targets, 0, targets) + index_select(of_sources, 0, sources), slope_));
}

DynamicGraphScore::DynamicGraphScore(Index heads, Index width, double slope, DType dtype)
    : GraphScore(slope), score_vector(parameter("score_vector", begin(heads, width, dtype))) {}

Tensor DynamicGraphScore::operator()(const Tensor& query, const Tensor& keys, const Tensor&) const {
  const Scope scope(*this);
  const Tensor both = leaky_relu(unsqueeze(query, -2) + unsqueeze(keys, -3), slope_);
  return forwarded(sum(both * unsqueeze(unsqueeze(score_vector, 1), 1), {-1}));
}

Tensor DynamicGraphScore::of_edges(const Tensor& target, const Tensor& source,
                                   const Tensor& targets, const Tensor& sources) const {
  const Scope scope(*this);
  const Tensor both =
      leaky_relu(index_select(target, 0, targets) + index_select(source, 0, sources), slope_);
  return forwarded(sum(both * score_vector, {-1}));
}

}  // namespace heed::attention
