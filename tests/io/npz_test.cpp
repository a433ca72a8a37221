#include "../../io/npz.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>

#include "../../core/error.h"
#include "../../io/file.h"
#include "../support/throws.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

template <class T>
void put(std::string& to, T number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}
template <class T>
void set(std::string& in, std::size_t at, T number) {
  std::memcpy(in.data() + at, &number, sizeof number);
}

std::string deflated(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  const std::size_t written = stream.total_out;
  deflateEnd(&stream);
  return out.substr(0, written);
}

// An archive of one member, laid out by hand; `wide` has its sizes as zip64 does.
std::string archive(const std::string& name, const std::string& content, bool deflate,
                    bool wide = false) {
  const std::string packed = deflate ? deflated(content) : content;
  const auto crc = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
  const auto name_bytes = static_cast<std::uint16_t>(name.size());
  const auto small = [&](std::uint64_t size) {
    return wide ? 0xFFFFFFFFU : static_cast<std::uint32_t>(size);
  };
  const auto head = [&](std::string& to) {
    for (const int each : {45, 0, deflate ? 8 : 0, 0, 0}) put(to, static_cast<std::uint16_t>(each));
    put(to, crc);
    put(to, small(packed.size()));
    put(to, small(content.size()));
    put(to, name_bytes);
    put(to, static_cast<std::uint16_t>(wide ? 20 : 0));
  };
  const auto extra = [&](std::string& to) {
    if (!wide) return;
    put(to, std::uint16_t{1});
    put(to, std::uint16_t{16});
    put(to, static_cast<std::uint64_t>(content.size()));
    put(to, static_cast<std::uint64_t>(packed.size()));
  };
  std::string out = "PK\3\4", directory = "PK\1\2";
  head(out);
  out += name;
  extra(out);
  out += packed;
  put(directory, std::uint16_t{45});
  head(directory);
  directory.append(10, '\0');
  put(directory, std::uint32_t{0});  // where it stands
  directory += name;
  extra(directory);
  const auto begin = static_cast<std::uint32_t>(out.size());
  if (wide) {  // another end of the directory, as PyTorch writes it
    const std::uint64_t place = begin + directory.size(), sizes[] = {1, 1, directory.size(), begin};
    directory += "PK\6\6";
    put(directory, std::uint64_t{44});
    directory += std::string("\x1e\3\x2d\0", 4) + std::string(8, '\0');
    for (const std::uint64_t each : sizes) put(directory, each);
    directory += "PK\6\7" + std::string(4, '\0');
    put(directory, place);
    put(directory, std::uint32_t{1});
  }
  out += directory + "PK\5\6" + std::string(4, '\0') + std::string("\1\0\1\0", 4);
  put(out, static_cast<std::uint32_t>(directory.size() - (wide ? 76 : 0)));
  put(out, begin);
  return out + std::string(2, '\0');
}

TEST(Npz, ComesBackAsItWas) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npz";
  write_npz(path, {{"weight", Array::from(std::vector<float>{1, 2, 3})},
                   {"a/ü", Array::from(std::vector<Index>{7}, Shape{})},
                   {"none", Array::empty(Shape{0}, DType::f64)}});
  const NamedArrays back = read_npz(path);
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(back[0].first, "weight");
  EXPECT_EQ(back[0].second.to_vector<float>(), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(back[1].first, "a/ü");
  EXPECT_EQ(back[1].second.item(), 7);
  EXPECT_EQ(back[2].second.shape(), Shape{0});
  write_npz(path, {});
  EXPECT_TRUE(read_npz(path).empty());
  EXPECT_ERROR_WITH(ValueError, "\"a.npy\" is no name, or given twice",
                    write_npz(path, {{"a", Array::empty(Shape{0}, DType::f32)},
                                     {"a", Array::empty(Shape{0}, DType::f32)}}));
}

TEST(Npz, MembersMayBeDeflatedAndWide) {
  const TemporaryFolder folder;
  const std::string npy = encode_npy(Array::from(std::vector<float>(300, 2.5F)));
  for (const bool deflate : {false, true}) {
    for (const bool wide : {false, true}) {
      const NamedArrays found =
          read_npz(folder.write("x.npz", archive("w.npy", npy, deflate, wide)));
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].second.to_vector<float>(), std::vector<float>(300, 2.5F));
    }
  }
  EXPECT_ERROR_WITH(
      FormatError, "nnn...\" (5007 bytes): at byte 0",
      read_npz(folder.write("x.npz", archive(std::string(5003, 'n') + ".npy", "x", false))));
  EXPECT_ERROR_WITH(FormatError, "\"w.txt\" is no .npy",
                    read_npz(folder.write("x.npz", archive("w.txt", npy, false))));
  EXPECT_ERROR_WITH(FormatError, "w.npy: at byte 0: does not begin",
                    read_npz(folder.write("x.npz", archive("w.npy", "x", false))));
}

