#include "nystromformer.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/elementwise/rounding.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "heads.h"
#include "linear_call.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "nystromformer";

NystromformerOptions checked(const NystromformerOptions& o) {
  checked_heads(kName, o.width, o.heads);
  if (o.landmarks > 0 && o.iterations > 0) return o;
  throw ValueError(fmt::format("{}: landmarks {} and iterations {} must be positive", kName,
                               o.landmarks, o.iterations));
}

// Key number r of n real ones is in stretch r m / n.
struct Stretches {
  Tensor means;  // [B, 1, m, T]: what a landmark takes of each step
  Tensor there;  // bool [B, 1, 1, m]: which have a step
};

Stretches stretches(const Tensor& real, Index B, Index T, Index m, DType dtype) {
  const Tensor each = real.defined() ? heed::to(reshape(real, Shape{B, T}), DType::f64)
                                     : ones(Shape{B, T}, DType::f64);
  const Tensor r = cumsum(each, 1) - each;                   // [B, T]
  const Tensor n = sum(each, {1}, true);                     // [B, 1]
  const Tensor enough = maximum(n, static_cast<double>(m));  // of fewer than m each has its own
  const Tensor stretch = unsqueeze(floor(r * static_cast<double>(m) / enough), 1);  // [B, 1, T]
  const Tensor which = reshape(arange(0, m, 1, DType::f64), Shape{m, 1});
  const Tensor within = heed::to(stretch == which, DType::f64) * unsqueeze(each, 1);  // [B, m, T]
  const Tensor count = sum(within, {2}, true);
  const Tensor means = within / maximum(count, 1);
  return {unsqueeze(heed::to(means, dtype), 1), unsqueeze(transpose(count, 1, 2) > 0, 1)};
}

Tensor pseudo_inverse(const Tensor& A, Index iterations) {
  const Tensor largest = amax(sum(A, {-2}, true), {-1}, true);  // rows sum up to 1
  Tensor Z = transpose(A, -2, -1) / where(largest == 0, 1, largest);
  const Tensor I = eye(A.size(-1), A.dtype());
  for (Index i = 0; i < iterations; ++i) {
    const Tensor AZ = matmul(A, Z);
    Z = matmul(Z, 13 * I - matmul(AZ, 15 * I - matmul(AZ, 7 * I - AZ))) * 0.25;
  }
  return Z;
}

}  // namespace

Nystromformer::Nystromformer(const NystromformerOptions& o)
    : options_(checked(o)),
      q_proj(child<nn::Linear>("q_proj", o.width, o.width, true, o.dtype)),
      k_proj(child<nn::Linear>("k_proj", o.width, o.width, true, o.dtype)),
      v_proj(child<nn::Linear>("v_proj", o.width, o.width, true, o.dtype)),
      out_proj(child<nn::Linear>("out_proj", o.width, o.width, true, o.dtype)) {}

Attended Nystromformer::operator()(const Tensor& given, const Terms& terms,
                                   KeyValueCache* cache) const {
  const Scope scope(*this);
  refuse_cache(kName, cache);
  const DType dtype = q_proj.weight.dtype();
  const LinearCall call(kName, Looks::both, given, options_.width, dtype, terms);
  const Index H = options_.heads;
  const Tensor real = call.real_of_heads();
  const Stretches of =
      stretches(call.real(), given.size(0), given.size(1), options_.landmarks, dtype);
  const Tensor q = split_heads(q_proj(call.x()), H), k = split_heads(k_proj(call.x()), H);
  const Tensor v = split_heads(v_proj(call.x()), H);
  const Tensor qt = matmul(of.means, q), kt = matmul(of.means, k);  // [B, H, m, D]
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  const auto kernel = [&](const Tensor& a, const Tensor& b, const Tensor& allowed) {
    return softmax(matmul(a, transpose(b, 2, 3)) * scale, -1, allowed);
  };
  const Tensor rows = heed::to(transpose(of.there, 2, 3), dtype);  // of landmarks that are there
  const Tensor Z = pseudo_inverse(kernel(qt, kt, of.there) * rows, options_.iterations);
  const Tensor left = matmul(kernel(q, kt, of.there), Z);
  const Tensor right =
      kernel(qt, k, real.defined() ? transpose(real, 2, 3) : Tensor()) * rows;  // [B, H, m, T]
  Attended out{out_proj(join_heads(matmul(left, matmul(right, v))))};
  if (call.need_weights()) out.weights = matmul(left, right);
  call.spread(out);
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
