// A folder as Hugging Face's programs write them, of random weights.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../autograd/tensor.h"
#include "../io/temporary_folder.h"
#include "plain.h"

namespace heed::pretrained {

using NamedSizes = std::vector<std::pair<std::string, Shape>>;

/// Adds name.weight [out, in] and, where `bias`, name.bias [out].
void add_linear(NamedSizes& to, const std::string& name, Index out, Index in, bool bias);
/// Adds name.weight and name.bias [width].
void add_norm(NamedSizes& to, const std::string& name, Index width);

/// config.json and model.safetensors; numbers around 0, of norms' weights around 1.
class FamilyFolder {
 public:
  FamilyFolder(const std::string& config, const NamedSizes& sizes);

  std::string path() const { return folder_.path().string(); }
  std::string operator/(const std::string& name) const { return folder_ / name; }
  plain::Weights weights;

  /// Writes them anew.
  void write(const std::string& config) const;
  void write() const;

 private:
  TemporaryFolder folder_;
};

/// The largest difference between logits f64 [T, V] and rows.
double difference(const Tensor& found, const plain::Rows& wanted);

}  // namespace heed::pretrained
