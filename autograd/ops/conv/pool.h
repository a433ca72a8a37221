// Pooling over the last axis (1d) or the last two (2d) of x, which has one or two axes before: the
// channels, or a batch and channels. f32 and f64. Sizes as in PyTorch: along each axis
//
//   out = (in + 2 padding - dilation (kernel - 1) - 1) / stride + 1
//
// rounded down, or with ceil_mode up, as far as the last window begins before the padding behind x.
// All throw ValueError for options that make no sense, ShapeError for windows that do not fit.
#pragma once

#include <optional>

#include "../../tensor.h"
#include "per_axis.h"

namespace heed {

struct MaxPool1dOptions {
  Index kernel = 0;
  std::optional<Index> stride = {};  ///< none: the kernel
  Index padding = 0;                 ///< at most half of the kernel; never the largest
  Index dilation = 1;
  bool ceil_mode = false;
};

struct MaxPool2dOptions {
  PerAxis kernel;
  std::optional<PerAxis> stride = {};
  PerAxis padding = 0;
  PerAxis dilation = 1;
  bool ceil_mode = false;
};

struct AvgPool1dOptions {
  Index kernel = 0;
  std::optional<Index> stride = {};
  Index padding = 0;  ///< zeros
  bool ceil_mode = false;
  bool count_include_pad = true;  ///< padding counts in the average's divisor
};

struct AvgPool2dOptions {
  PerAxis kernel;
  std::optional<PerAxis> stride = {};
  PerAxis padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;
};

struct MaxPooled {
  Tensor values;
  Tensor
      indices;  ///< i64: the place in the plane it came from, h W + w (1d: in the row); no gradient
};

/// The largest of each window; NaN wins. The gradient goes to the first of equals, as PyTorch's,
/// and to the first NaN (PyTorch: the last).
Tensor max_pool1d(const Tensor& x, const MaxPool1dOptions& options);
Tensor max_pool2d(const Tensor& x, const MaxPool2dOptions& options);
MaxPooled max_pool1d_with_indices(const Tensor& x, const MaxPool1dOptions& options);
MaxPooled max_pool2d_with_indices(const Tensor& x, const MaxPool2dOptions& options);

/// The mean of each window.
Tensor avg_pool1d(const Tensor& x, const AvgPool1dOptions& options);
Tensor avg_pool2d(const Tensor& x, const AvgPool2dOptions& options);

/// The same by a kernel's size alone.
template <Whole K>
Tensor max_pool1d(const Tensor& x, K kernel) {
  return max_pool1d(x, MaxPool1dOptions{.kernel = static_cast<Index>(kernel)});
}
template <Whole K>
Tensor max_pool2d(const Tensor& x, K kernel) {
  return max_pool2d(x, MaxPool2dOptions{.kernel = static_cast<Index>(kernel)});
}
template <Whole K>
Tensor avg_pool1d(const Tensor& x, K kernel) {
  return avg_pool1d(x, AvgPool1dOptions{.kernel = static_cast<Index>(kernel)});
}
template <Whole K>
Tensor avg_pool2d(const Tensor& x, K kernel) {
  return avg_pool2d(x, AvgPool2dOptions{.kernel = static_cast<Index>(kernel)});
}

/// Means of windows that cut x into `out` pieces: place i of n covers [floor(i in / out),
/// ceil((i + 1) in / out)).
Tensor adaptive_avg_pool1d(const Tensor& x, Index out);
Tensor adaptive_avg_pool2d(const Tensor& x, PerAxis out);

/// The same from plain operators: what the fused ones are tested against. Gradients of equal
/// largest elements are shared here.
Tensor max_pool2d_plain(const Tensor& x, const MaxPool2dOptions& options);
Tensor avg_pool2d_plain(const Tensor& x, const AvgPool2dOptions& options);

}  // namespace heed
