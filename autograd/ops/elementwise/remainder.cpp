#include "remainder.h"

#include "../../../core/kernels/elementwise/libm.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../shape/shape.h"
#include "elementwise.h"
#include "rounding.h"

namespace heed {

Tensor remainder(const Tensor& x, const Tensor& y) {
  check_defined("remainder", x, "x", y, "y");
  const Array out = kernels::libm(kernels::LibmOfTwo::remainder, x.array(), y.array());
  return record(
      Op::remainder, out, {x, y}, [](const Tensor& g) { return g; },
      // The floor is a constant, taken from the result so that it is the one that was used.
      [x = Saved(x), y = Saved(y), out = SavedOutput(out)](const Tensor& g) {
        const Tensor rest(out.array());
        return -(g * round((x().detach() - rest) / y().detach()));
      });
}

Tensor remainder(const Tensor& x, Scalar y) {
  check_defined("remainder", x, "x");
  const bool widens = !is_floating(x.dtype()) && y.dtype() == DType::f32;
  const Tensor wide = widens ? to(x, DType::f32) : x;
  return remainder(wide, full(Shape{}, y, wide.dtype()));
}

}  // namespace heed
