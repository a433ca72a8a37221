#include "pooling.h"

#include <fmt/format.h>

#include <limits>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/packed/segment.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../score.h"

namespace heed::attention {
namespace {

// Which places may be attended to, bool broadcasting to [B, T]; undefined: all.
Tensor checked(const char* op, const Tensor& values, const Mask& mask) {
  check_defined(op, values, "values");
  check_floating(op, values.dtype());
  if (values.rank() != 3) {
    throw ShapeError(fmt::format("{}: values must be [B, T, E], not {}", op, describe(values)));
  }
  return mask.tensor(Shape{values.size(0), values.size(1)}, op);
}

void check_packed(const char* op, const Packed& values) {
  check_offsets(op, values.offsets, values.tokens);
  check_floating(op, values.tokens.dtype());
  if (values.tokens.rank() != 2) {
    throw ShapeError(fmt::format("{}: tokens must be [N, E], not {}", op, describe(values.tokens)));
  }
}

// bool [B, T, 1]
Tensor by_place(const Tensor& values, const Tensor& allowed) {
  return unsqueeze(expand(allowed, Shape{values.size(0), values.size(1)}), 2);
}

// `value` in the places that are masked: no NaN that stands there is ever multiplied.
Tensor hidden(const Tensor& values, const Tensor& allowed, double value) {
  if (!allowed.defined()) return values;
  return masked_fill(values, logical_not(by_place(values, allowed)), value);
}

Index checked_width(Index width, Index hidden) {
  if (width <= 0 || hidden < 0) {
    throw ValueError(fmt::format(
        "AttentionPooling: width {} must be positive, hidden {} not negative", width, hidden));
  }
  return hidden == 0 ? width : hidden;
}

}  // namespace

AttentionPooling::AttentionPooling(Index width, Index hidden, DType dtype)
    : projection(child<nn::Linear>("projection", width, checked_width(width, hidden), true, dtype)),
      context_vector(
          parameter("context_vector", zeros(Shape{checked_width(width, hidden)}, dtype))) {
  nn::normal_(context_vector, 0, 0.1);
}

Attended AttentionPooling::operator()(const Tensor& values, const Mask& mask,
                                      bool need_weights) const {
  const Scope scope(*this);
  const Tensor allowed = checked("pooling", values, mask);
  check_rows("pooling", "values", values, projection.weight.size(1), context_vector.dtype());
  const Tensor seen = hidden(values, allowed, 0);                        // [B, T, E]
  const Tensor scores = matmul(tanh(projection(seen)), context_vector);  // [B, T]
  const Tensor weights = softmax(scores, 1, allowed);
  const Tensor context = squeeze(matmul(unsqueeze(weights, 1), seen), 1);  // [B, E]
  return {forwarded(context), need_weights ? weights : Tensor()};
}

Attended AttentionPooling::operator()(const Packed& values, bool need_weights) const {
  const Scope scope(*this);
  const auto& [tokens, offsets] = values;
  check_packed("pooling", values);
  check_rows("pooling", "values", tokens, projection.weight.size(1), context_vector.dtype());
  const Tensor scores = matmul(tanh(projection(tokens)), context_vector);         // [N]
  const Tensor weights = segment_softmax({scores, offsets});                      // [N]
  const Tensor context = segment_sum({unsqueeze(weights, 1) * tokens, offsets});  // [B, E]
  return {forwarded(context), need_weights ? weights : Tensor()};
}

Tensor average_pooling(const Tensor& values, const Mask& mask) {
  const Tensor allowed = checked("average_pooling", values, mask);
  if (!allowed.defined()) return values.numel() == 0 ? sum(values, {1}) : mean(values, {1});
  const Tensor counts = sum(to(by_place(values, allowed), values.dtype()), {1});  // [B, 1]
  return sum(hidden(values, allowed, 0), {1}) / maximum(counts, tensor(1, values.dtype()));
}

Tensor average_pooling(const Packed& values) {
  check_packed("average_pooling", values);
  return segment_mean(values);
}

Tensor max_pooling(const Tensor& values, const Mask& mask) {
  const Tensor allowed = checked("max_pooling", values, mask);
  if (values.numel() == 0) return sum(values, {1});
  if (!allowed.defined()) return amax(values, {1});
  const Tensor top = amax(hidden(values, allowed, -std::numeric_limits<double>::infinity()), {1});
  const Tensor any =
      amax(to(by_place(values, allowed), values.dtype()), {1}) > tensor(0, values.dtype());
  return where(any, top, tensor(0, values.dtype()));
}

Tensor max_pooling(const Packed& values) {
  check_packed("max_pooling", values);
  return segment_max(values);
}

}  // namespace heed::attention
