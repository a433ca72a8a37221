#include "zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>

#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::io {
namespace {

constexpr std::uint32_t kLocal = 0x04034B50, kCentral = 0x02014B50, kEnd = 0x06054B50,
                        kEnd64 = 0x06064B50, kLocator64 = 0x07064B50;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                      kLocatorBytes = 20;
constexpr std::uint64_t kNone32 = 0xFFFFFFFF, kNone16 = 0xFFFF;

// Numbers of an archive, little endian; what is not there is an error.
class Bytes {
 public:
  Bytes(std::string_view all, const std::string& path) : all_(all), path_(path) {}

  template <class T>
  T at(std::uint64_t place) const {
    T out{};
    std::memcpy(&out, part(place, sizeof out).data(), sizeof out);
    return out;
  }
  std::string_view part(std::uint64_t place, std::uint64_t count) const {
    if (place > all_.size() || count > all_.size() - place) fail(place, "the archive ends before");
    return all_.substr(place, count);
  }
  std::uint64_t size() const { return all_.size(); }
  [[noreturn]] void fail(std::uint64_t place, const std::string& what) const {
    throw FormatError(path_, std::min<std::uint64_t>(place, all_.size()), "zip: " + what);
  }

 private:
  std::string_view all_;
  const std::string& path_;
};

struct Directory {
  std::uint64_t begin = 0, size = 0, count = 0;
  std::uint64_t end = 0;  ///< nothing else may stand between it and what names it
};

Directory find_directory(const Bytes& bytes) {
  if (bytes.size() < kEndBytes) bytes.fail(0, "too short for an archive");
  std::uint64_t end = bytes.size() - kEndBytes;
  const std::uint64_t last = end - std::min<std::uint64_t>(end, kNone16);
  while (bytes.at<std::uint32_t>(end) != kEnd ||
         bytes.at<std::uint16_t>(end + 20) != bytes.size() - end - kEndBytes) {
    if (end == last) bytes.fail(bytes.size(), "no end of a directory: not an archive, or cut off");
    --end;
  }
  if (bytes.at<std::uint32_t>(end + 4) != 0) bytes.fail(end, "an archive in parts");
  Directory out{bytes.at<std::uint32_t>(end + 16), bytes.at<std::uint32_t>(end + 12),
                bytes.at<std::uint16_t>(end + 10), end};
  // A wide end may stand before it, whether it is needed or not.
  if (end >= kLocatorBytes && bytes.at<std::uint32_t>(end - kLocatorBytes) == kLocator64) {
    const auto place = bytes.at<std::uint64_t>(end - kLocatorBytes + 8);
    if (bytes.part(place, kEnd64Bytes).size() != kEnd64Bytes ||
        bytes.at<std::uint32_t>(place) != kEnd64 || place + kEnd64Bytes != end - kLocatorBytes) {
      bytes.fail(end, "the wide end of the directory is not where it should be");
    }
    if (bytes.at<std::uint64_t>(place + 16) != 0) bytes.fail(place, "an archive in parts");
    const Directory wide{bytes.at<std::uint64_t>(place + 48), bytes.at<std::uint64_t>(place + 40),
                         bytes.at<std::uint64_t>(place + 32), place};
    const auto agree = [](std::uint64_t narrow, std::uint64_t own, std::uint64_t none) {
      return narrow == own || narrow == none;
    };
    if (!agree(out.begin, wide.begin, kNone32) || !agree(out.size, wide.size, kNone32) ||
        !agree(out.count, wide.count, kNone16)) {
      bytes.fail(end, "the two ends of the directory say different things");
    }
    out = wide;
  }
  if (out.begin > out.end || out.size != out.end - out.begin) {
    bytes.fail(end, "the directory is not where it should be");
  }
  return out;
}

// The wide numbers of a member, in the order in which the narrow ones are missing.
void read_wide(const Bytes& bytes, std::uint64_t place, std::uint64_t count,
               std::initializer_list<std::uint64_t*> narrow) {
  for (const std::uint64_t end = place + count; place + 4 <= end;) {
    const std::uint64_t size = bytes.at<std::uint16_t>(place + 2);
    if (size > end - place - 4) bytes.fail(place, "an extra field goes beyond its member");
    if (bytes.at<std::uint16_t>(place) == 1) {
      std::uint64_t at = place + 4;
      for (std::uint64_t* each : narrow) {
        if (*each != kNone32) continue;
        if (at + 8 > place + 4 + size) bytes.fail(place, "a wide size is missing");
        *each = bytes.at<std::uint64_t>(at);
        at += 8;
      }
      return;
    }
    place += 4 + size;
  }
}

bool names_a_member(const std::string& name) {
  const bool up = name == ".." || name.starts_with("../") || name.ends_with("/..") ||
                  name.find("/../") != std::string::npos;
  return !name.empty() && name[0] != '/' && !up && name.find('\\') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

ZipReader::ZipReader(std::string_view all, const std::string& path, std::uint64_t most_growth)
    : bytes_(all), path_(path) {
  const Bytes bytes(all, path_);
  const Directory directory = find_directory(bytes);
  // A member takes so many bytes at least: no count is believed.
  if (directory.count > directory.size / kCentralBytes) {
    bytes.fail(directory.begin, fmt::format("a directory of {} members in {} bytes",
                                            directory.count, directory.size));
  }
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t most = most_growth > kAny / all.size() ? kAny : all.size() * most_growth;
  std::uint64_t total = 0, place = directory.begin;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    if (bytes.at<std::uint32_t>(place) != kCentral)
      bytes.fail(place, "no member where one should be");
    const auto flags = bytes.at<std::uint16_t>(place + 8),
               method = bytes.at<std::uint16_t>(place + 10);
    const std::uint64_t name_bytes = bytes.at<std::uint16_t>(place + 28),
                        extra_bytes = bytes.at<std::uint16_t>(place + 30),
                        text_bytes = bytes.at<std::uint16_t>(place + 32);
    ZipMember member{.name = std::string(bytes.part(place + kCentralBytes, name_bytes)),
                     .packed = bytes.at<std::uint32_t>(place + 20),
                     .unpacked = bytes.at<std::uint32_t>(place + 24),
                     .crc = bytes.at<std::uint32_t>(place + 16),
                     .deflated = method == 8};
    const std::string quoted = in_quotes(member.name);
    if (!names_a_member(member.name)) bytes.fail(place, quoted + " is no member's name");
    std::uint64_t local = bytes.at<std::uint32_t>(place + 42);
    read_wide(bytes, place + kCentralBytes + name_bytes, extra_bytes,
              {&member.unpacked, &member.packed, &local});
    if ((flags & 1) != 0) bytes.fail(place, quoted + " is encrypted");
    if (method != 0 && method != 8) {
      bytes.fail(place, fmt::format("{} is packed in way {}; stored and deflated can be read",
                                    quoted, method));
    }
    if (!member.deflated && member.packed != member.unpacked) {
      bytes.fail(place, quoted + " is stored, and not as long as it is");
    }
    if (local > directory.begin || bytes.at<std::uint32_t>(local) != kLocal ||
        bytes.part(local + kLocalBytes, bytes.at<std::uint16_t>(local + 26)) != member.name) {
      bytes.fail(place, quoted + " is not where the directory has it");
    }
    member.begin = local + kLocalBytes + name_bytes + bytes.at<std::uint16_t>(local + 28);
    if (member.begin > directory.begin || member.packed > directory.begin - member.begin) {
      bytes.fail(place, quoted + " goes beyond the archive");
    }
    if (member.unpacked > most - total) {
      bytes.fail(place, fmt::format("{} takes what is unpacked beyond {} times the archive's size",
                                    quoted, most_growth));
    }
    total += member.unpacked;
    members_.push_back(std::move(member));
    place += kCentralBytes + name_bytes + extra_bytes + text_bytes;
  }
  if (place != directory.end)
    bytes.fail(place, "something stands behind the last member of the directory");

  by_name_.resize(members_.size());
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  const auto name_of = [this](std::size_t i) -> const std::string& { return members_[i].name; };
  std::sort(by_name_.begin(), by_name_.end(),
            [&](std::size_t a, std::size_t b) { return name_of(a) < name_of(b); });
  const auto twice =
      std::adjacent_find(by_name_.begin(), by_name_.end(),
                         [&](std::size_t a, std::size_t b) { return name_of(a) == name_of(b); });
  if (twice != by_name_.end()) {
    bytes.fail(directory.begin, in_quotes(name_of(*twice)) + " is there twice");
  }
  std::vector<const ZipMember*> in_order;
  for (const ZipMember& member : members_) in_order.push_back(&member);
  std::sort(in_order.begin(), in_order.end(),
            [](const ZipMember* a, const ZipMember* b) { return a->begin < b->begin; });
  for (std::size_t i = 1; i < in_order.size(); ++i) {
    // The next one's head stands between them.
    if (in_order[i]->begin - in_order[i - 1]->begin < in_order[i - 1]->packed + kLocalBytes) {
      bytes.fail(in_order[i]->begin,
                 fmt::format("{} and {} overlap", in_quotes(in_order[i - 1]->name),
                             in_quotes(in_order[i]->name)));
    }
  }
}

const ZipMember* ZipReader::find(std::string_view name) const {
  const auto found = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [this](std::size_t i, std::string_view wanted) { return members_[i].name < wanted; });
  if (found == by_name_.end() || members_[*found].name != name) return nullptr;
  return &members_[*found];
}

