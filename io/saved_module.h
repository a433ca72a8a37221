// A module in a model directory (model_directory.h): its weights as safetensors, and the settings
// it was made by. What the files of a folder disagree on is a FormatError that names the file.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "../core/error.h"
#include "../core/memory_budget.h"
#include "../nn/module.h"
#include "config.h"
#include "safetensors.h"

namespace heed::io {

/// write_safetensors() of a module's state_dict().
template <class Entries>
requires std::derived_from<Entries, nn::NamedTensors::Entries>
void write_safetensors(const std::string& path, const Entries& entries,
                       const std::map<std::string, std::string>& metadata = {}) {
  NamedArrays arrays;
  for (const auto& [name, tensor] : entries) arrays.emplace_back(name, tensor.array());
  write_safetensors(path, arrays, metadata);
}

/// A tensor under its name.
struct NamedTensor {
  template <std::same_as<Tensor> T>
  NamedTensor(std::string its_name, const T& its_tensor)
      : name(std::move(its_name)), tensor(its_tensor) {}
  std::string name;
  Tensor tensor;
};
/// write_safetensors("x.safetensors", {{"x", x}, {"y", y}})
inline void write_safetensors(const std::string& path, std::initializer_list<NamedTensor> tensors,
                              const std::map<std::string, std::string>& metadata = {}) {
  NamedArrays arrays;
  for (const NamedTensor& each : tensors) arrays.emplace_back(each.name, each.tensor.array());
  write_safetensors(path, arrays, metadata);
}

/// The module's state, for the file kWeightsFile.
std::string encode_weights(const nn::Module& module);
/// Copies what kWeightsFile of the folder holds into the module. Throws IoError, FormatError.
void load_weights(const std::string& folder, nn::Module& module);

/// Compares what settings ask for with the header of kWeightsFile, before a model is made by them:
/// settings that do not belong to the weights could ask for any memory. `expected`: weights that
/// together have all sizes of the settings; -1 is any size. Throws IoError, FormatError.
void check_shapes(const std::string& folder, const NamedShapes& expected);

/// kConfigFile of the folder, whose "model" must be `kind`. Throws IoError, FormatError.
Config read_config(const std::string& folder, const std::string& kind);
/// Its path.
std::string config_path(const std::string& folder);

/// body(), whose errors become FormatErrors of `path`: what a file said could not be used.
template <class Body>
auto blaming(const std::string& path, Body&& body) {
  try {
    return body();
  } catch (const FormatError&) {
    throw;
  } catch (const OutOfMemory&) {  // the file is well
    throw;
  } catch (const Error& error) {
    throw FormatError(path, 0, error.what());
  }
}

/// kWeightsFile of a folder, read before there is a module to put it into.
class SavedWeights {
 public:
  /// Throws IoError, FormatError.
  explicit SavedWeights(const std::string& folder);

  /// made() -> a pointer to a module, by the settings, whose fault an error in it is: also when it
  /// takes more memory than a module of these weights can, which is some times that of the file.
  template <class Make>
  auto make(Make&& made) const {
    const MemoryBudget budget(most_bytes());
    try {
      return blaming(config_path(folder_), made);
    } catch (const OutOfMemory&) {
      if (budget.refused()) refuse_settings();
      throw;
    }
  }
  /// All of it or nothing. Throws FormatError.
  void put_into(nn::Module& module) const;

 private:
  std::size_t most_bytes() const;
  [[noreturn]] void refuse_settings() const;

  std::string folder_;
  std::size_t bytes_ = 0;  // of the file
  NamedArrays arrays_;
};

}  // namespace heed::io
