#include "stacked.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "stacked_attention";

const StackedOptions& checked(const StackedOptions& o) {
  if (o.width > 0 && o.hidden > 0 && o.hops > 0) return o;
  throw ValueError(fmt::format("{}: width {}, hidden {} and hops {} must be positive", kOp, o.width,
                               o.hidden, o.hops));
}

}  // namespace

StackedAttention::StackedAttention(const StackedOptions& o)
    : hops(child<nn::ModuleListOf<Additive>>("hops")), width_(checked(o).width) {
  for (Index hop = 0; hop < o.hops; ++hop) hops.add(o.width, o.width, o.hidden, true, o.dtype);
}

StackedOutput StackedAttention::operator()(const Tensor& query, const Tensor& image,
                                           const Mask& image_mask, bool need_weights) const {
  const Scope scope(*this);
  const DType dtype = hops[0].score_vector.dtype();
  const MaskedSequence seen = masked_sequence(kOp, "image", image, width_, dtype, image_mask);
  check_defined(kOp, query, "query");
  const bool one = query.rank() == 2;
  if (!one && query.rank() != 3) {
    throw ShapeError(fmt::format("{}: query must be [B, {}] or [B, Q, {}], not {}", kOp, width_,
                                 width_, describe(query)));
  }
  Tensor u = one ? unsqueeze(query, 1) : query;
  check_rows(kOp, "query", u, width_, dtype);
  check_rows_of_batch(kOp, "query", u, image.size(0));
  Terms terms{.need_weights = need_weights};
  if (seen.real.defined()) terms.mask = Mask::key_padding(seen.real);
  StackedOutput out;
  for (const Additive& hop : hops) {
    const Attended look = named(kOp, [&] { return attend(hop, u, seen.x, seen.x, terms); });
    u = u + look.context;
    if (need_weights) out.weights.push_back(one ? squeeze(look.weights, 1) : look.weights);
  }
  out.context = forwarded(one ? squeeze(u, 1) : u);
  return out;
}

}  // namespace heed::attention
