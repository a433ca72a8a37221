// Convolution, pooling, and images read at places.
#include <algorithm>

#include "../core/error.h"
#include "step.h"

namespace heed::onnx {
namespace {

// ONNX pads [y before, x before, y behind, x behind].
std::vector<Index> around(const std::vector<Index>& before, const std::vector<Index>& behind) {
  return {before[0], before[1], behind[0], behind[1]};
}

void conv(const Step& step) {
  GraphWriter& to = step.to;
  const std::vector<Index> strides = step.numbers("stride"), dilations = step.numbers("dilation");
  const std::vector<Index> padding = step.numbers("padding");
  const Shape& kernel = step.array(1).shape();
  std::vector<Index> behind = padding;
  if (step.number("same") != 0) {
    for (std::size_t i = 0; i < 2; ++i) {
      behind[i] = dilations[i] * (kernel[static_cast<Index>(i) + 2] - 1) - padding[i];
    }
  }
  step.out(to.node("Conv", {step.in(0), step.in(1), step.in(2)},
                   {attribute("strides", strides), attribute("dilations", dilations),
                    attribute("pads", around(padding, behind)),
                    attribute("kernel_shape", std::vector<Index>{kernel[2], kernel[3]}),
                    attribute("group", std::int64_t{step.number("groups")})}));
}

// The windows of one more axis than there are channels.
std::string with_batch(const Step& step) {
  return step.rank() == 4 ? step.in(0)
                          : step.to.node("Unsqueeze", {step.in(0), step.to.whole({0})});
}
void without_batch(const Step& step, const std::string& out) {
  step.out(step.rank() == 4 ? out : step.to.node("Squeeze", {out, step.to.whole({0})}));
}

// Whether there is a window more than whole steps reach.
bool rounds_up(const Step& step) {
  const auto kernel = step.numbers("kernel"), stride = step.numbers("stride");
  const auto padding = step.numbers("padding"), dilation = step.numbers("dilation");
  for (std::size_t pass = 0; pass < step.to.passes(); ++pass) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Index axis = static_cast<Index>(i) - 2;
      const Index in = step.array(0, pass).size(axis), out = step.result(0, pass).size(axis);
      const Index reach = dilation[i] * (kernel[i] - 1) + 1;
      if (out != (in + 2 * padding[i] - reach) / stride[i] + 1) return true;
    }
  }
  return false;
}

Attributes windows(const Step& step) {
  const std::vector<Index> padding = step.numbers("padding");
  return {attribute("kernel_shape", step.numbers("kernel")),
          attribute("strides", step.numbers("stride")), attribute("pads", around(padding, padding)),
          attribute("ceil_mode", std::int64_t{rounds_up(step) ? 1 : 0})};
}

void max_pool(const Step& step) {
  Attributes how = windows(step);
  how.push_back(attribute("dilations", step.numbers("dilation")));
  without_batch(step, step.to.node("MaxPool", {with_batch(step)}, how));
}

void avg_pool(const Step& step) {
  GraphWriter& to = step.to;
  if (step.number("adaptive") == 0) {
    Attributes how = windows(step);
    how.push_back(attribute("count_include_pad", std::int64_t{step.number("include_pad")}));
    without_batch(step, to.node("AveragePool", {with_batch(step)}, how));
    return;
  }
  // One piece an axis is a mean; pieces of one size are windows.
  std::vector<Index> whole, kernel = {1, 1};
  for (Index axis = -2; axis < 0; ++axis) {
    const std::vector<Index> in = step.sizes(0, axis), out = step.result_sizes(step.rank() + axis);
    if (std::all_of(out.begin(), out.end(), [](Index size) { return size == 1; })) {
      whole.push_back(step.rank() + axis);
      continue;
    }
    const Index piece = in[0] / out[0];
    for (std::size_t pass = 0; pass < in.size(); ++pass) {
      if (in[pass] != piece * out[pass]) to.refuse("its pieces are of several sizes");
    }
    kernel[static_cast<std::size_t>(axis + 2)] = piece;
  }
  std::string out = with_batch(step);
  if (kernel[0] != 1 || kernel[1] != 1) {
    out = to.node("AveragePool", {out},
                  {attribute("kernel_shape", kernel), attribute("strides", kernel)});
  }
  for (Index& axis : whole) axis += 4 - step.rank();
  if (!whole.empty()) {
    out = to.node("ReduceMean", {out},
                  {attribute("axes", whole), attribute("keepdims", std::int64_t{1})});
  }
  without_batch(step, out);
}

void grid_sample(const Step& step) {
  const auto which = [&](const char* name, const char* yes, const char* no) {
    return std::string(step.number(name) != 0 ? yes : no);
  };
  step.out(step.to.node("GridSample", {step.in(0), step.in(1)},
                        {attribute("mode", which("nearest", "nearest", "bilinear")),
                         attribute("padding_mode", which("border", "border", "zeros")),
                         attribute("align_corners", std::int64_t{step.number("align_corners")})}));
}

}  // namespace

void add_windows(Writers& to) {
  to["conv2d"] = conv;
  to["max_pool2d"] = max_pool;
  to["avg_pool2d"] = avg_pool;
  to["grid_sample"] = grid_sample;
}

}  // namespace heed::onnx
