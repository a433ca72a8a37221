#include "slot_attention.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "slot_attention";

SlotAttentionOptions checked(SlotAttentionOptions o) {
  if (o.input <= 0 || o.width <= 0 || o.hidden < 0 || o.times <= 0) {
    throw ValueError(
        fmt::format("{}: input {}, width {} and times {} must be positive, hidden {} not negative",
                    kOp, o.input, o.width, o.times, o.hidden));
  }
  if (o.hidden == 0) o.hidden = o.width;
  return o;
}

}  // namespace

SlotShares::SlotShares(double eps) : eps_(eps) {
  if (eps >= 0 && std::isfinite(eps)) return;
  throw ValueError(fmt::format("{}: eps {} must not be negative", kOp, eps));
}

Tensor SlotShares::operator()(const Tensor& scores, const Tensor& allowed, Index axis,
                              Tensor*) const {
  const Scope scope(*this);
  const Index keys = axis < 0 ? axis + scores.rank() : axis;
  const Tensor shared = softmax(scores, keys - 1, allowed);
  const Tensor total = sum(shared, {keys}, true) + eps_;
  return forwarded(shared / where(total == 0, 1, total));
}

SlotAttention::SlotAttention(const SlotAttentionOptions& o)
    : options_(checked(o)),
      mu(parameter("mu", zeros({o.width}, o.dtype))),
      log_sigma(parameter("log_sigma", zeros({o.width}, o.dtype))),
      input_norm(child<nn::LayerNorm>("input_norm", Shape{o.input}, 1e-5, true, o.dtype)),
      slot_norm(child<nn::LayerNorm>("slot_norm", Shape{o.width}, 1e-5, true, o.dtype)),
      mlp_norm(child<nn::LayerNorm>("mlp_norm", Shape{o.width}, 1e-5, true, o.dtype)),
      query_projection(child<nn::Linear>("query_projection", o.width, o.width, false, o.dtype)),
      key_projection(child<nn::Linear>("key_projection", o.input, o.width, false, o.dtype)),
      value_projection(child<nn::Linear>("value_projection", o.input, o.width, false, o.dtype)),
      cell(child<nn::GRUCell>("cell", o.width, o.width, true, o.dtype)),
      linear1(child<nn::Linear>("linear1", o.width, options_.hidden, true, o.dtype)),
      linear2(child<nn::Linear>("linear2", options_.hidden, o.width, true, o.dtype)),
      shares(child<SlotShares>("shares", o.eps)) {
  nn::normal_(mu, 0, 1 / std::sqrt(static_cast<double>(o.width)));
}

Attended SlotAttention::run(Tensor slots, const Tensor& given, const Mask& mask,
                            bool need_weights) const {
  const auto [x, real] = masked_sequence(kOp, "x", given, options_.input, mu.dtype(), mask);
  check_rows_of_batch(kOp, "x", x, slots.size(0));
  const Index B = slots.size(0), N = slots.size(1), D = options_.width;
  const Tensor inputs = input_norm(x);
  const Memory memory(key_projection(inputs), value_projection(inputs), of_places(real));
  Attended out;
  for (Index time = 0; time < options_.times; ++time) {
    const bool last = time + 1 == options_.times;
    out = memory.attend(query_projection(slot_norm(slots)),
                        {.normaliser = &shares, .need_weights = need_weights && last});
    const auto rows = [&](const Tensor& s) { return reshape(s, {B * N, D}); };
    slots = reshape(cell(rows(out.context), rows(slots)), {B, N, D});
    slots = slots + linear2(relu(linear1(mlp_norm(slots))));
  }
  out.context = slots;
  return out;
}

Attended SlotAttention::operator()(const Tensor& slots, const Tensor& x, const Mask& mask,
                                   bool need_weights) const {
  const Scope scope(*this);
  check_batch(kOp, "slots", slots);
  check_rows(kOp, "slots", slots, options_.width, mu.dtype());
  Attended out = run(slots, x, mask, need_weights);
  out.context = forwarded(out.context);
  return out;
}

Attended SlotAttention::operator()(Index count, const Tensor& x, const Mask& mask,
                                   bool need_weights, Generator& generator) const {
  const Scope scope(*this);
  if (count <= 0) throw ValueError(fmt::format("{}: {} slots must be positive", kOp, count));
  check_batch(kOp, "x", x);
  const Tensor noise(generator.normal({x.size(0), count, options_.width}, 0, 1, mu.dtype()));
  Attended out = run(mu + exp(log_sigma) * noise, x, mask, need_weights);
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
