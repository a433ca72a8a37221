#include "solve.h"

#include "../../../core/kernels/gemm/triangular.h"
#include "../../../core/precision.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../shape/shape.h"
#include "../shape/triangle.h"
#include "matmul.h"

namespace heed {
namespace {

// What a gradient of `a` may reach.
Tensor half(const Tensor& x, const TriangularOptions& options) {
  const Index off = options.unit ? 1 : 0;
  return options.upper ? triu(x, off) : tril(x, -off);
}

}  // namespace

// X = a^-1 b;  gb = a^-T g,  ga = -gb X^T in a's half
Tensor solve_triangular(const Tensor& a, const Tensor& b, const TriangularOptions& options) {
  check_defined("solve_triangular", a, "a", b, "b");
  const Array x = kernels::solve_triangular(a.array(), b.array(), options.upper, options.unit);
  say("upper", options.upper, "unit", options.unit);
  const TriangularOptions turned{.upper = !options.upper, .unit = options.unit};
  return record_joint(Op::solve_triangular, {x}, {a, b},
                      [a = Saved(a), x = SavedOutput(x), options, turned](
                          const Gradients& g, const std::vector<bool>& needs) {
                        const PrecisionScope scope(Precision::f32);
                        const Tensor gb = solve_triangular(transpose(a(), -2, -1), g[0], turned);
                        Tensor ga;
                        if (needs[0]) ga = -half(matmul(gb, transpose(x(), -2, -1)), options);
                        return Gradients{ga, gb};
                      })[0];
}

}  // namespace heed
