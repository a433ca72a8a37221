#include "spanning_trees.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/factories.h"
#include "../../../autograd/ops/elementwise/clamp.h"
#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/index/sort.h"
#include "../../../autograd/ops/linalg/inverse.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../core/traced.h"
#include "../../detail/masked_sequence.h"
#include "tree_elimination.h"

namespace heed::attention {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

void check(const Tensor& scores, const Tensor& roots) {
  check_defined("spanning_trees", scores, "scores", roots, "roots");
  check_floating("spanning_trees", scores.dtype());
  const bool square = scores.rank() >= 2 && scores.size(-1) == scores.size(-2);
  if (!square || roots.shape() != scores.shape().without(scores.rank() - 1)) {
    throw ShapeError(
        fmt::format("spanning_trees: scores must be [.., T, T] and roots [.., T], not {} and {}",
                    describe(scores), describe(roots)));
  }
  if (roots.dtype() != scores.dtype()) {
    throw DTypeError(fmt::format("spanning_trees: dtypes differ: scores are {}, roots are {}",
                                 describe(scores), describe(roots)));
  }
}

Tensor column(const Tensor& x) { return unsqueeze(x, -1); }
Tensor row(const Tensor& x) { return unsqueeze(x, -2); }
Tensor ones_where(const Tensor& flags, DType dtype) { return to(flags, dtype); }

// An inverse with larger numbers than this has lost digits that the marginals would need.
constexpr double kLossy = 1e4;
// A log score so far below the largest stands for -infinity.
constexpr double kFar = -1e15;

// By elimination, of log scores beside their rows' largest; numbers where `wanted` (bool [..]).
TreeMarginals eliminated(const Tensor& scores, const Tensor& roots, const Tensor& may,
                         const Tensor& wanted) {
  const Index T = roots.size(-1), N = roots.numel() / T;
  const auto flat = [&](const Tensor& x) { return reshape(x, {N, T}); };
  // Those who take part first.
  const Tensor behind = arange(T) - T * to(flat(may), DType::i64);
  const Tensor order = argsort(behind, 1), back = argsort(order, 1);  // [N, T]
  const auto turned = [](const Tensor& x, const Tensor& by) {
    return take_along(take_along(x, column(by), 1), row(by), 2);
  };
  const EliminatedTrees p =
      eliminate_trees(turned(reshape(scores, {N, T, T}), order), take_along(flat(roots), order, 1),
                      take_along(flat(may), order, 1));
  const Tensor none = logical_and(p.log_partition < kFar / 2, reshape(wanted, {N}));
  if (any(none).array().item() != 0) {
    throw ValueError("spanning_trees: the scores leave no tree a weight above 0");
  }
  return {reshape(turned(p.parents, back), scores.shape()),
          reshape(take_along(p.roots, back, 1), roots.shape()),
          reshape(p.log_partition, roots.shape().without(roots.rank() - 1))};
}

}  // namespace

