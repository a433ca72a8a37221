// Zip archives, as .npz and PyTorch's .pt are: members by name, stored or deflated, also beyond 4
// GB (zip64). Format: PKWARE's APPNOTE 6.3. A reader of our own, so that what a stranger's file may
// cost is bounded before anything is unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::io {

struct ZipMember {
  std::string name;
  std::uint64_t begin = 0, packed = 0;  ///< the bytes in the file
  std::uint64_t unpacked = 0;
  std::uint32_t crc = 0;
  bool deflated = false;
};

class ZipReader {
 public:
  /// What all members together may be unpacked to: so many times the file's size.
  static constexpr std::uint64_t kMostGrowth = 100;

  /// `bytes` must live as long. Strict: throws FormatError in `path`'s name for an archive in
  /// parts, members that are encrypted, otherwise packed, overlap or are named twice, names that
  /// are absolute or go up, and for what claims to be larger than `most_growth` allows.
  ZipReader(std::string_view bytes, const std::string& path,
            std::uint64_t most_growth = kMostGrowth);

  const std::vector<ZipMember>& members() const { return members_; }
  /// Null where there is none.
  const ZipMember* find(std::string_view name) const;
  /// Throws FormatError for a member that is broken, longer or shorter than it says, or of another
  /// CRC-32.
  std::string read(const ZipMember& member) const;

 private:
  std::string_view bytes_;
  std::string path_;
  std::vector<ZipMember> members_;
  std::vector<std::size_t> by_name_;
};

/// An archive of these, stored, which begin at multiples of 64 bytes. Throws ValueError for a name
/// twice, one that ZipReader refuses, one beyond 65,535 bytes, and more than 4 GB.
std::string encode_zip(const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace heed::io
