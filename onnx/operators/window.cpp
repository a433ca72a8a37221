#include "window.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../autograd/ops/shape/pad.h"
#include "../../core/error.h"

namespace heed::onnx {

Window::Window(NodeReader& node)
    : kernel_(node.integers("kernel_shape")),
      strides_(node.integers("strides")),
      dilations_(node.integers("dilations")),
      pads_(node.integers("pads")),
      auto_pad_(node.text("auto_pad", "NOTSET")) {
  if (auto_pad_ != "SAME_UPPER" && auto_pad_ != "SAME_LOWER" && auto_pad_ != "VALID")
    node.only("auto_pad", "NOTSET");
  const auto fits = [&](const char* name, const std::vector<Index>& list, Index least,
                        Index most = Index{1} << 31) {
    for (const Index each : list) {
      if (each < least || each > most) node.fail(fmt::format("attribute {} has {}", name, each));
    }
  };
  fits("kernel_shape", kernel_, 1);
  fits("strides", strides_, 1);
  fits("dilations", dilations_, 1);
  fits("pads", pads_, 0);
  const std::size_t axes =
      std::max({kernel_.size(), strides_.size(), dilations_.size(), pads_.size() / 2});
  for (const std::size_t size : {kernel_.size(), strides_.size(), dilations_.size()}) {
    if (size != 0 && size != axes) node.fail("attributes of the window differ in length");
  }
  if (!pads_.empty() && pads_.size() != 2 * axes)
    node.fail("attributes of the window differ in length");
}

std::vector<Index> Window::filled(const std::vector<Index>& given, std::size_t axes) {
  return given.empty() ? std::vector<Index>(axes, 1) : given;
}

Padding Window::padding(const Tensor& x, const std::vector<Index>& kernel) const {
  const std::size_t axes = kernel.size();
  if (x.rank() != static_cast<Index>(axes) + 2) {
    throw ShapeError(
        fmt::format("the window has {} axes, which stand behind batch and channels: "
                    "x is {}",
                    axes, describe(x.array())));
  }
  if (!kernel_.empty() && kernel_ != kernel)
    throw ShapeError("kernel_shape is not the shape of the weights' kernel");
  const std::vector<Index> by = strides(axes), apart = dilations(axes);
  if (by.size() != axes || apart.size() != axes || (!pads_.empty() && pads_.size() != 2 * axes))
    throw ShapeError(fmt::format("the window's attributes are not for {} axes", axes));
  Padding out{std::vector<Index>(axes, 0), std::vector<Index>(axes, 0)};
  for (std::size_t i = 0; i < axes; ++i) {
    if (auto_pad_ == "NOTSET") {
      if (pads_.empty()) continue;
      out.before[i] = pads_[i];
      out.behind[i] = pads_[axes + i];
    } else if (auto_pad_ != "VALID") {  // as many results as x has places, over the stride
      const Index in = x.size(static_cast<Index>(i) + 2), count = (in + by[i] - 1) / by[i];
      const Index all =
          std::max(Index{0}, (count - 1) * by[i] + apart[i] * (kernel[i] - 1) + 1 - in);
      out.before[i] = auto_pad_ == "SAME_UPPER" ? all / 2 : all - all / 2;
      out.behind[i] = all - out.before[i];
    }
  }
  return out;
}

Tensor padded(const Tensor& x, const Padding& padding, double value) {
  std::vector<Index> pads;  // from the last axis on
  for (std::size_t i = padding.before.size(); i-- > 0;) {
    pads.push_back(padding.before[i]);
    pads.push_back(padding.behind[i]);
  }
  return std::all_of(pads.begin(), pads.end(), [](Index each) { return each == 0; })
             ? x
             : pad(x, pads, PadMode::constant, value);
}

}  // namespace heed::onnx
