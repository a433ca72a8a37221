#include "multi_dimensional.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../score.h"

namespace heed::attention {
namespace {

Index checked(const char* op, Index width, Index hidden) {
  if (width <= 0 || hidden < 0) {
    throw ValueError(
        fmt::format("{}: width {} must be positive, hidden {} not negative", op, width, hidden));
  }
  return hidden == 0 ? width : hidden;
}

}  // namespace

SourceToToken::SourceToToken(Index width, Index hidden, DType dtype)
    : projection(child<nn::Linear>("projection", width, checked("source_to_token", width, hidden),
                                   true, dtype)),
      out(child<nn::Linear>("out", hidden == 0 ? width : hidden, width, true, dtype)) {}

Attended SourceToToken::operator()(const Tensor& x, const Mask& mask, bool need_weights) const {
  const Scope scope(*this);
  check_batch("source_to_token", "x", x);
  check_rows("source_to_token", "x", x, out.weight.size(0), out.weight.dtype());
  const Shape places{x.size(0), x.size(1)};
  Tensor allowed = mask.tensor(places, "source_to_token");
  Tensor seen = x;
  if (allowed.defined()) {
    allowed = unsqueeze(expand(allowed, places), 2);  // [B, T, 1]
    seen = where(allowed, x, 0);
  }
  const Tensor weights = softmax(out(tanh(projection(seen))), 1, allowed);
  return {forwarded(sum(weights * seen, {1})), need_weights ? weights : Tensor()};
}

TokenToToken::TokenToToken(Index width, Index hidden, DType dtype)
    : score(child<FeatureWise>("score", width, width, checked("token_to_token", width, hidden),
                               width, dtype)) {}

Attended TokenToToken::operator()(const Tensor& x, const Mask& mask, bool need_weights) const {
  const Scope scope(*this);
  check_batch("token_to_token", "x", x);
  check_rows("token_to_token", "x", x, score.out.weight.size(0), score.out.weight.dtype());
  Attended out = named("token_to_token", [&] {
    return attend(score, x, x, x, {.mask = mask, .need_weights = need_weights});
  });
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
