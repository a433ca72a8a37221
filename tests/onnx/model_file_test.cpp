#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "../../core/error.h"
#include "../../core/protobuf.h"
#include "../../onnx/read_model.h"
#include "../../onnx/write_model.h"
#include "../io/full_disk.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::onnx {
namespace {

// Every field that there is.
Model everything() {
  auto branch = std::make_shared<Graph>();
  branch->name = "branch";
  branch->nodes.push_back({.op_type = "Neg", .inputs = {"x"}, .outputs = {"n"}});
  branch->outputs = {{.name = "n", .type = DataType::f32}};
  Model out{.ir_version = 9,
            .producer_name = "heed",
            .producer_version = "1",
            .domain = "org.heed",
            .model_version = 3,
            .doc = "a model",
            .opsets = {{"", 17}, {"org.heed", 2}},
            .metadata = {{"key", "value"}, {"empty", ""}}};
  out.graph.name = "main";
  out.graph.doc = "a graph";
  out.graph.nodes.push_back(
      {.op_type = "Op",
       .name = "first",
       .domain = "org.heed",
       .inputs = {"x", "", "w"},
       .outputs = {"y", "z"},
       .attributes = {{"i", std::int64_t{-5}},
                      {"zero", std::int64_t{0}},
                      {"f", 0.25F},
                      {"s", std::string("text")},
                      {"none", std::string()},
                      {"t", tensor_value("", Array::from(std::vector<double>{1.5, -2}, {1, 2}))},
                      {"ints", std::vector<std::int64_t>{3, -1}},
                      {"no_ints", std::vector<std::int64_t>()},
                      {"floats", std::vector<float>{0.5F, -1}},
                      {"no_floats", std::vector<float>()},
                      {"strings", std::vector<std::string>{"a", ""}},
                      {"no_strings", std::vector<std::string>()},
                      {"g", branch}},
       .doc = "a node"});
  out.graph.initializers = {
      tensor_value("w", Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3})),
      tensor_value("scalar", Array::from(std::vector<std::int64_t>{-7}, {})),
      tensor_value("nothing", Array::empty({0, 5}, DType::f64)),
      tensor_value("truth", Array::from(std::vector<bool>{true, false, true})),
      {.name = "half", .type = DataType::f16, .array = Array::from(std::vector<float>{0.5F, -3})},
      {.name = "bf", .type = DataType::bf16, .array = Array::from(std::vector<float>{0.5F, -3})}};
  out.graph.inputs = {{.name = "x", .type = DataType::f32, .shape = {{"batch", 7, ""}}},
                      {.name = "any", .type = DataType::i64}};
  out.graph.outputs = {{.name = "y", .type = DataType::f32, .shape = {std::vector<Dim>()}},
                       {.name = "z"}};
  out.graph.values = {{.name = "between", .type = DataType::boolean, .shape = {{3}}}};
  return out;
}

const Model& same(const Model& a, const Model& b) {
  EXPECT_EQ(encode_model(a), encode_model(b));
  return b;
}

TEST(OnnxFile, EachFieldIsReadBack) {
  const Model given = everything();
  const Model read = same(given, decode_model(encode_model(given), "f"));
  EXPECT_EQ(read.ir_version, 9);
  EXPECT_EQ(read.producer_name + read.producer_version + read.domain + read.doc,
            "heed1org.heeda model");
  EXPECT_EQ(read.model_version, 3);
  EXPECT_EQ(read.opsets, given.opsets);
  EXPECT_EQ(read.metadata, given.metadata);
  const Node& node = read.graph.nodes.at(0);
  EXPECT_EQ(node.inputs, (std::vector<std::string>{"x", "", "w"}));
  EXPECT_EQ(node.outputs, (std::vector<std::string>{"y", "z"}));
  ASSERT_EQ(node.attributes.size(), 13U);
  EXPECT_EQ(std::get<std::int64_t>(node.attribute("i")->value), -5);
  EXPECT_EQ(std::get<float>(node.attribute("f")->value), 0.25F);
  EXPECT_EQ(std::get<std::string>(node.attribute("s")->value), "text");
  EXPECT_EQ(std::get<TensorValue>(node.attribute("t")->value).array.to_vector<double>(),
            (std::vector<double>{1.5, -2}));
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(node.attribute("ints")->value),
            (std::vector<std::int64_t>{3, -1}));
  EXPECT_TRUE(std::get<std::vector<float>>(node.attribute("no_floats")->value).empty());
  EXPECT_EQ(std::get<std::vector<std::string>>(node.attribute("strings")->value).size(), 2U);
  EXPECT_EQ(std::get<std::shared_ptr<Graph>>(node.attribute("g")->value)->nodes.at(0).op_type,
            "Neg");
  EXPECT_EQ(node.attribute("other"), nullptr);
  EXPECT_EQ(read.graph.initializers.at(0).array.to_vector<float>(),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read.graph.initializers.at(0).array.shape(), (Shape{2, 3}));
  EXPECT_EQ(read.graph.initializers.at(2).array.shape(), (Shape{0, 5}));
  EXPECT_EQ(read.graph.initializers.at(4).array.to_vector<float>(), (std::vector<float>{0.5F, -3}));
  EXPECT_EQ(read.graph.initializers.at(4).type, DataType::f16);
  const std::vector<Dim> dims = read.graph.inputs.at(0).shape.value();
  EXPECT_EQ(dims, (std::vector<Dim>{"batch", 7, ""}));
  EXPECT_FALSE(read.graph.inputs.at(1).shape);
  EXPECT_TRUE(read.graph.outputs.at(0).shape->empty());
  EXPECT_EQ(read.graph.values.at(0).type, DataType::boolean);
}

