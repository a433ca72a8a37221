// A model directory: weights (model.safetensors), vocabulary (vocabulary.txt), settings
// (config.json), all of one moment. It is written beside the old one (as DIR.new-PID) and then
// exchanged with it in one step, so that a crash or a full disk at any moment leaves the old model
// or the new one, never a mix. (Where the file system cannot exchange, between two renames the old
// one is at DIR.old-PID.)
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heed::io {

inline constexpr const char* kWeightsFile = "model.safetensors";
inline constexpr const char* kVocabularyFile = "vocabulary.txt";
inline constexpr const char* kConfigFile = "config.json";

/// Name and content; the name has no '/'.
using DirectoryFiles = std::vector<std::pair<std::string, std::string>>;

/// Creates the directory (and its parents) or replaces these files in it; files of other names
/// stay. Throws IoError, after which the old directory is unchanged; ValueError for a bad name.
void save_directory(const std::string& path, const DirectoryFiles& files);

/// The content of one file. Throws IoError that says whether the directory or the file is missing.
std::string read_from_directory(const std::string& path, const std::string& name);

}  // namespace heed::io
