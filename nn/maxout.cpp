#include "maxout.h"

#include <fmt/format.h>

#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/error.h"

namespace heed::nn {
namespace {

Index joint_width(Index in, Index out, Index pieces) {
  if (in <= 0 || out <= 0 || pieces <= 0) {
    throw ValueError(
        fmt::format("Maxout: in {}, out {} and pieces {} must be positive", in, out, pieces));
  }
  return checked_mul("Maxout", out, pieces);
}

}  // namespace

Maxout::Maxout(Index in, Index out, Index pieces, DType dtype)
    : linear(child<Linear>("linear", in, joint_width(in, out, pieces), true, dtype)),
      pieces_(pieces) {}

Tensor Maxout::operator()(const Tensor& x) const {
  const Scope scope(*this);
  const Tensor all = linear(x);
  Shape split = all.shape();
  split[split.rank() - 1] /= pieces_;
  split.push_back(pieces_);
  return forwarded(amax(reshape(all, split), {-1}));
}

}  // namespace heed::nn
