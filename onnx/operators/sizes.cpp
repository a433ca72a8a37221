// Sizes as numbers, and tensors made of numbers.
#include <fmt/format.h>

#include <algorithm>

#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "operators.h"

namespace heed::onnx {
namespace {

Operation constant_of(NodeReader& node) {
  node.inputs(0, 0);
  Array value;
  if (node.has("value")) {
    value = node.tensor("value").array;
  } else if (node.has("value_float")) {
    value = Array::full({}, node.number("value_float", 0), DType::f32);
  } else if (node.has("value_int")) {
    value = Array::from(std::vector<std::int64_t>{node.integer("value_int")}, {});
  } else if (node.has("value_floats")) {
    value = Array::from(node.numbers("value_floats"));
  } else if (node.has("value_ints")) {
    value = Array::from(node.integers("value_ints"));
  } else {
    node.fail("its value is of a kind that is not supported");
  }
  return one([value = Tensor(value)](const std::vector<Tensor>&, const Run& run) {
    return to(value, run.dtype(value.dtype()));
  });
}

Operation constant_of_shape(NodeReader& node) {
  node.inputs(1, 1);
  const Tensor value = node.has("value") ? Tensor(node.tensor("value").array)
                                         : Tensor(Array::zeros({1}, DType::f32));
  if (value.numel() != 1) node.fail("attribute value must be one number");
  return one([value](const std::vector<Tensor>& in, const Run& run) {
    const Shape shape(integers_of(in[0], "shape"));
    check_sizes("ConstantOfShape", shape);
    return clone(expand(reshape(to(value, run.dtype(value.dtype())), {}), shape));
  });
}

Operation shape_of(NodeReader& node) {
  node.inputs(1, 1);
  const bool parts = node.opset() >= 15;
  const Index start = parts ? node.integer("start", 0) : 0;
  const Index end = parts ? node.integer("end", kMaxRank) : kMaxRank;
  return of_one([=](const Tensor& x) {
    const Index rank = x.rank();
    const auto place = [&](Index axis) {
      return std::clamp(axis < 0 ? axis + rank : axis, Index{0}, rank);
    };
    std::vector<Index> sizes;
    for (Index axis = place(start); axis < place(end); ++axis) sizes.push_back(x.size(axis));
    return Tensor(Array::from(sizes));
  });
}
Tensor size_of_all(const Tensor& x) { return Array::from(std::vector<Index>{x.numel()}, {}); }
Operation size_of(NodeReader& node) {
  node.inputs(1, 1);
  return of_one(size_of_all);
}

Operation range_of(NodeReader& node) {
  node.inputs(3, 3);
  return one([](const std::vector<Tensor>& in, const Run&) {
    for (const Tensor& each : in) {
      if (each.numel() != 1 || each.dtype() != in[0].dtype())
        throw ShapeError("start, limit and delta must be numbers of one dtype");
    }
    // Empty where delta leads away from limit.
    if (in[0].dtype() == DType::i64) {
      const auto start = in[0].item<Index>(), limit = in[1].item<Index>(), by = in[2].item<Index>();
      if (by == 0) throw ValueError("a delta of 0");
      if (by > 0 ? start >= limit : start <= limit) return Tensor(Array::empty({0}, DType::i64));
      return arange(start, limit, by);
    }
    const double start = in[0].item(), limit = in[1].item(), by = in[2].item();
    if (by == 0) throw ValueError("a delta of 0");
    if (by > 0 ? start >= limit : start <= limit) return Tensor(Array::empty({0}, in[0].dtype()));
    return arange(start, limit, by, in[0].dtype());
  });
}

Operation one_hot_of(NodeReader& node) {
  node.inputs(3, 3);
  const Index given = node.integer("axis", -1);
  return one([given](const std::vector<Tensor>& in, const Run&) {
    const Tensor ids = to(in[0], DType::i64);
    const Index depth = integer_of(to(in[1], DType::i64), "depth");
    if (in[2].numel() != 2) throw ShapeError("values must be two numbers");
    const Index rank = ids.rank() + 1, axis = normalize_axis("OneHot", given, rank);
    Shape along = Shape::filled(rank, 1);
    along[axis] = depth;
    check_sizes("OneHot", along);
    const Tensor places = reshape(arange(depth), along);
    // Numbers below 0 count from the end; others outside name no place.
    const Tensor each = unsqueeze(where(ids < 0.0, ids + depth, ids), axis);
    const Tensor both = reshape(in[2], {2});
    return where(each == places, select(both, 0, 1), select(both, 0, 0));
  });
}

Operation eye_like(NodeReader& node) {
  node.inputs(1, 1);
  const Index k = node.integer("k", 0);
  const bool given = node.has("dtype");
  const std::int64_t type = node.integer("dtype", static_cast<std::int64_t>(DataType::f32));
  const auto dtype = dtype_of(static_cast<DataType>(type < 0 || type > 255 ? 255 : type));
  if (!dtype) node.fail("attribute dtype is of a type that is not supported");
  return one([=](const std::vector<Tensor>& in, const Run& run) {
    if (in[0].rank() != 2)
      throw ShapeError("the input must be a matrix, not " + describe(in[0].array()));
    const Tensor rows = reshape(arange(in[0].size(0)), {-1, 1});
    const Tensor columns = arange(in[0].size(1));
    return to(columns == rows + k, given ? run.dtype(*dtype) : in[0].dtype());
  });
}

}  // namespace

void add_sizes(Makers& to) {
  to["Constant"] = constant_of;
  to["ConstantOfShape"] = constant_of_shape;
  to["Shape"] = shape_of;
  to["Size"] = size_of;
  to["Range"] = range_of;
  to["OneHot"] = one_hot_of;
  to["EyeLike"] = eye_like;
}

}  // namespace heed::onnx
