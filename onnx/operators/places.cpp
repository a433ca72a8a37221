// Reading and writing at places that integers name. Places below 0 count from the end of their
// axis.
#include <fmt/format.h>

#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/index/mask_index.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "../integers.h"
#include "operators.h"

namespace heed::onnx {
namespace {

// In [0, size) where they were in [-size, size); others stay for the operator to refuse.
Tensor from_start(const Tensor& places, Index size) {
  if (places.dtype() != DType::i64)
    throw DTypeError("indices must be integers, not " + describe(places.array()));
  const Array dense = places.array().contiguous();
  const Index* const at = dense.data<Index>();
  bool below = false;
  for (Index i = 0; i < dense.numel() && !below; ++i) below = at[i] < 0;
  return below ? where(places < 0.0, places + size, places) : places;
}

Operation gather_of(NodeReader& node) {
  node.inputs(2, 2);
  const Index given = node.integer("axis", 0);
  return one([given](const std::vector<Tensor>& in, const Run&) {
    const Tensor& x = in[0];
    const Index axis = normalize_axis("Gather", given, x.rank());
    const Tensor places = from_start(in[1], x.size(axis));
    if (places.rank() == 0) return select(x, axis, places.item<Index>());
    if (axis == 0 && is_floating(x.dtype()) && x.rank() > 1) return embedding(x, places);
    Tensor out = index_select(x, axis, reshape(places, {-1}));
    if (places.rank() == 1) return out;
    std::vector<Index> sizes(x.shape().begin(), x.shape().begin() + axis);
    sizes.insert(sizes.end(), places.shape().begin(), places.shape().end());
    sizes.insert(sizes.end(), x.shape().begin() + axis + 1, x.shape().end());
    return reshape(out, Shape(sizes));
  });
}

Operation gather_elements(NodeReader& node) {
  node.inputs(2, 2);
  const Index axis = node.integer("axis", 0);
  return one([axis](const std::vector<Tensor>& in, const Run&) {
    return gather(in[0], axis, from_start(in[1], in[0].size(axis)));
  });
}

// The last axis of `places` names so many leading axes of x.
std::vector<Tensor> apart(const Tensor& x, const Tensor& places) {
  if (places.rank() == 0) throw ShapeError("indices must have an axis");
  const Index count = places.size(-1);
  if (count < 1 || count > x.rank()) {
    throw ShapeError(fmt::format("indices {} name {} axes of {}", describe(places.array()), count,
                                 describe(x.array())));
  }
  std::vector<Tensor> out;
  for (Index i = 0; i < count; ++i) out.push_back(from_start(select(places, -1, i), x.size(i)));
  return out;
}
Operation gather_nd(NodeReader& node) {
  node.inputs(2, 2);
  node.only("batch_dims", 0);
  return one(
      [](const std::vector<Tensor>& in, const Run&) { return index(in[0], apart(in[0], in[1])); });
}

bool adds(NodeReader& node) {
  const std::string reduction = node.text("reduction", "none");
  if (reduction != "none" && reduction != "add") node.only("reduction", "none");
  return reduction == "add";
}
// Integers are added here, which index_put() does for what floats alone.
Tensor put(const Tensor& x, const std::vector<Tensor>& places, const Tensor& values, bool add) {
  if (!add || x.dtype() != DType::i64) return index_put(x, places, values, add);
  if (values.dtype() != x.dtype())
    throw DTypeError("updates must be integers, not " + describe(values.array()));
  std::vector<Array> at;
  for (const Tensor& each : places) at.push_back(each.array());
  return added_at(x.array(), at, values.array());
}
Operation scatter_nd(NodeReader& node) {
  node.inputs(3, 3);
  const bool add = adds(node);
  return one([add](const std::vector<Tensor>& in, const Run&) {
    return put(in[0], apart(in[0], in[1]), in[2], add);
  });
}
// updates[i][j].. at [indices[i][j]..][j].. along the axis
Operation scatter_elements(NodeReader& node) {
  node.inputs(3, 3);
  const Index given = node.integer("axis", 0);
  const bool add = node.opset() >= 16 && adds(node);
  return one([=](const std::vector<Tensor>& in, const Run&) {
    const Tensor& x = in[0];
    const Index axis = normalize_axis("ScatterElements", given, x.rank());
    const Tensor places = from_start(in[1], x.size(axis));
    if (places.rank() != x.rank()) {
      throw ShapeError(fmt::format("indices {} must have the rank of {}", describe(places.array()),
                                   describe(x.array())));
    }
    if (add && is_floating(x.dtype())) return scatter_add(x, axis, places, in[2]);
    std::vector<Tensor> all;
    for (Index i = 0; i < x.rank(); ++i) {
      Shape along = Shape::filled(x.rank(), 1);
      along[i] = places.size(i);
      all.push_back(i == axis ? places : reshape(arange(places.size(i)), along));
    }
    return put(x, all, in[2], add);
  });
}

Operation non_zero(NodeReader& node) {
  node.inputs(1, 1);
  return of_one([](const Tensor& x) { return transpose(nonzero(x), 0, 1); });
}
// The slices of an axis where a condition holds; without an axis, of x as one row.
Operation compress(NodeReader& node) {
  node.inputs(2, 2);
  const bool given = node.has("axis");
  const Index axis = node.integer("axis", 0);
  return one([=](const std::vector<Tensor>& in, const Run&) {
    const Tensor x = given ? in[0] : reshape(in[0], {-1});
    return index_select(x, given ? axis : 0, reshape(nonzero(in[1]), {-1}));
  });
}

}  // namespace

void add_places(Makers& to) {
  to["Gather"] = gather_of;
  to["GatherElements"] = gather_elements;
  to["GatherND"] = gather_nd;
  to["Scatter"] = scatter_elements;
  to["ScatterElements"] = scatter_elements;
  to["ScatterND"] = scatter_nd;
  to["NonZero"] = non_zero;
  to["Compress"] = compress;
}

}  // namespace heed::onnx
