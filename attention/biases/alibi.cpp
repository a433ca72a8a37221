#include "alibi.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/check_defined.h"
#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"

namespace heed::attention {
namespace {

Tensor slopes_of(Index heads, DType dtype) {
  if (heads <= 0) throw ValueError(fmt::format("alibi: heads {} must be positive", heads));
  Index power = 1;
  Array::empty({heads}, DType::f64);  // what no memory holds is refused before the first is made
  while (power <= heads / 2) power *= 2;
  std::vector<double> slopes;
  for (Index h = 1; h <= power; ++h) {
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(power)));
  }
  for (Index h = 1; static_cast<Index>(slopes.size()) < heads; h += 2) {
    slopes.push_back(std::exp2(-4.0 * static_cast<double>(h) / static_cast<double>(power)));
  }
  return tensor(slopes, Shape{heads}, dtype);
}

Tensor checked_slopes(const Tensor& slopes) {
  check_defined("alibi", slopes, "slopes");
  check_floating("alibi", slopes.dtype());
  if (slopes.rank() == 1) return slopes;
  throw ShapeError("alibi: slopes must be [H], not " + describe(slopes));
}

}  // namespace

Alibi::Alibi(Index heads, DType dtype) : slopes(buffer("slopes", slopes_of(heads, dtype))) {}

Alibi::Alibi(const Tensor& given)
    : slopes(checked_slopes(given).requires_grad() ? parameter("slopes", given)
                                                   : buffer("slopes", given)) {}

Tensor Alibi::by_offset(Index least, Index count) const {
  return unsqueeze(slopes, 1) * -abs(arange(least, least + count, 1, slopes.dtype()));
}

}  // namespace heed::attention
