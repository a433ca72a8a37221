// Whole small graphs, as exporters write them: with their weights, and an input.
#pragma once

#include <string>
#include <vector>

#include "../../autograd/tensor.h"
#include "../../onnx/model.h"

namespace heed::onnx {

struct NamedGraph {
  std::string name;
  Model model;
  Tensor x;
};

/// x [B, 7] -> [B, 3]: fc1.weight, fc1.bias, fc2.weight, fc2.bias.
Model mlp();
/// The same, a convolutional net with batch normalisation, a GRU and an LSTM on embedded words, and
/// a layer of a Transformer whose normalisation and GELU are taken apart, as before versions 17 and
/// 20.
std::vector<NamedGraph> graphs();

}  // namespace heed::onnx
