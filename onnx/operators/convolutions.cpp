#include "../../autograd/ops/conv/conv.h"

#include <fmt/format.h>

#include "../../autograd/ops/conv/conv3d.h"
#include "../../autograd/ops/conv/conv_transpose.h"
#include "../../autograd/ops/index/grid_sample.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "operators.h"
#include "window.h"

namespace heed::onnx {
namespace {

std::vector<Index> kernel_of(const Tensor& weight) {
  if (weight.rank() < 3)
    throw ShapeError("the weight must be [O, C, ..], not " + describe(weight.array()));
  return {weight.shape().begin() + 2, weight.shape().end()};
}
PerAxis pair_of(const std::vector<Index>& two) { return {two[0], two[1]}; }
Triple triple_of(const std::vector<Index>& three) { return {three[0], three[1], three[2]}; }

Operation conv_of(NodeReader& node) {
  node.inputs(2, 3);
  const Window window(node);
  const Index groups = node.integer("group", 1);
  return one([=](const std::vector<Tensor>& in, const Run&) {
    const Tensor &weight = in[1], &bias = input_or_none(in, 2);
    const std::vector<Index> kernel = kernel_of(weight);
    const std::size_t axes = kernel.size();
    Padding around = window.padding(in[0], kernel);
    Tensor x = in[0];
    if (!around.even()) {
      x = padded(x, around, 0);
      around.before.assign(axes, 0);
    }
    const auto by = window.strides(axes), apart = window.dilations(axes);
    if (axes == 1) {
      return conv1d(
          x, weight, bias,
          {.stride = by[0], .padding = around.before[0], .dilation = apart[0], .groups = groups});
    }
    if (axes == 2) {
      return conv2d(x, weight, bias,
                    {.stride = pair_of(by),
                     .padding = pair_of(around.before),
                     .dilation = pair_of(apart),
                     .groups = groups});
    }
    if (axes == 3) {
      return conv3d(x, weight, bias,
                    {.stride = triple_of(by),
                     .padding = triple_of(around.before),
                     .dilation = triple_of(apart),
                     .groups = groups});
    }
    throw ShapeError(fmt::format("convolutions have 1 to 3 axes, not {}", axes));
  });
}

// The whole of what the kernel reaches, of which pads say how much goes before and behind.
Operation conv_transpose_of(NodeReader& node) {
  node.inputs(2, 3);
  node.none("output_shape");
  node.only("auto_pad", "NOTSET");
  const Window window(node);
  const Index groups = node.integer("group", 1);
  const std::vector<Index> given = node.integers("output_padding");
  return one([=](const std::vector<Tensor>& in, const Run&) {
    const Tensor &weight = in[1], &bias = input_or_none(in, 2);
    const std::vector<Index> kernel = kernel_of(weight);
    const std::size_t axes = kernel.size();
    if (axes > 2)
      throw ShapeError(fmt::format("transposed convolutions have 1 or 2 axes, not {}", axes));
    const Padding around = window.padding(in[0], kernel);
    const auto by = window.strides(axes), apart = window.dilations(axes);
    const std::vector<Index> more = given.empty() ? std::vector<Index>(axes, 0) : given;
    if (more.size() != axes) throw ShapeError("output_padding is not for the kernel's axes");
    const std::vector<Index> inner = around.even() ? around.before : std::vector<Index>(axes, 0);
    Tensor out = axes == 1 ? conv_transpose1d(in[0], weight, bias,
                                              {.stride = by[0],
                                               .padding = inner[0],
                                               .output_padding = more[0],
                                               .dilation = apart[0],
                                               .groups = groups})
                           : conv_transpose2d(in[0], weight, bias,
                                              {.stride = pair_of(by),
                                               .padding = pair_of(inner),
                                               .output_padding = pair_of(more),
                                               .dilation = pair_of(apart),
                                               .groups = groups});
    for (std::size_t i = 0; i < axes && !around.even(); ++i) {
      const auto axis = static_cast<Index>(i) + 2;
      out = slice(out, axis, around.before[i], out.size(axis) - around.behind[i]);
    }
    return out;
  });
}

// Linear was bilinear before version 20.
Operation grid_sample_of(NodeReader& node) {
  node.inputs(2, 2);
  const char* const linear = node.opset() < 20 ? "bilinear" : "linear";
  const bool nearest = node.text("mode", linear) == "nearest";
  if (!nearest) node.only("mode", linear);
  const bool border = node.text("padding_mode", "zeros") == "border";
  if (!border) node.only("padding_mode", "zeros");
  const GridSampleOptions options{.mode = nearest ? Interpolation::nearest : Interpolation::linear,
                                  .padding = border ? GridPadding::border : GridPadding::zeros,
                                  .align_corners = node.truth("align_corners", false)};
  return one([=](const std::vector<Tensor>& in, const Run&) {
    return grid_sample(in[0], in[1], options);
  });
}

}  // namespace

void add_convolutions(Makers& to) {
  to["Conv"] = conv_of;
  to["ConvTranspose"] = conv_transpose_of;
  to["GridSample"] = grid_sample_of;
}

}  // namespace heed::onnx
