#include "saved_model.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../io/config.h"
#include "../../io/safetensors.h"

namespace glimpses {
namespace {

constexpr Index kMost = 1 << 14;  // of any size in a configuration

// What the saved files disagree on is the folder's fault, whoever finds it.
template <class Body>
auto blaming(const std::string& path, Body&& body) {
  try {
    return body();
  } catch (const FormatError&) {
    throw;
  } catch (const Error& error) {
    throw FormatError(path, 0, error.what());
  }
}

}  // namespace

void save(const GlimpseModel& model, const std::string& folder, io::DirectoryFiles more) {
  const ModelOptions& options = model.options;
  io::Config config;
  config.set("model", std::string("glimpses"));
  config.set("size", options.size);
  config.set("glimpses", options.count);
  config.set("glimpse", options.glimpse);
  config.set("scales", options.scales);
  config.set("hidden", options.hidden);
  config.set("width", options.width);
  config.set("sigma", options.sigma);
  config.set("core", std::string(name(options.core)));
  io::NamedArrays arrays;
  for (const auto& [key, tensor] : model.state_dict()) arrays.emplace_back(key, tensor.array());
  more.emplace_back(io::kWeightsFile, io::encode_safetensors(arrays));
  more.emplace_back(io::kConfigFile, config.to_json());
  io::save_directory(folder, more);
}

std::unique_ptr<GlimpseModel> load(const std::string& folder) {
  const std::string config_path = folder + "/" + io::kConfigFile;
  const auto config =
      io::Config::parse(io::read_from_directory(folder, io::kConfigFile), config_path);
  if (config.get_string("model") != "glimpses") {
    throw FormatError(config_path, 0,
                      fmt::format("model '{}' is not glimpses", config.get_string("model")));
  }
  const std::string weights_path = folder + "/" + io::kWeightsFile;
  const auto weights =
      io::decode_safetensors(io::read_from_directory(folder, io::kWeightsFile), weights_path);
  ModelOptions options;
  options.size = config.get_int("size", 1, kMost);
  options.count = config.get_int("glimpses", 1, kMost);
  options.glimpse = config.get_int("glimpse", 1, kMost);
  options.scales = config.get_int("scales", 1, kMost);
  options.hidden = config.get_int("hidden", 1, kMost);
  options.width = config.get_int("width", 1, kMost);
  options.sigma = config.get_double("sigma");
  auto model = blaming(config_path, [&] {
    options.core = core_of(config.get_string("core"));
    return std::make_unique<GlimpseModel>(options);
  });
  nn::NamedTensors entries;
  for (const auto& [key, array] : weights.arrays) entries.emplace_back(key, Tensor(array));
  blaming(weights_path, [&] { model->load_state_dict(entries); });
  model->eval();
  return model;
}

}  // namespace glimpses
