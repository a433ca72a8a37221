#include "hierarchical.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../score.h"

namespace heed::attention {

Tensor grouped_rows(const Tensor& rows, const std::vector<Index>& counts) {
  if (rows.rank() != 2) {
    throw ShapeError("hierarchical: rows must be [n, E], not " + describe(rows));
  }
  const Index n = rows.size(0);
  Index longest = 0, left = n;
  for (const Index count : counts) {
    if (count < 0 || count > left) {
      throw ShapeError(
          fmt::format("hierarchical: a count of {} where {} of {} rows are left", count, left, n));
    }
    longest = std::max(longest, count);
    left -= count;
  }
  if (left != 0) {
    throw ShapeError(fmt::format("hierarchical: counts leave {} of {} rows over", left, n));
  }
  const auto groups = static_cast<Index>(counts.size());
  std::vector<Index> places;  // n: the row of zeros
  Index next = 0;
  for (const Index count : counts) {
    for (Index t = 0; t < longest; ++t) places.push_back(t < count ? next + t : n);
    next += count;
  }
  const Tensor padded = concat({rows, zeros({1, rows.size(1)}, rows.dtype())});
  return reshape(index_select(padded, 0, Tensor(Array::from(places))),
                 Shape{groups, longest, rows.size(1)});
}

Hierarchical::Hierarchical(const std::vector<HierarchicalLevel>& all, DType dtype)
    : encoders_(all), levels(child<nn::ModuleListOf<AttentionPooling>>("levels")) {
  if (all.empty()) throw ValueError("hierarchical: there must be one level at least");
  for (const HierarchicalLevel& level : all) {
    if (level.width <= 0 || level.hidden < 0) {
      throw ValueError(
          fmt::format("hierarchical: width {} must be positive, hidden {} not negative",
                      level.width, level.hidden));
    }
    if (!level.pool) levels.add(level.width, level.hidden, dtype);
  }
}

HierarchicalOutput Hierarchical::operator()(const Tensor& x,
                                            const std::vector<std::vector<Index>>& counts,
                                            bool need_weights) const {
  const Scope scope(*this);
  check_batch("hierarchical", "x", x);
  if (counts.size() != encoders_.size()) {
    throw ShapeError(
        fmt::format("hierarchical: counts of {} levels for {}", counts.size(), encoders_.size()));
  }
  for (const HierarchicalLevel& level : encoders_) {
    if (level.pool) throw ValueError("hierarchical: a level's own pool needs packed batches");
  }
  HierarchicalOutput out;
  std::size_t l = 0;
  for (const AttentionPooling& pooling : levels) {
    Tensor sequence = l == 0 ? x : grouped_rows(out.context, counts[l]);
    const Index n = sequence.size(0), T = sequence.size(1);
    if (static_cast<Index>(counts[l].size()) != n) {
      throw ShapeError(
          fmt::format("hierarchical: {} lengths for {} rows of x", counts[l].size(), n));
    }
    const Mask mask = Mask::lengths(counts[l], T);
    const Tensor real = mask.tensor(Shape{n, T}, "hierarchical");
    sequence = where(unsqueeze(real, -1), sequence, 0);
    const HierarchicalLevel& level = encoders_[l];
    const Tensor encoded = named("hierarchical", [&] {
      return level.encode ? level.encode(sequence, counts[l]) : sequence;
    });
    if (encoded.rank() != 3 || encoded.size(0) != n || encoded.size(1) != T ||
        encoded.size(2) != encoders_[l].width) {
      throw ShapeError(fmt::format("hierarchical: level {} must encode to [{}, {}, {}], not {}", l,
                                   n, T, encoders_[l].width, describe(encoded)));
    }
    const Attended pooled = pooling(encoded, mask, need_weights);
    out.context = pooled.context;
    if (need_weights) out.weights.push_back(pooled.weights);
    ++l;
  }
  out.context = forwarded(out.context);
  return out;
}

HierarchicalOutput Hierarchical::operator()(const Packed& x,
                                            const std::vector<std::vector<Index>>& above,
                                            bool need_weights) const {
  const Scope scope(*this);
  if (above.size() + 1 != encoders_.size()) {
    throw ShapeError(fmt::format("hierarchical: counts of {} levels above the first for {}",
                                 above.size(), encoders_.size()));
  }
  HierarchicalOutput out;
  auto attention = levels.begin();
  for (std::size_t l = 0; l < encoders_.size(); ++l) {
    const Packed level = l == 0 ? x : Packed{out.context, offsets_of(above[l - 1])};
    check_offsets("hierarchical", level.offsets, level.tokens);
    const auto& encode = encoders_[l].encode_packed;
    if (!encode && encoders_[l].encode) {
      throw ValueError(
          fmt::format("hierarchical: level {} has no encode_packed for packed batches", l));
    }
    const Packed encoded{
        named("hierarchical", [&] { return encode ? encode(level) : level.tokens; }),
        level.offsets};
    if (encoded.tokens.rank() != 2 || encoded.tokens.size(0) != level.tokens.size(0) ||
        encoded.tokens.size(1) != encoders_[l].width) {
      throw ShapeError(fmt::format("hierarchical: level {} must encode to [{}, {}], not {}", l,
                                   level.tokens.size(0), encoders_[l].width,
                                   describe(encoded.tokens)));
    }
    Attended pooled;
    if (encoders_[l].pool) {
      pooled.context = encoders_[l].pool(encoded);
    } else {
      pooled = (*attention)(encoded, need_weights);
      ++attention;
    }
    out.context = pooled.context;
    if (need_weights) out.weights.push_back(pooled.weights);
  }
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
