#include "chosen.h"

#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/in_place.h"
#include "ops/index/mask_index.h"
#include "ops/shape/shape.h"

namespace heed {

Chosen::Chosen(IndexedPlaces at)
    : Tensor(at.places.empty() ? at.of : at.back(heed::index(at.of, at.places))),
      at_(std::move(at)) {}
Chosen::Chosen(const Tensor& from, const Tensor& places) : Chosen(IndexedPlaces{from, {places}}) {}
Chosen::Chosen(const Tensor& x, const std::vector<IndexEntry>& entries)
    : Chosen(indexed_places(x, entries)) {}

void Chosen::operator=(const Tensor& y) && {
  if (is_view()) {
    heed::copy_(at_.of, y);
    return;
  }
  // In the order of the result, where what is missing is broadcast.
  const Tensor values = at_.behind == 0 ? y : at_.front(heed::expand(y, shape()));
  heed::copy_(at_.of, heed::index_put(at_.of.detach(), at_.places, values));
}
void Chosen::operator=(Scalar y) && {
  if (is_view()) {
    heed::fill_(at_.of, y);
    return;
  }
  std::move(*this) = heed::full(Shape{}, y, at_.of.dtype());
}

void operator+=(Chosen&& x, const Tensor& y) {
  x.is_view() ? void(heed::add_(x, y)) : std::move(x) = x + y;
}
void operator-=(Chosen&& x, const Tensor& y) {
  x.is_view() ? void(heed::sub_(x, y)) : std::move(x) = x - y;
}
void operator*=(Chosen&& x, const Tensor& y) {
  x.is_view() ? void(heed::mul_(x, y)) : std::move(x) = x * y;
}
void operator/=(Chosen&& x, const Tensor& y) {
  x.is_view() ? void(heed::div_(x, y)) : std::move(x) = x / y;
}

}  // namespace heed
