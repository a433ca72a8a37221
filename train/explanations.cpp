#include "explanations.h"

#include <fmt/format.h>

#include "../autograd/backward.h"
#include "../autograd/check_defined.h"
#include "../autograd/grad_mode.h"
#include "../autograd/ops/elementwise/activation.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/linalg/matmul.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/error.h"

namespace heed::train {
namespace {

void check_layers(const char* op, const std::vector<Tensor>& weights) {
  if (weights.empty()) throw ValueError(fmt::format("{}: there are no layers", op));
  for (const Tensor& layer : weights) {
    check_defined(op, layer, "weights");
    check_floating(op, layer.dtype());
    const Index rank = layer.rank();
    if ((rank != 3 && rank != 4) || layer.size(-1) != layer.size(-2) ||
        layer.size(0) != weights[0].size(0) || layer.size(-1) != weights[0].size(-1) ||
        layer.dtype() != weights[0].dtype()) {
      throw ShapeError(
          fmt::format("{}: weights must be [B, H, T, T] of one B and T, not {} beside {}", op,
                      describe(layer), describe(weights[0])));
    }
  }
}

// [B, H, T, T] -> [B, T, T]
Tensor over_heads(const Tensor& layer) { return layer.rank() == 4 ? mean(layer, {1}) : layer; }

Tensor identity(const Tensor& like) {
  return expand(eye(like.size(-1), like.dtype()),
                Shape{like.size(0), like.size(-1), like.size(-1)});
}

// Of the sum of the scores, by each of these.
std::vector<Tensor> gradients(const char* op, const Tensor& score, const std::vector<Tensor>& of) {
  check_defined(op, score, "score");
  if (score.rank() > 1) {
    throw ShapeError(
        fmt::format("{}: the score must be [B] or one number, not {}", op, describe(score)));
  }
  for (const Tensor& each : of) {
    if (!each.requires_grad()) {
      throw GradError(fmt::format("{}: {} is not on the tape", op, describe(each)));
    }
  }
  BackwardOptions keep;
  keep.retain_graph = true;
  std::vector<Tensor> out = grad({sum(score)}, of, {}, keep);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out[i].defined()) {
      throw GradError(
          fmt::format("{}: the score does not depend on {}, number {}", op, describe(of[i]), i));
    }
  }
  return out;
}

}  // namespace

Tensor attention_rollout(const std::vector<Tensor>& weights, double residual) {
  constexpr const char* kOp = "attention_rollout";
  check_layers(kOp, weights);
  if (!(residual >= 0 && residual <= 1)) {
    throw ValueError(fmt::format("{}: residual {} is not in [0, 1]", kOp, residual));
  }
  const NoGrad off;
  Tensor rolled = identity(weights[0]);
  for (const Tensor& layer : weights) {
    const Tensor a = (1 - residual) * over_heads(layer.detach()) + residual * identity(layer);
    rolled = matmul(a / sum(a, {2}, true), rolled);
  }
  return rolled;
}

Tensor attention_relevance(const std::vector<Tensor>& weights, const Tensor& score) {
  check_layers("attention_relevance", weights);
  const std::vector<Tensor> by = gradients("attention_relevance", score, weights);
  const NoGrad off;
  Tensor relevance = identity(weights[0]);
  for (std::size_t l = 0; l < weights.size(); ++l) {
    const Tensor a = over_heads(relu(by[l] * weights[l].detach()));
    relevance = relevance + matmul(a, relevance);
  }
  return relevance;
}

Tensor gradient_weighted(const Tensor& weights, const Tensor& score) {
  check_defined("gradient_weighted", weights, "weights");
  check_floating("gradient_weighted", weights.dtype());
  const Tensor by = gradients("gradient_weighted", score, {weights})[0];
  const NoGrad off;
  return relu(by * weights.detach());
}

Tensor grad_cam(const Tensor& activation, const Tensor& score, Index channels) {
  check_defined("grad_cam", activation, "activation");
  check_floating("grad_cam", activation.dtype());
  if (activation.rank() < 3) {
    throw ShapeError("grad_cam: activation must be [B, C, ..], not " + describe(activation));
  }
  const Index axis = normalize_axis("grad_cam", channels, activation.rank());
  if (axis == 0) throw ShapeError("grad_cam: axis 0 is the batch, not the channels");
  const Tensor by = gradients("grad_cam", score, {activation})[0];
  const NoGrad off;
  Axes places;
  for (Index each = 1; each < activation.rank(); ++each) {
    if (each != axis) places.push_back(each);
  }
  return relu(sum(mean(by, places, true) * activation.detach(), {axis}));
}

Tensor gradient_by_input(const Tensor& input, const Tensor& score) {
  check_defined("gradient_by_input", input, "input");
  check_floating("gradient_by_input", input.dtype());
  if (input.rank() < 2) {
    throw ShapeError("gradient_by_input: input must be [.., C], not " + describe(input));
  }
  const Tensor by = gradients("gradient_by_input", score, {input})[0];
  const NoGrad off;
  return abs(sum(by * input.detach(), {-1}));
}

}  // namespace heed::train
