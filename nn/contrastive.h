// Two ways to write that compare.
//
// Contrastive decoding (Li et al. 2023, "Contrastive Decoding: Open-ended Text Generation as
// Optimization"): what a large model says beyond a small one, among what it finds likely at all:
//   s_i = log p_expert(i) - log p_amateur(i)  where p_expert(i) >= alpha max p_expert, else -infinity
//
// Contrastive search (Su et al. 2022, "A Contrastive Framework for Neural Text Generation", eq. 5):
// the likeliest token whose state is unlike all states before it:
//   x = argmax over the k likeliest v of  (1 - alpha) p(v) - alpha max_j cos(h_v, h_j)
#pragma once

#include <vector>

#include "../autograd/tensor.h"

namespace heed::nn {

/// Scores for sample() of two models' scores (logits). Throws ShapeError unless they are as many,
/// ValueError for an alpha outside (0, 1] and an expert none of whose scores is finite.
std::vector<double> contrast(const std::vector<double>& expert, const std::vector<double>& amateur,
                             double alpha = 0.1);

/// Which of k candidates: their probabilities, their states [k, d], the states before them [n, d];
/// the first of equals. Throws ShapeError, DTypeError, ValueError for an alpha outside [0, 1], no
/// candidate, and a state that is not finite.
Index contrastive_choice(const std::vector<double>& chances, const Tensor& candidates,
                         const Tensor& before, double alpha = 0.6);

}  // namespace heed::nn
