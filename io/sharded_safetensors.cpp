#include "sharded_safetensors.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "../core/error.h"
#include "../core/json_events.h"
#include "../core/quoted.h"
#include "file.h"
#include "safetensors_file.h"

namespace heed::io {
namespace {

class IndexReader final : public JsonEvents {
 public:
  explicit IndexReader(const std::string& path) : JsonEvents(path, 0) {}

  void on_object_begin() override {
    if (depth_ == 2 || (depth_ == 1 && part_ != "weight_map" && part_ != "metadata")) {
      unexpected("an object");
    }
    ++depth_;
  }
  void on_object_end() override { --depth_; }
  void on_key(const std::string& key) override {
    if (depth_ == 1 && part_ == "weight_map" && key == part_) fail("weight_map is there twice");
    (depth_ == 1 ? part_ : tensor_) = key;
  }
  void on_string(const std::string& text) override {
    if (depth_ != 2) unexpected("a text");
    if (part_ != "weight_map") return;
    // A name, in this very folder.
    if (text.empty() || text == "." || text == ".." || text.find('/') != std::string::npos ||
        text.find('\\') != std::string::npos || text.find('\0') != std::string::npos) {
      fail(
          fmt::format("{} is in {}, which is no file's name", in_quotes(tensor_), in_quotes(text)));
    }
    if (!files.emplace(tensor_, text).second) fail(in_quotes(tensor_) + " is there twice");
  }
  void on_int(std::int64_t) override { on_figure(); }
  void on_double(double) override { on_figure(); }

  std::map<std::string, std::string> files;

 private:
  void on_figure() const {
    if (depth_ != 2 || part_ != "metadata") unexpected("a number");
  }
  int depth_ = 0;
  std::string part_, tensor_;
};

}  // namespace

std::map<std::string, std::string> read_shard_index(const std::string& index_path) {
  IndexReader index(index_path);
  read_json_object(read_file(index_path), index);
  if (index.files.empty()) throw FormatError(index_path, 0, "the index names no tensor");
  return std::move(index.files);
}

Safetensors read_sharded_safetensors(const std::string& index_path) {
  std::map<std::string, std::string> index = read_shard_index(index_path);
  const std::filesystem::path folder = std::filesystem::path(index_path).parent_path();
  std::set<std::string> names;
  for (const auto& [tensor, file] : index) names.insert(file);
  Safetensors out;
  for (const std::string& name : names) {
    const std::string path = (folder / name).string();
    const SafetensorsFile part(path);
    for (const auto& [tensor, shape] : part.shapes()) {
      const auto found = index.find(tensor);
      if (found == index.end() || found->second != name) {
        throw FormatError(
            path, 0,
            fmt::format("{} is in it, of which the index does not say so", in_quotes(tensor)));
      }
      out.arrays.emplace_back(tensor, part.read(tensor));
      index.erase(found);
    }
    out.metadata.insert(part.metadata().begin(), part.metadata().end());
  }
  if (!index.empty()) {
    const auto& [tensor, file] = *index.begin();
    throw FormatError(index_path, 0,
                      fmt::format("{} is not in {}", in_quotes(tensor), in_quotes(file)));
  }
  return out;
}

Safetensors read_model_safetensors(const std::string& folder) {
  const std::string path = folder + "/model.safetensors", index = folder + "/model" + kIndexEnding;
  std::error_code none;
  if (!std::filesystem::exists(path, none) && std::filesystem::exists(index, none)) {
    return read_sharded_safetensors(index);
  }
  return read_safetensors(path);
}

}  // namespace heed::io
