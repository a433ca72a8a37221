#include "linformer.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "heads.h"
#include "linear_call.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "linformer";

LinformerOptions checked(const LinformerOptions& o) {
  checked_heads(kName, o.width, o.heads);
  if (o.max_length > 0 && o.rank > 0) return o;
  throw ValueError(
      fmt::format("{}: max_length {} and rank {} must be positive", kName, o.max_length, o.rank));
}

}  // namespace

Linformer::Linformer(const LinformerOptions& o)
    : options_(checked(o)),
      q_proj(child<nn::Linear>("q_proj", o.width, o.width, true, o.dtype)),
      k_proj(child<nn::Linear>("k_proj", o.width, o.width, true, o.dtype)),
      v_proj(child<nn::Linear>("v_proj", o.width, o.width, true, o.dtype)),
      out_proj(child<nn::Linear>("out_proj", o.width, o.width, true, o.dtype)),
      key_rows(parameter("key_rows", zeros(Shape{o.rank, o.max_length}, o.dtype))),
      value_rows(parameter("value_rows", zeros(Shape{o.rank, o.max_length}, o.dtype))) {
  const double deviation = 1 / std::sqrt(static_cast<double>(o.rank));
  for (const Tensor& rows : {key_rows, value_rows}) nn::normal_(rows, 0, deviation);
}

Attended Linformer::operator()(const Tensor& given, const Terms& terms,
                               KeyValueCache* cache) const {
  const Scope scope(*this);
  refuse_cache(kName, cache);
  const LinearCall call(kName, Looks::both, given, options_.width, key_rows.dtype(), terms);
  const Index T = given.size(1), H = options_.heads;
  if (T > options_.max_length) {
    throw ShapeError(fmt::format("{}: {} steps are more than max_length {}: x is {}", kName, T,
                                 options_.max_length, describe(given)));
  }
  const Tensor real = call.real_of_heads();
  const auto heads = [&](const nn::Linear& projection) {
    return split_heads(projection(call.x()), H);
  };
  const auto keys = [&](const nn::Linear& projection) {
    const Tensor all = heads(projection);
    return real.defined() ? where(real, all, 0) : all;
  };
  const Tensor F = narrow(value_rows, 1, 0, T);
  const Tensor k = matmul(narrow(key_rows, 1, 0, T), keys(k_proj));  // [B, H, r, D]
  const double scale = 1 / std::sqrt(static_cast<double>(k.size(-1)));
  const Tensor P = softmax(matmul(heads(q_proj), transpose(k, 2, 3)) * scale, -1);
  Attended out{out_proj(join_heads(matmul(P, matmul(F, keys(v_proj)))))};
  if (call.need_weights()) {
    out.weights = matmul(P, F);
    if (real.defined()) out.weights = where(transpose(real, 2, 3), out.weights, 0);
  }
  call.spread(out);
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
