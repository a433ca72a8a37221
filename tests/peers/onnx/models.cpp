#include "models.h"

#include "../../../core/generator.h"

namespace heed::onnx {
namespace {

class Together final : public nn::Module {
 public:
  explicit Together(const std::vector<std::shared_ptr<nn::Module>>& modules) {
    for (std::size_t i = 0; i < modules.size(); ++i) shared_child(std::to_string(i), modules[i]);
  }
};

}  // namespace

std::shared_ptr<nn::Module> together(const std::vector<std::shared_ptr<nn::Module>>& modules) {
  if (modules.size() == 1) return modules[0];
  return std::make_shared<Together>(modules);
}

Tensor ids(const Shape& shape, Index below) { return randint(0, below, shape); }

Input lengths_input(Index batch, Index steps) {
  std::vector<Index> lengths;
  for (Index row = 0; row < batch; ++row) lengths.push_back(1 + (steps - 1) * (row + 1) / batch);
  return {"lengths", tensor(lengths), {"batch"}};
}

std::vector<Index> to_lengths(const Tensor& lengths) { return lengths.to_vector<Index>(); }

}  // namespace heed::onnx
