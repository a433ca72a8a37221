#include "saved_module.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/quoted.h"
#include "model_directory.h"

namespace heed::io {
namespace {

std::string weights_path(const std::string& folder) { return folder + "/" + kWeightsFile; }

}  // namespace

std::string encode_weights(const nn::Module& module) {
  NamedArrays arrays;
  for (const auto& [key, tensor] : module.state_dict()) arrays.emplace_back(key, tensor.array());
  return encode_safetensors(arrays);
}

void load_weights(const std::string& folder, nn::Module& module) {
  SavedWeights(folder).put_into(module);
}

void check_shapes(const std::string& folder, const NamedShapes& expected) {
  const std::string path = weights_path(folder);
  const auto found = shapes_in_safetensors(read_from_directory(folder, kWeightsFile), path);
  for (const auto& [name, shape] : expected) {
    const auto of_name = [&key = name](const auto& entry) { return entry.first == key; };
    const auto entry = std::find_if(found.begin(), found.end(), of_name);
    if (entry == found.end()) {
      throw FormatError(
          path, 0, fmt::format("{} is missing, which {} asks for", in_quotes(name), kConfigFile));
    }
    bool fits = entry->second.rank() == shape.rank();
    for (Index i = 0; fits && i < shape.rank(); ++i) {
      fits = shape[i] < 0 || shape[i] == entry->second[i];
    }
    if (!fits) {
      throw FormatError(path, 0,
                        fmt::format("{} is {}, but {} asks for {}", in_quotes(name),
                                    to_string(entry->second), kConfigFile, to_string(shape)));
    }
  }
}

std::string config_path(const std::string& folder) { return folder + "/" + kConfigFile; }

Config read_config(const std::string& folder, const std::string& kind) {
  const std::string path = config_path(folder);
  Config config = Config::parse(read_from_directory(folder, kConfigFile), path);
  if (const std::string model = config.get_string("model"); model != kind) {
    throw FormatError(path, 0, fmt::format("model {} is not {}", in_quotes(model), kind));
  }
  return config;
}

SavedWeights::SavedWeights(const std::string& folder) : folder_(folder) {
  const std::string content = read_from_directory(folder, kWeightsFile);
  bytes_ = content.size();
  arrays_ = decode_safetensors(content, weights_path(folder), ReadBf16::as_it_is).arrays;
}

// Numbers of one byte may be made as four, and drawn at random through some of eight; what no file
// holds, as tables of positions, has the room beside.
std::size_t SavedWeights::most_bytes() const { return 8 * bytes_ + (std::size_t{64} << 20); }

void SavedWeights::refuse_settings() const {
  throw FormatError(
      config_path(folder_), 0,
      fmt::format("asks for a model far larger than its {} of {} bytes", kWeightsFile, bytes_));
}

void SavedWeights::put_into(nn::Module& module) const {
  blaming(weights_path(folder_), [&] { module.load_state_dict(arrays_); });
}

}  // namespace heed::io
