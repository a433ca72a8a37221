#include "followed.h"

#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/elementwise/rounding.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"

namespace heed::attention {
namespace {

using Places = FollowedPlaces;
using Truths = FollowedTruths;

// Numbers 0 .. of some axes together, with `behind` axes of one place after them.
Places numbered(const Shape& scores, Index first, Index end, Index behind) {
  Shape shape(scores.begin() + first, end - first);
  const Tensor all = arange(shape.numel());
  for (Index i = 0; i < behind; ++i) shape.push_back(1);
  return Places(reshape(all, shape));
}

}  // namespace

FollowedPlaces::FollowedPlaces(Index number) : value(tensor(number)) {}
FollowedTruths::FollowedTruths(bool holds) : value(tensor(holds)) {}

Places operator+(const Places& a, const Places& b) { return Places(a.value + b.value); }
Places operator-(const Places& a, const Places& b) { return Places(a.value - b.value); }
Places operator*(const Places& a, const Places& b) { return Places(a.value * b.value); }
Places operator-(const Places& a) { return Places(-a.value); }
// Rounded down: in f64, which has every place that there is. By 0 it is 0, as Place's.
Places operator/(const Places& a, const Places& b) {
  const auto rounded = [&](const Tensor& by) {
    return to(floor(to(a.value, DType::f64) / to(by, DType::f64)), DType::i64);
  };
  // By a number that is not 0 the graph needs no more.
  if (b.value.rank() == 0 && b.value.array().data<Index>()[0] != 0) return Places(rounded(b.value));
  const Tensor none = b.value == 0;
  return Places(masked_fill(rounded(masked_fill(b.value, none, 1)), none, 0));
}
Places operator%(const Places& a, const Places& b) { return a - a / b * b; }
Places abs(const Places& a) { return Places(heed::abs(a.value)); }
Places min(const Places& a, const Places& b) { return Places(minimum(a.value, b.value)); }
Places max(const Places& a, const Places& b) { return Places(maximum(a.value, b.value)); }

Truths operator==(const Places& a, const Places& b) { return Truths(a.value == b.value); }
Truths operator!=(const Places& a, const Places& b) { return Truths(a.value != b.value); }
Truths operator<(const Places& a, const Places& b) { return Truths(a.value < b.value); }
Truths operator<=(const Places& a, const Places& b) { return Truths(a.value <= b.value); }
Truths operator>(const Places& a, const Places& b) { return Truths(a.value > b.value); }
Truths operator>=(const Places& a, const Places& b) { return Truths(a.value >= b.value); }

Truths operator!(const Truths& a) { return Truths(logical_not(a.value)); }
Truths operator&&(const Truths& a, const Truths& b) {
  return Truths(logical_and(a.value, b.value));
}
Truths operator||(const Truths& a, const Truths& b) { return Truths(logical_or(a.value, b.value)); }
Truths operator&(const Truths& a, const Truths& b) { return a && b; }
Truths operator|(const Truths& a, const Truths& b) { return a || b; }
Truths operator==(const Truths& a, const Truths& b) { return !(a != b); }
Truths operator!=(const Truths& a, const Truths& b) {
  return Truths(logical_xor(a.value, b.value));
}

FollowedAt::FollowedAt(const Shape& of) : scores(of), asked(of), q(0), k(0), batch(0), head(0) {
  const Index rank = of.rank(), Q = of[rank - 2], K = of[rank - 1];
  q = Places(unsqueeze(arange(Q) + (K - Q), 1));
  k = Places(arange(K));
  if (rank > 2) batch = numbered(of, 0, 1, rank - 1);
  if (rank > 3) head = numbered(of, 1, rank - 2, 2);
}

namespace detail {

Places look_up(const Array& numbers, const std::vector<Places>& places, const Places& batch) {
  std::vector<Places> all;
  if (static_cast<Index>(places.size()) + 1 == numbers.rank()) {
    all.push_back(numbers.size(0) == 1 ? Places(0) : batch);
  }
  all.insert(all.end(), places.begin(), places.end());
  Places flat(0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Index size = numbers.size(static_cast<Index>(i));
    flat = flat * Places(size) + max(min(all[i], Places(size - 1)), Places(0));
  }
  return Places(embedding(reshape(Tensor(numbers), Shape{numbers.numel()}), flat.value));
}

void throw_not_followed() {
  throw ValueError(
      "mask: a rule of single places cannot be followed for any number of them: write its lambda "
      "of "
      "(auto q, auto k, ..)");
}

}  // namespace detail
}  // namespace heed::attention
