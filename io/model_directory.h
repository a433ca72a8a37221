// A model directory: weights (model.safetensors), vocabulary (vocabulary.txt), settings
// (config.json), all of one moment, beside whatever else the user keeps there.
//
// It is made anew beside the old one, in a folder ".heed-save-XXXXXX" (save_area.h), with second
// links to all that stays (copies where the file system refuses links; folders are made anew and
// come back afterwards), and then exchanged with the old one in one step: a crash, a full disk or
// an error at any moment leaves at the path a whole directory, the old one or the new one. What a
// dead process left is removed by the next save to the same place; files that are nowhere else go
// into the directory. Processes that save to one place at a time take turns.
//
// A directory that cannot be exchanged (a mount point, a folder above it without permission, a file
// system without RENAME_EXCHANGE), and the one that the process works in (".") is written in place
// (in_place.h): a crash then leaves what read_from_directory() and save_directory() see as the old
// one or the new one, and mend; another program may see some files of each.
//
// Earlier versions could be stopped between exchanging and moving what stays: it lies in
// DIR.new-PID or DIR.old-PID. Reading brings it back when it is plain what belongs where, or says
// where it is.
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
/// stay. `missing`: files that are written where neither `files` nor the directory has one of their
/// name, all of them when somebody has deleted it. Throws IoError, after which the old directory is
/// unchanged (or the new one there, if only the disk would not say so); ValueError for a name that
/// is bad or given twice.
void save_directory(const std::string& path, const DirectoryFiles& files,
                    const DirectoryFiles& missing = {});

/// The content of one file. Throws IoError that says whether the directory or the file is missing.
std::string read_from_directory(const std::string& path, const std::string& name);

}  // namespace heed::io
