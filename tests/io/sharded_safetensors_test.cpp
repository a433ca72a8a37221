#include "../../io/sharded_safetensors.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

constexpr const char* kIndex = "model.safetensors.index.json";

struct Sharded {
  Sharded() {
    write_safetensors(folder / "model-1.safetensors",
                      {{"a", Array::from(std::vector<float>{1, 2, 3}, Shape{3})}},
                      {{"format", "pt"}});
    write_safetensors(folder / "model-2.safetensors",
                      {{"b", Array::from(std::vector<float>{4, 5}, Shape{2, 1})},
                       {"c", Array::from(std::vector<Index>{7}, Shape{1})}});
  }
  std::string index(const std::string& text) const { return folder.write(kIndex, text); }
  TemporaryFolder folder;
};

TEST(ShardedSafetensors, AreReadAsOne) {
  const Sharded files;
  const std::string index = files.index(
      R"({"metadata": {"total_size": 28, "total_parameters": 6.0, "by": "somebody"}, "weight_map":
          {"a": "model-1.safetensors", "b": "model-2.safetensors", "c": "model-2.safetensors"}})");
  const Safetensors found = read_sharded_safetensors(index);
  ASSERT_EQ(found.arrays.size(), 3u);
  EXPECT_EQ(found.arrays[0].first, "a");
  EXPECT_EQ(found.arrays[1].second.to_vector<float>(), (std::vector<float>{4, 5}));
  EXPECT_EQ(found.arrays[2].second.to_vector<std::int64_t>(), (std::vector<std::int64_t>{7}));
  EXPECT_EQ(found.metadata.at("format"), "pt");
  EXPECT_EQ(read_model_safetensors(files.folder.path().string()).arrays.size(), 3u);
  // One file of them all goes first.
  write_safetensors(files.folder / "model.safetensors",
                    {{"d", Array::from(std::vector<float>{6}, Shape{1})}});
  EXPECT_EQ(read_model_safetensors(files.folder.path().string()).arrays.size(), 1u);
}

TEST(ShardedSafetensors, AreReadStrictly) {
  const Sharded files;
  const auto refuses = [&](const std::string& map, const std::string& message) {
    EXPECT_ERROR_WITH(FormatError, message,
                      read_sharded_safetensors(files.index("{\"weight_map\": " + map + "}")))
        << map;
  };
  const std::string a = R"("a": "model-1.safetensors")";
  refuses("{}", "at byte 0: the index names no tensor");
  refuses("[]", "");
  refuses("{\"a\": 1}", "a number");
  refuses("{\"a\": {\"b\": \"c\"}}", "an object");
  refuses("{" + a + ", " + a + "}", "\"a\" is there twice");
  refuses("{" + a + R"(, "z": "model-1.safetensors"})", "\"z\" is not in \"model-1.safetensors\"");
  refuses(R"({"b": "model-2.safetensors"})", "\"c\" is in it");
  refuses("{" + a + R"(, "b": "model-2.safetensors", "c": "model-1.safetensors"})",
          "\"c\" is in it");
  for (const char* file : {"../model-1.safetensors", "/model-1.safetensors", "x/y", "", ".", "..",
                           "a\\\\b", "model\\u0000"}) {
    refuses(std::string("{\"a\": \"") + file + "\"}", "no file's name");
  }
  EXPECT_ERROR_WITH(
      FormatError, "weight_map is there twice",
      read_sharded_safetensors(files.index("{\"weight_map\": {" + a + "}, \"weight_map\": {}}")));
  const auto refuses_all = [&](const std::string& text, const std::string& message) {
    EXPECT_ERROR_WITH(FormatError, message, read_shard_index(files.index(text))) << text;
  };
  const std::string map = "\"weight_map\": {" + a + "}";
  refuses_all("{\"other\": {}, " + map + "}", "an object");
  refuses_all("{\"version\": 3, " + map + "}", "a number");
  refuses_all("{\"version\": 0.5, " + map + "}", "a number");
  refuses_all("{\"version\": \"3\", " + map + "}", "a text");
  refuses_all("{\"metadata\": {\"size\": {}}, " + map + "}", "an object");
  const std::map<std::string, std::string> wanted{{"a", "model-1.safetensors"}};
  EXPECT_EQ(read_shard_index(files.index("{" + map + "}")), wanted);
  EXPECT_EQ(read_shard_index(files.index("{\"metadata\": {\"a\": \"b/c\"}, " + map + "}")), wanted);
  EXPECT_THROW(read_sharded_safetensors(files.index("{\"other\": {}}")), FormatError);
  EXPECT_THROW(read_sharded_safetensors(files.index(R"({"weight_map": {"a": "none"}})")), IoError);
  EXPECT_THROW(read_model_safetensors(files.folder / "nothing"), IoError);
}

}  // namespace
}  // namespace heed::io
