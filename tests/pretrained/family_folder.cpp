#include "family_folder.h"

#include <cmath>

#include "../../autograd/factories.h"
#include "../../autograd/methods.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../core/generator.h"
#include "../../io/safetensors.h"

namespace heed::pretrained {

void add_linear(NamedSizes& to, const std::string& name, Index out, Index in, bool bias) {
  to.emplace_back(name + ".weight", Shape{out, in});
  if (bias) to.emplace_back(name + ".bias", Shape{out});
}

void add_norm(NamedSizes& to, const std::string& name, Index width) {
  to.emplace_back(name + ".weight", Shape{width});
  to.emplace_back(name + ".bias", Shape{width});
}

FamilyFolder::FamilyFolder(const std::string& config, const NamedSizes& sizes) {
  Generator generator(17);
  for (const auto& [name, shape] : sizes) {
    const Tensor drawn = randn(shape, DType::f32, generator) * 0.4;
    const bool norm = drawn.rank() == 1 && name.ends_with("weight");
    weights.arrays.emplace(name, (norm ? drawn + 1 : drawn).array());
  }
  write(config);
  write();
}

void FamilyFolder::write(const std::string& config) const { folder_.write("config.json", config); }

void FamilyFolder::write() const {
  io::write_safetensors(folder_ / "model.safetensors",
                        {weights.arrays.begin(), weights.arrays.end()});
}

double difference(const Tensor& found, const plain::Rows& wanted) {
  const std::vector<double> numbers = found.array().to(DType::f64).contiguous().to_vector<double>();
  std::vector<double> flat;
  for (const plain::Row& row : wanted) flat.insert(flat.end(), row.begin(), row.end());
  if (numbers.size() != flat.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const double apart = std::abs(numbers[i] - flat[i]);
    most = std::isnan(apart) ? INFINITY : std::max(most, apart);
  }
  return most;
}

}  // namespace heed::pretrained
