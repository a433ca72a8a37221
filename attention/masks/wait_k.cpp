#include "wait_k.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"

namespace heed::attention {
namespace {

const WaitKOptions& checked(const WaitKOptions& o) {
  if (o.wait > 0 && o.catch_up >= 0 && o.first >= 0) return o;
  throw ValueError(
      fmt::format("wait_k: wait {} must be positive, catch_up {} and first {} not negative", o.wait,
                  o.catch_up, o.first));
}

// As large as places that are added to them still fit: what waits so long sees every key, however
// it catches up.
WaitKOptions within_places(WaitKOptions o) {
  constexpr Index kMost = Index{1} << 61;
  o.wait = std::min(o.wait, 2 * kMost);
  o.first = std::min(o.first, kMost);
  return o;
}

// Of places of queries and keys, one by one, as intervals, or followed.
template <class Number>
auto seen(const WaitKOptions& o, const Number& written, const Number& key) {
  const Number read = written + Number(o.wait);
  return o.catch_up == 0 ? key < read : key < read - (written + Number(1)) / Number(o.catch_up);
}

class WaitKRule final : public TileRule, public FollowedRule {
 public:
  explicit WaitKRule(const WaitKOptions& options) : o_(within_places(options)) {}

  bool by_matrix() const override { return false; }
  Seen over(const ScoresAt& at, KeyRange q, KeyRange k) const override {
    const Index shift = written_at(at, 0);
    const Truth truth =
        seen(o_, Interval(q.begin + shift, q.end - 1 + shift), Interval(k.begin, k.end - 1));
    if (!truth.may_fail) return Seen::all;
    return truth.may_hold ? Seen::some : Seen::none;
  }
  void row(const ScoresAt& at, Index q, KeyRange keys, bool* may) const override {
    const Index written = written_at(at, q);
    for (Index k = keys.begin; k < keys.end; ++k) may[k - keys.begin] = seen(o_, written, k);
  }
  Tensor followed(const FollowedAt& at) const override {
    const FollowedPlaces begin(narrow(at.q.value, 0, 0, 1));
    return FollowedTruths(seen(o_, at.q - begin + FollowedPlaces(o_.first), at.k)).value;
  }

 private:
  // Words written before the query at place q, which is i + K - Q.
  Index written_at(const ScoresAt& at, Index q) const {
    const Shape& shape = *at.scores;
    return q + shape[shape.rank() - 2] - shape[shape.rank() - 1] + o_.first;
  }
  WaitKOptions o_;
};

}  // namespace

Index wait_k_reads(const WaitKOptions& options, Index written) {
  const WaitKOptions& o = checked(options);
  if (written < 0) return written + o.wait - (o.catch_up == 0 ? 0 : (written + 1) / o.catch_up);
  // Unsigned, whose double range holds the sum.
  const auto sum = static_cast<std::uint64_t>(written) + static_cast<std::uint64_t>(o.wait);
  const std::uint64_t next = static_cast<std::uint64_t>(written) + 1;
  const std::uint64_t reads =
      o.catch_up == 0 ? sum : sum - next / static_cast<std::uint64_t>(o.catch_up);
  constexpr Index kMost = std::numeric_limits<Index>::max();
  return static_cast<Index>(std::min(reads, static_cast<std::uint64_t>(kMost)));
}

Mask masks::wait_k(const WaitKOptions& options) {
  return Mask::of(std::make_shared<WaitKRule>(checked(options)));
}

}  // namespace heed::attention
