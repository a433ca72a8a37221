// Over axes: an attribute at first, an input later (of ReduceSum from version 13, of the others
// from 18).
#include <algorithm>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/sort.h"
#include "../../autograd/ops/reduce/cumulative.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/reduce/statistics.h"
#include "../../autograd/ops/shape/arrange.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "../integers.h"
#include "operators.h"

namespace heed::onnx {
namespace {

enum class Kind { sum, mean, product, most, least, l1, l2, square, log_sum, log_sum_exp };

Tensor reduced(const Tensor& x, Kind kind, const Axes& axes, bool keepdim) {
  switch (kind) {
    case Kind::sum: return sum(x, axes, keepdim);
    case Kind::mean: return mean(x, axes, keepdim);
    case Kind::product: return prod(x, axes, keepdim);
    case Kind::most: return amax(x, axes, keepdim);
    case Kind::least: return amin(x, axes, keepdim);
    case Kind::l1: return sum(abs(x), axes, keepdim);
    case Kind::l2: return norm(x, 2, axes, keepdim);
    case Kind::square: return sum(square(x), axes, keepdim);
    case Kind::log_sum: return log(sum(x, axes, keepdim));
    case Kind::log_sum_exp: break;
  }
  return logsumexp(x, axes, keepdim);
}

Tensor reduced_integers(const Tensor& x, Kind kind, std::vector<Index> axes, bool keepdim) {
  for (Index& axis : axes) axis = normalize_axis("reduction", axis, x.rank());
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    throw ShapeError("an axis is reduced twice");
  const auto as = [&](const Tensor& of, Reduction reduction) {
    return Tensor(reduce(of.array(), reduction, axes, keepdim));
  };
  switch (kind) {
    case Kind::sum: return as(x, Reduction::sum);
    case Kind::mean: return as(x, Reduction::mean);
    case Kind::product: return as(x, Reduction::product);
    case Kind::most: return as(x, Reduction::most);
    case Kind::least: return as(x, Reduction::least);
    case Kind::l1: return as(abs(x), Reduction::sum);
    case Kind::square: return as(square(x), Reduction::sum);
    default: break;
  }
  throw DTypeError("this reduction takes f32 and f64, not " + describe(x.array()));
}

// What is done to each number where no axis is reduced: the sum of one, its logarithm, ..
Tensor of_each(const Tensor& x, Kind kind) {
  switch (kind) {
    case Kind::l1:
    case Kind::l2: return abs(x);
    case Kind::square: return square(x);
    case Kind::log_sum: return log(x);
    default: return x;
  }
}

template <Kind kKind>
Operation reduction(NodeReader& node) {
  const bool by_input = node.opset() >= (kKind == Kind::sum ? 13 : 18);
  node.inputs(1, by_input ? 2 : 1);
  const bool keepdim = node.truth("keepdims", true);
  const bool none_is_none = by_input && node.truth("noop_with_empty_axes", false);
  const std::vector<Index> given = by_input ? std::vector<Index>() : node.integers("axes");
  return one([=](const std::vector<Tensor>& in, const Run&) {
    const Tensor& list = input_or_none(in, 1);
    std::vector<Index> axes = list.defined() ? integers_of(list, "axes") : given;
    if (axes.empty() && none_is_none) return of_each(in[0], kKind);
    if (axes.empty())
      for (Index axis = 0; axis < in[0].rank(); ++axis) axes.push_back(axis);
    if (axes.empty()) return kKind == Kind::log_sum_exp ? in[0] : reduced(in[0], kKind, {}, false);
    const bool whole = in[0].dtype() == DType::i64;
    return whole ? reduced_integers(in[0], kKind, axes, keepdim)
                 : reduced(in[0], kKind, Axes(axes), keepdim);
  });
}

template <Tensor (*kFunction)(const Tensor&, Index, bool)>
Operation extreme(NodeReader& node) {
  node.inputs(1, 1);
  const Index axis = node.integer("axis", 0);
  const bool keepdim = node.truth("keepdims", true), last = node.truth("select_last_index", false);
  return of_one([=](const Tensor& x) {
    if (!last) return kFunction(x, axis, keepdim);
    return -kFunction(flip(x, {axis}), axis, keepdim) + (x.size(axis) - 1);
  });
}

Operation top_k(NodeReader& node) {
  const bool by_input = node.opset() >= 10;
  node.inputs(by_input ? 2 : 1, by_input ? 2 : 1);
  node.outputs(2);
  const Index axis = node.integer("axis", -1);
  const Index given = by_input ? 0 : node.integer("k");
  const bool largest = node.opset() < 11 || node.truth("largest", true);
  const bool sorted = node.opset() < 11 || node.truth("sorted", true);
  return [=](const std::vector<Tensor>& in, const Run&) {
    const Index k = by_input ? integer_of(in[1], "k") : given;
    const Picked out = topk(in[0], k, axis, largest, sorted);
    return std::vector<Tensor>{out.values, out.indices};
  };
}

Operation cumulative(NodeReader& node) {
  node.inputs(2, 2);
  const bool exclusive = node.truth("exclusive", false), reverse = node.truth("reverse", false);
  return one([=](const std::vector<Tensor>& in, const Run&) {
    const Index axis = normalize_axis("CumSum", integer_of(in[1], "axis"), in[0].rank());
    const Tensor x = reverse ? flip(in[0], {axis}) : in[0];
    Tensor out = x.dtype() == DType::i64 ? Tensor(running_sum(x.array(), axis)) : cumsum(x, axis);
    if (exclusive && x.numel() > 0) {  // the sums before each place
      out = concat({zeros_like(slice(x, axis, 0, 1)), slice(out, axis, 0, x.size(axis) - 1)}, axis);
    }
    return reverse ? flip(out, {axis}) : out;
  });
}

}  // namespace

void add_reductions(Makers& to) {
  to["ReduceSum"] = reduction<Kind::sum>;
  to["ReduceMean"] = reduction<Kind::mean>;
  to["ReduceProd"] = reduction<Kind::product>;
  to["ReduceMax"] = reduction<Kind::most>;
  to["ReduceMin"] = reduction<Kind::least>;
  to["ReduceL1"] = reduction<Kind::l1>;
  to["ReduceL2"] = reduction<Kind::l2>;
  to["ReduceSumSquare"] = reduction<Kind::square>;
  to["ReduceLogSum"] = reduction<Kind::log_sum>;
  to["ReduceLogSumExp"] = reduction<Kind::log_sum_exp>;
  to["ArgMax"] = extreme<argmax>;
  to["ArgMin"] = extreme<argmin>;
  to["TopK"] = top_k;
  to["CumSum"] = cumulative;
}

}  // namespace heed::onnx
