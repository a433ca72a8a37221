#include "fastformer.h"

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../nn/init.h"
#include "heads.h"
#include "linear_call.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "fastformer";

// softmax_t(w . x_t / sqrt(D)) of x [B, H, T, D], [B, H, 1, T].
Tensor pooling_weights(const Tensor& x, const Tensor& w, const Tensor& real) {
  const double scale = 1 / std::sqrt(static_cast<double>(x.size(-1)));
  const Tensor scores = matmul(x, unsqueeze(w, -1)) * scale;  // [B, H, T, 1]
  return softmax(transpose(scores, 2, 3), -1, real.defined() ? transpose(real, 2, 3) : Tensor());
}

}  // namespace

Fastformer::Fastformer(Index width, Index heads, DType dtype)
    : heads_(checked_heads(kName, width, heads)),
      q_proj(child<nn::Linear>("q_proj", width, width, true, dtype)),
      k_proj(child<nn::Linear>("k_proj", width, width, true, dtype)),
      v_proj(child<nn::Linear>("v_proj", width, width, true, dtype)),
      out_proj(child<nn::Linear>("out_proj", width, width, true, dtype)),
      query_vector(parameter("query_vector", zeros(Shape{heads, width / heads}, dtype))),
      key_vector(parameter("key_vector", zeros(Shape{heads, width / heads}, dtype))) {
  for (const Tensor& vector : {query_vector, key_vector}) nn::normal_(vector, 0, 1);
}

Attended Fastformer::operator()(const Tensor& given, const Terms& terms,
                                KeyValueCache* cache) const {
  const Scope scope(*this);
  refuse_cache(kName, cache);
  const Index E = q_proj.weight.size(1);
  const LinearCall call(kName, Looks::both, given, E, q_proj.weight.dtype(), terms);
  const Tensor queries = q_proj(call.x()), real = call.real_of_heads();
  const Tensor q = split_heads(queries, heads_), k = split_heads(k_proj(call.x()), heads_);
  const Tensor v = split_heads(v_proj(call.x()), heads_);
  const Tensor global_query = matmul(pooling_weights(q, query_vector, real), q);  // [B, H, 1, D]
  const Tensor p = global_query * k;
  const Tensor beta = pooling_weights(p, key_vector, real);
  const Tensor global_key = matmul(beta, p);
  Attended out{out_proj(join_heads(global_key * v)) + queries};
  if (call.need_weights()) {
    const Index T = given.size(1);
    out.weights = expand(beta, Shape{given.size(0), heads_, T, T});
  }
  call.spread(out);
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
