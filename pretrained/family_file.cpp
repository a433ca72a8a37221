#include "family_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "../autograd/methods.h"
#include "../core/error.h"
#include "../core/quoted.h"
#include "../io/sharded_safetensors.h"
#include "../io/torch_file.h"

namespace heed::pretrained {

namespace {

// What PyTorch saved is read where nobody has made safetensors of it.
io::NamedArrays arrays_in(const std::string& folder) {
  const std::string torch = folder + "/pytorch_model.bin";
  std::error_code none;
  const auto there = [&](const std::string& name) {
    return std::filesystem::exists(folder + "/model" + name, none);
  };
  if (!there(".safetensors") && !there(io::kIndexEnding) && std::filesystem::exists(torch, none)) {
    return io::read_torch(torch).arrays;
  }
  return io::read_model_safetensors(folder).arrays;
}

}  // namespace

FamilyFile::FamilyFile(const std::string& folder)
    : config(FamilyConfig::read(folder + "/config.json")), folder_(folder) {
  for (auto& [name, array] : arrays_in(folder)) tensors_.emplace(name, std::move(array));
}

void FamilyFile::strip(const std::string& prefix) {
  std::map<std::string, Tensor> out;
  for (auto& [name, tensor] : tensors_) {
    const std::string own = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
    if (!out.emplace(own, tensor).second) {
      throw FormatError(folder_, 0, in_quotes(own) + " is there twice");
    }
  }
  tensors_ = std::move(out);
}

void FamilyFile::modernise() {
  std::map<std::string, Tensor> out;
  for (auto& [name, tensor] : tensors_) {
    std::string own = name;
    if (own.ends_with("LayerNorm.gamma")) own.replace(own.size() - 5, 5, "weight");
    if (own.ends_with("LayerNorm.beta")) own.replace(own.size() - 4, 4, "bias");
    if (!out.emplace(own, tensor).second) {
      throw FormatError(folder_, 0, in_quotes(own) + " is there twice");
    }
  }
  tensors_ = std::move(out);
}

void FamilyFile::expect(const std::string& name, const Shape& shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    throw FormatError(folder_, 0, fmt::format("{} must be there, {}", name, to_string(shape)));
  }
  if (found->second.shape() != shape) {
    throw FormatError(folder_, 0,
                      fmt::format("{} must be {} by config.json, not {}", name, to_string(shape),
                                  to_string(found->second.shape())));
  }
}

Index FamilyFile::classes(const std::string& name, Index otherwise) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return otherwise;
  if (found->second.rank() != 1 || found->second.numel() == 0) {
    throw FormatError(folder_, 0, name + " must be a vector");
  }
  return found->second.size(0);
}

void FamilyFile::flatten(const std::string& name) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return;
  Tensor& tensor = found->second;
  if (tensor.rank() == 2 && tensor.size(0) == 1) tensor = tensor.reshape({-1});
}

attention::Activation activation(const FamilyConfig& config, const std::string& key,
                                 const std::string& otherwise) {
  using attention::Activation;
  static const std::map<std::string, Activation> names = {
      {"relu", Activation::relu},
      {"gelu", Activation::gelu},
      {"gelu_new", Activation::gelu_tanh},
      {"gelu_fast", Activation::gelu_tanh},
      {"gelu_pytorch_tanh", Activation::gelu_tanh},
      {"silu", Activation::silu},
      {"swish", Activation::silu}};
  const std::string name = config.text(key, otherwise);
  const auto found = names.find(name);
  if (found == names.end()) config.refuse(key, in_quotes(name) + " is not known");
  return found->second;
}

void join_heads(std::vector<Rename>& renames, const std::string& from,
                const std::vector<std::string>& names, const std::string& to) {
  for (int i = 0; i < std::ssize(names); ++i) {
    renames.push_back(
        {from + names[static_cast<std::size_t>(i)] + ".", to + ".in_proj_", false, i});
  }
}

}  // namespace heed::pretrained
