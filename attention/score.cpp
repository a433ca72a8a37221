#include "score.h"

#include <fmt/format.h>

#include <cmath>

#include "../autograd/check_defined.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/linalg/matmul.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/error.h"
#include "detail/checks.h"

namespace heed::attention {

std::optional<Score::Form> Score::form(const Tensor&, const Tensor&) const { return {}; }

Tensor Score::operator()(const Tensor& query, const Tensor& prepared, const Tensor&) const {
  const Scope scope(*this);
  const std::optional<Form> parts = form(query, prepared);
  if (!parts) throw ValueError("score: this one has neither a form() nor an operator() of its own");
  return forwarded(scores_of("score", *parts));
}

Tensor Score::among(const Tensor& query, const Tensor& prepared, const Tensor&,
                    const Tensor& past) const {
  return (*this)(query, prepared, past);
}

Tensor Score::remember(const Tensor&, const Tensor& weights) const { return weights; }

Tensor scores_of(const char* op, const Score::Form& form) {
  scores_shape(op, form.q, form.k);
  const auto scaled = [&](const Tensor& x) { return form.scale == 1 ? x : x * form.scale; };
  if (!form.vector.defined()) return matmul(scaled(form.q), transpose(form.k, -2, -1));
  const Tensor sum = unsqueeze(form.q, -2) + unsqueeze(form.k, -3);  // [.., Q, K, width]
  return matmul(tanh(sum), scaled(form.vector));
}

ScaledDot::ScaledDot(std::optional<double> scale) : scale_(scale) {
  if (scale && !std::isfinite(*scale)) {
    throw ValueError(fmt::format("scaled_dot: scale {} is not finite", *scale));
  }
}

std::optional<Score::Form> ScaledDot::form(const Tensor& query, const Tensor& keys) const {
  check_defined("scaled_dot", query, "query", keys, "keys");
  check_floating("scaled_dot", query.dtype());
  if (query.rank() == 0) throw ShapeError("scaled_dot: query must be [.., Q, d], not a number");
  check_rows("scaled_dot", "keys", keys, query.size(-1), query.dtype());
  scores_shape("scaled_dot", query, keys);
  const Index width = std::max<Index>(keys.size(-1), 1);
  return Form{query, keys, scale_.value_or(1 / std::sqrt(static_cast<double>(width)))};
}

}  // namespace heed::attention