TEST(Zip, ABombIsNotUnpacked) {
  const std::string zeros(1 << 20, '\0');
  const std::string bomb = archive("w", zeros, true);
  EXPECT_ERROR_WITH(FormatError, "beyond 100 times the archive's size", ZipReader(bomb, "f"));
  const ZipReader trusted(bomb, "f", 1000);
  EXPECT_EQ(trusted.read(trusted.members()[0]), zeros);
  EXPECT_NE(trusted.find("w"), nullptr);
  EXPECT_EQ(trusted.find("v"), nullptr);
}

TEST(Zip, IsReadStrictly) {
  const std::string text = "some text, some text", good = archive("w", text, true);
  const auto read = [](const std::string& bytes) {
    const ZipReader zip(bytes, "f");
    for (const ZipMember& member : zip.members()) zip.read(member);
  };
  EXPECT_NO_THROW(read(good));
  const auto refuses = [&](const std::string& bytes, const std::string& message) {
    EXPECT_ERROR_WITH(FormatError, message, read(bytes));
  };
  const std::size_t directory = good.find("PK\1\2"), end = good.find("PK\5\6");
  const auto changed = [&](std::size_t at, auto number) {
    std::string bytes = good;
    set(bytes, at, number);
    return bytes;
  };
  refuses("", "too short");
  refuses(good.substr(0, good.size() - 1), "no end of a directory");
  refuses(good + "x", "no end of a directory");
  refuses(changed(end + 4, std::uint16_t{1}), "in parts");
  refuses(changed(end + 10, std::uint16_t{2}), "2 members in");
  refuses(changed(end + 16, std::uint32_t{3}), "the directory is not where");
  refuses(changed(directory, std::uint32_t{0}), "no member where");
  refuses(changed(directory + 8, std::uint16_t{1}), "\"w\" is encrypted");
  refuses(changed(directory + 10, std::uint16_t{12}), "packed in way 12");
  refuses(changed(directory + 10, std::uint16_t{0}), "stored, and not as long");
  refuses(changed(directory + 16, std::uint32_t{7}), "another CRC-32");
  refuses(changed(directory + 20, std::uint32_t{5}), "is broken");
  refuses(changed(directory + 20, std::uint32_t{500}), "goes beyond the archive");
  refuses(changed(directory + 24, std::uint32_t{19}), "longer than it says");
  refuses(changed(directory + 24, std::uint32_t{21}), "shorter than it says");
  refuses(changed(directory + 24, 0xFFFFFFFFU), "beyond 100 times");
  refuses(changed(directory + 42, std::uint32_t{1}), "not where the directory has it");
  refuses(changed(31, 'x'), "broken");
  refuses(changed(30, 'x'), "not where the directory has it");
  std::string wide = archive("w", text, true, true);
  const std::size_t wide_end = wide.find("PK\6\6");
  const std::size_t wide_last = wide.find("PK\5\6");
  // What the narrow end leaves to the wide one.
  std::string left = wide;
  set(left, wide_last + 10, std::uint16_t{0xFFFF});
  set(left, wide_last + 12, 0xFFFFFFFFU);
  set(left, wide_last + 16, 0xFFFFFFFFU);
  EXPECT_NO_THROW(read(left));
  for (const std::uint64_t part : {std::uint64_t{1}, std::uint64_t{1} << 56}) {
    std::string parts = wide;
    set(parts, wide_end + 16, part);
    refuses(parts, "an archive in parts");
  }
  for (const std::size_t place : {32, 40, 48}) {
    std::string different = wide;
    set(different, wide_end + place, std::uint64_t{7});
    refuses(different, "say different things");
  }
  set(wide, wide_end, std::uint32_t{7});
  refuses(wide, "the wide end of the directory is not where");
  for (const char* name : {"/etc/passwd", "../w", "a/../../w", "a\\w", ".."}) {
    refuses(archive(name, text, false), "is no member's name");
  }
  // Two names of one member's bytes.
  std::string twice = good;
  const std::string entry = good.substr(directory, end - directory);
  twice.insert(end, entry);
  const std::size_t new_end = end + entry.size();
  set(twice, new_end + 8, std::uint16_t{2});
  set(twice, new_end + 10, std::uint16_t{2});
  set(twice, new_end + 12, static_cast<std::uint32_t>(2 * entry.size()));
  refuses(twice, "\"w\" is there twice");
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_THROW(read(good.substr(0, length)), FormatError) << length;
  }
}

}  // namespace
}  // namespace heed::io
