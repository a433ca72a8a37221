#include "bi_directional.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "bi_directional";

Tensor begin(Index width, DType dtype) {
  if (width <= 0) throw ValueError(fmt::format("{}: width {} must be positive", kOp, width));
  const double bound = 1 / std::sqrt(3 * static_cast<double>(width));
  return default_generator().uniform({3, width}, -bound, bound, dtype);
}

}  // namespace

Trilinear::Trilinear(Index width, DType dtype) : weight(parameter("weight", begin(width, dtype))) {}

Tensor Trilinear::operator()(const Tensor& query, const Tensor& keys, const Tensor&) const {
  const Scope scope(*this);
  check_rows(kOp, "query", query, weight.size(1), weight.dtype());
  check_rows(kOp, "keys", keys, weight.size(1), weight.dtype());
  scores_shape(kOp, query, keys);
  const auto part = [&](Index i) { return select(weight, 0, i); };
  const Tensor of_query = unsqueeze(matmul(query, part(0)), -1);
  const Tensor of_keys = unsqueeze(matmul(keys, part(1)), -2);
  return forwarded(of_query + of_keys + matmul(query * part(2), transpose(keys, -2, -1)));
}

BiDirectional::BiDirectional(Index width, DType dtype)
    : score(child<Trilinear>("score", width, dtype)) {}

BiDirectionalOutput BiDirectional::operator()(const Tensor& context, const Tensor& query,
                                              const Mask& context_mask, const Mask& query_mask,
                                              bool need_weights) const {
  const Scope scope(*this);
  const Index width = score.weight.size(1);
  const DType dtype = score.weight.dtype();
  const auto h = masked_sequence(kOp, "context", context, width, dtype, context_mask);
  const auto u = masked_sequence(kOp, "query", query, width, dtype, query_mask);
  check_rows_of_batch(kOp, "query", query, context.size(0));
  const Tensor S = score(h.x, u.x);  // [B, T, J]
  const Tensor words = u.real.defined() ? unsqueeze(u.real, 1) : u.real;
  const Tensor a = softmax(S, -1, words);
  const Tensor heard = matmul(a, u.x);

  // The best of each row; a query without a word cares for none.
  const bool asks = query.size(1) > 0;
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  Tensor b = zeros({context.size(0), context.size(1)}, dtype);
  if (asks && S.numel() > 0) {
    const Tensor best = amax(words.defined() ? where(words, S, kNone) : S, {-1});  // [B, T]
    Tensor cares = h.real;
    if (u.real.defined()) {
      const Tensor any_word = expand(any(u.real, {1}, true), best.shape());
      cares = cares.defined() ? logical_and(cares, any_word) : any_word;
    }
    b = softmax(cares.defined() ? where(cares, best, 0) : best, -1, cares);
  }
  const Tensor seen = matmul(unsqueeze(b, 1), h.x);  // [B, 1, d]
  BiDirectionalOutput out;
  out.context = forwarded(concat({h.x, heard, h.x * heard, h.x * seen}, -1));
  if (need_weights) out.weights = a, out.of_context = b;
  return out;
}

}  // namespace heed::attention
