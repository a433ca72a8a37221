// A folder with a model of Hugging Face's transformers: config.json, and the weights beside it as
// safetensors, in one file or several, or else as pytorch_model.bin.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../attention/mechanisms/transformer/layer_parts.h"
#include "family_config.h"
#include "renamed.h"

namespace heed::pretrained {

class FamilyFile {
 public:
  /// Throws IoError, FormatError.
  explicit FamilyFile(const std::string& folder);

  const FamilyConfig config;

  bool has(const std::string& name) const { return tensors_.contains(name); }
  /// Takes the prefix off the names that have it: a model is saved by itself, or within one that
  /// has a head. Throws FormatError where that gives a name twice.
  void strip(const std::string& prefix);
  /// Sizes are believed once the file has tensors of them: throws FormatError for another shape.
  void expect(const std::string& name, const Shape& shape) const;
  /// How many classes a vector of biases is of; without it `otherwise`.
  Index classes(const std::string& name, Index otherwise) const;
  /// Without an axis of 1 at the front, where it is there.
  void flatten(const std::string& name);

  /// Of the names of today's layer norms, weight and bias; older files say gamma and beta.
  void modernise();

  template <class Model, class Options>
  std::unique_ptr<Model> load(const Options& options, const std::vector<Rename>& renames) const {
    return load_renamed<Model>(options, {tensors_.begin(), tensors_.end()}, folder_, renames);
  }

 private:
  std::string folder_;
  std::map<std::string, Tensor> tensors_;
};

/// By transformers' name: relu, gelu, gelu_new, silu and theirs. Throws FormatError for others.
attention::Activation activation(const FamilyConfig& config, const std::string& key,
                                 const std::string& otherwise);

/// Adds renames of q, k and v by these names to the one matrix of a MultiHead.
void join_heads(std::vector<Rename>& renames, const std::string& from,
                const std::vector<std::string>& names, const std::string& to);

}  // namespace heed::pretrained
