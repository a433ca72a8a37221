// Resize and Upsample: places of another number along the axes behind batch and channels.
#include <fmt/format.h>

#include "../../autograd/ops/conv/resample.h"
#include "../../core/error.h"
#include "../../core/quoted.h"
#include "operators.h"

namespace heed::onnx {
namespace {

enum class Meets { asymmetric, corners, half_pixel, pytorch_half_pixel };

// One axis: its places, those of the result, and what the file says of them; 0 where it gives
// sizes.
struct Resized {
  Index axis, in, out;
  float scale;
};

// Where place i of the result is met. What is rounded down after it is divided in f32, in which
// scales are: 2 / (2 / 3) is 3 there.
double met(double i, const Resized& at, Meets meets) {
  const auto in = static_cast<double>(at.in), out = static_cast<double>(at.out);
  switch (meets) {
    case Meets::asymmetric:
      return at.scale != 0 ? static_cast<double>(static_cast<float>(i) / at.scale) : i * in / out;
    case Meets::corners: return at.out > 1 ? i * ((in - 1) / (out - 1)) : 0;
    case Meets::pytorch_half_pixel:
      if (at.out == 1) return 0;
      break;
    case Meets::half_pixel: break;
  }
  const double step = at.scale != 0 ? 1 / static_cast<double>(at.scale) : in / out;
  return (i + 0.5) * step - 0.5;
}

// The axes of x [B, C, L] or [B, C, H, W] that change.
std::vector<Resized> axes_of(const Tensor& x, const std::vector<Index>& sizes,
                             const std::vector<float>& scales) {
  const std::size_t count = sizes.empty() ? scales.size() : sizes.size();
  const bool fits = static_cast<Index>(count) == x.rank() && (x.rank() == 3 || x.rank() == 4);
  std::vector<Resized> out;
  Shape shape;
  for (std::size_t i = 0; fits && i < count; ++i) {
    const auto axis = static_cast<Index>(i);
    Resized at{.axis = axis, .in = x.size(axis), .out = 0, .scale = 0};
    if (sizes.empty()) {
      at.scale = scales[i];
      const float size = at.scale * static_cast<float>(at.in);
      if (!(at.scale > 0 && size < 1e15F)) {
        throw ValueError("a scale that is not a positive number");
      }
      at.out = at.scale == 1 ? at.in : static_cast<Index>(size);
    } else {
      at.out = sizes[i];
    }
    shape.push_back(at.out);
    out.push_back(at);
  }
  if (!fits || out[0].out != x.size(0) || out[1].out != x.size(1)) {
    throw ShapeError(
        "sizes must be those of [B, C, L] or [B, C, H, W] with the same batch and channels");
  }
  out.erase(out.begin(), out.begin() + 2);
  for (const Resized& at : out) {
    if (at.in > 0 && at.out > 0) continue;
    throw ShapeError(fmt::format("{} places of an axis of {}", at.out, at.in));
  }
  check_sizes("Resize", shape);
  return out;
}

// Of the ways to meet places, those of nearest that round down without a half, and those of linear.
Operation resize_of(NodeReader& node) {
  const bool upsample = node.node().op_type == "Upsample";
  const bool sized = !upsample && node.opset() >= 11;
  node.inputs(1, sized ? 4 : 2);
  const std::string mode = node.text("mode", "nearest");
  const bool linear = mode == "linear";
  if (!linear) node.only("mode", "nearest");
  const std::string given =
      sized ? node.text("coordinate_transformation_mode", "half_pixel") : "asymmetric";
  const std::string rounds = sized ? node.text("nearest_mode", "round_prefer_floor") : "floor";
  Meets meets = Meets::asymmetric;
  if (given == "half_pixel") meets = Meets::half_pixel;
  if (given == "pytorch_half_pixel") meets = Meets::pytorch_half_pixel;
  if (given == "align_corners") meets = Meets::corners;
  const bool known = given == "asymmetric" || meets != Meets::asymmetric;
  if (!known || linear == (meets == Meets::asymmetric) || (!linear && rounds != "floor")) {
    node.fail(fmt::format("{} with coordinates {}, rounded by {}, is not supported", in_short(mode),
                          in_short(given), in_short(rounds)));
  }
  node.ignore("cubic_coeff_a");
  node.ignore("extrapolation_value");
  node.only("exclude_outside", 0);
  node.only("antialias", 0);
  node.none("axes");
  node.only("keep_aspect_ratio_policy", "stretch");
  const std::vector<float> fixed =
      upsample && node.opset() < 9 ? node.numbers("scales") : std::vector<float>();
  return one([=](const std::vector<Tensor>& in, const Run&) {
    const Tensor &scales = input_or_none(in, sized ? 2 : 1),
                 &sizes = input_or_none(in, sized ? 3 : 9);
    std::vector<Index> wanted;
    std::vector<float> by = fixed;
    if (sizes.defined() && sizes.numel() > 0) {
      wanted = integers_of(sizes, "sizes");
    } else if (scales.defined()) {
      by = scales.array().to(DType::f32).to_vector<float>();
    }
    Tensor out = in[0];
    for (const Resized& at : axes_of(out, wanted, by)) {
      const auto place_of = [&](Index i) { return met(static_cast<double>(i), at, meets); };
      out = heed::detail::resampled(out, at.axis, at.out, place_of, linear);
    }
    return out;
  });
}

}  // namespace

void add_resize(Makers& to) {
  to["Resize"] = resize_of;
  to["Upsample"] = resize_of;
}

}  // namespace heed::onnx