std::string ZipReader::read(const ZipMember& member) const {
  const auto fail = [&](const std::string& what) {
    throw FormatError(path_, member.begin, fmt::format("zip: {} {}", in_quotes(member.name), what));
  };
  const std::string_view packed = bytes_.substr(member.begin, member.packed);
  std::string out;
  if (!member.deflated) {
    out = packed;
  } else {
    // One byte more, which tells what goes on from what ends.
    out.resize(member.unpacked + 1);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw OutOfMemory("zip: no memory to unpack");
    int state = Z_OK;
    std::size_t read = 0, written = 0;
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    while (state == Z_OK) {
      const std::size_t in = std::min(kMost, packed.size() - read),
                        room = std::min(kMost, out.size() - written);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + read));
      stream.avail_in = static_cast<uInt>(in);
      stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
      stream.avail_out = static_cast<uInt>(room);
      state = inflate(&stream, Z_NO_FLUSH);
      read += in - stream.avail_in;
      written += room - stream.avail_out;
      if (written > member.unpacked) break;
    }
    inflateEnd(&stream);
    if (written > member.unpacked) fail("is longer than it says");
    if (state != Z_STREAM_END || read != packed.size()) fail("is broken");
    if (written != member.unpacked) fail("is shorter than it says");
    out.resize(written);
  }
  if (crc32_z(0, reinterpret_cast<const Bytef*>(out.data()), out.size()) != member.crc) {
    fail("has another CRC-32 than it says");
  }
  return out;
}

