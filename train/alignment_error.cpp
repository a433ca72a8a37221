#include "alignment_error.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "../autograd/ops/reduce/reduce.h"
#include "../core/error.h"

namespace heed::train {

Links strongest_links(const Tensor& weights, Index targets, Index sources) {
  const auto fits = [&] { return weights.size(0) >= targets && weights.size(1) >= sources; };
  if (!weights.defined() || weights.rank() != 2 || targets < 0 || !fits()) {
    throw ShapeError(
        fmt::format("strongest_links: weights must be [T, K] with T >= {} and K >= {}: came {}",
                    targets, sources, describe(weights)));
  }
  if (sources < 1) throw ValueError("strongest_links: there are no source words");
  Links links;
  if (targets == 0) return links;
  const Array words = weights.array().slice(0, 0, targets).slice(1, 0, sources);
  const std::vector<Index> strongest = argmax(Tensor(words), 1).array().to_vector<Index>();
  for (Index target = 0; target < targets; ++target) {
    links.emplace_back(strongest[static_cast<std::size_t>(target)], target);
  }
  return links;
}

void AlignmentError::add(const Links& found, const Links& sure, const Links& possible) {
  using Set = std::set<std::pair<Index, Index>>;
  const Set found_set(found.begin(), found.end()), sure_set(sure.begin(), sure.end());
  const Set possible_set(possible.begin(), possible.end());
  for (const auto& link : found_set) {
    if (sure_set.contains(link)) {
      right_ += 2;
    } else if (possible_set.contains(link)) {
      right_ += 1;
    }
  }
  links_ += static_cast<Index>(found_set.size() + sure_set.size());
}

double AlignmentError::rate() const {
  if (links_ == 0) return std::numeric_limits<double>::quiet_NaN();
  return 1 - static_cast<double>(right_) / static_cast<double>(links_);
}

}  // namespace heed::train
