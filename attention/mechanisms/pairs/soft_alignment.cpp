#include "soft_alignment.h"

#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

Attended look(const Aligned& asks, const Aligned& at, bool need_weights) {
  const Mask mask = of_places(at.real);
  Attended out = attend(Dot(), asks.compared, at.compared, at.seen,
                        {.mask = mask, .need_weights = need_weights});
  out.context = zero_elsewhere(out.context, asks.real);
  if (need_weights) out.weights = zero_elsewhere(out.weights, asks.real);
  return out;
}

}  // namespace

SoftAlignment soft_alignment(const Aligned& premise, const Aligned& hypothesis, bool need_weights) {
  return {look(premise, hypothesis, need_weights), look(hypothesis, premise, need_weights)};
}

}  // namespace heed::attention
