// Tensors joined, cut apart, and put into larger ones.
#include <fmt/format.h>

#include <algorithm>

#include "../../autograd/factories.h"
#include "../../autograd/ops/shape/arrange.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/pad.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../autograd/ops/shape/triangle.h"
#include "../../core/error.h"
#include "operators.h"

namespace heed::onnx {
namespace {

Operation concat_of(NodeReader& node) {
  node.inputs(1, static_cast<std::size_t>(-1));
  const Index axis = node.integer("axis");
  return one([axis](const std::vector<Tensor>& in, const Run&) { return concat(in, axis); });
}

// Lengths are an attribute at first, an input from version 13 on; without them, equal parts, of
// which from version 18 on the last may be shorter.
Operation split_of(NodeReader& node) {
  const bool by_input = node.opset() >= 13;
  node.inputs(1, by_input ? 2 : 1);
  const Index axis = node.integer("axis", 0);
  const std::vector<Index> given = by_input ? std::vector<Index>() : node.integers("split");
  const auto parts = static_cast<Index>(node.output_count());
  if (node.opset() >= 18 && node.has("num_outputs") && node.integer("num_outputs") != parts)
    node.fail("attribute num_outputs is not the number of results");
  if (parts == 0) node.fail("there are no results");
  const bool may_be_shorter = node.opset() >= 18;
  return [=](const std::vector<Tensor>& in, const Run&) {
    std::vector<Index> lengths =
        input_or_none(in, 1).defined() ? integers_of(in[1], "split") : given;
    if (lengths.empty()) {
      const Index size = in[0].size(axis), each = (size + parts - 1) / parts;
      if (!may_be_shorter && size % parts != 0) {
        throw ShapeError(fmt::format("{} places in {} equal parts", size, parts));
      }
      for (Index i = 0; i < parts; ++i)
        lengths.push_back(std::clamp(size - i * each, Index{0}, each));
    }
    if (static_cast<Index>(lengths.size()) != parts)
      throw ValueError(fmt::format("{} lengths for {} results", lengths.size(), parts));
    return split(in[0], lengths, axis);
  };
}

// start:stop:step of one axis; a step below 0 reads backwards. As Python's, but that a start before
// the axis then is its first place.
Tensor sliced(const Tensor& x, Index axis, Index start, Index stop, Index step) {
  const Index size = x.size(axis);
  if (step == 0) throw ValueError("a step of 0");
  const auto from_end = [&](Index place) { return place < 0 ? place + size : place; };
  if (step > 0) {
    return slice(x, axis, std::clamp(from_end(start), Index{0}, size),
                 std::clamp(from_end(stop), Index{0}, size), step);
  }
  // Places start, start + step, .. above stop are these of the axis turned round.
  if (size == 0) return x;
  const Index first = std::clamp(from_end(start), Index{0}, size - 1);
  const Index last = std::clamp(from_end(stop), Index{-1}, size - 1);
  const Index by = step < -size ? std::max(size, Index{1}) : -step;
  return slice(flip(x, {axis}), axis, size - 1 - first, std::max(size - 1 - last, Index{0}), by);
}
Operation slice_of(NodeReader& node) {
  if (node.opset() < 10) {
    node.inputs(1, 1);
    const auto starts = node.integers("starts"), ends = node.integers("ends");
    std::vector<Index> axes = node.integers("axes");
    if (axes.empty())
      for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<Index>(i));
    if (starts.size() != ends.size() || axes.size() != starts.size())
      node.fail("attributes starts, ends and axes differ in length");
    return of_one([=](const Tensor& x) {
      Tensor out = x;
      for (std::size_t i = 0; i < starts.size(); ++i)
        out = sliced(out, axes[i], starts[i], ends[i], 1);
      return out;
    });
  }
  node.inputs(3, 5);
  return one([](const std::vector<Tensor>& in, const Run&) {
    const auto starts = integers_of(in[1], "starts"), ends = integers_of(in[2], "ends");
    std::vector<Index> axes, steps(starts.size(), 1);
    if (input_or_none(in, 3).defined()) {
      axes = integers_of(in[3], "axes");
    } else {
      for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<Index>(i));
    }
    if (input_or_none(in, 4).defined()) steps = integers_of(in[4], "steps");
    if (ends.size() != starts.size() || axes.size() != starts.size() ||
        steps.size() != starts.size())
      throw ValueError("starts, ends, axes and steps differ in length");
    Tensor out = in[0];
    for (std::size_t i = 0; i < starts.size(); ++i)
      out = sliced(out, axes[i], starts[i], ends[i], steps[i]);
    return out;
  });
}

PadMode mode_of(NodeReader& node) {
  const std::string mode = node.text("mode", "constant");
  if (mode == "reflect") return PadMode::reflect;
  if (mode == "edge") return PadMode::replicate;
  node.only("mode", "constant");
  return PadMode::constant;
}
// ONNX lists what comes before each of the axes, then what comes behind them.
Tensor padded(const Tensor& x, const std::vector<Index>& pads, std::vector<Index> axes,
              PadMode mode, double value) {
  if (axes.empty())
    for (Index axis = 0; axis < x.rank(); ++axis) axes.push_back(axis);
  if (pads.size() != 2 * axes.size())
    throw ShapeError(fmt::format("{} pads for {} axes", pads.size(), axes.size()));
  std::vector<Index> ours(2 * static_cast<std::size_t>(x.rank()), 0);  // from the last axis on
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto at =
        static_cast<std::size_t>(x.rank() - 1 - normalize_axis("Pad", axes[i], x.rank()));
    ours[2 * at] = pads[i];
    ours[2 * at + 1] = pads[axes.size() + i];
  }
  while (ours.size() >= 2 && ours.back() == 0 && ours[ours.size() - 2] == 0)
    ours.resize(ours.size() - 2);
  return pad(x, ours, mode, value);
}
Operation pad_of(NodeReader& node) {
  const PadMode mode = mode_of(node);
  if (node.opset() < 11) {
    node.inputs(1, 1);
    const std::vector<Index> pads = node.integers("pads");
    const double value = node.number("value", 0);
    return of_one([=](const Tensor& x) { return padded(x, pads, {}, mode, value); });
  }
  node.inputs(2, node.opset() >= 18 ? 4 : 3);
  return one([mode](const std::vector<Tensor>& in, const Run&) {
    const Tensor &value = input_or_none(in, 2), &axes = input_or_none(in, 3);
    return padded(in[0], integers_of(in[1], "pads"),
                  axes.defined() ? integers_of(axes, "axes") : std::vector<Index>(), mode,
                  value.defined() ? value.item() : 0);
  });
}

Operation trilu_of(NodeReader& node) {
  node.inputs(1, 2);
  const bool upper = node.truth("upper", true);
  return one([upper](const std::vector<Tensor>& in, const Run&) {
    const Index k = input_or_none(in, 1).defined() ? integer_of(in[1], "k") : 0;
    return upper ? triu(in[0], k) : tril(in[0], k);
  });
}

}  // namespace

void add_parts(Makers& to) {
  to["Concat"] = concat_of;
  to["Split"] = split_of;
  to["Slice"] = slice_of;
  to["Pad"] = pad_of;
  to["Trilu"] = trilu_of;
}

}  // namespace heed::onnx
