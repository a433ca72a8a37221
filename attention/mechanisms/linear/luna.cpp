#include "luna.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
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

LunaOptions checked(const LunaOptions& o, Index layer) {
  checked_heads(kName, o.width, o.heads);
  if (o.length <= 0) {
    throw ValueError(fmt::format("{}: length {} must be positive", kName, o.length));
  }
  if (o.layers < 0 || layer < 0 || (layer > 0 && layer >= o.layers)) {
    throw ValueError(fmt::format("{}: layer {} is none of {}", kName, layer, o.layers));
  }
  return o;
}

MultiHeadOptions heads_of(const LunaOptions& o) {
  return {.width = o.width, .heads = o.heads, .dtype = o.dtype};
}

}  // namespace

Luna::Luna(Index width, Index heads, Index length, DType dtype)
    : Luna({.width = width, .heads = heads, .length = length, .dtype = dtype}, 0) {}

Luna::Luna(const LunaOptions& o, Index layer)
    : options_(checked(o, layer)),
      layer_(layer),
      places(parameter("places", layer == 0 ? zeros({o.length, o.width}, o.dtype) : Tensor())),
      pack(child<MultiHead>("pack", heads_of(o))),
      unpack(child<MultiHead>("unpack", heads_of(o))),
      pack_norm(layer + 1 < o.layers
                    ? &child<nn::LayerNorm>("pack_norm", Shape{o.width}, 1e-5, true, o.dtype)
                    : nullptr) {
  if (places.defined()) nn::normal_(places, 0, 1);
}

Attended Luna::operator()(const Tensor& given, const Terms& terms, KeyValueCache* cache) const {
  const Scope scope(*this);
  refuse_cache(kName, cache);
  const Index l = options_.length, E = options_.width;
  const DType dtype = unpack.out_proj.weight.dtype();
  const LinearCall call(kName, Looks::both, given, E, dtype, terms);
  const Index B = given.size(0);
  const Tensor& x = call.x();
  if (layer_ > 0 && (!terms.from_below.defined() || terms.from_below.shape() != Shape{B, l, E} ||
                     terms.from_below.dtype() != dtype)) {
    throw ValueError(fmt::format(
        "{}: layer {} takes a pack {}[{}, {}, {}], and the layer below left {}", kName, layer_,
        name(dtype), B, l, E,
        terms.from_below.defined() ? describe(terms.from_below) : std::string("nothing")));
  }
  Mask keys, packed;  // nothing is unpacked where nothing was packed
  if (call.real().defined()) {
    keys = Mask::key_padding(call.real());
    packed = Mask::key_padding(expand(any(call.real(), {1}, true), Shape{B, l}));
  }
  const bool weights = call.need_weights();
  const FinitePart P =
      layer_ > 0 ? finite_part(terms.from_below) : FinitePart{expand(places, Shape{B, l, E}), {}};
  const Attended in = pack(P.x, x, x, {.mask = keys, .need_weights = weights});
  Attended out = unpack(x, in.context, in.context, {.mask = packed, .need_weights = weights});
  if (weights) out.weights = matmul(out.weights, in.weights);
  call.spread(out);
  if (pack_norm != nullptr) out.for_above = call.spread_state((*pack_norm)(in.context + P.x));
  if (P.bad.defined()) {  // in a pack that is not finite, for all who see it
    const Tensor rows = any(P.bad, {1, 2}, true);  // [B, 1, 1]
    out.context = with_bad(out.context, rows);
    if (weights) out.weights = with_bad(out.weights, unsqueeze(rows, 1));
    if (out.for_above.defined()) out.for_above = with_bad(out.for_above, rows);
  }
  out.context = forwarded(out.context);
  return out;
}

std::function<std::shared_ptr<SelfAttention>(Index)> luna_stack(const LunaOptions& options) {
  return [options](Index layer) { return std::make_shared<Luna>(options, layer); };
}

}  // namespace heed::attention
