#include "most_looked_at.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "../core/error.h"
#include "drawn_alignment.h"

namespace heed::train {

Alignment most_looked_at(const Alignment& alignment, Index count) {
  if (count <= 0) throw ValueError(fmt::format("most_looked_at: {} columns are none", count));
  const std::size_t columns = alignment.columns.size();
  const auto numbers =
      drawn_weights("most_looked_at", alignment.weights, alignment.rows.size(), columns);
  std::vector<double> sums(columns);
  for (std::size_t i = 0; i < numbers.size(); ++i) sums[i % columns] += numbers[i];
  std::vector<std::size_t> kept(columns);
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  std::stable_sort(kept.begin(), kept.end(),
                   [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
  kept.resize(std::min(columns, static_cast<std::size_t>(count)));
  std::sort(kept.begin(), kept.end());
  Alignment out{alignment.title, {}, alignment.rows, {}};
  std::vector<double> weights;
  for (const std::size_t i : kept) out.columns.push_back(alignment.columns[i]);
  for (std::size_t row = 0; row < out.rows.size(); ++row) {
    for (const std::size_t i : kept) weights.push_back(numbers[row * columns + i]);
  }
  out.weights = Array::from(weights).reshape(
      {static_cast<Index>(out.rows.size()), static_cast<Index>(kept.size())});
  return out;
}

Picture alignments_picture(const std::vector<Alignment>& alignments, Index columns) {
  std::vector<Picture> pictures;
  pictures.reserve(alignments.size());
  for (const Alignment& each : alignments) {
    pictures.push_back(alignment_picture(most_looked_at(each, columns)));
  }
  return stack(pictures);
}

bool write_alignments(const std::string& path, const std::vector<Alignment>& alignments,
                      Index columns) {
  if (alignments.empty()) return false;
  write_png(path, alignments_picture(alignments, columns));
  return true;
}

}  // namespace heed::train
