// Activation checkpointing (Chen et al. 2016): memory for time. A function runs without being
// recorded, and only its inputs are kept; when the backward pass gets there, it runs again,
// recorded this time, with the random numbers that it drew, and the pass goes on through what it
// made. Peak memory of n layers in k checkpoints: about k inputs and n / k layers.
//
//   for (Block& block : blocks) x = checkpoint([&](const Tensor& h) { return block(h); }, x);
//
// Gradients of inputs and of all that the function reaches by itself, such as parameters, are bit
// for bit those without checkpointing, in the same order of summation; create_graph and checkpoints
// inside checkpoints work. The function must do the same both times: what it captures must not
// change in between and must outlive the backward pass. What it draws, on the thread that calls it,
// from whatever generator, it gets again, and no generator moves.
#pragma once

#include "tensor.h"

namespace heed {

/// function(inputs), made again in the backward pass. The results require a gradient whenever
/// operators are recorded, even where nothing in them turns out to need one. The backward pass
/// throws GradError when the second run gives other shapes, ValueError when it draws more,
/// GradError when an input was written in place since, and inside an InferenceMode.
std::vector<Tensor> checkpoint(
    std::function<std::vector<Tensor>(const std::vector<Tensor>&)> function,
    const std::vector<Tensor>& inputs);
Tensor checkpoint(std::function<Tensor(const Tensor&)> function, const Tensor& input);

}  // namespace heed
