#include "swin_block.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/shape/arrange.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/slicing.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

SwinBlockOptions checked(SwinBlockOptions o) {
  if (o.width <= 0 || o.heads <= 0 || o.window <= 0 || o.hidden < 0) {
    throw ValueError(
        fmt::format("swin: width {}, heads {} and window {} must be positive, hidden {} "
                    "not negative",
                    o.width, o.heads, o.window, o.hidden));
  }
  if (o.shift < 0 || o.shift >= o.window) {
    throw ValueError(fmt::format("swin: shift {} is not in [0, {})", o.shift, o.window));
  }
  if (o.hidden == 0) o.hidden = Checked("swin", o.width) * 4;
  return o;
}

Index table_rows(const SwinBlockOptions& o) {
  const Checked side = Checked("swin", o.window) * 2 + -1;
  return side * side;
}

TransformerOptions layer_options(const SwinBlockOptions& o) {
  return {.width = o.width,
          .heads = o.heads,
          .hidden = o.hidden,
          .dropout = o.dropout,
          .pre_norm = true,
          .activation = Activation::gelu,
          .dtype = o.dtype};
}

void check_grid(const char* op, const Tensor& x, Index width, DType dtype) {
  check_defined(op, x, "x");
  if (x.rank() != 4 || x.size(1) == 0 || x.size(2) == 0 || x.size(3) != width) {
    throw ShapeError(
        fmt::format("{}: x must be [B, H, W, {}] with places, not {}", op, width, describe(x)));
  }
  if (x.dtype() != dtype) {
    throw DTypeError(fmt::format("{}: x is {}, the weights are {}", op, describe(x), name(dtype)));
  }
}

// How windows of `window` lie along one axis of a map.
struct Axis {
  Index places, padded, shift, window;
  Axis(Index n, const SwinBlockOptions& o)
      : places(n),
        padded((n + o.window - 1) / o.window * o.window),
        shift(padded > o.window ? o.shift : 0),
        window(o.window) {}
  bool plain() const { return shift == 0 && padded == places; }
  // Of a place of the shifted map: what comes from the other end is of another part. -1: padding.
  Index part(Index at) const {
    if ((at + shift) % padded >= places) return -1;
    return at < padded - shift ? 0 : 1;
  }
};

// bool [B windows, 1, M^2, M^2]: only places of the same part see each other. A rule would be asked
// of each pair anew, and there are few of them.
Tensor same_part(const Axis& rows, const Axis& columns, Index B) {
  const Index M = rows.window, P = M * M, windows = rows.padded / M * (columns.padded / M);
  Array out = Array::empty({windows, 1, P, P}, DType::boolean);
  auto* to = out.mutable_data<bool>();
  std::vector<Index> parts(static_cast<std::size_t>(P));
  for (Index w = 0; w < windows; ++w) {
    for (Index place = 0; place < P; ++place) {
      const Index row = rows.part(w / (columns.padded / M) * M + place / M);
      const Index column = columns.part(w % (columns.padded / M) * M + place % M);
      parts[static_cast<std::size_t>(place)] = row < 0 || column < 0 ? -1 : 2 * row + column;
    }
    for (const Index query : parts) {
      for (const Index key : parts) *to++ = query == key;
    }
  }
  return reshape(expand(unsqueeze(Tensor(out), 0), Shape{B, windows, 1, P, P}),
                 Shape{B * windows, 1, P, P});
}

}  // namespace

SwinBlock::SwinBlock(const SwinBlockOptions& given)
    : options_(checked(given)),
      layer(child<TransformerEncoderLayer>("layer", layer_options(options_))),
      relative_bias(parameter("relative_bias",
                              zeros(Shape{table_rows(options_), options_.heads}, options_.dtype))) {
  nn::normal_(relative_bias, 0, 0.02);
}

// [heads, M^2, M^2]
Tensor SwinBlock::bias() const {
  const Index M = options_.window, P = M * M;
  Array rows = Array::empty({P, P}, DType::i64);
  auto* to = rows.mutable_data<std::int64_t>();
  for (Index i = 0; i < P; ++i) {
    for (Index j = 0; j < P; ++j) {
      *to++ = (j / M - i / M + M - 1) * (2 * M - 1) + j % M - i % M + M - 1;
    }
  }
  return permute(embedding(relative_bias, Tensor(rows)), {2, 0, 1});
}

Attended SwinBlock::operator()(const Tensor& x, bool need_weights) const {
  const Scope scope(*this);
  check_grid("swin", x, options_.width, relative_bias.dtype());
  const Index B = x.size(0), E = options_.width, M = options_.window;
  const Axis rows(x.size(1), options_), columns(x.size(2), options_);
  const Index down = rows.padded / M, across = columns.padded / M;
  Terms terms{.bias = bias(), .need_weights = need_weights};
  Tensor y = x;
  if (!rows.plain() || !columns.plain()) {
    y = pad(y, {0, 0, 0, columns.padded - columns.places, 0, rows.padded - rows.places});
    y = roll(y, {-rows.shift, -columns.shift}, {1, 2});
    terms.mask = Mask(same_part(rows, columns, B));
  }
  y = permute(reshape(y, Shape{B, down, M, across, M, E}), {0, 1, 3, 2, 4, 5});
  Attended out = named("swin", [&] {
    return layer(reshape(y, Shape{B * down * across, M * M, E}), terms);
  });
  y = permute(reshape(out.context, Shape{B, down, across, M, M, E}), {0, 1, 3, 2, 4, 5});
  y = reshape(y, Shape{B, rows.padded, columns.padded, E});
  if (!rows.plain() || !columns.plain()) {
    y = roll(y, {rows.shift, columns.shift}, {1, 2});
    y = narrow(narrow(y, 1, 0, rows.places), 2, 0, columns.places);
  }
  out.context = forwarded(y);
  if (need_weights) {
    out.weights = reshape(out.weights, Shape{B, down * across, options_.heads, M * M, M * M});
  }
  return out;
}

PatchMerging::PatchMerging(Index width, DType dtype)
    : norm(child<nn::LayerNorm>("norm", Shape{Checked("patch_merging", width) * 4}, 1e-5, true,
                                dtype)),
      reduction(child<nn::Linear>("reduction", 4 * width, 2 * width, false, dtype)) {}

Tensor PatchMerging::operator()(const Tensor& x) const {
  const Scope scope(*this);
  check_grid("patch_merging", x, norm.weight.size(0) / 4, norm.weight.dtype());
  const Tensor even = pad(x, {0, 0, 0, x.size(2) % 2, 0, x.size(1) % 2});
  const auto every_second = [&](Index row, Index column) {
    return slice(slice(even, 1, row, even.size(1), 2), 2, column, even.size(2), 2);
  };
  return forwarded(reduction(norm(concat(
      {every_second(0, 0), every_second(1, 0), every_second(0, 1), every_second(1, 1)}, -1))));
}

}  // namespace heed::attention
