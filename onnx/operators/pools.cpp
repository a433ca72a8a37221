#include <fmt/format.h>

#include <limits>

#include "../../autograd/factories.h"
#include "../../autograd/ops/conv/pool.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/reduce/statistics.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "operators.h"
#include "window.h"

namespace heed::onnx {
namespace {

void check_axes(std::size_t axes) {
  if (axes != 1 && axes != 2) throw ShapeError(fmt::format("pools have 1 or 2 axes, not {}", axes));
}
// What heed's pools take themselves: as much before as behind, at most half of the kernel.
bool simple(const Padding& around, const std::vector<Index>& kernel) {
  if (!around.even()) return false;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    if (around.before[i] > kernel[i] / 2) return false;
  }
  return true;
}
PerAxis pair_of(const std::vector<Index>& two) { return {two[0], two[1]}; }

// Of results of a padded x: with ceil_mode, none of a window that begins behind x.
Tensor without_padding_alone(const Tensor& out, const Tensor& x, const Window& window,
                             const Padding& around) {
  const std::vector<Index>& kernel = window.kernel();
  const auto by = window.strides(kernel.size()), apart = window.dilations(kernel.size());
  Tensor kept = out;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const Index axis = static_cast<Index>(i) + 2, first = x.size(axis) + around.before[i];
    const Index room = first + around.behind[i] - apart[i] * (kernel[i] - 1) - 1;
    Index count = (room + by[i] - 1) / by[i] + 1;
    if ((count - 1) * by[i] >= first) --count;
    if (count < out.size(axis)) kept = slice(kept, axis, 0, count);
  }
  return kept;
}

Tensor largest(const Tensor& x, const Window& window, const std::vector<Index>& padding, bool up) {
  const std::vector<Index>& kernel = window.kernel();
  const auto by = window.strides(kernel.size()), apart = window.dilations(kernel.size());
  if (kernel.size() == 1) {
    return max_pool1d(x, {.kernel = kernel[0],
                          .stride = by[0],
                          .padding = padding[0],
                          .dilation = apart[0],
                          .ceil_mode = up});
  }
  return max_pool2d(x, {.kernel = pair_of(kernel),
                        .stride = pair_of(by),
                        .padding = pair_of(padding),
                        .dilation = pair_of(apart),
                        .ceil_mode = up});
}
Operation max_pool(NodeReader& node) {
  node.inputs(1, 1);
  node.outputs(1);
  const Window window(node);
  if (window.kernel().empty()) node.fail("attribute kernel_shape is missing");
  node.only("storage_order", 0);
  const bool up = node.truth("ceil_mode", false);
  return one([=](const std::vector<Tensor>& in, const Run&) {
    const std::vector<Index>& kernel = window.kernel();
    check_axes(kernel.size());
    const Padding around = window.padding(in[0], kernel);
    if (simple(around, kernel)) return largest(in[0], window, around.before, up);
    const std::vector<Index> none(kernel.size(), 0);
    const Tensor x = padded(in[0], around, -std::numeric_limits<double>::infinity());
    const Tensor out = largest(x, window, none, up);
    return up ? without_padding_alone(out, in[0], window, around) : out;
  });
}

Tensor averages(const Tensor& x, const std::vector<Index>& kernel, const std::vector<Index>& by,
                const std::vector<Index>& padding, bool up, bool count) {
  if (kernel.size() == 1) {
    return avg_pool1d(x, {.kernel = kernel[0],
                          .stride = by[0],
                          .padding = padding[0],
                          .ceil_mode = up,
                          .count_include_pad = count});
  }
  return avg_pool2d(x, {.kernel = pair_of(kernel),
                        .stride = pair_of(by),
                        .padding = pair_of(padding),
                        .ceil_mode = up,
                        .count_include_pad = count});
}
Operation average_pool(NodeReader& node) {
  node.inputs(1, 1);
  const Window window(node);
  if (window.kernel().empty()) node.fail("attribute kernel_shape is missing");
  for (const Index apart : window.dilations(0)) {
    if (apart != 1) node.fail("attribute dilations is not supported");
  }
  const bool up = node.truth("ceil_mode", false), count = node.truth("count_include_pad", false);
  return one([=](const std::vector<Tensor>& in, const Run&) {
    const std::vector<Index>& kernel = window.kernel();
    check_axes(kernel.size());
    const Padding around = window.padding(in[0], kernel);
    const auto by = window.strides(kernel.size());
    if (simple(around, kernel)) return averages(in[0], kernel, by, around.before, up, count);
    const std::vector<Index> none(kernel.size(), 0);
    const auto means = [&](const Tensor& of) {
      const Tensor out = averages(padded(of, around, 0), kernel, by, none, up, true);
      return up ? without_padding_alone(out, in[0], window, around) : out;
    };
    if (count) return means(in[0]);
    // Each mean again by the part of its window that is x.
    return means(in[0]) / means(ones_like(in[0]));
  });
}

Axes behind_channels(const Tensor& x) {
  if (x.rank() < 3) throw ShapeError("x must be [B, C, ..], not " + describe(x.array()));
  Axes out;
  for (Index axis = 2; axis < x.rank(); ++axis) out.push_back(axis);
  return out;
}
Operation global_average(NodeReader& node) {
  node.inputs(1, 1);
  return of_one([](const Tensor& x) { return mean(x, behind_channels(x), true); });
}
Operation global_max(NodeReader& node) {
  node.inputs(1, 1);
  return of_one([](const Tensor& x) { return amax(x, behind_channels(x), true); });
}

}  // namespace

void add_pools(Makers& to) {
  to["MaxPool"] = max_pool;
  to["AveragePool"] = average_pool;
  to["GlobalAveragePool"] = global_average;
  to["GlobalMaxPool"] = global_max;
}

}  // namespace heed::onnx
