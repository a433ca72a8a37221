#include "luna.h"

#include <fmt/format.h>

#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "heads.h"
#include "linear_call.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "luna";

Shape checked(Index width, Index heads, Index length) {
  checked_heads(kName, width, heads);
  if (length > 0) return {length, width};
  throw ValueError(fmt::format("{}: length {} must be positive", kName, length));
}

}  // namespace

Luna::Luna(Index width, Index heads, Index length, DType dtype)
    : places(parameter("places", zeros(checked(width, heads, length), dtype))),
      pack(child<MultiHead>("pack",
                            MultiHeadOptions{.width = width, .heads = heads, .dtype = dtype})),
      unpack(child<MultiHead>("unpack",
                              MultiHeadOptions{.width = width, .heads = heads, .dtype = dtype})) {
  nn::normal_(places, 0, 1);
}

Attended Luna::operator()(const Tensor& given, const Terms& terms, KeyValueCache* cache) const {
  const Scope scope(*this);
  refuse_cache(kName, cache);
  const Index l = places.size(0), E = places.size(1);
  const LinearCall call(kName, Looks::both, given, E, places.dtype(), terms);
  const Index B = given.size(0);
  const Tensor& x = call.x();
  Mask keys, packed;  // nothing is unpacked where nothing was packed
  if (call.real().defined()) {
    keys = Mask::key_padding(call.real());
    packed = Mask::key_padding(expand(any(call.real(), {1}, true), Shape{B, l}));
  }
  const bool weights = call.need_weights();
  const Tensor P = expand(places, Shape{B, l, E});
  const Attended in = pack(P, x, x, {.mask = keys, .need_weights = weights});
  Attended out = unpack(x, in.context, in.context, {.mask = packed, .need_weights = weights});
  if (weights) out.weights = matmul(out.weights, in.weights);
  call.spread(out);
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
