// Archives of several members, as encode_zip() lays them out; npz_test.cpp has those of others.
#include "../../io/zip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::io {
namespace {

template <class T>
T at(const std::string& bytes, std::size_t place) {
  T out;
  std::memcpy(&out, bytes.data() + place, sizeof out);
  return out;
}
template <class T>
void set(std::string& in, std::size_t place, T number) {
  std::memcpy(in.data() + place, &number, sizeof number);
}
template <class T>
void put(std::string& to, T number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Two members, and where things stand in it.
struct Two {
  std::string bytes = encode_zip({{"first", std::string(100, 'a')}, {"second", "bb"}});
  std::size_t first = bytes.find("PK\1\2"), second = bytes.find("PK\1\2", first + 1),
              end = bytes.find("PK\5\6");
  // What is put into the directory, at the end of its last member.
  std::string with(const std::string& more, std::size_t size_at) const {
    std::string out = bytes;
    out.insert(end, more);
    set(out, second + size_at, static_cast<std::uint16_t>(more.size()));
    set(out, end + more.size() + 12, static_cast<std::uint32_t>(end - first + more.size()));
    return out;
  }
};

void refuses(const std::string& bytes, const std::string& message) {
  EXPECT_ERROR_WITH(FormatError, message, ZipReader(bytes, "f"));
}

TEST(ZipFile, HoldsMembersInTheirOrder) {
  const Two two;
  const ZipReader zip(two.bytes, "f");
  ASSERT_EQ(zip.members().size(), 2u);
  const ZipMember& member = zip.members()[0];
  EXPECT_EQ(member.name, "first");
  EXPECT_EQ(member.packed, 100u);
  EXPECT_EQ(member.unpacked, 100u);
  EXPECT_FALSE(member.deflated);
  EXPECT_EQ(zip.read(member), std::string(100, 'a'));
  ASSERT_NE(zip.find("second"), nullptr);
  EXPECT_EQ(zip.read(*zip.find("second")), "bb");
  EXPECT_EQ(zip.find("third"), nullptr);
  EXPECT_TRUE(ZipReader(encode_zip({}), "f").members().empty());
  EXPECT_EQ(encode_zip({}).size(), 22u);
}

TEST(ZipFile, ContentsBeginAtTheNextMultipleOf64) {
  for (std::size_t length = 1; length < 70; ++length) {
    const std::string name(length, 'n');
    const std::string bytes = encode_zip({{name, "abc"}, {name + "2", "de"}});
    const ZipReader zip(bytes, "f");
    std::size_t before = 0;
    for (const ZipMember& member : zip.members()) {
      EXPECT_EQ(member.begin % 64, 0u);
      EXPECT_LT(member.begin - before, 30 + member.name.size() + 4 + 64);
      before = member.begin + member.packed;
    }
    EXPECT_EQ(zip.read(zip.members()[1]), "de");
  }
}

// Version, flags, way, time and date, as other programs want them.
TEST(ZipFile, HeadsAreTheFormats) {
  const Two two;
  for (const std::size_t place : {std::size_t{4}, two.first + 6}) {
    EXPECT_EQ(at<std::uint16_t>(two.bytes, place), 20);
    EXPECT_EQ(at<std::uint16_t>(two.bytes, place + 2), 0x800);
    EXPECT_EQ(at<std::uint32_t>(two.bytes, place + 4), 0u);
    EXPECT_EQ(at<std::uint16_t>(two.bytes, place + 8), 0x21);
    EXPECT_EQ(at<std::uint32_t>(two.bytes, place + 14), 100u);
    EXPECT_EQ(at<std::uint32_t>(two.bytes, place + 18), 100u);
    EXPECT_EQ(at<std::uint16_t>(two.bytes, place + 22), 5);
  }
  const auto fill = at<std::uint16_t>(two.bytes, 28);
  EXPECT_EQ(at<std::uint16_t>(two.bytes, 35), 0x4548);
  EXPECT_EQ(at<std::uint16_t>(two.bytes, 37), fill - 4);
  EXPECT_EQ(at<std::uint16_t>(two.bytes, two.first + 4), 20);
  for (std::size_t i = 30; i < 46; ++i) {
    EXPECT_EQ(two.bytes[two.first + i], i < 42 || two.bytes[two.first + i] == 0 ? 0 : 1) << i;
  }
  EXPECT_EQ(at<std::uint32_t>(two.bytes, two.end + 4), 0u);
  EXPECT_EQ(at<std::uint16_t>(two.bytes, two.end + 8), 2);
  EXPECT_EQ(at<std::uint16_t>(two.bytes, two.end + 10), 2);
  EXPECT_EQ(at<std::uint32_t>(two.bytes, two.end + 12), two.end - two.first);
  EXPECT_EQ(at<std::uint32_t>(two.bytes, two.end + 16), two.first);
  EXPECT_EQ(two.bytes.size(), two.end + 22);
}

TEST(ZipFile, RefusesWhatItCannotHold) {
  EXPECT_ERROR(ValueError, "zip: \"\" is no name, or given twice", encode_zip({{"", "x"}}));
  EXPECT_THROW(encode_zip({{std::string(65536, 'n'), "x"}}), ValueError);
  const std::string longest(65535, 'n'), bytes = encode_zip({{longest, "x"}});
  EXPECT_EQ(ZipReader(bytes, "f").members()[0].name.size(), 65535u);
  std::vector<std::pair<std::string, std::string>> many;
  for (int i = 0; i < 65534; ++i) many.emplace_back(std::to_string(i), "");
  const std::string most = encode_zip(many);
  EXPECT_EQ(ZipReader(most, "f").members().size(), 65534u);
  many.emplace_back("one more", "");
  EXPECT_ERROR(ValueError, "zip: more than 65,534 members", encode_zip(many));
}

TEST(ZipFile, MayEndWithAText) {
  for (const std::size_t size : {1, 22, 1000, 65535}) {
    Two two;
    set(two.bytes, two.end + 20, static_cast<std::uint16_t>(size));
    two.bytes += std::string(size, 'c');
    EXPECT_EQ(ZipReader(two.bytes, "f").members().size(), 2u) << size;
  }
  const Two two;
  refuses(two.bytes + std::string(65536, 'c'), "no end of a directory");
}

TEST(ZipFile, MembersMayHaveFieldsAndTextsOfOthers) {
  const Two two;
  std::string field;
  put(field, std::uint16_t{0x5455});
  put(field, std::uint16_t{5});
  field += "12345";
  EXPECT_EQ(ZipReader(two.with(field, 30), "f").members().size(), 2u);
  EXPECT_EQ(ZipReader(two.with("a text of its own", 32), "f").members().size(), 2u);
  refuses(two.with(field.substr(0, 8), 30), "an extra field goes beyond its member");
  std::string wide = two.with(field + std::string("\1\0\x8\0\2\0\0\0\0\0\0\0", 12), 30);
  set(wide, two.second + 24, 0xFFFFFFFFU);  // its size is in the wide field, behind another
  const ZipReader zip(wide, "f");
  EXPECT_EQ(zip.members()[1].unpacked, 2u);
  EXPECT_EQ(zip.read(zip.members()[1]), "bb");
  set(wide, two.second + 20, 0xFFFFFFFFU);
  refuses(wide, "a wide size is missing");
}

TEST(ZipFile, MembersDoNotOverlap) {
  const Two two;
  const ZipReader zip(two.bytes, "f");
  // The first one goes up to the second one's head, and no further.
  const auto room = static_cast<std::uint32_t>(at<std::uint32_t>(two.bytes, two.second + 42) -
                                               zip.members()[0].begin);
  for (const std::uint32_t more : {0, 1}) {
    std::string longer = two.bytes;
    for (const std::size_t place : {two.first + 20, two.first + 24})
      set(longer, place, room + more);
    if (more == 0 && zip.members()[1].begin - zip.members()[0].begin == room + 30) {
      EXPECT_NO_THROW(ZipReader(longer, "f"));
    }
    const auto all = static_cast<std::uint32_t>(zip.members()[1].begin - zip.members()[0].begin);
    for (const std::size_t place : {two.first + 20, two.first + 24})
      set(longer, place, all - 30 + more);
    if (more == 0) {
      EXPECT_NO_THROW(ZipReader(longer, "f"));
    } else {
      refuses(longer, "\"first\" and \"second\" overlap");
    }
  }
}

TEST(ZipFile, WhatIsUnpackedIsCountedTogether) {
  std::string bytes = encode_zip({{"a", std::string(1000, 'x')}, {"b", std::string(1000, 'y')}});
  const std::uint64_t size = bytes.size();
  EXPECT_NO_THROW(ZipReader(bytes, "f", 1));
  const std::size_t first = bytes.find("PK\1\2"), second = bytes.find("PK\1\2", first + 1);
  for (const std::size_t place : {first, second}) {
    set(bytes, place + 10, std::uint16_t{8});  // deflated, it may say any size
    set(bytes, place + 24, static_cast<std::uint32_t>(size));
  }
  EXPECT_NO_THROW(ZipReader(bytes, "f", 2));
  EXPECT_ERROR_WITH(FormatError, "\"b\" takes what is unpacked beyond 1 times",
                    ZipReader(bytes, "f", 1));
  set(bytes, second + 24, static_cast<std::uint32_t>(99 * size));
  EXPECT_NO_THROW(ZipReader(bytes, "f"));
  set(bytes, second + 24, static_cast<std::uint32_t>(99 * size + 1));
  EXPECT_ERROR_WITH(FormatError, "beyond 100 times the archive's size", ZipReader(bytes, "f"));
}

TEST(ZipFile, ItsDirectoryIsWhereItSays) {
  const Two two;
  std::string more = two.bytes;
  more.insert(two.end, "x");
  refuses(more, "the directory is not where");
  set(more, two.end + 1 + 12, static_cast<std::uint32_t>(two.end - two.first + 1));
  refuses(more, "something stands behind the last member of the directory");
  std::string fewer = two.bytes;
  set(fewer, two.end + 10, std::uint16_t{1});
  refuses(fewer, "something stands behind the last member of the directory");
  set(fewer, two.end + 10, std::uint16_t{3});
  refuses(fewer, "a directory of 3 members in");
  for (const std::uint32_t part : {0x1U, 0x10000U}) {  // this one's number, the directory's
    std::string parts = two.bytes;
    set(parts, two.end + 4, part);
    refuses(parts, "an archive in parts");
  }
}

TEST(ZipFile, NamesStayBelow) {
  for (const std::string name : {"..", "../w", "a/..", "a/../w", "/w", "a\\w", "a?b"}) {
    std::string bad = name;
    std::replace(bad.begin(), bad.end(), '?', '\0');
    std::string bytes = encode_zip({{std::string(bad.size(), 'n'), "x"}});
    for (std::size_t at = bytes.find("nn"); at != std::string::npos; at = bytes.find("nn")) {
      bytes.replace(at, bad.size(), bad);
    }
    refuses(bytes, "is no member's name");
    EXPECT_ERROR_WITH(ValueError, "is no name", encode_zip({{bad, "x"}}));
  }
  const std::string fine = encode_zip({{"...", "x"}, {"a/..b", "x"}, {"a../b", "x"}});
  EXPECT_EQ(ZipReader(fine, "f").members().size(), 3u);
}

// 256 bytes, whose product with the limit would be 2^64.
TEST(ZipFile, ALimitMayBeAsLargeAsNumbersAre) {
  const std::string bytes = encode_zip({{"n", std::string(123, 'x')}});
  ASSERT_EQ(bytes.size(), 256U);
  for (const std::uint64_t most : {std::uint64_t{1} << 56, ~std::uint64_t{0}}) {
    EXPECT_EQ(ZipReader(bytes, "f", most).members().size(), 1U);
  }
}

}  // namespace
}  // namespace heed::io
