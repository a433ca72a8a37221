// Models that are exported for others to run: layers, named mechanisms, the examples' models.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../../nn/module.h"
#include "../../../onnx/export.h"

namespace heed::onnx {

struct Exported {
  std::shared_ptr<nn::Module> module = {};
  std::vector<Input> inputs = {};
  Forward forward = {};
  ExportOptions options = {};
  double tolerance = 1e-4;
};

struct NamedModel {
  std::string name;
  std::function<Exported()> make;
};

std::vector<NamedModel> layers();
std::vector<NamedModel> mechanisms();
std::vector<NamedModel> vision_mechanisms();
std::vector<NamedModel> examples();

/// Several modules as one, under the names "0", "1", ..
std::shared_ptr<nn::Module> together(const std::vector<std::shared_ptr<nn::Module>>& modules);

/// i64, in [0, below).
Tensor ids(const Shape& shape, Index below);
/// An example of lengths for `batch` rows of `steps`.
Input lengths_input(Index batch, Index steps);
std::vector<Index> to_lengths(const Tensor& lengths);

}  // namespace heed::onnx
