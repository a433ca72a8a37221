// Shards of lines that tell where they stood, in a folder of their own: "2.5" is line 5 of shard 2.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../../data/loader.h"
#include "../io/temporary_folder.h"
#include "../support/gzip.h"
#include "../support/zstd.h"

namespace heed::data {

using Strings = std::vector<std::string>;

class ShardFolder {
 public:
  /// Shard f has lines[f] of them; by turns plain, gzip and zstd where they are `packed`.
  explicit ShardFolder(const std::vector<int>& lines, bool packed = false) {
    for (std::size_t f = 0; f < lines.size(); ++f) {
      std::string text;
      for (int i = 0; i < lines[f]; ++i) {
        all_.push_back(std::to_string(f) + "." + std::to_string(i));
        text += all_.back() + "\n";
      }
      paths_.push_back(folder_ / ("part-" + std::to_string(f) + ".txt"));
      TemporaryFolder::put(paths_.back(), !packed || f % 3 == 0 ? text
                                          : f % 3 == 1          ? gzip(text)
                                                                : zstd(text));
    }
  }
  const Strings& all() const { return all_; }
  const Strings& paths() const { return paths_; }
  std::string operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
  Strings all_, paths_;
};

/// What is left of a pass of batches that are lists of lines.
inline Strings rest_of(Loader<Strings>& loader) {
  Strings out;
  while (const auto batch = loader.next()) out.insert(out.end(), batch->begin(), batch->end());
  return out;
}

inline Strings same(Strings lines) { return lines; }

}  // namespace heed::data
