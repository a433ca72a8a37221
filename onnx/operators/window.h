// What convolutions and pools say of their windows: kernel, strides, dilations, and how much is put
// around x, which may differ before and behind. Internal to onnx.
#pragma once

#include <string>
#include <vector>

#include "../../autograd/tensor.h"
#include "../node_reader.h"

namespace heed::onnx {

struct Padding {
  std::vector<Index> before, behind;  ///< of each axis
  bool even() const { return before == behind; }
};

class Window {
 public:
  /// Reads kernel_shape, strides, dilations, pads and auto_pad.
  explicit Window(NodeReader& node);

  /// Of an input [B, C, ..] and a kernel of these sizes, so many axes as the input has behind the
  /// channels. Throws ShapeError for other ranks, and where kernel_shape says something else.
  Padding padding(const Tensor& x, const std::vector<Index>& kernel) const;
  std::vector<Index> strides(std::size_t axes) const { return filled(strides_, axes); }
  std::vector<Index> dilations(std::size_t axes) const { return filled(dilations_, axes); }
  /// As the attribute says; empty where it is not there.
  const std::vector<Index>& kernel() const { return kernel_; }

 private:
  static std::vector<Index> filled(const std::vector<Index>& given, std::size_t axes);

  std::vector<Index> kernel_, strides_, dilations_, pads_;
  std::string auto_pad_;
};

/// x [B, C, ..] with `value` around.
Tensor padded(const Tensor& x, const Padding& padding, double value);

}  // namespace heed::onnx
