#include "multi_step.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/index.h"
#include "../../core/error.h"
#include "named.h"

namespace heed::attention {
namespace {

Index checked(Index hidden, Index width) {
  if (hidden > 0 && width > 0) return hidden;
  throw ValueError(
      fmt::format("multi_step: hidden {} and width {} must be positive", hidden, width));
}

}  // namespace

void MultiStepSource::reorder(const Tensor& rows) {
  keys = index_select(keys, 0, rows);
  values = index_select(values, 0, rows);
  if (lengths.empty()) return;
  std::vector<Index> picked;
  for (const Index row : rows.array().to_vector<Index>()) {
    picked.push_back(lengths[static_cast<std::size_t>(row)]);
  }
  lengths = picked;
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

Attended MultiStepAttention::operator()(const Tensor& h, const Tensor& g,
                                        const MultiStepSource& source, bool need_weights) const {
  static const Dot dot;
  check_batch("multi_step", "h", h);
  check_batch("multi_step", "g", g);
  check_rows("multi_step", "h", h, hidden_, query_projection.bias.dtype());
  check_rows("multi_step", "g", g, width_, query_projection.bias.dtype());
  const Index K = source.keys.size(1);
  Mask mask;
  if (!source.lengths.empty()) mask = Mask::lengths(source.lengths, K);
  Attended seen = named("multi_step", [&] {
    return attend(query_projection(h) + g, source.keys, source.values,
                  {.score = &dot, .mask = mask, .need_weights = need_weights});
  });
  Tensor context = seen.context;
  if (scale_) {
    std::vector<double> roots;
    for (const Index m : source.lengths) roots.push_back(std::sqrt(static_cast<double>(m)));
    const auto rows = static_cast<Index>(roots.size());
    context = roots.empty() ? context * std::sqrt(static_cast<double>(K))
                            : context * tensor(roots, Shape{rows, 1, 1}, context.dtype());
  }
  if (context_projection != nullptr) context = (*context_projection)(context);
  return {forwarded(h + context), seen.weights};
}

}  // namespace heed::attention
