#include "saved_model.h"

#include <fmt/format.h>

#include <cstdint>

#include "../../core/error.h"
#include "../../io/config.h"
#include "../../io/saved_module.h"

namespace translation {

namespace io = heed::io;

namespace {

constexpr Index kMost = 1 << 24;  // of any size in a configuration
constexpr const char* kSourceFile = "source.vocabulary";
constexpr const char* kTargetFile = "target.vocabulary";
constexpr const char* kSourceMark = "source_fingerprint";
constexpr const char* kTargetMark = "target_fingerprint";

io::Config config_of(const ModelOptions& options) {
  io::Config config;
  config.set("model", std::string("translation"));
  config.set("kind", options.model);
  config.set("source_words", options.source_words);
  config.set("target_words", options.target_words);
  config.set("width", options.width);
  config.set("hidden", options.hidden);
  config.set("layers", options.layers);
  config.set("heads", options.heads);
  config.set("kernel", options.kernel);
  config.set("dropout", options.dropout);
  config.set("tied", options.tied);
  config.set("shared", options.shared);
  config.set("style", options.style);
  config.set("score", options.score);
  config.set("attention", options.attention);
  config.set("half_width", options.half_width);
  config.set("input_feeding", options.input_feeding);
  config.set("longest", options.longest);
  return config;
}

ModelOptions options_of(const io::Config& config) {
  ModelOptions options;
  options.model = config.get_string("kind");
  options.source_words = config.get_int("source_words", 4, kMost);
  options.target_words = config.get_int("target_words", 4, kMost);
  options.width = config.get_int("width", 1, 1 << 14);
  options.hidden = config.get_int("hidden", 1, 1 << 16);
  options.layers = config.get_int("layers", 1, 1024);
  options.heads = config.get_int("heads", 1, 1 << 14);
  options.kernel = config.get_int("kernel", 1, 1024);
  options.dropout = config.get_double("dropout");
  options.tied = config.get_bool("tied");
  options.shared = config.get_bool("shared");
  options.style = config.get_string("style");
  options.score = config.get_string("score");
  options.attention = config.get_string("attention");
  options.half_width = config.get_int("half_width", 0, kMost);
  options.input_feeding = config.get_bool("input_feeding");
  options.longest = config.get_int("longest", 1, kMost);
  return options;
}

// Weights that have all sizes.
io::NamedShapes shapes_of(const ModelOptions& options) {
  const Index width = options.width, hidden = options.hidden, last = options.layers - 1;
  io::NamedShapes out = {{"tables.source_words.weight", {options.source_words, width}},
                         {"tables.target_words.weight", {options.target_words, width}}};
  if (options.model == "transformer") {
    out.push_back({fmt::format("layers.encoder.layers.{}.linear1.weight", last), {hidden, width}});
  } else if (options.model == "conv") {
    out.push_back({fmt::format("encoder.convolutions.{}.weight_v", last),
                   {2 * hidden, hidden, options.kernel}});
    out.push_back({"source_places.weight", {options.longest + 1, width}});
  } else {  // Luong's encoder has half of the state in each direction
    const Index state = options.model == "luong" ? hidden / 2 : hidden;
    out.push_back({fmt::format("encoder.weight_hh_l{}", last), {-1, state}});
  }
  if (options.model == "luong" && options.score == "location") {
    const char* const inside = options.attention == "global" ? "decoder" : "decoder.local";
    out.push_back({fmt::format("{}.score.weight", inside), {options.longest + 1, hidden}});
  }
  return out;
}

// Tells vocabularies of one size apart (FNV-1a).
std::string fingerprint(const std::string& content) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : content) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::shared_ptr<const Coder> read_coder(const std::string& folder, const char* file, Index words,
                                        const std::string& expected) {
  const std::string path = folder + "/" + file;
  const std::string content = io::read_from_directory(folder, file);
  std::shared_ptr<const Coder> coder = parse_coder(content, path);
  if (coder->size() != words) {
    throw heed::FormatError(
        path, 0, fmt::format("{} words, but the model was trained with {}", coder->size(), words));
  }
  if (fingerprint(content) != expected) {
    throw heed::FormatError(path, 0, "it is not the vocabulary that the model was trained with");
  }
  return coder;
}

}  // namespace

io::DirectoryFiles files_of(const Language& language) {
  const std::string source = language.source->serialize(), target = language.target->serialize();
  io::Config config = config_of(language.model->options);
  config.set(kSourceMark, fingerprint(source));
  config.set(kTargetMark, fingerprint(target));
  return {{io::kWeightsFile, io::encode_weights(*language.model)},
          {kSourceFile, source},
          {kTargetFile, target},
          {io::kConfigFile, config.to_json()}};
}

Language load(const std::string& folder) {
  const io::Config config = io::read_config(folder, "translation");
  const ModelOptions options = options_of(config);
  Language out;
  out.source =
      read_coder(folder, kSourceFile, options.source_words, config.get_string(kSourceMark));
  out.target =
      read_coder(folder, kTargetFile, options.target_words, config.get_string(kTargetMark));
  io::check_shapes(folder, shapes_of(options));
  io::blaming(io::config_path(folder), [&] { out.model = make_translator(options); });
  io::load_weights(folder, *out.model);
  out.model->eval();
  return out;
}

}  // namespace translation
