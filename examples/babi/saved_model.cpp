#include "saved_model.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../core/quoted.h"
#include "../../io/config.h"
#include "../../io/model_directory.h"
#include "../../io/saved_module.h"
#include "../saved_vocabulary.h"

namespace babi {
namespace {

constexpr Index kMost = 1 << 20;  // of any size in a configuration

}  // namespace

const std::map<std::string, attention::PositionEncoding> kEncodings = {
    {"none", attention::PositionEncoding::none},
    {"published", attention::PositionEncoding::published},
    {"centred", attention::PositionEncoding::centred}};

void save(const MemoryNetwork& model, const MemoryNetworkOptions& options,
          const data::Vocabulary& vocabulary, const std::string& folder) {
  io::Config config;
  config.set("model", std::string("babi"));
  config.set("vocabulary", options.vocabulary);
  config.set("width", options.width);
  config.set("hops", options.hops);
  config.set("memory", options.slots);
  config.set("noise", options.noise);
  config.set("empty_memories", options.empty_memories);
  for (const auto& [name, encoding] : kEncodings) {
    if (encoding == options.position_encoding) config.set("position_encoding", name);
  }
  io::save_directory(folder, {{io::kWeightsFile, io::encode_weights(model)},
                              {io::kVocabularyFile, vocabulary.serialize()},
                              {io::kConfigFile, config.to_json()}});
}

Reader load(const std::string& folder) {
  const auto config = io::read_config(folder, "babi");
  Reader out;
  out.options.vocabulary = config.get_int("vocabulary", 2, kMost);
  out.options.width = config.get_int("width", 1, 1 << 14);
  out.options.hops = config.get_int("hops", 1, 100);
  out.options.slots = config.get_int("memory", 1, kMost);
  out.options.noise = config.get_double("noise");
  out.options.empty_memories = config.get_bool("empty_memories");
  const auto encoding = kEncodings.find(config.get_string("position_encoding"));
  if (encoding == kEncodings.end()) {
    throw FormatError(io::config_path(folder), 0,
                      fmt::format("there is no position encoding {}",
                                  in_quotes(config.get_string("position_encoding"))));
  }
  out.options.position_encoding = encoding->second;
  out.vocabulary = saved_vocabulary::load(folder, out.options.vocabulary);
  const Index tables = out.options.hops + 1;
  io::check_shapes(folder, {{"words", {tables, out.options.vocabulary, out.options.width}},
                            {"times", {tables, out.options.slots, out.options.width}}});
  io::blaming(io::config_path(folder),
              [&] { out.model = std::make_unique<MemoryNetwork>(out.options); });
  io::load_weights(folder, *out.model);
  out.model->eval();
  return out;
}

}  // namespace babi
