#include "shard_files.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <span>

#include "../core/error.h"
#include "../core/fnv.h"
#include "../core/quoted.h"
#include "folder_parts.h"

namespace heed::data {

namespace fs = std::filesystem;

std::vector<std::string> files_like(const std::string& pattern) {
  std::error_code error;
  if (fs::is_regular_file(pattern, error)) return {pattern};
  const bool whole = fs::is_directory(pattern, error);
  const std::string parent = fs::path(pattern).parent_path().string();
  const std::string folder = whole ? pattern : parent;
  const std::string name = whole ? "*" : fs::path(pattern).filename().string();
  std::vector<std::string> out;
  for (const std::string& found : names_in(folder.empty() ? "." : folder)) {
    if (::fnmatch(name.c_str(), found.c_str(), FNM_PERIOD) != 0) continue;
    const std::string path = (fs::path(folder) / found).string();
    if (fs::is_regular_file(path, error)) out.push_back(path);
  }
  if (out.empty()) {
    throw ValueError(fmt::format("shards: no file is like {}", in_quotes(pattern)));
  }
  return out;
}

ShardFiles::Stamp ShardFiles::stamp(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) throw IoError(path, "open", errno);
  if (S_ISDIR(found.st_mode)) throw IoError(path, "read", EISDIR);
  return {static_cast<std::uint64_t>(found.st_size), found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

ShardFiles::ShardFiles(std::vector<std::string> paths) : paths_(std::move(paths)) {
  if (paths_.empty()) throw ValueError("shards: there are no files");
  for (const std::string& path : paths_) {
    stamps_.push_back(stamp(path));
    if (stamps_.back().bytes == 0) throw FormatError(path, 0, "the shard is empty");
  }
}

void ShardFiles::check(std::size_t i) const {
  const Stamp now = stamp(paths_[i]);
  if (now == stamps_[i]) return;
  throw FormatError(
      paths_[i], 0,
      now.bytes == stamps_[i].bytes
          ? "the shard was written anew after the stream was made"
          : fmt::format("the shard has changed after the stream was made: {} bytes then, {} now",
                        stamps_[i].bytes, now.bytes));
}

std::int64_t ShardFiles::fingerprint() const {
  std::vector<std::uint64_t> sizes = {paths_.size()};
  for (const Stamp& stamp : stamps_) sizes.push_back(stamp.bytes);
  return static_cast<std::int64_t>(Fnv().add(std::as_bytes(std::span(sizes))).sum());
}

}  // namespace heed::data
