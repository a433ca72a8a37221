#include "sinkhorn.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "heads.h"
#include "linear_call.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "sinkhorn";

SinkhornOptions checked(SinkhornOptions o) {
  checked_heads(kName, o.width, o.heads);
  if (o.block <= 0 || o.max_blocks <= 0 || o.iterations <= 0 || o.hidden < 0) {
    throw ValueError(fmt::format(
        "{}: block {}, max_blocks {} and iterations {} must be positive, hidden {} not negative",
        kName, o.block, o.max_blocks, o.iterations, o.hidden));
  }
  if (o.hidden == 0) o.hidden = o.width;
  return o;
}

// x with the sums along an axis made 1, but where there is nothing.
Tensor normalised(const Tensor& x, Index axis) {
  const Tensor sums = sum(x, {axis}, true);
  return x / where(sums == 0, 1, sums);
}

// Rows and columns in turn, of blocks that are there: bool [B, n].
Tensor permutation(const Tensor& scores, const Tensor& there, Index iterations) {
  const Tensor pairs = logical_and(unsqueeze(there, -1), unsqueeze(there, -2));
  Tensor R = softmax(scores, -1, pairs);
  for (Index i = 0; i < iterations; ++i) R = normalised(normalised(R, -2), -1);
  return R;
}

}  // namespace

Sinkhorn::Sinkhorn(const SinkhornOptions& given)
    : options_(checked(given)),
      q_proj(child<nn::Linear>("q_proj", given.width, given.width, true, given.dtype)),
      k_proj(child<nn::Linear>("k_proj", given.width, given.width, true, given.dtype)),
      v_proj(child<nn::Linear>("v_proj", given.width, given.width, true, given.dtype)),
      out_proj(child<nn::Linear>("out_proj", given.width, given.width, true, given.dtype)),
      sort_hidden(
          child<nn::Linear>("sort_hidden", given.width, options_.hidden, true, given.dtype)),
      sort_out(
          child<nn::Linear>("sort_out", options_.hidden, given.max_blocks, true, given.dtype)) {}

Attended Sinkhorn::operator()(const Tensor& given, const Terms& terms, KeyValueCache* cache) const {
  const Scope scope(*this);
  refuse_cache(kName, cache);
  const DType dtype = q_proj.weight.dtype();
  const LinearCall call(kName, Looks::both, given, options_.width, dtype, terms);
  const Index B = given.size(0), T = given.size(1), H = options_.heads, S = options_.block;
  const Index n = (T + S - 1) / S, E = options_.width, D = E / H;
  if (n > options_.max_blocks) {
    throw ShapeError(fmt::format("{}: {} blocks are more than max_blocks {}: x is {}", kName, n,
                                 options_.max_blocks, describe(given)));
  }
  const Tensor x = pad(call.x(), {0, 0, 0, n * S - T});  // [B, n S, E]
  const Tensor steps = call.real().defined() ? call.real() : ones(Shape{B, T}) > 0;
  const Tensor real =
      reshape(pad(heed::to(steps, DType::f32), {0, n * S - T}) > 0.5, Shape{B, n, S});
  const Tensor there = any(real, {2});  // [B, n]
  const Tensor sums = sum(reshape(x, Shape{B, n, S, E}), {2});
  const Tensor scores = narrow(sort_out(relu(sort_hidden(sums))), -1, 0, n);
  const Tensor R = unsqueeze(permutation(scores, there, options_.iterations), 1);  // [B, 1, n, n]

  const auto blocks = [&](const nn::Linear& projection) {
    return reshape(split_heads(projection(x), H), Shape{B, H, n, S, D});
  };
  const Tensor is_key = reshape(real, Shape{B, 1, n, S, 1});
  const Tensor q = blocks(q_proj);
  const Tensor k = where(is_key, blocks(k_proj), 0), v = where(is_key, blocks(v_proj), 0);
  const auto sorted = [&](const Tensor& own) {
    return reshape(matmul(R, reshape(own, Shape{B, H, n, S * D})), own.shape());
  };
  const Tensor keys = concat({k, sorted(k)}, 3), values = concat({v, sorted(v)}, 3);
  const Shape of_block{B, 1, n, 1, S};
  const Tensor mixed = expand(reshape(any(real, {1}), Shape{B, 1, 1, 1, S}), of_block);
  const Tensor allowed = concat({reshape(real, of_block), mixed}, -1);  // [B, 1, n, 1, 2 S]
  const double scale = 1 / std::sqrt(static_cast<double>(D));
  const Tensor P = softmax(matmul(q, transpose(keys, 3, 4)) * scale, -1, allowed);
  const Tensor context = reshape(matmul(P, values), Shape{B, H, n * S, D});
  Attended out{narrow(out_proj(join_heads(context)), 1, 0, T)};
  if (call.need_weights()) {
    const auto parts = split(unsqueeze(P, 4), S, -1);  // [B, H, n, S, 1, S] twice
    const Tensor own = parts[0] * reshape(eye(n, dtype), Shape{n, 1, n, 1});
    const Tensor other = parts[1] * reshape(R, Shape{B, 1, n, 1, n, 1});
    const Tensor W = where(reshape(real, Shape{B, 1, 1, 1, n, S}), own + other, 0);
    out.weights = narrow(narrow(reshape(W, Shape{B, H, n * S, n * S}), 3, 0, T), 2, 0, T);
  }
  call.spread(out);
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
