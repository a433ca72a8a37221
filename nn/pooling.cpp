#include "pooling.h"

#include <fmt/format.h>

#include "../autograd/ops/conv/window.h"
#include "../core/error.h"

namespace heed::nn {
namespace {

// One axis of a window; what depends on x is checked where it is called.
void check(const char* layer, Index kernel, Index stride, Index padding, Index dilation = 1) {
  check_window(layer,
               {.kernel = kernel, .stride = stride, .padding = padding, .dilation = dilation});
  if (padding > kernel / 2) {
    throw ValueError(
        fmt::format("{}: padding {} is more than half of kernel {}", layer, padding, kernel));
  }
}

void check_out(const char* layer, Index out) {
  if (out < 0) {
    throw ValueError(fmt::format("{}: the output size must not be negative: {}", layer, out));
  }
}

}  // namespace

MaxPool1d::MaxPool1d(const MaxPool1dOptions& options) : options_(options) {
  check("MaxPool1d", options.kernel, options.stride.value_or(options.kernel), options.padding,
        options.dilation);
}

MaxPool2d::MaxPool2d(const MaxPool2dOptions& options) : options_(options) {
  const PerAxis stride = options.stride.value_or(options.kernel);
  check("MaxPool2d", options.kernel.y, stride.y, options.padding.y, options.dilation.y);
  check("MaxPool2d", options.kernel.x, stride.x, options.padding.x, options.dilation.x);
}

AvgPool1d::AvgPool1d(const AvgPool1dOptions& options) : options_(options) {
  check("AvgPool1d", options.kernel, options.stride.value_or(options.kernel), options.padding);
}

AvgPool2d::AvgPool2d(const AvgPool2dOptions& options) : options_(options) {
  const PerAxis stride = options.stride.value_or(options.kernel);
  check("AvgPool2d", options.kernel.y, stride.y, options.padding.y);
  check("AvgPool2d", options.kernel.x, stride.x, options.padding.x);
}

AdaptiveAvgPool1d::AdaptiveAvgPool1d(Index out) : out_(out) { check_out("AdaptiveAvgPool1d", out); }

AdaptiveAvgPool2d::AdaptiveAvgPool2d(PerAxis out) : out_(out) {
  check_out("AdaptiveAvgPool2d", out.y);
  check_out("AdaptiveAvgPool2d", out.x);
}

}  // namespace heed::nn
