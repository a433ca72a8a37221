// What a rule of places is called with while it is traced (core/traced.h): tensors of places, so
// that it becomes operators on them, for any number of queries and keys, and not the places of one
// size. As Place and Interval: + - * / % abs min max, comparisons, && || and !.
#pragma once

#include <concepts>
#include <vector>

#include "../../autograd/tensor.h"

namespace heed::attention {

/// i64, broadcasting to the scores.
struct FollowedPlaces {
  Tensor value;

  FollowedPlaces(Index number);
  template <std::floating_point F>
  FollowedPlaces(F) = delete;
  explicit FollowedPlaces(Tensor places) : value(std::move(places)) {}
};

/// bool, broadcasting to the scores.
struct FollowedTruths {
  Tensor value;

  FollowedTruths(bool holds);
  explicit FollowedTruths(Tensor truths) : value(std::move(truths)) {}
};

FollowedPlaces operator+(const FollowedPlaces& a, const FollowedPlaces& b);
FollowedPlaces operator-(const FollowedPlaces& a, const FollowedPlaces& b);
FollowedPlaces operator*(const FollowedPlaces& a, const FollowedPlaces& b);
FollowedPlaces operator-(const FollowedPlaces& a);
FollowedPlaces operator/(const FollowedPlaces& a, const FollowedPlaces& b);
FollowedPlaces operator%(const FollowedPlaces& a, const FollowedPlaces& b);
FollowedPlaces abs(const FollowedPlaces& a);
FollowedPlaces min(const FollowedPlaces& a, const FollowedPlaces& b);
FollowedPlaces max(const FollowedPlaces& a, const FollowedPlaces& b);

FollowedTruths operator==(const FollowedPlaces& a, const FollowedPlaces& b);
FollowedTruths operator!=(const FollowedPlaces& a, const FollowedPlaces& b);
FollowedTruths operator<(const FollowedPlaces& a, const FollowedPlaces& b);
FollowedTruths operator<=(const FollowedPlaces& a, const FollowedPlaces& b);
FollowedTruths operator>(const FollowedPlaces& a, const FollowedPlaces& b);
FollowedTruths operator>=(const FollowedPlaces& a, const FollowedPlaces& b);

FollowedTruths operator!(const FollowedTruths& a);
FollowedTruths operator&&(const FollowedTruths& a, const FollowedTruths& b);
FollowedTruths operator||(const FollowedTruths& a, const FollowedTruths& b);
FollowedTruths operator&(const FollowedTruths& a, const FollowedTruths& b);
FollowedTruths operator|(const FollowedTruths& a, const FollowedTruths& b);
FollowedTruths operator==(const FollowedTruths& a, const FollowedTruths& b);
FollowedTruths operator!=(const FollowedTruths& a, const FollowedTruths& b);

/// Where a rule is asked: places of queries [Q, 1] and keys [K], numbers of batches and heads with
/// the axes of the scores, which are those the rule was made for, or `asked` where heads stand in
/// groups.
struct FollowedAt {
  explicit FollowedAt(const Shape& scores);
  Shape scores, asked;
  FollowedPlaces q, k, batch, head;
};

/// A rule that can be asked so.
class FollowedRule {
 public:
  /// bool, broadcasting to at.asked. Throws ValueError for one that cannot, after all.
  virtual Tensor followed(const FollowedAt& at) const = 0;

 protected:
  ~FollowedRule() = default;
};

namespace detail {
/// numbers[batch, places..] or numbers[places..]; i64. Beyond the ends: what stands there.
FollowedPlaces look_up(const Array& numbers, const std::vector<FollowedPlaces>& places,
                       const FollowedPlaces& batch);
[[noreturn]] void throw_not_followed();
}  // namespace detail

}  // namespace heed::attention