std::string encode_zip(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string out, directory;
  std::set<std::string_view> names;
  const auto put = [](std::string& to, auto number, std::size_t bytes) {
    to.append(reinterpret_cast<const char*>(&number), bytes);
  };
  for (const auto& [name, content] : members) {
    if (!names_a_member(name) || name.size() > kNone16 || !names.insert(name).second) {
      throw ValueError(fmt::format("zip: {} is no name, or given twice", in_quotes(name)));
    }
    const std::uint64_t local = out.size();
    if (local + content.size() > kNone32 - 4096) throw ValueError("zip: more than 4 GB");
    const auto crc = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
    // An extra field of nobody's fills up to where the content should begin.
    constexpr std::size_t kAligned = 64, kField = 4;
    const std::size_t before = local + kLocalBytes + name.size() + kField;
    const std::size_t fill = (kAligned - before % kAligned) % kAligned;
    // The same in both places: version 2.0, UTF-8, 1980-01-01.
    const auto head = [&, &name = name, &content = content](std::string& to) {
      put(to, 20U, 2);
      put(to, 0x800U, 2);
      put(to, 0U, 2);
      put(to, 0U, 2);
      put(to, 0x21U, 2);
      put(to, crc, 4);
      put(to, content.size(), 4);
      put(to, content.size(), 4);
      put(to, name.size(), 2);
    };
    put(out, kLocal, 4);
    head(out);
    put(out, kField + fill, 2);
    out += name;
    put(out, 0x4548U, 2);
    put(out, fill, 2);
    out.append(fill, '\0');
    out += content;
    put(directory, kCentral, 4);
    put(directory, 20U, 2);
    head(directory);
    put(directory, 0U, 2);  // extra
    put(directory, 0U, 2);  // comment
    put(directory, 0U, 2);  // disk
    put(directory, 0U, 2);
    put(directory, 0U, 4);
    put(directory, local, 4);
    directory += name;
  }
  if (members.size() >= kNone16) throw ValueError("zip: more than 65,534 members");
  const std::uint64_t begin = out.size();
  out += directory;
  put(out, kEnd, 4);
  put(out, 0U, 4);
  put(out, members.size(), 2);
  put(out, members.size(), 2);
  put(out, directory.size(), 4);
  put(out, begin, 4);
  put(out, 0U, 2);
  return out;
}

}  // namespace heed::io
