#include <fmt/format.h>

#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/dropout.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/normalise/batch_norm.h"
#include "../../autograd/ops/normalise/group_norm.h"
#include "../../autograd/ops/normalise/layer_norm.h"
#include "../../autograd/ops/normalise/rms_norm.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/reduce/statistics.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "operators.h"

namespace heed::onnx {
namespace {

// From version 13 on along one axis, the last at first; before that over all axes from `axis` on,
// the second at first, as one.
template <bool kLog>
Operation softmax_of(NodeReader& node) {
  node.inputs(1, 1);
  const bool along_one = node.opset() >= 13;
  const Index axis = node.integer("axis", along_one ? -1 : 1);
  const auto along = [](const Tensor& x, Index of) {
    return kLog ? log_softmax(x, of) : softmax(x, of);
  };
  return of_one([=](const Tensor& x) {
    if (along_one || x.rank() == 0) return along(x, axis);
    const Index first = axis == x.rank() ? axis : normalize_axis("Softmax", axis, x.rank());
    Index columns = 1, rows = 1;
    for (Index i = 0; i < x.rank(); ++i) (i < first ? rows : columns) *= x.shape()[i];
    return reshape(along(reshape(x, {rows, columns}), 1), x.shape());
  });
}

// The module's mode decides, whatever training_mode says: eval() takes the averages of the file.
// What is trained, or follows from it, is no average to be moved.
Operation batch_norm_of(NodeReader& node) {
  node.inputs(5, 5);
  node.outputs(3);  // the averages of before, moved
  const double eps = node.number("epsilon", 1e-5), momentum = node.number("momentum", 0.9);
  if (node.opset() < 9) node.only("spatial", 1);
  if (node.opset() >= 14) node.ignore("training_mode");
  return [=](const std::vector<Tensor>& in, const Run& run) {
    const auto average = [&run](const Tensor& given) {
      if (!given.requires_grad()) return given;
      return run.training ? clone(given.detach()) : given.detach();
    };
    const Tensor mean = average(in[3]), variance = average(in[4]);
    const Tensor out =
        batch_norm(in[0], mean, variance, in[1], in[2], run.training, 1 - momentum, eps);
    return std::vector<Tensor>{out, mean, variance};
  };
}

Operation instance_norm_of(NodeReader& node) {
  node.inputs(3, 3);
  const double eps = node.number("epsilon", 1e-5);
  return one([eps](const std::vector<Tensor>& in, const Run&) {
    return group_norm(in[0], in[0].size(1), in[1], in[2], eps);
  });
}

// Version 18 has a scale and a bias a group, 21 a channel.
Operation group_norm_of(NodeReader& node) {
  node.inputs(3, 3);
  const Index groups = node.integer("num_groups");
  const double eps = node.number("epsilon", 1e-5);
  node.ignore("stash_type");
  const bool a_group = node.opset() < 21;
  return one([=](const std::vector<Tensor>& in, const Run&) {
    if (!a_group) return group_norm(in[0], groups, in[1], in[2], eps);
    if (groups < 1 || in[0].size(1) % groups != 0)
      throw ShapeError(fmt::format("{} channels in {} groups", in[0].size(1), groups));
    const auto a_channel = [&](const Tensor& of) {
      return reshape(expand(reshape(of, {groups, 1}), {groups, in[0].size(1) / groups}), {-1});
    };
    return group_norm(in[0], groups, a_channel(in[1]), a_channel(in[2]), eps);
  });
}

Shape row_of(const Tensor& x, Index given) {
  const Index axis = normalize_axis("axis", given, x.rank());
  return {std::vector<Index>(x.shape().begin() + axis, x.shape().end())};
}
// A weight of fewer axes, or of 1s, stands for one of the row's shape.
Tensor as_row(const Tensor& weight, const Shape& row) {
  return weight.defined() && weight.shape() != row ? expand(weight, row) : weight;
}
Operation layer_norm_of(NodeReader& node) {
  node.inputs(2, 3);
  node.outputs(1);
  const Index axis = node.integer("axis", -1);
  const double eps = node.number("epsilon", 1e-5);
  node.ignore("stash_type");
  return one([=](const std::vector<Tensor>& in, const Run&) {
    const Shape row = row_of(in[0], axis);
    return layer_norm(in[0], row, as_row(in[1], row), as_row(input_or_none(in, 2), row), eps);
  });
}
Operation rms_norm_of(NodeReader& node) {
  node.inputs(2, 2);
  const Index axis = node.integer("axis", -1);
  const double eps = node.number("epsilon", 1e-5);
  node.ignore("stash_type");
  return one([=](const std::vector<Tensor>& in, const Run&) {
    const Shape row = row_of(in[0], axis);
    return rms_norm(in[0], row, as_row(in[1], row), eps);
  });
}

Operation lp_normalization(NodeReader& node) {
  node.inputs(1, 1);
  const Index axis = node.integer("axis", -1), p = node.integer("p", 2);
  if (p != 1 && p != 2) node.only("p", 2);
  return of_one([=](const Tensor& x) {
    const Tensor some = any(x != 0, {axis}, true);  // zeros stay zeros, and get no gradient
    return where(some, x / norm(where(some, x, 1), static_cast<double>(p), axis, true), 0);
  });
}

// Drops in training alone, whatever training_mode says.
Operation dropout_of(NodeReader& node) {
  const bool by_input = node.opset() >= 12;
  node.inputs(1, by_input ? 3 : 1);
  node.outputs(1);
  const double given = by_input ? 0.5 : node.number("ratio", 0.5);
  if (by_input) node.ignore("seed");
  return one([given](const std::vector<Tensor>& in, const Run& run) {
    if (!run.training) return in[0];
    return dropout(in[0], input_or_none(in, 1).defined() ? in[1].item() : given);
  });
}

}  // namespace

void add_normalisers(Makers& to) {
  to["Softmax"] = softmax_of<false>;
  to["LogSoftmax"] = softmax_of<true>;
  to["BatchNormalization"] = batch_norm_of;
  to["InstanceNormalization"] = instance_norm_of;
  to["GroupNormalization"] = group_norm_of;
  to["LayerNormalization"] = layer_norm_of;
  to["RMSNormalization"] = rms_norm_of;
  to["LpNormalization"] = lp_normalization;
  to["Dropout"] = dropout_of;
}

}  // namespace heed::onnx
