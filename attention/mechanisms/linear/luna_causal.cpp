#include "luna_causal.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "luna_causal";

Index checked(Index length) {
  if (length > 0) return length;
  throw ValueError(fmt::format("{}: length {} must be positive", kName, length));
}

// [B, 1, T, 1]: of each step, how many there are up to it, 1 at least.
Tensor steps_so_far(const Tensor& x, PastSteps& past) {
  const Shape places{x.size(0), x.size(1)};
  const Tensor own = past.real().defined() ? heed::to(expand(past.real(), places), x.dtype())
                                           : ones(places, x.dtype());
  const Tensor before = past.take();
  const Tensor count = before.defined() ? cumsum(own, 1) + before : cumsum(own, 1);
  const Tensor all = sum(own, {1}, true);
  past.keep(before.defined() ? all + before : all);
  return unsqueeze(unsqueeze(maximum(count, 1), 1), -1);
}

}  // namespace

LunaCausal::LunaCausal(const LinearOptions& options, Index length)
    : FastWeightsAttention({.name = kName}, options),
      places(parameter("places", zeros(Shape{H(), checked(length), K()}, dtype()))),
      pack_proj(projection("pack_proj", H() * K())),
      q_proj(projection("q_proj", H() * K())),
      k_proj(projection("k_proj", H() * K())),
      v_proj(projection("v_proj", H() * V())),
      out_proj(projection("out_proj", H() * V(), E())) {
  nn::normal_(places, 0, 1);
}

FastWeightsAttention::Steps LunaCausal::steps(const Tensor& x, PastSteps& past) const {
  const double scale = 1 / std::sqrt(static_cast<double>(K()));
  const Tensor t = steps_so_far(x, past);
  const Tensor keys = split_heads(pack_proj(x));
  Tensor pack = softplus(matmul(keys, transpose(places, 1, 2)) * scale);  // A_pack^T, [B, H, T, l]
  if (past.real().defined()) pack = where(unsqueeze(unsqueeze(past.real(), 1), -1), pack, 0);
  const FastWeightsOutput scores = fast_weights(
      {.q = split_heads(q_proj(x)), .k = split_heads(k_proj(x)), .v = pack},
      x.size(1) > 1 ? LinearForm::chunked : LinearForm::recurrent, past.take(), options().chunk);
  past.keep(scores.state);
  const Tensor unpack = softmax(scores.y / t * scale, -1);
  return {{.q = unpack / t, .k = pack, .v = split_heads(v_proj(x))}};
}

Tensor LunaCausal::output(const Tensor& y, const Tensor&, const Tensor&) const {
  return out_proj(join_heads(y));
}

}  // namespace heed::attention