TEST(OnnxFile, IsWrittenWholeAndReadAgain) {
  const TemporaryFolder folder;
  const Model given = everything();
  write_model(folder / "a.onnx", given);
  same(given, read_model(folder / "a.onnx"));
  EXPECT_EQ(folder.entries(), 1U);
  EXPECT_THROW(write_model(folder / "none/a.onnx", given), IoError);
  EXPECT_THROW(read_model(folder / "none.onnx"), IoError);
}

TEST(OnnxFile, CutAnywhereIsRefusedOrAnotherWholeFile) {
  const std::string bytes = encode_model(everything());
  std::size_t refused = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    try {
      decode_model(std::string_view(bytes).substr(0, size), "f");
    } catch (const FormatError& error) {
      EXPECT_EQ(error.path(), "f");
      ++refused;
    }
  }
  EXPECT_GT(refused, bytes.size() - 60);  // what follows the graph may be left out
}

TEST(OnnxFile, AnyByteChangedEndsInATypedError) {
  const std::string bytes = encode_model(everything());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x08, 0x40, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      try {
        decode_model(changed, "f");
      } catch (const FormatError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, bytes.size());
}

TEST(OnnxFile, LargeTensorsLieBesideIt) {
  const TemporaryFolder folder;
  const Model given = everything();
  const std::string path = folder / "a.onnx";
  write_model(path, given, {.external_from = 24});
  EXPECT_EQ(folder.entries(), 2U);
  EXPECT_EQ(std::filesystem::file_size(folder / "a.onnx.data"), 24U);
  same(given, read_model(path));
  // The old data stays as long as a file may need it, and no longer.
  write_model(path, given, {.external_from = 2});
  EXPECT_EQ(folder.entries(), 2U);
  same(given, read_model(path));
  std::filesystem::resize_file(folder / "a.onnx.1.data", 20);
  EXPECT_ERROR_WITH(FormatError,
                    "tensor \"w\" lies in \"a.onnx.1.data\" at 0 to 24, which has 20 bytes",
                    read_model(path));
  std::filesystem::remove(folder / "a.onnx.1.data");
  EXPECT_ERROR_WITH(FormatError, "tensor \"w\" lies in \"a.onnx.1.data\", which is not there",
                    read_model(path));
}

TEST(OnnxFile, WhatLiesBesideGoesWithItsModel) {
  const TemporaryFolder folder;
  const Model given = everything();
  const std::string path = folder / "a.onnx", data = path + ".data";
  const auto there = [](const std::string& name) { return std::filesystem::exists(name); };
  // Somebody's own: of no name that is written, and of one that the model does not say.
  folder.write("a.onnx.own.data", "own");
  folder.write("a.onnx.7.data", "own");
  write_model(path, given, {.external_from = 24});
  std::filesystem::copy(path, folder / "b.onnx");
  write_model(folder / "b.onnx", given);  // named a's data, which is not b's
  EXPECT_TRUE(there(data));
  write_model(path, given, {.external_from = 24});
  EXPECT_FALSE(there(data));
  EXPECT_TRUE(there(path + ".1.data"));
  write_model(path, given);
  EXPECT_FALSE(there(path + ".1.data"));
  EXPECT_EQ(folder.entries(), 4U);
  same(given, read_model(path));
  // A copy needs it, too.
  write_model(path, given, {.external_from = 24});
  std::filesystem::copy(path, folder / "c.onnx");
  write_model(path, given);
  same(given, read_model(folder / "c.onnx"));
  // What is no model says nothing about what lies beside it.
  folder.write("a.onnx", "no model");
  folder.write("a.onnx.data", "own");
  write_model(path, given);
  EXPECT_TRUE(there(data));
}

