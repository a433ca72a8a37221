// Why a model says what it says: maps of what its answer rests on, for any model whose parts are on
// the tape. How far they can be believed is measured in docs/explanations.md.
//
//   attention_rollout    A_l = (1 - r) mean_h W_l + r I, rows divided by their sums; A_L .. A_1
//                        (Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers")
//   attention_relevance  R = I;  R = R + mean_h (dy/dW_l o W_l)^+ R, from the first layer to the last
//                        (Chefer et al. 2021, "Generic Attention-model Explainability", eqs. 5 and 6)
//   gradient_weighted    (dy/dw o w)^+, of one layer
//   grad_cam             relu(sum_c (mean over places of dy/dA_c) A_c)
//                        (Selvaraju et al. 2017, "Grad-CAM", eqs. 1 and 2)
//   gradient_by_input    |sum_c x_c dy/dx_c|
//
// `score` is y: what is to be explained, [B] or one number for all (the logit of a class, say),
// made of the very tensors that are given: ask a model for its weights while it records, or keep
// what a forward hook sees. Examples of a batch must not know of each other. Leaves' gradients are
// left alone, and results are off the tape.
#pragma once

#include <vector>

#include "../autograd/tensor.h"

namespace heed::train {

/// weights of each layer, first to last, [B, H, T, T] or [B, T, T] -> [B, T, T]: row i says how
/// much of each input token reaches token i of the last layer. `residual` is the share of what goes
/// by attention. Throws ShapeError, DTypeError, ValueError without layers and for a residual
/// outside [0, 1].
Tensor attention_rollout(const std::vector<Tensor>& weights, double residual = 0.5);

/// The same shapes; what speaks against the score counts as nothing. Throws ShapeError, DTypeError,
/// ValueError without layers; GradError where the score does not depend on a layer's weights.
Tensor attention_relevance(const std::vector<Tensor>& weights, const Tensor& score);

/// (dy/dw o w)^+ of a single look's weights, any shape: what the layers above are made of. Throws
/// DTypeError, GradError.
Tensor gradient_weighted(const Tensor& weights, const Tensor& score);

/// activation [B, C, ..] -> [B, ..]; of tokens [B, T, C] the channels are axis 2. Throws
/// ShapeError, DTypeError, GradError.
Tensor grad_cam(const Tensor& activation, const Tensor& score, Index channels = 1);

/// input [.., C] -> [..], summed over the last axis. Throws ShapeError, DTypeError, GradError.
Tensor gradient_by_input(const Tensor& input, const Tensor& score);

}  // namespace heed::train
