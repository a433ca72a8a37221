#include "../../io/torch_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "../../core/error.h"
#include "../../io/pickle.h"
#include "../../io/zip.h"
#include "../support/throws.h"
#include "pickled.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

using namespace pickled;

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

class Torch : public testing::Test {
 protected:
  TorchFile read(const std::string& value,
                 const std::vector<std::pair<std::string, std::string>>& storages = {}) {
    std::vector<std::pair<std::string, std::string>> members{{"archive/data.pkl", pickle(value)},
                                                             {"archive/byteorder", "little"}};
    for (const auto& [key, bytes] : storages) members.emplace_back("archive/data/" + key, bytes);
    members.emplace_back("archive/version", "3\n");
    return read_torch(folder_.write("f.pt", encode_zip(members)));
  }
  TemporaryFolder folder_;
};

TEST_F(Torch, AStateDictIsItsTensors) {
  const std::string floats = bytes_of<float>({1, 2, 3, 4, 5, 6}),
                    halves = bytes_of<std::uint16_t>({0x3C00, 0xC000});
  // The second one is the first one's storage, turned; the dict has versions of modules beside it.
  const std::string value =
      kOrdered + "q\1(" + text("a.weight") + tensor(storage("Float", "0", 6), 0, {2, 3}, {3, 1}) +
      text("a.turned") + "ctorch._utils\n_rebuild_parameter\n" +
      tuple({tensor(storage("Float", "0", 6), 1, {2, 2}, {1, 3}), "\x88", kOrdered}) + "R" +
      text("half") + tensor(storage("Half", "1", 2), 1, {}, {}) + "u}" + text("_metadata") +
      kOrdered + "sb";
  const TorchFile found = read(value, {{"0", floats}, {"1", halves}});
  ASSERT_EQ(found.arrays.size(), 3u);
  EXPECT_TRUE(found.values.empty());
  EXPECT_EQ(found.arrays[0].first, "a.weight");
  EXPECT_EQ(found.arrays[0].second.shape(), (Shape{2, 3}));
  EXPECT_EQ(found.arrays[0].second.to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(found.arrays[1].second.to_vector<float>(), (std::vector<float>{2, 5, 3, 6}));
  EXPECT_EQ(found.arrays[2].second.item(), -2);
  EXPECT_EQ(found.under("a.").size(), 2u);
  EXPECT_EQ(found.under("a.")[0].first, "weight");
}

TEST_F(Torch, ACheckpointHasNumbersAndTextsToo) {
  const std::string betas = "G\x3f\xe0" + std::string(6, '\0') + integer(1) + "\x86q\7";
  const TorchFile found = read(
      "}(" + text("epoch") + "M\x2c\1" + text("model") + "}" + text("w") +
          tensor(storage("Long", "0", 2), 0, {2}, {1}) + "s" + text("groups") + "](}(" +
          text("betas") + betas + "u}" + text("betas") + "h\7se" + text("name") + text("tiny") +
          text("best") + "N" + text("done") + "\x88" + integer(7) + "\x8a\1\xFF" + "u",
      {{"0", bytes_of<std::int64_t>({-3, 5})}});
  ASSERT_EQ(found.arrays.size(), 1u);
  EXPECT_EQ(found.arrays[0].first, "model.w");
  EXPECT_EQ(found.arrays[0].second.to_vector<std::int64_t>(), (std::vector<std::int64_t>{-3, 5}));
  const std::map<std::string, TorchFile::Value> wanted{
      {"7", std::int64_t{-1}},      {"done", true},
      {"epoch", std::int64_t{300}}, {"name", std::string("tiny")},
      {"groups.0.betas.0", 0.5},    {"groups.0.betas.1", std::int64_t{1}},
      {"groups.1.betas.0", 0.5},    {"groups.1.betas.1", std::int64_t{1}}};
  EXPECT_EQ(found.values, wanted);
}

TEST_F(Torch, StoragesMayBeOfAnyKind) {
  struct Known {
    const char* kind;
    std::string bytes;
    DType dtype;
  };
  const Known all[] = {{"Float", bytes_of<float>({3}), DType::f32},
                       {"Double", bytes_of<double>({3}), DType::f64},
                       {"Half", bytes_of<std::uint16_t>({0x4200}), DType::f32},
                       {"BFloat16", bytes_of<std::uint16_t>({0x4040}), DType::f32},
                       {"Long", bytes_of<std::int64_t>({3}), DType::i64},
                       {"Int", bytes_of<std::int32_t>({3}), DType::i64},
                       {"Short", bytes_of<std::int16_t>({3}), DType::i64},
                       {"Char", "\3", DType::i64},
                       {"Byte", "\3", DType::i64},
                       {"Bool", "\1", DType::boolean}};
  for (const Known& each : all) {
    const TorchFile found =
        read(tensor(storage(each.kind, "0", 1), 0, {1}, {1}), {{"0", each.bytes}});
    EXPECT_EQ(found.arrays[0].second.dtype(), each.dtype) << each.kind;
    EXPECT_EQ(found.arrays[0].second.item(), each.bytes == "\1" ? 1 : 3) << each.kind;
  }
}

TEST_F(Torch, ValuesComeByTheirPlaces) {
  const TorchFile found = read("(" + text("a") + "\x89" + "G\xbf\xe0" + std::string(6, '\0') + "t");
  const std::map<std::string, TorchFile::Value> wanted{
      {"0", std::string("a")}, {"1", false}, {"2", -0.5}};
  EXPECT_EQ(found.values, wanted);
  EXPECT_TRUE(found.arrays.empty());
  const TorchFile alone = read("K\7");
  EXPECT_EQ(alone.values, (std::map<std::string, TorchFile::Value>{{"", std::int64_t{7}}}));
}

TEST_F(Torch, OtherGlobalsAreRefusedByName) {
  for (const char* global :
       {"os\nsystem\n", "builtins\neval\n", "torch\nUntypedStorage\n", "numpy\nndarray\n"}) {
    std::string name = global;
    name = name.substr(0, name.find('\n')) + "." + name.substr(name.find('\n') + 1);
    name.pop_back();
    EXPECT_ERROR_WITH(FormatError, "asks for \"" + name + "\"",
                      read(std::string("c") + global + tuple({text("true")}) + "R"));
  }
  EXPECT_ERROR_WITH(FormatError, "asks for \"posix.system\"",
                    read(text("posix") + text("system") + "\x93"));
  // Also where it is not called.
  EXPECT_ERROR_WITH(FormatError, "asks for \"os.system\"", read("cos\nsystem\n"));
  EXPECT_ERROR_WITH(FormatError, "\"\" is neither a tensor", read("ccollections\nOrderedDict\n"));
  EXPECT_ERROR_WITH(FormatError, "does 0x69", read("(i"));
  EXPECT_ERROR_WITH(FormatError, "does 0x81", read(kOrdered + ")\x81"));
}

TEST_F(Torch, TensorsStayWithinTheirStorage) {
  const std::string four = bytes_of<float>({1, 2, 3, 4});
  const auto refuses = [&](const std::string& value, const std::string& message) {
    EXPECT_ERROR_WITH(FormatError, message, read(value, {{"0", four}}));
  };
  const std::string all = storage("Float", "0", 4);
  refuses(tensor(all, 0, {5}, {1}), "goes beyond its storage of 4");
  refuses(tensor(all, 1, {4}, {1}), "goes beyond");
  refuses(tensor(all, 4, {1}, {1}), "goes beyond");
  refuses(tensor(all, 4, {}, {}), "goes beyond");
  refuses(tensor(all, 5, {0}, {1}), "goes beyond");
  refuses(tensor(all, 0, {2, 2}, {3, 1}), "goes beyond");
  refuses(tensor(all, 0, {5}, {0}), "goes beyond");
  refuses(tensor(all, 0, {2147483647, 2147483647, 2147483647}, {0, 0, 0}), "goes beyond");
  refuses(tensor(all, 0, {2}, {2147483647}), "goes beyond");
  refuses(tensor(all, 0, {2}, {-1}), "goes beyond");
  refuses(tensor(all, -1, {2}, {1}), "goes beyond");
  refuses(tensor(all, 0, {2}, {1, 1}), "1 axes and 2 strides");
  refuses(tensor(all, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1}), "of at most 8");
  refuses(tensor(storage("Float", "0", 5), 0, {1}, {1}), "has 16 bytes for 5 of F32");
  refuses(tensor(storage("Float", "1", 4), 0, {1}, {1}), "the storage \"1\" is missing");
  refuses("](" + tensor(all, 0, {1}, {1}) + tensor(storage("Int", "0", 4), 0, {1}, {1}) + "e",
          "two dtypes");
  EXPECT_EQ(read(tensor(all, 4, {0}, {1}), {{"0", four}}).arrays[0].second.numel(), 0);
}