// Only the graph of a branch has a tensor that is large enough.
TEST(OnnxFile, WhatLiesBesideOfABranchGoesToo) {
  const TemporaryFolder folder;
  Model given = everything();
  given.graph.initializers.clear();
  for (Attribute& attribute : given.graph.nodes.at(0).attributes) {
    if (auto* const graph = std::get_if<std::shared_ptr<Graph>>(&attribute.value)) {
      (*graph)->initializers = {tensor_value("w", Array::from(std::vector<double>{1, 2, 3, 4, 5}))};
    }
  }
  write_model(folder / "a.onnx", given, {.external_from = 24});
  EXPECT_TRUE(std::filesystem::exists(folder / "a.onnx.data"));
  write_model(folder / "a.onnx", given);
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(OnnxFile, AModelThatCannotBeWrittenLeavesNothingBesideIt) {
  const TemporaryFolder folder;
  const Model given = everything();
  const std::string path = folder / "a.onnx";
  write_model(path, given, {.external_from = 24});
  {
    const FullDisk full(211);  // room for the numbers, not for the model
    EXPECT_THROW(write_model(path, given, {.external_from = 24}), IoError);
  }
  EXPECT_EQ(folder.entries(), 2U);
  same(given, read_model(path));
  std::filesystem::create_directory(folder / "b.onnx");
  EXPECT_THROW(write_model(folder / "b.onnx", given, {.external_from = 24}), IoError);
  EXPECT_EQ(folder.entries(), 3U);
}

TEST(OnnxFile, NumbersThatAreNotOfTheirTypeAreNotWritten) {
  Model model = everything();
  model.graph.initializers = {
      {.name = "w", .type = DataType::i8, .array = Array::from(std::vector<int>{127, 128})}};
  EXPECT_ERROR(ValueError, "onnx: tensor \"w\": 128 is not written as INT8", encode_model(model));
  model.graph.initializers[0].type = DataType::f32;
  EXPECT_ERROR(ValueError, "onnx: tensor \"w\": i64[2] is not written as FLOAT",
               encode_model(model));
  model.graph.initializers[0].type = DataType::string;
  EXPECT_THROW(encode_model(model), ValueError);
}

std::string bytes_of(const std::function<void(ProtobufWriter&)>& graph) {
  ProtobufWriter out;
  out.message(7, [&] { graph(out); });
  out.message(8, [&] { out.number(2, 17); });
  return out.take();
}

TEST(OnnxFile, WhatIsNotKnownIsRefusedByName) {
  const auto refuses = [](const std::string& text, const std::string& bytes) {
    EXPECT_ERROR_WITH(FormatError, text, decode_model(bytes, "f"));
  };
  refuses("f: at byte 0: onnx: there is no graph", "");
  refuses("onnx: no set of operators is imported", std::string("\x3a\x00", 2));
  refuses("onnx: a second graph", bytes_of([](auto&) {}) + std::string("\x3a\x00", 2));
  refuses("a function of the model's own, which cannot be read", "\xca\x01" + std::string("\0", 1));
  refuses("a node without an operator", bytes_of([](auto& out) { out.message(1, [] {}); }));
  refuses("a sparse initializer, which cannot be read",
          bytes_of([](auto& out) { out.message(15, [] {}); }));
  const auto node = [](const std::function<void(ProtobufWriter&)>& attribute) {
    return bytes_of([&](auto& out) {
      out.message(1, [&] {
        out.text(4, "Op");
        for (int i = 0; i < 2; ++i) out.message(5, [&] { attribute(out); });
      });
    });
  };
  refuses("\"Op\" has \"a\" twice", node([](auto& out) {
            out.text(1, "a");
            out.number(3, 1);
          }));
  refuses("attribute \"a\" has no value", node([](auto& out) { out.text(1, "a"); }));
  refuses("attribute \"a\" is of type GRAPHS", node([](auto& out) {
            out.text(1, "a");
            out.number(20, 10);
          }));
  refuses("attribute \"a\" is of type 99", node([](auto& out) {
            out.text(1, "a");
            out.number(20, 99);
          }));
  refuses("attribute \"a\" is of type FLOAT and has a value of type INT", node([](auto& out) {
            out.text(1, "a");
            out.number(3, 1);
            out.number(20, 1);
          }));
  refuses("an attribute of two types", node([](auto& out) {
            out.number(3, 1);
            out.floating(2, 1);
          }));
  refuses("a value that is a sequence, which cannot be read", bytes_of([](auto& out) {
            out.message(11, [&] { out.message(2, [&] { out.message(4, [] {}); }); });
          }));
  std::string deep;
  for (int i = 0; i < 40; ++i) {
    ProtobufWriter out;
    out.message(1, [&] {
      out.text(4, "If");
      out.message(5, [&] { out.text(6, deep); });
    });
    deep = out.take();
  }
  refuses("graphs in more than 16 graphs", bytes_of([&](auto& out) {
            out.message(1, [&] {
              out.text(4, "If");
              out.message(5, [&] { out.text(6, deep); });
            });
          }));
}

TEST(OnnxFile, TypesHaveTheirNames) {
  EXPECT_EQ(name(DataType::f32), "FLOAT");
  EXPECT_EQ(name(DataType::bf16), "BFLOAT16");
  EXPECT_EQ(name(static_cast<DataType>(17)), "FLOAT8E4M3FN");
  EXPECT_EQ(name(static_cast<DataType>(200)), "type 200");
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    EXPECT_EQ(dtype_of(data_type_of(dtype)), dtype);
  }
  EXPECT_FALSE(dtype_of(DataType::string));
}

}  // namespace
}  // namespace heed::onnx
