#include "memory_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/factories.h"
#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/slicing.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../attend.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "memory_stream";

MemoryStreamOptions checked(const MemoryStreamOptions& o) {
  if (o.width <= 0 || o.hops <= 0 || o.span <= 0) {
    throw ValueError(fmt::format("{}: width {}, hops {} and span {} must be positive", kName,
                                 o.width, o.hops, o.span));
  }
  return o;
}

Tensor behind(const Tensor& before, const Tensor& x) {
  return before.defined() ? concat({before, x}, 1) : x;
}

}  // namespace

void MemoryStreamState::reorder(const Tensor& rows) {
  for (Tensor* each : {&keys, &values}) {
    if (each->defined()) *each = index_select(*each, 0, rows);
  }
}

MemoryStream::MemoryStream(const MemoryStreamOptions& options)
    : options_(checked(options)),
      places(child<RelativePositions>("places", RelativeOptions{.key_width = options.width,
                                                                .value_width = options.width,
                                                                .clip = options.span - 1,
                                                                .dtype = options.dtype})),
      turn(child<nn::Linear>("turn", options.width, options.width, false, options.dtype)) {
  for (const Tensor& weight : parameters()) nn::normal_(weight, 0, 0.05);
}

StackOutput MemoryStream::operator()(const Tensor& keys, const Tensor& values,
                                     bool need_weights) const {
  MemoryStreamState none;
  return (*this)(keys, values, none, need_weights);
}

StackOutput MemoryStream::operator()(const Tensor& keys, const Tensor& values,
                                     MemoryStreamState& state, bool need_weights) const {
  const Scope scope(*this);
  for (const auto& [x, what] : {std::pair(&keys, "keys"), {&values, "values"}}) {
    check_defined(kName, *x, what);
    if (x->rank() != 3 || x->size(2) != options_.width || x->shape() != keys.shape()) {
      throw ShapeError(fmt::format("{}: {} must be [B, T, {}], as the keys are, not {}", kName,
                                   what, options_.width, describe(*x)));
    }
    if (x->dtype() != turn.weight.dtype()) {
      throw DTypeError(fmt::format("{}: {} must be {}, not {}", kName, what,
                                   name(turn.weight.dtype()), describe(*x)));
    }
  }
  const MemoryStreamState all{behind(state.keys, keys), behind(state.values, values)};
  StackOutput out = look(all.keys, all.values, keys.size(1), need_weights);
  out.output = forwarded(out.output);
  const Index count = all.keys.size(1), kept = std::min(options_.span - 1, count);
  state = {narrow(all.keys, 1, count - kept, kept), narrow(all.values, 1, count - kept, kept)};
  return out;
}

StackOutput MemoryStream::look(const Tensor& keys, const Tensor& values, Index steps,
                               bool need_weights) const {
  const Dot score;
  const Memory memory(score, keys, values);
  const Terms terms{.mask = Mask::window(options_.span - 1, 0),
                    .relative = &places,
                    .need_weights = need_weights};
  const Index half = options_.width / 2, rest = options_.width - half;
  StackOutput out;
  Tensor u = full({keys.size(0), steps, options_.width}, 0.1, keys.dtype());
  for (Index hop = 0; hop < options_.hops; ++hop) {
    const Attended seen = attend(u, memory, terms);
    if (need_weights) out.weights.push_back(seen.weights);
    const Tensor next = turn(u) + seen.context;
    u = concat({narrow(next, 2, 0, half), relu(narrow(next, 2, half, rest))}, 2);
  }
  out.output = u;
  return out;
}

}  // namespace heed::attention
