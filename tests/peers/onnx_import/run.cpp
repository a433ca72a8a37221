// heed_peer_onnx_import FOLDER: each NAME.onnx there, on the named inputs of NAME.in.npz, whose
// results become NAME.out.npz. One line a model, with its nodes, or with why it was refused.
//
// One that ends in _train runs in training mode; its buffers then become NAME.grads.npz, too.
// Beside a NAME.step.npz, which holds the numbers that its floating inputs are to be trained with:
// the gradients of sum(result * weights) by each parameter become NAME.grads.npz.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../core/error.h"
#include "../../../io/npz.h"
#include "../../../onnx/graph_module.h"

namespace {

using namespace heed;
namespace fs = std::filesystem;

void run(const std::string& stem) {
  const auto model = onnx::load(stem + ".onnx");
  if (stem.ends_with("_train")) model->train();
  const io::NamedArrays arrays = io::read_npz(stem + ".in.npz");
  const nn::NamedTensors inputs(arrays.begin(), arrays.end());
  const nn::NamedTensors results = model->run(inputs);
  io::NamedArrays out;
  for (const auto& [name, tensor] : results) out.emplace_back(name, tensor.array().contiguous());
  io::write_npz(stem + ".out.npz", out);
  if (fs::exists(stem + ".step.npz")) {
    const Tensor weights = io::read_npz(stem + ".step.npz").at(0).second;
    sum(results.at(0).second * weights).backward();
    io::NamedArrays grads;
    for (const auto& [name, tensor] : model->named_parameters()) {
      if (tensor.grad().defined()) grads.emplace_back(name, tensor.grad().array().contiguous());
    }
    for (const auto& [name, tensor] : model->named_buffers())
      grads.emplace_back(name, tensor.array());
    io::write_npz(stem + ".grads.npz", grads);
  }
  fmt::print("{}\t{}\t{}\n", fs::path(stem).filename().string(), model->steps(),
             model->parameter_count());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: heed_peer_onnx_import FOLDER\n");
    return 2;
  }
  std::vector<std::string> stems;
  for (const auto& entry : fs::directory_iterator(argv[1])) {
    if (entry.path().extension() == ".onnx")
      stems.push_back((entry.path().parent_path() / entry.path().stem()).string());
  }
  std::sort(stems.begin(), stems.end());
  for (const std::string& stem : stems) {
    try {
      run(stem);
    } catch (const Error& error) {
      fmt::print("{}\terror\t{}\n", fs::path(stem).filename().string(), error.what());
    }
  }
  return 0;
}
