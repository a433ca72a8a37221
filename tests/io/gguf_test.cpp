#include "../../io/gguf.h"

#include <gtest/gtest.h>

#include <cstring>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

template <class T>
void put(std::string& to, T number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void put_text(std::string& to, const std::string& text) {
  put(to, static_cast<std::uint64_t>(text.size()));
  to += text;
}

// A file as llama.cpp writes it.
struct Gguf {
  std::string settings = {}, entries = {}, data = {};
  std::uint64_t setting_count = 0, tensor_count = 0;
  std::uint32_t version = 3;
  std::size_t alignment = 32;

  template <class T>
  void set(const std::string& key, std::uint32_t type, T number) {
    put_text(settings, key);
    put(settings, type);
    put(settings, number);
    ++setting_count;
  }
  void set_text(const std::string& key, const std::string& text) {
    put_text(settings, key);
    put(settings, std::uint32_t{8});
    put_text(settings, text);
    ++setting_count;
  }
  void add(const std::string& name, const std::vector<std::uint64_t>& sizes, std::uint32_t type,
           const std::string& bytes) {
    data.resize((data.size() + alignment - 1) / alignment * alignment);
    add_entry(name, sizes, type, data.size());
    data += bytes;
  }
  void add_entry(const std::string& name, const std::vector<std::uint64_t>& sizes,
                 std::uint32_t type, std::uint64_t begin) {
    put_text(entries, name);
    put(entries, static_cast<std::uint32_t>(sizes.size()));
    for (const std::uint64_t size : sizes) put(entries, size);
    put(entries, type);
    put(entries, begin);
    ++tensor_count;
  }
  std::string bytes() const {
    std::string out = "GGUF";
    put(out, version);
    put(out, tensor_count);
    put(out, setting_count);
    out += settings + entries;
    out.resize((out.size() + alignment - 1) / alignment * alignment);
    return out + data;
  }
};
template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

TEST(Gguf, SettingsKeepTheirKinds) {
  Gguf file;
  file.set_text("general.architecture", "llama");
  file.set("a", 0, std::uint8_t{200});
  file.set("b", 1, std::int8_t{-3});
  file.set("c", 3, std::int16_t{-300});
  file.set("d", 4, std::uint32_t{4000000000});
  file.set("e", 6, 0.5F);
  file.set("f", 7, true);
  file.set("g", 10, std::uint64_t{7});
  file.set("h", 12, -0.1);
  put_text(file.settings, "words");
  for (const std::uint32_t each : {9U, 8U}) put(file.settings, each);
  put(file.settings, std::uint64_t{2});
  put_text(file.settings, "<s>");
  put_text(file.settings, "ü");
  file.setting_count++;
  put_text(file.settings, "scores");
  for (const std::uint32_t each : {9U, 6U}) put(file.settings, each);
  put(file.settings, std::uint64_t{2});
  put(file.settings, 1.5F);
  put(file.settings, -2.0F);
  file.setting_count++;
  const std::map<std::string, GgufFile::Value> wanted{
      {"general.architecture", std::string("llama")},
      {"a", std::int64_t{200}},
      {"b", std::int64_t{-3}},
      {"c", std::int64_t{-300}},
      {"d", std::int64_t{4000000000}},
      {"e", 0.5},
      {"f", true},
      {"g", std::int64_t{7}},
      {"h", -0.1},
      {"words", std::vector<std::string>{"<s>", "ü"}},
      {"scores", std::vector<double>{1.5, -2.0}}};
  EXPECT_EQ(decode_gguf(file.bytes(), "f").metadata, wanted);
}

TEST(Gguf, SettingsMayBeOfAnyWidthAndListsOfAnyKind) {
  Gguf file;
  file.set("a", 2, std::uint16_t{65530});
  file.set("b", 5, std::int32_t{-70000});
  file.set("c", 11, std::int64_t{-5000000000});
  file.set("d", 10, static_cast<std::uint64_t>(INT64_MAX));
  file.set("e", 7, false);
  const auto list = [&](const std::string& key, std::uint32_t type, auto first, auto second) {
    put_text(file.settings, key);
    put(file.settings, std::uint32_t{9});
    put(file.settings, type);
    put(file.settings, std::uint64_t{2});
    put(file.settings, first);
    put(file.settings, second);
    file.setting_count++;
  };
  list("bytes", 0, std::uint8_t{1}, std::uint8_t{255});
  list("small", 1, std::int8_t{-1}, std::int8_t{5});
  list("wide", 11, std::int64_t{-1}, std::int64_t{1} << 40);
  list("truths", 7, true, false);
  list("doubles", 12, 0.1, -0.2);
  put_text(file.settings, "none");
  for (const std::uint32_t each : {9U, 5U}) put(file.settings, each);
  put(file.settings, std::uint64_t{0});
  file.setting_count++;
  const std::map<std::string, GgufFile::Value> wanted{
      {"a", std::int64_t{65530}},
      {"b", std::int64_t{-70000}},
      {"c", std::int64_t{-5000000000}},
      {"d", INT64_MAX},
      {"e", false},
      {"bytes", std::vector<std::int64_t>{1, 255}},
      {"small", std::vector<std::int64_t>{-1, 5}},
      {"wide", std::vector<std::int64_t>{-1, std::int64_t{1} << 40}},
      {"truths", std::vector<bool>{true, false}},
      {"doubles", std::vector<double>{0.1, -0.2}},
      {"none", std::vector<std::int64_t>{}}};
  EXPECT_EQ(decode_gguf(file.bytes(), "f").metadata, wanted);
}

TEST(Gguf, TensorsMayBeOfAnyWidth) {
  Gguf file;
  file.add("i8", {2}, 24, bytes_of<std::int8_t>({-7, 9}));
  file.add("i16", {2}, 25, bytes_of<std::int16_t>({-700, 9}));
  file.add("i64", {2}, 27, bytes_of<std::int64_t>({-7000000000, 9}));
  file.add("f64", {2}, 28, bytes_of<double>({0.1, 9}));
  file.add("none", {0, 3}, 0, "");
  file.add("scalar", {}, 0, bytes_of<float>({2.5F}));
  file.add("axes", {1, 1, 1, 1, 1, 1, 1, 1}, 0, bytes_of<float>({1.5F}));
  const TemporaryFolder folder;
  const GgufFile found = read_gguf(folder.write("f", file.bytes()));
  ASSERT_EQ(found.arrays.size(), 7u);
  const auto numbers = [&](std::size_t i) {
    return found.arrays[i].second.to(DType::f64).to_vector<double>();
  };
  EXPECT_EQ(numbers(0), (std::vector<double>{-7, 9}));
  EXPECT_EQ(numbers(1), (std::vector<double>{-700, 9}));
  EXPECT_EQ(numbers(2), (std::vector<double>{-7000000000, 9}));
  EXPECT_EQ(numbers(3), (std::vector<double>{0.1, 9}));
  EXPECT_EQ(found.arrays[4].second.shape(), (Shape{3, 0}));
  EXPECT_EQ(found.arrays[5].second.shape(), Shape{});
  EXPECT_EQ(found.arrays[6].second.rank(), 8);
  EXPECT_THROW(read_gguf(folder / "none"), IoError);
}

// In any order, one right behind the other, and empty ones anywhere.
TEST(Gguf, TensorsStandWhereTheirEntriesSay) {
  Gguf file;
  file.add_entry("second", {8}, 0, 32);
  file.add_entry("nothing", {0}, 0, 64);
  file.add_entry("first", {8}, 0, 0);
  file.add_entry("nothing too", {0}, 0, 0);
  std::vector<float> numbers;
  for (int i = 0; i < 16; ++i) numbers.push_back(static_cast<float>(i));
  file.data = bytes_of(numbers);
  const GgufFile found = decode_gguf(file.bytes(), "f");
  EXPECT_EQ(found.arrays[0].second.to_vector<float>()[0], 8);
  EXPECT_EQ(found.arrays[2].second.to_vector<float>()[7], 7);
  file.add_entry("behind", {0}, 0, 96);
  EXPECT_ERROR_WITH(FormatError, "\"behind\" lies outside", decode_gguf(file.bytes(), "f"));
}

// Where nothing is filled up, the last setting ends the file.
TEST(Gguf, CountsAreBelievedAsFarAsTheFileGoes) {
  const auto setting = [](const auto& add) {
    Gguf file;
    file.alignment = 1;
    file.setting_count = 1;
    put_text(file.settings, "");
    add(file.settings);
    return decode_gguf(file.bytes(), "f").metadata.at("");
  };
  const auto list = [&](std::uint32_t type, const std::string& items) {
    return setting([&](std::string& to) {
      for (const std::uint32_t each : {9U, type}) put(to, each);
      put(to, std::uint64_t{3});
      to += items;
    });
  };
  EXPECT_EQ(setting([](std::string& to) { to += std::string("\7\0\0\0\1", 5); }),
            GgufFile::Value(true));
  EXPECT_EQ(setting([](std::string& to) {
              put(to, std::uint32_t{8});
              put_text(to, "to the end");
            }),
            GgufFile::Value(std::string("to the end")));
  EXPECT_EQ(list(0, "abc"), GgufFile::Value(std::vector<std::int64_t>{'a', 'b', 'c'}));
  EXPECT_EQ(list(8, std::string(24, '\0')), GgufFile::Value(std::vector<std::string>(3)));
  EXPECT_ERROR_WITH(FormatError, "gguf: 3 items of a list in 23 bytes",
                    list(8, std::string(23, 0)));
  const auto refuses = [](std::uint64_t tensors, std::uint64_t settings, std::size_t left,
                          const std::string& message) {
    std::string bytes = "GGUF";
    put(bytes, std::uint32_t{3});
    put(bytes, tensors);
    put(bytes, settings);
    EXPECT_ERROR_WITH(FormatError, message, decode_gguf(bytes + std::string(left, '\0'), "f"));
  };
  // The second count stands among what is left behind the first.
  refuses(2, 0, 39, "gguf: 2 tensors in 47 bytes");
  refuses(2, 0, 40, "the file ends within a tensor's place");
  refuses(0, 2, 25, "gguf: 2 settings in 25 bytes");
  refuses(0, 2, 26, "gguf: \"\" is there twice");
}

TEST(Gguf, AnEmptyTensorMayEndTheFile) {
  Gguf file;
  file.add_entry("none", {0, 3}, 0, 0);
  file.alignment = 1;  // of the file: nothing stands up to where its numbers would begin
  EXPECT_EQ(decode_gguf(file.bytes(), "f").arrays[0].second.shape(), (Shape{3, 0}));
  Gguf one;
  one.add("byte", {1}, 24, "\7");
  EXPECT_EQ(decode_gguf(one.bytes(), "f").arrays[0].second.item(), 7);
}

TEST(Gguf, OtherTypesAreRefusedByName) {
  const std::map<std::uint32_t, std::string> names = {
      {3, "Q4_1"},     {6, "Q5_0"},    {7, "Q5_1"},     {9, "Q8_1"},   {10, "Q2_K"},
      {11, "Q3_K"},    {12, "Q4_K"},   {13, "Q5_K"},    {14, "Q6_K"},  {15, "Q8_K"},
      {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"},
      {21, "IQ3_S"},   {22, "IQ2_S"},  {23, "IQ4_XS"},  {29, "IQ1_M"}, {34, "TQ1_0"},
      {35, "TQ2_0"},   {4, "4"},       {5, "5"},        {31, "31"}};
  for (const auto& [code, name] : names) {
    Gguf file;
    file.add_entry("w", {256}, code, 0);
    file.data.resize(1024);
    EXPECT_ERROR_WITH(FormatError, "\"w\" is of type " + name + ", which cannot be read",
                      decode_gguf(file.bytes(), "f"));
  }
}

TEST(Gguf, AlignmentsArePowersOfTwoUpToAGigabyte) {
  for (const std::uint32_t good : {1U, 8U, 1U << 30}) {
    Gguf file;
    file.set("general.alignment", 4, good);
    EXPECT_NO_THROW(decode_gguf(file.bytes(), "f")) << good;
  }
  Gguf file;
  file.alignment = 1;
  file.set("general.alignment", 4, std::uint32_t{1});
  file.add("a", {3}, 24, "abc");
  file.add("b", {2}, 24, "de");
  EXPECT_EQ(decode_gguf(file.bytes(), "f").arrays[1].second.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{'d', 'e'}));
  const auto refused = [](const Gguf& given) {
    EXPECT_ERROR_WITH(FormatError, "general.alignment must be a power of two",
                      decode_gguf(given.bytes(), "f"));
  };
  Gguf text, huge, negative;
  text.set_text("general.alignment", "32");
  refused(text);
  huge.set("general.alignment", 4, 1U << 31);
  refused(huge);
  negative.set("general.alignment", 5, std::int32_t{-32});
  refused(negative);
}

TEST(Gguf, TensorsAreTurnedRoundAndUnpacked) {
  Gguf file;
  file.alignment = 64;
  file.set("general.alignment", 4, std::uint32_t{64});
  file.add("w", {3, 2}, 0, bytes_of<float>({1, 2, 3, 4, 5, 6}));
  file.add("h", {2}, 1, bytes_of<std::uint16_t>({0x3C00, 0xC000}));
  file.add("b", {1}, 30, bytes_of<std::uint16_t>({0x3F80}));
  file.add("i", {2}, 26, bytes_of<std::int32_t>({-7, 9}));
  // Two blocks: scales 1 and -0.5.
  std::string q8, q4;
  std::vector<float> eights, fours;
  for (const std::uint16_t scale : {std::uint16_t{0x3C00}, std::uint16_t{0xB800}}) {
    put(q8, scale);
    put(q4, scale);
    const float by = scale == 0x3C00 ? 1.0F : -0.5F;
    for (int i = 0; i < 32; ++i) {
      put(q8, static_cast<std::int8_t>(4 * i - 60));
      eights.push_back(static_cast<float>(4 * i - 60) * by);
    }
    for (int i = 0; i < 16; ++i) put(q4, static_cast<std::uint8_t>(i | ((15 - i) << 4)));
    for (int i = 0; i < 16; ++i) fours.push_back(static_cast<float>(i - 8) * by);
    for (int i = 0; i < 16; ++i) fours.push_back(static_cast<float>(7 - i) * by);
  }
  file.add("q8", {32, 2}, 8, q8);
  file.add("q4", {64}, 2, q4);
  file.version = 2;
  const GgufFile found = decode_gguf(file.bytes(), "f");
  ASSERT_EQ(found.arrays.size(), 6u);
  EXPECT_EQ(found.arrays[0].second.shape(), (Shape{2, 3}));
  EXPECT_EQ(found.arrays[0].second.to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(found.arrays[1].second.to_vector<float>(), (std::vector<float>{1, -2}));
  EXPECT_EQ(found.arrays[2].second.to_vector<float>(), (std::vector<float>{1}));
  EXPECT_EQ(found.arrays[3].second.to_vector<std::int64_t>(), (std::vector<std::int64_t>{-7, 9}));
  EXPECT_EQ(found.arrays[4].second.shape(), (Shape{2, 32}));
  EXPECT_EQ(found.arrays[4].second.to_vector<float>(), eights);
  EXPECT_EQ(found.arrays[5].second.to_vector<float>(), fours);
}

TEST(Gguf, IsReadStrictly) {
  const auto refuses = [](const std::string& bytes, const std::string& message) {
    EXPECT_ERROR_WITH(FormatError, message, decode_gguf(bytes, "f"));
  };
  const std::string eight(8, '\0');
  const auto tensor = [&](const std::vector<std::uint64_t>& sizes, std::uint32_t type,
                          std::uint64_t begin) {
    Gguf file;
    file.add_entry("w", sizes, type, begin);
    file.data = eight;
    return file.bytes();
  };
  EXPECT_NO_THROW(decode_gguf(tensor({2}, 0, 0), "f"));
  refuses("", "the file ends within its head");
  refuses("GGML" + eight, "does not begin as GGUF does");
  Gguf first;
  first.version = 1;
  refuses(first.bytes(), "f: at byte 4: gguf: version 1 is not known; 2 and 3 are");
  first.version = 4;
  refuses(first.bytes(), "version 4 is not known");
  Gguf many;
  many.tensor_count = 1ULL << 63;
  refuses(many.bytes(), "9223372036854775808 tensors in");
  refuses(tensor({3}, 0, 0), "\"w\" lies outside");
  refuses(tensor({2}, 0, 32), "lies outside");
  refuses(tensor({1}, 0, 4), "not at a multiple of 32");
  refuses(tensor({1}, 0, ~0ULL - 31), "lies outside");
  refuses(tensor({1ULL << 63}, 0, 0), "above 2^63 - 1");
  refuses(tensor({INT64_MAX}, 0, 0), "bytes that overflows");
  refuses(tensor({1ULL << 62, 1ULL << 62}, 0, 0), "elements that overflows");
  refuses(tensor({1ULL << 62}, 0, 0), "bytes that overflows");
  refuses(tensor({31}, 8, 0), "no multiple of 32");
  refuses(tensor({}, 8, 0), "no multiple of 32");
  refuses(tensor({32}, 12, 0), "is of type Q4_K, which cannot be read");
  refuses(tensor({32}, 99, 0), "is of type 99");
  refuses(tensor({1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 0), "has 9 axes");
  Gguf twice;
  twice.add("w", {1}, 0, bytes_of<float>({1}));
  twice.add("w", {1}, 0, bytes_of<float>({1}));
  refuses(twice.bytes(), "\"w\" is there twice");
  Gguf over;
  over.add("a", {9}, 0, std::string(36, '\0'));
  over.add_entry("b", {1}, 0, 32);
  refuses(over.bytes(), "\"a\" and \"b\" overlap");
  const auto setting = [](std::uint32_t type, auto number, const std::string& key = "k") {
    Gguf file;
    file.set(key, type, number);
    return file;
  };
  refuses(setting(7, std::uint8_t{2}).bytes(), "neither 0 nor 1");
  refuses(setting(13, std::uint8_t{2}).bytes(), "a setting of type 13");
  refuses(setting(10, ~0ULL).bytes(), "above 2^63 - 1");
  refuses(setting(9, 9ULL).bytes(), "a list of lists");
  refuses(setting(9, 13ULL).bytes(), "a list of type 13");
  refuses(setting(9, 8ULL | (1ULL << 62)).bytes(), "");
  refuses(setting(4, std::uint32_t{48}, "general.alignment").bytes(), "a power of two");
  refuses(setting(4, std::uint32_t{0}, "general.alignment").bytes(), "a power of two");
  Gguf again = setting(7, true);
  again.set("k", 7, true);
  refuses(again.bytes(), "\"k\" is there twice");
  const std::string good = tensor({2}, 0, 0);
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_THROW(decode_gguf(good.substr(0, length), "f"), FormatError) << length;
  }
}

}  // namespace
}  // namespace heed::io
