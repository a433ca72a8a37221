#include "npz.h"

#include "../core/error.h"
#include "../core/quoted.h"
#include "file.h"

namespace heed::io {
namespace {

constexpr std::string_view kEnding = ".npy";

}  // namespace

NamedArrays read_npz(const std::string& path, std::uint64_t most_growth) {
  const std::string bytes = read_file(path);
  const ZipReader zip(bytes, path, most_growth);
  NamedArrays out;
  for (const ZipMember& member : zip.members()) {
    if (!member.name.ends_with(kEnding)) {
      throw FormatError(path, member.begin, in_quotes(member.name) + " is no .npy");
    }
    try {
      out.emplace_back(member.name.substr(0, member.name.size() - kEnding.size()),
                       decode_npy(zip.read(member), in_short(member.name)));
    } catch (const FormatError& error) {
      if (error.path() == path) throw;
      throw FormatError(path, member.begin, one_line(error.what()));
    }
  }
  return out;
}

void write_npz(const std::string& path, const NamedArrays& arrays) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [name, array] : arrays) {
    members.emplace_back(name + std::string(kEnding), encode_npy(array));
  }
  write_file_atomically(path, encode_zip(members));
}

}  // namespace heed::io
