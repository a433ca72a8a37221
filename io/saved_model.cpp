#include "saved_model.h"

#include <fmt/format.h>

#include <span>

#include "../core/fnv.h"
#include "../nn/bf16.h"
#include "../nn/int8.h"
#include "file.h"

namespace heed::io {
namespace {

// Tells contents of one size apart.
std::string fingerprint(const std::string& content) {
  return fmt::format("{:016x}", Fnv().add(std::as_bytes(std::span(content))).sum());
}

std::string key_of(const std::string& file) { return "fingerprint of " + file; }

}  // namespace

ModelFiles::ModelFiles(const std::string& kind) { config_.set("model", kind); }

ModelFiles& ModelFiles::set(const std::string& key, const Config::Value& value) {
  config_.set(key, value);
  return *this;
}

ModelFiles& ModelFiles::text(const std::string& file, const std::string& content) {
  config_.set(key_of(file), fingerprint(content));
  files_.emplace_back(file, content);
  return *this;
}

ModelFiles& ModelFiles::weights(const nn::Module& module) {
  files_.emplace_back(kWeightsFile, encode_weights(module));
  return *this;
}

ModelFiles::operator DirectoryFiles() const {
  DirectoryFiles out = files_;
  out.emplace_back(kConfigFile, config_.to_json());
  return out;
}

ModelFolder::ModelFolder(std::string folder, const std::string& kind)
    : folder_(std::move(folder)), config_(read_config(folder_, kind)) {}

std::string ModelFolder::text(const std::string& file) const {
  std::string content = read_from_directory(folder_, file);
  if (fingerprint(content) != config_.get_string(key_of(file))) {
    throw FormatError(path(file), 0, "it is not the one that was saved with this model");
  }
  return content;
}

void save(const std::string& path, const nn::Module& module) {
  write_file_atomically(path, encode_weights(module));
}

void quantize(nn::Module& module, Quantize to) {
  if (to == Quantize::int8) nn::to_int8(module);
  if (to == Quantize::bf16) nn::to_bf16(module);
}

void load(const std::string& path, nn::Module& module, Quantize quantize) {
  Safetensors weights = decode_safetensors(read_file(path), path, ReadBf16::as_it_is);
  blaming(path, [&] {
    module.load_state_dict(weights.arrays);
    weights = {};  // the memory, before more is asked for
    io::quantize(module, quantize);
  });
}

}  // namespace heed::io