// Each child's row is divided by its largest exponential, which the determinant alone notices.
// In f64 whatever comes: what an edge has is a difference, and a small one may be what is left.
TreeMarginals spanning_trees(const Tensor& given, const Tensor& given_roots,
                             const Tensor& allowed) {
  check(given, given_roots);
  constexpr DType dtype = DType::f64;
  const Tensor scores = to(given, dtype), roots = to(given_roots, dtype);
  const Index T = scores.size(-1);
  const Tensor may = expand(
      allowed.defined() ? allowed : Tensor(Array::full({1}, 1, DType::boolean)), roots.shape());
  if (scores.numel() == 0) return {given * 1, given_roots * 1, sum(given_roots, {-1})};
  const Tensor itself = unsqueeze(arange(T), 1) == arange(T), eye = to(itself, dtype);
  const Tensor edge = logical_and(logical_and(column(may), row(may)), logical_not(itself));
  const Tensor f = where(edge, scores, kNone), r = where(may, roots, kNone);

  const Tensor top = maximum(amax(f.detach(), {-1}), r.detach());  // [.., T]
  const Tensor shift = where(logical_and(may, top > kNone), top, 0);
  const Tensor E = where(edge, exp(f - column(shift)), 0);  // exp(f_ij) at (j, i)
  const Tensor R = where(may, exp(r - shift), 0);

  // The first token that takes part: where the roots stand in the Laplacian.
  const Tensor counted = cumsum(ones_where(may, dtype), -1);
  const Tensor first = logical_and(may, counted == tensor(1, dtype));
  const Tensor other = ones_where(logical_not(first), dtype);
  const Tensor laplacian = eye * column(sum(E, {-1})) - E;
  const Tensor rooted = where(row(first), column(R), laplacian);
  Tensor L = where(logical_and(column(may), row(may)), rooted, eye);
  Tensor log_det = logdet(L);
  // bool [..]: whose sums would be small differences of large numbers. They go another way, each by
  // itself; a graph that is traced takes this one whatever the numbers.
  Tensor lossy = traced() ? Tensor() : logical_not(isfinite(log_det));
  const auto some = [&] { return lossy.defined() && any(lossy).array().item() != 0; };
  const auto others = [&] { return some() ? where(column(column(lossy)), eye, L) : L; };
  Tensor inverted = inverse(others());  // (i, j) is [L^-1]_ji of the paper's
  if (lossy.defined()) {
    // The first token's row goes with R, which is as small as that is large.
    lossy = logical_or(lossy, amax(abs(inverted.detach() * column(other)), {-2, -1}) > kLossy);
    if (some()) L = others(), log_det = logdet(L), inverted = inverse(L);
  }

  const Tensor own = sum(inverted * eye, {-1}) * other;  // (j != 1) [L^-1]_jj
  Tensor parents = E * (column(own) - transpose(inverted, -2, -1) * row(other));
  Tensor of_roots = R * sum(inverted * column(ones_where(first, dtype)), {-2});
  if (some()) {
    const TreeMarginals p = eliminated(where(edge, clamp(f - column(shift), kFar), kFar),
                                       where(may, clamp(r - shift, kFar), kFar), may, lossy);
    parents = where(column(column(lossy)), where(edge, p.parents, 0), parents);
    of_roots = where(column(lossy), where(may, p.roots, 0), of_roots);
    log_det = where(lossy, p.log_partition, log_det);
  }
  const auto back = [&](const Tensor& x) { return to(x, given.dtype()); };
  return {back(clamp(parents, 0)), back(of_roots), back(log_det + sum(shift, {-1}))};
}

namespace {

const TreeAttentionOptions& checked(const TreeAttentionOptions& o) {
  if (o.width > 0 && o.hidden > 0) return o;
  throw ValueError(
      fmt::format("tree_attention: width {} and hidden {} must be positive", o.width, o.hidden));
}

// As a Linear's weight begins.
Tensor begin(const Shape& shape, Index in, DType dtype) {
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  return default_generator().uniform(shape, -bound, bound, dtype);
}

}  // namespace

TreeAttention::TreeAttention(const TreeAttentionOptions& o)
    : parent_projection(
          child<nn::Linear>("parent_projection", checked(o).width, o.hidden, false, o.dtype)),
      child_projection(child<nn::Linear>("child_projection", o.width, o.hidden, false, o.dtype)),
      affinity(parameter("affinity", begin({o.hidden, o.hidden}, o.hidden, o.dtype))),
      root_vector(parameter("root_vector", begin({o.width}, o.width, o.dtype))),
      root(parameter("root", begin({o.width}, o.width, o.dtype))),
      out(child<nn::Linear>("out", 3 * Checked("tree_attention", o.width), o.width, false,
                            o.dtype)) {}

TreeAttended TreeAttention::operator()(const Tensor& given, const Mask& mask,
                                       bool need_weights) const {
  const Scope scope(*this);
  const auto [x, real] =
      masked_sequence("tree_attention", "x", given, root.size(0), root.dtype(), mask);
  const Tensor to = tanh(child_projection(x)), from = tanh(parent_projection(x));
  const Tensor f = matmul(to, transpose(matmul(from, affinity), 1, 2));  // [B, T, T], (j, i)
  const TreeMarginals p = spanning_trees(f, matmul(x, root_vector), real);
  const Tensor parents = unsqueeze(p.roots, -1) * root + matmul(p.parents, x);
  const Tensor children = matmul(transpose(p.parents, 1, 2), x);
  TreeAttended seen;
  seen.context = forwarded(tanh(out(concat({x, parents, children}, -1))));
  if (need_weights) seen.weights = p.parents, seen.roots = p.roots;
  return seen;
}

}  // namespace heed::attention
