// The same elements in another shape.
#include "../../autograd/ops/shape/shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../autograd/ops/shape/arrange.h"
#include "../../core/error.h"
#include "operators.h"

namespace heed::onnx {
namespace {

Operation reshape_of(NodeReader& node) {
  node.inputs(2, 2);
  const bool allow_zero = node.truth("allowzero", false);
  return one([allow_zero](const std::vector<Tensor>& in, const Run&) {
    std::vector<Index> sizes = integers_of(in[1], "shape");
    for (std::size_t i = 0; i < sizes.size() && !allow_zero; ++i) {
      if (sizes[i] == 0) sizes[i] = in[0].size(static_cast<Index>(i));  // stays as it is
    }
    return reshape(in[0], Shape(sizes));
  });
}

Operation transpose_of(NodeReader& node) {
  node.inputs(1, 1);
  const bool given = node.has("perm");
  const std::vector<Index> order = node.integers("perm");
  return of_one([=](const Tensor& x) {
    if (given) return permute(x, order);
    std::vector<Index> reversed;
    for (Index axis = x.rank(); axis-- > 0;) reversed.push_back(axis);
    return permute(x, reversed);
  });
}

// All before `axis` in one, all from there on in another.
Operation flatten_of(NodeReader& node) {
  node.inputs(1, 1);
  const Index given = node.integer("axis", 1);
  return of_one([given](const Tensor& x) {
    const Index axis = given == x.rank() ? given : normalize_axis("Flatten", given, x.rank());
    Index rows = 1, columns = 1;
    for (Index i = 0; i < x.rank(); ++i) (i < axis ? rows : columns) *= x.shape()[i];
    return reshape(x, {rows, columns});
  });
}

// An attribute at first, an input from version 13 on.
Operation squeeze_of(NodeReader& node) {
  const bool by_input = node.opset() >= 13;
  node.inputs(1, by_input ? 2 : 1);
  const std::vector<Index> given = by_input ? std::vector<Index>() : node.integers("axes");
  return one([given](const std::vector<Tensor>& in, const Run&) {
    const std::vector<Index> axes =
        input_or_none(in, 1).defined() ? integers_of(in[1], "axes") : given;
    if (axes.empty()) return squeeze(in[0]);
    for (const Index axis : axes) {
      if (in[0].size(axis) != 1) {
        throw ShapeError(
            fmt::format("axis {} of {} is not of size 1", axis, describe(in[0].array())));
      }
    }
    return squeeze(in[0], axes);
  });
}
Operation unsqueeze_of(NodeReader& node) {
  const bool by_input = node.opset() >= 13;
  node.inputs(by_input ? 2 : 1, by_input ? 2 : 1);
  const std::vector<Index> given = by_input ? std::vector<Index>() : node.integers("axes");
  return one([=](const std::vector<Tensor>& in, const Run&) {
    std::vector<Index> axes = by_input ? integers_of(in[1], "axes") : given;
    const Index rank = in[0].rank() + static_cast<Index>(axes.size());
    for (Index& axis : axes) axis = normalize_axis("Unsqueeze", axis, rank);
    std::sort(axes.begin(), axes.end());
    if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
      throw ShapeError("an axis is inserted twice");
    Tensor out = in[0];
    for (const Index axis : axes) out = unsqueeze(out, axis);
    return out;
  });
}

// Broadcasts both ways: a 1 in the shape leaves the size as it is.
Operation expand_of(NodeReader& node) {
  node.inputs(2, 2);
  return one([](const std::vector<Tensor>& in, const Run&) {
    const Shape shape(integers_of(in[1], "shape"));
    check_sizes("Expand", shape);
    return expand(in[0], broadcast_shapes("Expand", in[0].shape(), shape));
  });
}

Operation tile_of(NodeReader& node) {
  node.inputs(2, 2);
  return one([](const std::vector<Tensor>& in, const Run&) {
    return repeat(in[0], integers_of(in[1], "repeats"));
  });
}

// Blocks of channels become places, and the other way round. x [B, C, H, W]
constexpr Index kLargestBlock = (Index{1} << 31) - 1;  // whose square is a number
Shape of_rank_4(const Tensor& x) {
  if (x.rank() != 4) throw ShapeError("x must be [B, C, H, W], not " + describe(x.array()));
  return x.shape();
}
Index block_of(NodeReader& node) {
  const Index size = node.integer("blocksize");
  if (size < 1) node.fail("attribute blocksize must be positive");
  if (size > kLargestBlock) node.fail(fmt::format("attribute blocksize = {} is too large", size));
  return size;
}
Operation depth_to_space(NodeReader& node) {
  node.inputs(1, 1);
  const Index size = block_of(node);
  const std::string mode = node.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") node.only("mode", "DCR");
  return of_one([=](const Tensor& x) {
    const Shape s = of_rank_4(x);
    const Index channels = s[1] / (size * size);
    const Tensor apart =
        mode == "DCR"
            ? permute(reshape(x, {s[0], size, size, channels, s[2], s[3]}), {0, 3, 4, 1, 5, 2})
            : permute(reshape(x, {s[0], channels, size, size, s[2], s[3]}), {0, 1, 4, 2, 5, 3});
    return reshape(apart, {s[0], channels, checked_mul("DepthToSpace", s[2], size),
                           checked_mul("DepthToSpace", s[3], size)});
  });
}
Operation space_to_depth(NodeReader& node) {
  node.inputs(1, 1);
  const Index size = block_of(node);
  return of_one([=](const Tensor& x) {
    const Shape s = of_rank_4(x);
    const Tensor apart =
        permute(reshape(x, {s[0], s[1], s[2] / size, size, s[3] / size, size}), {0, 3, 5, 1, 2, 4});
    return reshape(
        apart, {s[0], checked_mul("SpaceToDepth", s[1], size * size), s[2] / size, s[3] / size});
  });
}

}  // namespace

void add_shapes(Makers& to) {
  to["Reshape"] = reshape_of;
  to["Transpose"] = transpose_of;
  to["Flatten"] = flatten_of;
  to["Squeeze"] = squeeze_of;
  to["Unsqueeze"] = unsqueeze_of;
  to["Expand"] = expand_of;
  to["Tile"] = tile_of;
  to["DepthToSpace"] = depth_to_space;
  to["SpaceToDepth"] = space_to_depth;
}

}  // namespace heed::onnx
