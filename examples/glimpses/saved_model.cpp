#include "saved_model.h"

#include "../../io/config.h"
#include "../../io/saved_module.h"

namespace glimpses {
namespace {

constexpr Index kMost = 1 << 14;  // of any size in a configuration

}  // namespace

io::DirectoryFiles files_of(const GlimpseModel& model) {
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
  return {{io::kWeightsFile, io::encode_weights(model)}, {io::kConfigFile, config.to_json()}};
}

std::unique_ptr<GlimpseModel> load(const std::string& folder) {
  const auto config = io::read_config(folder, "glimpses");
  ModelOptions options;
  options.size = config.get_int("size", 1, kMost);
  options.count = config.get_int("glimpses", 1, kMost);
  options.glimpse = config.get_int("glimpse", 1, kMost);
  options.scales = config.get_int("scales", 1, kMost);
  options.hidden = config.get_int("hidden", 1, kMost);
  options.width = config.get_int("width", 1, kMost);
  options.sigma = config.get_double("sigma");
  io::check_shapes(folder, {{"look.what.weight",
                             {options.hidden, options.scales * options.glimpse * options.glimpse}},
                            {"look.what_out.weight", {options.width, options.hidden}}});
  auto model = io::blaming(io::config_path(folder), [&] {
    options.core = core_of(config.get_string("core"));
    return std::make_unique<GlimpseModel>(options);
  });
  io::load_weights(folder, *model);
  model->eval();
  return model;
}

}  // namespace glimpses
