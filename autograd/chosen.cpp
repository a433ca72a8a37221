#include "chosen.h"

#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/in_place.h"
#include "ops/index/mask_index.h"

namespace heed {

Chosen::Chosen(const Tensor& from, const Tensor& places)
    : Tensor(heed::index(from, std::vector<Tensor>{places})), from_(from), places_(places) {}

void Chosen::operator=(const Tensor& y) && {
  heed::copy_(from_, heed::index_put(from_.detach(), {places_}, y));
}
void Chosen::operator=(Scalar y) && { std::move(*this) = heed::full(Shape{}, y, from_.dtype()); }

void operator+=(Chosen&& x, const Tensor& y) { std::move(x) = x + y; }
void operator-=(Chosen&& x, const Tensor& y) { std::move(x) = x - y; }
void operator*=(Chosen&& x, const Tensor& y) { std::move(x) = x * y; }
void operator/=(Chosen&& x, const Tensor& y) { std::move(x) = x / y; }

}  // namespace heed
