#include "../../pretrained/mingpt.h"

#include <gtest/gtest.h>

#include "../../autograd/factories.h"
#include "../../core/error.h"
#include "../../nn/linear.h"
#include "../../pretrained/renamed.h"
#include "../../pretrained/tensor_json.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::pretrained {
namespace {

TEST(TensorJson, ReadsShapesAndNumbers) {
  const TemporaryFolder folder;
  // 1, -2.5 and 0.75; nothing at all.
  const TensorFile file =
      read_tensor_json(folder.write("f", R"({"config": {"n": 3, "p": 0.1, "kind": "x"},
               "a": {"shape": [3, 1], "dtype": "torch.float32", "data": "AACAPwAAIMAAAEA/"},
               "b": {"data": "", "shape": [0], "dtype": "torch.float32"}})"));
  EXPECT_EQ(file.sizes, (std::map<std::string, Index>{{"n", 3}}));
  ASSERT_EQ(file.tensors.size(), 2u);
  EXPECT_EQ(file.tensors[0].first, "a");
  EXPECT_EQ(file.tensors[0].second.shape(), (Shape{3, 1}));
  EXPECT_EQ(file.tensors[0].second.array().to_vector<float>(),
            (std::vector<float>{1, -2.5f, 0.75f}));
  EXPECT_EQ(file.tensors[1].second.shape(), Shape{0});
}

TEST(TensorJson, IsReadStrictly) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& fields) {
    read_tensor_json(folder.write("f", "{\"a\": " + fields + "}"));
  };
  const std::string kind = R"(, "dtype": "torch.float32")";
  EXPECT_ERROR_WITH(FormatError, "wants shape, dtype and data", read(R"({"shape": [1]})"));
  EXPECT_ERROR_WITH(FormatError, "\"a\": 4 bytes for [2]",
                    read(R"({"shape": [2], "data": "AACAPw==")" + kind + "}"));
  EXPECT_ERROR_WITH(
      FormatError, "bytes for [4611686018427387904, 4611686018427387904]",
      read(R"({"shape": [4611686018427387904, 4611686018427387904], "data": "")" + kind + "}"));
  EXPECT_ERROR_WITH(FormatError, "a shape that cannot be", read(R"({"shape": [-1]})"));
  EXPECT_ERROR_WITH(FormatError, "not of torch.float32",
                    read(R"({"shape": [0], "data": "", "dtype": "torch.int64"})"));
  EXPECT_ERROR_WITH(FormatError, "\"a\" is there twice",
                    read(R"({"shape": [0], "data": "")" + kind +
                         "}, \"a\": " + R"({"shape": [0], "data": "")" + kind + "}"));
  EXPECT_ERROR_WITH(FormatError, "(5003 bytes) of \"a\"",
                    read("{\"" + std::string(5003, 'f') + "\": 1}"));
  for (const char* data : {"A", "AACA Pw=", "=AAA", "A===", "AA=A", "AAA=AAAA", "AAAé"}) {
    EXPECT_ERROR_WITH(FormatError, "not base64",
                      read(std::string(R"({"shape": [1], "data": ")") + data + "\"" + kind + "}"))
        << data;
  }
  for (const char* fields :
       {"1", "[]", "\"x\"", "{\"shape\": 1}", "{\"shape\": [[1]]}",
        "{\"shape\": [1], \"shape\": [1]}", "{\"x\": {}}", "{\"x\": null}", "{\"shape\": [0.5]}"}) {
    EXPECT_THROW(read(fields), FormatError) << fields;
  }
}

TEST(MinGpt, SizesAreBelievedOnceTensorsHaveThem) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& config) {
    read_mingpt(folder.write("f", "{\"config\": {" + config + "}}"));
  };
  EXPECT_ERROR_WITH(FormatError, "config: n_embd must be there", read(""));
  EXPECT_ERROR_WITH(FormatError, "config: 5 heads of width 48",
                    read(R"("n_embd": 48, "n_head": 5, "n_layer": 1)"));
  EXPECT_ERROR_WITH(FormatError, "transformer.wte.weight must be there, [1000000, 1000000]",
                    read(R"("n_embd": 1000000, "n_head": 5, "n_layer": 1, "vocab_size": 1000000)"));
}

TEST(Renamed, LayersKeepTheirNumbers) {
  const Tensor x = zeros({1});
  const std::vector<Rename> renames = {{"h.*.a.", "layers.*.b."}, {"h.*.mask", ""}, {"w.", "v."}};
  const nn::NamedTensors found =
      renamed({{"h.10.a.weight", x}, {"h.3.mask", x}, {"w.bias", x}}, renames, "f");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].first, "layers.10.b.weight");
  EXPECT_EQ(found[1].first, "v.bias");
  for (const char* name : {"h.a.weight", "h.3.masks", "h.3.", "x", ""}) {
    EXPECT_ERROR_WITH(FormatError, "nobody knows", renamed({{name, x}}, renames, "f")) << name;
  }
  nn::Linear layer(2, 3);
  EXPECT_ERROR_WITH(FormatError, "bias", load_strictly(layer, {{"weight", zeros({3, 2})}}, "f"));
}

}  // namespace
}  // namespace heed::pretrained
