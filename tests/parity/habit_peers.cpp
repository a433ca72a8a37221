// What stands in the table's trigonometry, resize and composed rows.
#include <cmath>

#include "../../autograd/ops/conv/conv_transpose.h"
#include "../../autograd/ops/conv/interpolate.h"
#include "../../autograd/ops/elementwise/activation.h"
#include "../../autograd/ops/elementwise/dropout.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/elementwise/remainder.h"
#include "../../autograd/ops/elementwise/rounding.h"
#include "../../autograd/ops/elementwise/trigonometry.h"
#include "../../autograd/ops/losses/binary_cross_entropy.h"
#include "../../autograd/ops/losses/regression_losses.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/triangle.h"
#include "parity.h"

namespace heed::parity {
namespace {

namespace F = torch::nn::functional;

// Not on zeros and infinities, where both have no derivative.
template <class Call>
void smooth_binary(std::vector<Peer>& out, const std::string& name, Call call) {
  for (const Domain domain : {Domain::any, Domain::positive}) {
    out.push_back(same(name, {{2, 1, 5}, {3, 1}}, call, domain));
    out.push_back(same(name, {{}, {7}}, call, domain));
  }
}

void activations(std::vector<Peer>& out) {
  for (const Domain domain : {Domain::any, Domain::positive}) {
    const auto add = [&](const char* name, Tensor (*ours)(const Tensor&), auto theirs) {
      out.push_back(peer(
          name, {{5, 13}}, [ours](H x) { return ours(5 * x[0]); },
          [theirs](T x) { return torch::Tensor(theirs(5 * x[0])); }, domain));
    };
    add("relu6", relu6, [](const torch::Tensor& x) { return torch::clamp(x, 0, 6); });
    add("softsign", softsign, [](const torch::Tensor& x) { return F::softsign(x); });
    add("selu", selu, [](const torch::Tensor& x) { return torch::selu(x); });
    // By its formula: the derivative of libtorch's own knows a sixth to a float's digits alone.
    add("hardsigmoid", hardsigmoid,
        [](const torch::Tensor& x) { return torch::clamp(x + 3, 0, 6) / 6; });
    add("hardswish", hardswish, [](const torch::Tensor& x) { return torch::hardswish(x); });
    add("mish", mish, [](const torch::Tensor& x) { return torch::mish(x); });
    out.push_back(same(
        "hardtanh", {{5, 13}}, [](auto& x) { return hardtanh(x[0], -0.7, 0.9); }, domain));
  }
}

void resizes(std::vector<Peer>& out) {
  using Ours = InterpolateOptions;
  using Theirs = F::InterpolateFuncOptions;
  const auto add = [&](const std::vector<Index>& shape, const Ours& ours, const Theirs& theirs) {
    out.push_back(peer(
        "interpolate", {shape}, [ours](H x) { return interpolate(x[0], ours); },
        [theirs](T x) { return F::interpolate(x[0], theirs); }));
  };
  const auto linear = Interpolation::linear;
  using Size = std::vector<std::int64_t>;
  add({2, 3, 5}, {.scale = 2}, Theirs().scale_factor(std::vector<double>{2}).mode(torch::kNearest));
  add({1, 2, 3, 5}, {.size = PerAxis(4, 7)}, Theirs().size(Size{4, 7}).mode(torch::kNearest));
  add({2, 3, 5}, {.size = PerAxis(8), .mode = linear},
      Theirs().size(Size{8}).mode(torch::kLinear).align_corners(false));
  add({2, 1, 3, 5}, {.size = PerAxis(7, 4), .mode = linear},
      Theirs().size(Size{7, 4}).mode(torch::kBilinear).align_corners(false));
  add({2, 1, 3, 5}, {.size = PerAxis(7, 4), .mode = linear, .align_corners = true},
      Theirs().size(Size{7, 4}).mode(torch::kBilinear).align_corners(true));
  add({1, 2, 4, 6}, {.scale = 1.5, .mode = linear},
      Theirs()
          .scale_factor(std::vector<double>{1.5, 1.5})
          .mode(torch::kBilinear)
          .align_corners(false));

  out.push_back(peer(
      "conv_transpose2d", {{2, 4, 3, 5}, {4, 3, 2, 3}, {6}},
      [](H x) {
        return conv_transpose2d(x[0], x[1], x[2],
                                {.stride = {2, 3},
                                 .padding = {1, 0},
                                 .output_padding = {1, 2},
                                 .dilation = {1, 2},
                                 .groups = 2});
      },
      [](T x) {
        return torch::conv_transpose2d(x[0], x[1], x[2], {2, 3}, {1, 0}, {1, 2}, 2, {1, 2});
      }));
  out.push_back(peer(
      "conv_transpose1d", {{2, 4, 7}, {4, 3, 3}},
      [](H x) { return conv_transpose1d(x[0], x[1], Tensor(), {.stride = 2, .padding = 1}); },
      [](T x) { return torch::conv_transpose1d(x[0], x[1], {}, 2, 1); }));
  // Everything kept, nothing kept.
  for (const double p : {0.0, 1.0}) {
    out.push_back(peer(
        "dropout_channels", {{3, 5, 2}}, [p](H x) { return dropout_channels(x[0], p); },
        [p](T x) { return torch::feature_dropout(x[0], p, true); }));
  }
}

void losses(std::vector<Peer>& out) {
  const auto each = {std::pair{Reduction::none, at::Reduction::None},
                     {Reduction::mean, at::Reduction::Mean},
                     {Reduction::sum, at::Reduction::Sum}};
  for (const auto& [ours, theirs] : each) {
    out.push_back(peer(
        "huber_loss", {{5, 7}, {5, 7}},
        [how = ours](H x) { return huber_loss(x[0], x[1], 0.7, how); },
        [how = theirs](T x) { return torch::huber_loss(x[0], x[1], how, 0.7); }));
    out.push_back(peer(
        "binary_cross_entropy", {{5, 7}, {5, 7}},
        [how = ours](H x) { return binary_cross_entropy(x[0], x[1], {.reduction = how}); },
        [how = theirs](T x) { return torch::binary_cross_entropy(x[0], x[1], {}, how); },
        Domain::unit));
  }
}

}  // namespace

std::vector<Peer> habit_peers() {
  std::vector<Peer> out;
  unary(out, "tan", [](auto& x) { return tan(x[0]); });
  unary(out, "asin", [](auto& x) { return asin(x[0]); });
  unary(out, "acos", [](auto& x) { return acos(x[0]); });
  unary(out, "atan", [](auto& x) { return atan(x[0]); });
  unary(out, "sinh", [](auto& x) { return sinh(x[0]); });
  unary(out, "cosh", [](auto& x) { return cosh(x[0]); });
  unary(out, "floor", [](auto& x) { return floor(x[0]); });
  unary(out, "ceil", [](auto& x) { return ceil(x[0]); });
  unary(out, "round", [](auto& x) { return round(x[0]); });
  unary(out, "trunc", [](auto& x) { return trunc(x[0]); });
  smooth_binary(out, "atan2", [](auto& x) { return atan2(x[0], x[1]); });
  smooth_binary(out, "remainder", [](auto& x) { return remainder(x[0], x[1]); });
  activations(out);
  resizes(out);
  losses(out);
  for (const Index offset : {0, 1, -2}) {
    out.push_back(same("diag", {{5, 7}}, [offset](auto& x) { return diag(x[0], offset); }));
    out.push_back(same("diag", {{3}}, [offset](auto& x) { return diag(x[0], offset); }));
  }
  out.push_back(same("trace", {{5, 5}}, [](auto& x) { return trace(x[0]); }));
  out.push_back(same("unbind", {{3, 5}}, [](auto& x) { return unbind(x[0], 1)[2]; }));
  return out;
}

}  // namespace heed::parity
