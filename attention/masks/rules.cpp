#include "rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../core/generator.h"

namespace heed::attention::masks {
namespace {

void check_least(const char* rule, const char* what, Index value, Index least) {
  if (value >= least) return;
  throw ValueError(fmt::format("mask: {}: {} {} must be at least {}", rule, what, value, least));
}

}  // namespace

Mask prefix_lm(Index prefix) {
  check_least("prefix_lm", "prefix", prefix, 0);
  return Mask::rule([prefix](auto q, auto k) { return k <= q || k < prefix; });
}

Mask prefix_lm(const Tensor& prefixes) {
  if (prefixes.defined() && prefixes.rank() != 1) {
    throw ShapeError("mask: prefix_lm: prefixes must be [B], not " + describe(prefixes));
  }
  return Mask::rule(
      [](auto q, auto k, auto batch, auto, auto prefix) { return k <= q || k < prefix(batch); },
      prefixes);
}

Mask documents(const Tensor& ids) {
  if (ids.defined() && ids.rank() != 1 && ids.rank() != 2) {
    throw ShapeError("mask: documents: ids must be [K] or [B, K], not " + describe(ids));
  }
  return Mask::rule([](auto q, auto k, auto id) { return id(q) == id(k); }, ids);
}

Mask global_tokens(Index count) {
  check_least("global_tokens", "count", count, 0);
  return Mask::rule([count](auto q, auto k) { return q < count || k < count; });
}

Mask dilated(Index window, Index dilation) {
  check_least("dilated", "window", window, 0);
  check_least("dilated", "dilation", dilation, 1);
  return Mask::rule(
      [=](auto q, auto k) { return abs(q - k) / dilation <= window && (q - k) % dilation == 0; });
}

Mask strided(Index stride) {
  check_least("strided", "stride", stride, 1);
  return Mask::rule(
      [stride](auto q, auto k) { return k <= q && (q - k < stride || (q - k) % stride == 0); });
}

Mask window_with_sinks(Index window, Index sinks) {
  check_least("window_with_sinks", "window", window, 0);
  check_least("window_with_sinks", "sinks", sinks, 0);
  return Mask::rule([=](auto q, auto k) { return k <= q && (q - k < window || k < sinks); });
}

Mask neighbourhood(Index width, Index radius) {
  check_least("neighbourhood", "width", width, 1);
  check_least("neighbourhood", "radius", radius, 0);
  return Mask::rule([=](auto q, auto k) {
    return abs(q / width - k / width) <= radius && abs(q % width - k % width) <= radius;
  });
}

Mask block_sparse(const Tensor& layout, Index size) {
  check_least("block_sparse", "size", size, 1);
  if (layout.defined() && layout.rank() != 2 && layout.rank() != 3) {
    throw ShapeError(
        "mask: block_sparse: the layout must be [Q blocks, K blocks] or [B, ..], not " +
        describe(layout));
  }
  return Mask::rule([size](auto q, auto k, auto block) { return block(q / size, k / size) == 1; },
                    layout);
}

Mask longformer(const LongformerOptions& options) {
  const Mask seen = dilated(options.window, options.dilation) | global_tokens(options.globals);
  return options.causal ? seen & Mask::causal() : seen;
}

Mask bigbird(Index steps, const BigBirdOptions& options, Generator& generator) {
  check_least("bigbird", "steps", steps, 0);
  check_least("bigbird", "block", options.block, 1);
  check_least("bigbird", "window", options.window, 0);
  check_least("bigbird", "globals", options.globals, 0);
  check_least("bigbird", "randoms", options.randoms, 0);
  const Index blocks = steps / options.block + (steps % options.block != 0 ? 1 : 0);
  Array layout = Array::zeros(Shape{blocks, blocks}, DType::boolean);
  bool* row = layout.mutable_data<bool>();
  for (Index q = 0; q < blocks; ++q, row += blocks) {
    std::vector<Index> others;
    for (Index k = 0; k < blocks; ++k) {
      const bool near = std::abs(q - k) <= options.window;
      row[k] = near || q < options.globals || k < options.globals;
      if (!row[k] && (!options.causal || k < q)) others.push_back(k);
    }
    const auto count = static_cast<Index>(others.size());
    const std::vector<Index> order = generator.permutation(count);
    for (Index i = 0; i < std::min(options.randoms, count); ++i) {
      row[others[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]] = true;
    }
  }
  const Mask seen = block_sparse(Tensor(layout), options.block);
  return options.causal ? seen & Mask::causal() : seen;
}

}  // namespace heed::attention::masks