TEST_F(Torch, AnAxisOfOneMayHaveAnyStride) {
  const std::vector<std::pair<std::string, std::string>> four{{"0", bytes_of<float>({1, 2, 3, 4})}};
  const std::string all = storage("Float", "0", 4);
  EXPECT_EQ(read(tensor(all, 0, {1, 4}, {100, 1}), four).arrays[0].second.to_vector<float>(),
            (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(read(tensor(all, 3, {1, 1, 1, 1, 1, 1, 1, 1}, {8, 7, 6, 5, 4, 3, 2, 1}), four)
                .arrays[0]
                .second.shape(),
            (Shape{1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST_F(Torch, AKeyMayBeEmpty) {
  const std::map<std::string, TorchFile::Value> wanted{{"", std::int64_t{5}},
                                                       {"a", std::int64_t{7}}};
  EXPECT_EQ(read("}(" + text("") + "K\5" + text("a") + "K\7u").values, wanted);
}

TEST_F(Torch, TurnedTensorsAreCopiedAsOftenAsTheFileIsLarge) {
  const std::string bytes(199 * 211, '\7');
  const auto turned = [&](int count) {
    std::string value = "}(";
    for (int i = 0; i < count; ++i) {
      value += text("w" + std::to_string(i)) +
               tensor(storage("Byte", "0", 199 * 211), 0, {211, 199}, {1, 211});
    }
    return read(value + "u", {{"0", bytes}});
  };
  EXPECT_EQ(turned(11).arrays.size(), 11u);
  EXPECT_ERROR_WITH(FormatError, "out of order", turned(37));
}

TEST_F(Torch, IsReadStrictly) {
  EXPECT_ERROR_WITH(FormatError, "holds itself", read("]q\1h\1a"));
  EXPECT_ERROR_WITH(FormatError, "holds itself", read("}q\1" + text("") + "h\1s"));
  EXPECT_ERROR_WITH(FormatError, "\"a\" is there twice",
                    read("}(" + text("a") + "K\1" + text("a") + "K\2u"));
  EXPECT_ERROR_WITH(FormatError, "a key that is neither", read("}N" + integer(1) + "s"));
  EXPECT_ERROR_WITH(FormatError, "no zip", read_torch(folder_.write("f.pt", pickle("N"))));
  EXPECT_ERROR_WITH(FormatError, "has no data.pkl",
                    read_torch(folder_.write("f.pt", encode_zip({{"a", "b"}}))));
  EXPECT_ERROR_WITH(
      FormatError, "two pickles",
      read_torch(folder_.write("f.pt", encode_zip({{"a/data.pkl", ""}, {"b/data.pkl", ""}}))));
  EXPECT_ERROR_WITH(FormatError, "not little endian",
                    read_torch(folder_.write("f.pt", encode_zip({{"a/data.pkl", pickle("N")},
                                                                 {"a/byteorder", "big"}}))));
  EXPECT_THROW(read_torch("/nowhere"), IoError);
}

TEST(Pickle, BuildsNumbersOfEveryWidth) {
  const auto number = [](const std::string& value) {
    const Pickle found = read_pickle(pickle(value), "f");
    EXPECT_EQ(found[found.root].kind, PickleValue::Kind::integer);
    return found[found.root].integer;
  };
  EXPECT_EQ(number("K\xFF"), 255);
  EXPECT_EQ(number("M\x01\x80"), 0x8001);
  EXPECT_EQ(number("J\xFE\xFF\xFF\xFF"), -2);
  EXPECT_EQ(number(std::string("\x8a\0", 2)), 0);
  EXPECT_EQ(number("\x8a\1\x7F"), 127);
  EXPECT_EQ(number("\x8a\1\x80"), -128);
  EXPECT_EQ(number(std::string("\x8a\2\x80\0", 4)), 128);
  EXPECT_EQ(number("\x8a\3\x01\x02\xFF"), 0x0201 - 0x10000);
  EXPECT_EQ(number("\x8a\x8" + std::string(7, '\xFF') + "\x7F"), INT64_MAX);
  EXPECT_EQ(number("\x8a\x8" + std::string(7, '\0') + "\x80"), INT64_MIN);
}

// "(1 2 a)" of tuples, "[..]" of lists, "{k v}" of dicts.
std::string said(const Pickle& all, PickleValue::Id id) {
  using Kind = PickleValue::Kind;
  const PickleValue& value = all[id];
  if (value.kind == Kind::none) return "None";
  if (value.kind == Kind::truth) return value.integer != 0 ? "True" : "False";
  if (value.kind == Kind::integer) return std::to_string(value.integer);
  if (value.kind == Kind::text) return value.text();
  std::string out;
  for (const PickleValue::Id item : value.items) out += (out.empty() ? "" : " ") + said(all, item);
  if (value.kind == Kind::list) return "[" + out + "]";
  return value.kind == Kind::dict ? "{" + out + "}" : "(" + out + ")";
}
std::string said(const std::string& value) {
  const Pickle found = read_pickle(pickle(value), "f");
  return said(found, found.root);
}

TEST(Pickle, BuildsTuplesListsAndDicts) {
  EXPECT_EQ(said("N"), "None");
  EXPECT_EQ(said("\x88"), "True");
  EXPECT_EQ(said("\x89"), "False");
  EXPECT_EQ(said(")"), "()");
  EXPECT_EQ(said("K\1\x85"), "(1)");
  EXPECT_EQ(said("K\1K\2\x86"), "(1 2)");
  EXPECT_EQ(said("K\1K\2K\3\x87"), "(1 2 3)");
  EXPECT_EQ(said("(K\1(K\2tK\3t"), "(1 (2) 3)");
  EXPECT_EQ(said("](K\1K\2e"), "[1 2]");
  EXPECT_EQ(said("]K\1aK\2a"), "[1 2]");
  EXPECT_EQ(said("}K\1" + text("a") + "s(K\2K\3K\4K\5u"), "{1 a 2 3 4 5}");
  EXPECT_EQ(said("ctorch\nSize\nK\1K\2\x86\x85R"), "(1 2)");
  EXPECT_EQ(said("ccollections\nOrderedDict\n)R"), "{}");
  EXPECT_EQ(said(kOrdered + "}b"), "{}");
  EXPECT_EQ(said("\x8c\2ab"), "ab");
  EXPECT_EQ(said(std::string("\x8d\3\0\0\0\0\0\0\0abc", 12)), "abc");
  EXPECT_EQ(said(text("x") + "q\5" + text("y") + "r\6\1" + std::string(2, '\0') + "h\5" + "j\6\1" +
                 std::string(2, '\0') + "\x86\x87"),
            "(x y (x y))");
  EXPECT_EQ(said("K\1\x94K\2\x94h" + std::string(1, '\0') + "h\1\x86\x87"), "(1 2 (1 2))");
  EXPECT_EQ(read_pickle("\x80\5N.", "f").values.size(), 1u);
  // What is there once and what is next to it.
  const std::string zero = std::string("K\0", 2), some = "N)\x88\x89" + zero + "K\1K\xFE" + "K\xFF";
  EXPECT_EQ(said("(" + some + some + "M" + std::string("\0\1", 2) + "t"),
            "(None () True False 0 1 254 255 None () True False 0 1 254 255 256)");
}

TEST(Pickle, SaysWhere) {
  const auto refuses = [](const std::string& bytes, const std::string& text) {
    EXPECT_ERROR(FormatError, "f: at byte " + text, read_pickle(bytes, "f", 100));
  };
  refuses("\x80\6N.", "102: pickle: protocol 6 is not known; 2 to 5 are");
  refuses(pickle("\x81"), "102: pickle: does 0x81, which is not done for a file");
  refuses(pickle("NN"), "105: pickle: ends with something left");
  refuses(pickle("N("), "105: pickle: takes what is not there");
  refuses(pickle("ctorch\nSize\nNR"), "116: pickle: calls what is no function");
  refuses(pickle("ctorch\nSize\n)R"), "116: pickle: a size of no tuple");
  refuses(pickle("ctorch\nSize\nN\x85R"), "117: pickle: a size of no tuple");
  refuses(pickle("ctorch\nSize\n))\x86R"), "118: pickle: a size of no tuple");
  EXPECT_THROW(read_pickle(pickle("ctorch\nSize"), "f"), FormatError);
  const auto says = [](const std::string& value, const std::string& text) {
    EXPECT_ERROR_WITH(FormatError, text, read_pickle(pickle(value), "f"));
  };
  says("ccollections\nOrderedDict\n)\x85R", "an OrderedDict of something");
  says("ctorch._utils\n_rebuild_parameter\n)R", "a parameter of no tensor");
  says("ctorch._utils\n_rebuild_parameter\nN\x85R", "a parameter of no tensor");
  says("ctorch._utils\n_rebuild_tensor_v2\n)R", "a tensor of no storage");
  says("ctorch._utils\n_rebuild_tensor_v2\n(NK\1))tR", "a tensor of no storage");
  says("ctorch._utils\n_rebuild_tensor_v2\n(" + storage("Float", "0", 1) + "N))tR",
       "a tensor of no storage");
  says("ctorch._utils\n_rebuild_tensor_v2\n(" + storage("Float", "0", 1) + "K\1N)tR",
       "a tensor's sizes are no tuple of at most 8");
  says("ctorch._utils\n_rebuild_tensor_v2\n(" + storage("Float", "0", 1) + "K\1N\x85)tR",
       "a tensor's size is no integer");
  const std::string rebuilt = "ctorch._utils\n_rebuild_tensor_v2\n", one = storage("Float", "0", 1);
  says(rebuilt + tuple({one, integer(0), integers({1})}) + "R", "a tensor of no storage");
  EXPECT_NO_THROW(read_pickle(
      pickle(rebuilt + tuple({one, integer(0), integers({1}), integers({1})}) + "R"), "f"));
  says("NNb", "changes what is no dict");
  says("K\1" + text("a") + "\x93", "asks for what has no name");
  says(text("a") + "K\1\x93", "asks for what has no name");
  const auto stored = [](const std::string& first, const std::string& kind, const std::string& key,
                         const std::string& count) {
    return tuple({first, kind, key, text("cpu"), count}) + "Q";
  };
  const std::string floats = "ctorch\nFloatStorage\n";
  const Pickle longest =
      read_pickle(pickle(stored(text("storage"), floats, text(std::string(64, 'k')), "K\1")), "f");
  EXPECT_EQ(longest[longest.root].text().size(), 64u);
  for (const std::string& each :
       {stored(text("other"), floats, text("0"), "K\1"),
        stored(text("storage"), text("torch.FloatStorage"), text("0"), "K\1"),
        stored(text("storage"), "ctorch\nSize\n", text("0"), "K\1"),
        stored(text("storage"), floats, "K\2", "K\1"),
        stored(text("storage"), floats, text(std::string(65, 'k')), "K\1"),
        stored(text("storage"), floats, text("0"), "N"),
        stored(text("storage"), floats, text("0"), "J\xFF\xFF\xFF\xFF"),
        tuple({text("storage"), floats, text("0"), text("cpu")}) + "Q"}) {
    says(each, "refers to what is no storage");
  }
}

TEST(Pickle, BrokenOnesAreRefused) {
  const auto refuses = [](const std::string& bytes, const std::string& message) {
    EXPECT_ERROR_WITH(FormatError, message, read_pickle(bytes, "f")) << bytes;
  };
  refuses("N.", "does not begin as");
  refuses("\x80\1N.", "protocol 1");
  refuses("\x80\2N", "ends in the middle");
  refuses(pickle("NN"), "ends with something left");
  refuses(pickle("N") + "x", "something stands behind");
  refuses(pickle("a"), "takes what is not there");
  refuses(pickle("](N.a"), "something left");
  refuses(pickle("e"), "no mark");
  refuses(pickle("NNa"), "appends to what is no list");
  refuses(pickle("](K\1s"), "takes what is not there");
  refuses(pickle("}(Nu"), "without a value");
  refuses(pickle("h\1"), "recalls what");
  refuses(pickle("q\1"), "remembers what");
  refuses(pickle("\x8a\x9" + std::string(9, '\1')), "more than 64 bits");
  refuses(pickle("X\xFF\xFF\xFF\xFFxx"), "ends in the middle");
  refuses(pickle("\x8d" + std::string(8, '\xFF')), "ends in the middle");
  refuses(pickle("N)R"), "calls what is no function");
  refuses(pickle("NQ"), "refers to what is no storage");
  refuses(pickle("ctorch\nFloatStorage\n)R"), "calls torch.FloatStorage");
  const Pickle found = read_pickle(
      "\x80\4\x95" + std::string(8, '\0') + "\x8c\2ab\x94h" + std::string(1, '\0') + "\x86.", "f");
  ASSERT_EQ(found[found.root].items.size(), 2u);
  EXPECT_EQ(found[found[found.root].items[1]].text(), "ab");
}

}  // namespace
}  // namespace heed::io
