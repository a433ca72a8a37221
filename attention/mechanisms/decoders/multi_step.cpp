#include "multi_step.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/factories.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/traced.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

Index checked(Index hidden, Index width) {
  if (hidden > 0 && width > 0) return hidden;
  throw ValueError(
      fmt::format("multi_step: hidden {} and width {} must be positive", hidden, width));
}

}  // namespace

Memory MultiStepAttention::memory(const Tensor& z, const Tensor& values,
                                  const std::vector<Index>& lengths) {
  static const Dot dot;
  check_batch("multi_step", "z", z);
  return Memory(dot, z, values, lengths.empty() ? Mask() : Mask::lengths(lengths, z.size(1)));
}

MultiStepAttention::MultiStepAttention(Index hidden, Index width, bool scale, DType dtype,
                                       bool weight_norm)
    : query_projection(child<nn::WeightNormLinear>("query_projection", checked(hidden, width),
                                                   width, weight_norm, true, dtype)),
      context_projection(hidden == width
                             ? nullptr
                             : &child<nn::WeightNormLinear>("context_projection", width, hidden,
                                                            weight_norm, false, dtype)),
      hidden_(hidden),
      width_(width),
      scale_(scale) {}

Attended MultiStepAttention::operator()(const Tensor& h, const Tensor& g, const Memory& source,
                                        const Terms& terms) const {
  const Scope scope(*this);
  check_batch("multi_step", "h", h);
  check_batch("multi_step", "g", g);
  check_rows("multi_step", "h", h, hidden_, query_projection.bias.dtype());
  check_rows("multi_step", "g", g, width_, query_projection.bias.dtype());
  const Attended seen =
      named("multi_step", [&] { return source.attend(query_projection(h) + g, terms); });
  Tensor context = seen.context;
  if (scale_ && traced()) {  // by operators that can be followed
    const std::vector<Index>& known = source.mask().key_lengths();
    const Tensor lengths =
        known.empty() ? full(Shape{1}, source.keys().size(1)) : Tensor(Array::from(known));
    context = context * reshape(sqrt(heed::to(lengths, context.dtype())), {lengths.size(0), 1, 1});
  } else if (scale_) {
    std::vector<double> roots;
    for (const Index m : source.mask().key_lengths())
      roots.push_back(std::sqrt(static_cast<double>(m)));
    const auto rows = static_cast<Index>(roots.size());
    context = roots.empty() ? context * std::sqrt(static_cast<double>(source.keys().size(1)))
                            : context * tensor(roots, Shape{rows, 1, 1}, context.dtype());
  }
  if (context_projection != nullptr) context = (*context_projection)(context);
  return {forwarded(h + context), seen.weights};
}

}  // namespace heed::attention
