#include "decayed_scores.h"

#include <limits>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/triangle.h"

namespace heed::attention {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// bool [C, C]
Tensor places(Index C, Sight sight) {
  const Tensor all = ones(Shape{C, C}) > 0;
  return tril(all, sight == Sight::before ? -1 : 0);
}

Tensor products(const Tensor& q, const Tensor& k) { return matmul(q, transpose(k, -2, -1)); }

// Without decay, or with a number a step.
Tensor by_number(const Tensor& q, const Tensor& k, const Tensor& seen, const Tensor& g,
                 Sight sight) {
  const Tensor may = places(q.size(-2), sight);
  if (!g.defined()) return where(may, products(q, k), 0);
  return products(q, k) * exp(where(may, seen - transpose(g, -2, -1), kNever));
}

// x [.., C, K] -> its pairs of halves of h steps, [.., C / 2h, h, K] each.
struct Halves {
  Tensor earlier, later;
  Halves(const Tensor& x, Index h) {
    Shape shape(x.shape().begin(), x.rank() - 2);
    shape.push_back(x.size(-2) / (2 * h));
    shape.push_back(2 * h);
    shape.push_back(x.size(-1));
    const auto parts = split(reshape(x, shape), h, -2);
    earlier = parts[0];
    later = parts[1];
  }
};

}  // namespace

Tensor scores_by_definition(const Tensor& q, const Tensor& k, const Tensor& seen, const Tensor& g,
                            Sight sight) {
  if (!g.defined() || g.size(-1) == 1) return by_number(q, k, seen, g, sight);
  const Tensor may = unsqueeze(places(q.size(-2), sight), -1);  // [C, C, 1]
  const Tensor decay = exp(where(may, unsqueeze(seen, -2) - unsqueeze(g, -3), kNever));
  return sum(unsqueeze(q, -2) * unsqueeze(k, -3) * decay, {-1});
}

Tensor scores_by_halves(const Tensor& q, const Tensor& k, const Tensor& seen, const Tensor& g,
                        Sight sight) {
  if (!g.defined() || g.size(-1) == 1) return by_number(q, k, seen, g, sight);
  // Blocks on the diagonal, [.., C / h, h, h], from single steps on.
  Tensor blocks = sum(q * k, {-1});
  if (sight == Sight::before) blocks = zeros(blocks.shape(), q.dtype());
  blocks = unsqueeze(unsqueeze(blocks, -1), -1);
  for (Index h = 1; h < q.size(-2); h *= 2) {
    const Halves g_of(g, h);
    const Tensor middle = narrow(g_of.earlier, -2, h - 1, 1);
    const Tensor below = products(Halves(q, h).later * exp(Halves(seen, h).later - middle),
                                  Halves(k, h).earlier * exp(middle - g_of.earlier));
    const Tensor none = zeros(below.shape(), q.dtype());
    const Shape pairs = below.shape().with(below.rank() - 2, 2);
    const auto two = split(reshape(blocks, pairs), 1, -3);
    const Tensor top = concat({squeeze(two[0], -3), none}, -1);
    const Tensor bottom = concat({below, squeeze(two[1], -3)}, -1);
    blocks = concat({top, bottom}, -2);
  }
  return squeeze(blocks, -3);
}

}  // namespace heed::attention
