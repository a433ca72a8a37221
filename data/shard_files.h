// The files of a data set in shards, and that they stay what they were.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::data {

/// The files that a pattern names, sorted: in its last part * and ? stand for characters of a name
/// ("texts/part-*.txt.zst"). A folder is all of its files, and the
/// name of a file that file. Throws IoError where the folder cannot be
/// read, ValueError where no file is like that.
std::vector<std::string> files_like(const std::string& pattern);

class ShardFiles {
 public:
  /// Throws ValueError for no file, IoError for one that is not there, FormatError for an empty
  /// one.
  explicit ShardFiles(std::vector<std::string> paths);

  std::size_t size() const { return paths_.size(); }
  const std::string& path(std::size_t i) const { return paths_[i]; }
  /// Throws IoError where it has vanished, FormatError where its size or time is another by now.
  void check(std::size_t i) const;
  /// Tells sets of other sizes apart, wherever their files lie.
  std::int64_t fingerprint() const;

 private:
  struct Stamp {
    std::uint64_t bytes = 0;
    std::int64_t seconds = 0, nanoseconds = 0;  // when it was written
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  static Stamp stamp(const std::string& path);

  std::vector<std::string> paths_;
  std::vector<Stamp> stamps_;
};

}  // namespace heed::data
