// A model in its folder (model_directory.h): weights, settings, and texts such as vocabularies.
//
//   io::ModelFiles files("tagger");                       const io::ModelFolder saved(path, "tagger");
//   files.options(model.options)                          const auto options = saved.options<Options>();
//       .text(io::kVocabularyFile, words.serialize())     words = saved.parse<data::Vocabulary>();
//       .weights(model);                                  auto model = saved.make<Tagger>(options);
//   io::save_directory(path, files);
//
// Each text's fingerprint stands in the settings, so that a folder whose parts come from two models
// is found out. A weights file alone, without a folder, is save() and load().
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "fields.h"
#include "model_directory.h"
#include "saved_module.h"

namespace heed::optim {
class Optimizer;
}

namespace heed::io {

/// What is written.
class ModelFiles {
 public:
  /// `kind` is checked when the folder is opened.
  explicit ModelFiles(const std::string& kind);
  /// Each field a setting. Throws ValueError.
  template <HasFields Options>
  ModelFiles& options(const Options& options) {
    write_fields(config_, options);
    return *this;
  }
  ModelFiles& set(const std::string& key, const Config::Value& value);
  ModelFiles& text(const std::string& file, const std::string& content);
  ModelFiles& weights(const nn::Module& module);

  /// For save_directory().
  operator DirectoryFiles() const;  // NOLINT(google-explicit-constructor)

 private:
  Config config_;
  DirectoryFiles files_;
};

/// What is read. All that the folder's files disagree on is a FormatError that names the file.
class ModelFolder {
 public:
  /// Throws IoError, FormatError for settings that are damaged or of another kind of model.
  ModelFolder(std::string folder, const std::string& kind);

  const Config& config() const { return config_; }
  template <HasFields Options>
  Options options(Options options = {}) const {
    return read_fields(config_, std::move(options));
  }
  /// The same where settings may be missing, as in the folder of an earlier version: these stay.
  template <HasFields Options>
  Options known_options(Options options = {}) const {
    return read_known_fields(config_, std::move(options));
  }
  /// The whole file. Throws also FormatError for another one than was saved with these settings.
  std::string text(const std::string& file) const;
  std::string path(const std::string& file) const { return folder_ + "/" + file; }
  /// What Parsed::parse(text, path) makes of it.
  template <class Parsed>
  Parsed parse(const std::string& file = kVocabularyFile) const {
    return Parsed::parse(text(file), path(file));
  }
  /// Before a model is made by the settings: see check_shapes().
  void expect(const NamedShapes& shapes) const { check_shapes(folder_, shapes); }

  /// made() -> a pointer to a module, which gets the weights and is in eval mode. An error in it is
  /// the settings' fault, as are sizes far beyond the weights.
  template <class Make>
  auto make_by(Make&& made) const {
    const SavedWeights weights(folder_);
    auto module = weights.make(made);
    weights.put_into(*module);
    module->eval();
    return module;
  }
  template <class Module, class... Args>
  std::unique_ptr<Module> make(const Args&... args) const {
    return make_by([&] { return std::make_unique<Module>(args...); });
  }

 private:
  std::string folder_;
  Config config_;
};

/// The module's state dict as one safetensors file, written atomically. Throws IoError.
void save(const std::string& path, const nn::Module& module);
void save(const std::string&, const Tensor&,
          Say<"io::write_safetensors(path, {{\"x\", x}})"> = {}) = delete;
void save(const std::string&, const optim::Optimizer&,
          Say<"io::write_safetensors(path, optimizer.state_dict())"> = {}) = delete;
void save(const std::string&, const nn::Module&, const optim::Optimizer&,
          Say<"io::TrainingState(model, optimizer)"> = {}) = delete;
/// How weights are held: as they are, or by nn::to_int8() or nn::to_bf16().
enum class Quantize : std::uint8_t { none, int8, bf16 };
/// Changes the module's weights so. Throws as they do.
void quantize(nn::Module& module, Quantize to);
/// Copies it into the module, all of it or nothing: what is BF16 in the file goes into bf16 or f32,
/// as the module has it. Then, where that is asked, quantize(): where to_int8() refuses a weight,
/// the module has all that the file holds, in f32. Throws IoError, FormatError.
void load(const std::string& path, nn::Module& module, Quantize quantize = Quantize::none);

}  // namespace heed::io
