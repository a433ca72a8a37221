#include "tree_elimination.h"

#include <vector>

#include "../../../autograd/factories.h"
#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"

namespace heed::attention {
namespace {

// What is left of a token n when it is out.
struct Gone {
  Tensor share;  // [N, n, 1 + n]: how much of each entry goes through it
  Tensor next;   // [N, 1, 1 + n]: its parent among those before it
};

constexpr double kAlone = 40;  // log(1 + exp(x)) is x from here on, to the last bit

}  // namespace

// Rows of children; the first column is that of the root, the parents' follow.
EliminatedTrees eliminate_trees(const Tensor& scores, const Tensor& roots, const Tensor& may) {
  const Index T = scores.size(1);
  Tensor a = concat({unsqueeze(roots, -1), scores}, -1);  // [N, T, 1 + T]
  Tensor log_z = zeros({scores.size(0)}, scores.dtype());
  std::vector<Gone> gone;
  for (Index n = T - 1; n > 0; --n) {
    const Tensor own = narrow(narrow(a, 1, n, 1), 2, 0, n + 1);  // [N, 1, 1 + n]
    const Tensor s = logsumexp(narrow(own, 2, 1, n), {-1}, true);
    const Tensor through = narrow(narrow(a, 1, 0, n), 2, n + 1, 1) + (own - s);
    const Tensor rest = narrow(narrow(a, 1, 0, n), 2, 0, n + 1);
    const Tensor next = pad(softmax(narrow(own, 2, 1, n), -1), {1, 0});
    gone.push_back({sigmoid(through - rest), next});
    a = rest + softplus(through - rest, 1, kAlone);
    log_z = log_z + where(select(may, 1, n), reshape(s, {s.size(0)}), 0);
  }
  log_z = log_z + where(select(may, 1, 0), select(select(a, 1, 0), 1, 0), 0);

  // The one that is left is the root.
  Tensor p = pad(ones(Shape{scores.size(0), 1, 1}, scores.dtype()), {0, 1});  // [N, 1, 1 + 1]
  for (Index n = 1; n < T; ++n) {
    const Gone& last = gone[static_cast<std::size_t>(T - 1 - n)];
    const Tensor through = p * last.share;
    const Tensor children = sum(through, {-1}, true);  // [N, n, 1]: p(n is the parent)
    const Tensor ways = sum(through, {-2}, true);      // [N, 1, 1 + n]
    const Tensor own = ways + (1 - sum(children, {-2}, true)) * last.next;
    p = concat({concat({p - through, children}, -1), pad(own, {0, 1})}, -2);
  }
  return {narrow(p, 2, 1, T), select(p, 2, 0), log_z};
}

}  // namespace heed::attention
