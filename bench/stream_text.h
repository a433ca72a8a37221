// The text of the row stream: lines of words of which some follow others more often, made once.
#pragma once

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "stream.h"

namespace bench::stream {

/// Word number i: "bakedi" and the like, frequent ones shorter.
inline std::string word(std::int64_t i) {
  std::string out;
  do {
    out += "bdfgklmnprstvz"[i % 14];
    out += "aeiou"[i / 14 % 5];
    i /= 70;
  } while (i > 0);
  return out;
}

inline std::vector<std::string> words() {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < kWords; ++i) out.push_back(word(i));
  return out;
}

/// splitmix64 (Steele et al. 2014): a billion draws in seconds.
struct Draws {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
};

/// A shard of at least so many bytes.
inline void write_shard(const std::string& path, std::uint64_t seed, std::int64_t bytes) {
  std::vector<std::string> known = words();
  // Word number i is drawn about as often as 1 / (i + 1) (Zipf's law): by a table of its quantiles.
  std::vector<std::int64_t> table(1 << 14);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(table.size());
    table[i] = static_cast<std::int64_t>(std::pow(static_cast<double>(kWords), part)) - 1;
  }
  std::FILE* const file = std::fopen((path + ".part").c_str(), "wb");
  if (file == nullptr) throw std::runtime_error(path + ": cannot be written");
  Draws draws{seed};
  std::string text;
  std::int64_t written = 0;
  bool good = true;
  while (written < bytes && good) {
    text.clear();
    std::int64_t last = 0;
    while (text.size() < 1 << 16) {
      for (std::uint64_t left = 4 + draws.next() % 32; left > 0; --left) {
        const std::uint64_t drawn = draws.next();
        // Half of the words follow from the one before.
        last = drawn >> 63 ? (7 * last + static_cast<std::int64_t>(drawn % 3)) % kWords
                           : table[drawn % table.size()];
        text += known[static_cast<std::size_t>(last)];
        text += left > 1 ? ' ' : '\n';
      }
    }
    good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    written += static_cast<std::int64_t>(text.size());
  }
  good = std::fclose(file) == 0 && good;
  if (!good) throw std::runtime_error(path + ": cannot be written");
  std::filesystem::rename(path + ".part", path);
}

/// The shards of a text of `bytes` bytes in a folder of the build; those that are there stay.
inline std::vector<std::string> shards(std::int64_t bytes) {
  namespace fs = std::filesystem;
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  const fs::path folder = build / "stream" / std::to_string(bytes);
  fs::create_directories(folder);
  std::vector<std::string> out;
  for (int i = 0; i < kShards; ++i) {
    out.push_back(folder / ("part-" + std::to_string(100 + i) + ".txt"));
    if (!fs::exists(out.back())) {
      write_shard(out.back(), static_cast<std::uint64_t>(i), bytes / kShards);
    }
  }
  return out;
}

}  // namespace bench::stream
