#include "../../io/saved_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../io/model_directory.h"
#include "../../io/safetensors.h"
#include "../../nn/batch_norm.h"
#include "../../nn/linear.h"
#include "../support/throws.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// A parameter of its own, children, buffers.
class Net : public nn::Module {
 public:
  explicit Net(Index in, Index out = 5, DType dtype = DType::f32)
      : first(child<nn::Linear>("first", in, out)),
        norm(child<nn::BatchNorm1d>("norm", out)),
        scale(parameter("scale", Tensor(Array::full({out}, 1.5, DType::f32)))) {
    to(dtype);
  }
  nn::Linear& first;
  nn::BatchNorm1d& norm;
  Tensor& scale;
};

// Every element of the module's state, as bytes.
std::string state(const nn::Module& module) { return encode_weights(module); }

void save(const std::string& folder, const nn::Module& module) {
  save_directory(folder, {{kWeightsFile, encode_weights(module)}});
}

TEST(SavedModule, ComesBackWithTheSameBits) {
  const TemporaryFolder folder;
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Net saved(3, 5, dtype);
    Net loaded(3, 5, dtype);
    ASSERT_NE(state(saved), state(loaded));  // both begin at random
    save(folder / "model", saved);
    load_weights(folder / "model", loaded);
    EXPECT_EQ(state(loaded), state(saved));
  }
}

TEST(SavedModule, LoadsIntoTheTensorsThatAreThere) {
  const TemporaryFolder folder;
  const Net saved(3);
  Net loaded(3);
  const Tensor weight = loaded.first.weight;
  save(folder / "model", saved);
  load_weights(folder / "model", loaded);
  EXPECT_EQ(weight.array().data<float>()[7], saved.first.weight.array().data<float>()[7]);
  EXPECT_TRUE(weight.requires_grad());
}

TEST(SavedModule, TensorsAreWrittenUnderNamesOnTheSpot) {
  const TemporaryFolder folder;
  write_safetensors(folder / "x", {{"x", ones({2, 3})}, {"n", tensor({5, 7})}}, {{"by", "hand"}});
  const Safetensors file = read_safetensors(folder / "x");
  ASSERT_EQ(file.arrays.size(), 2U);
  EXPECT_EQ(file.arrays[0].second.shape(), (Shape{2, 3}));
  EXPECT_EQ(file.arrays[1].second.to_vector<std::int64_t>(), (std::vector<std::int64_t>{5, 7}));
  EXPECT_EQ(file.metadata.at("by"), "hand");
}

TEST(SavedModule, ReadsTheSameFileAsSafetensors) {
  const TemporaryFolder folder;
  save(folder / "model", Net(3));
  std::vector<std::string> names;
  for (const auto& [name, array] : read_safetensors(folder / "model/model.safetensors").arrays) {
    names.push_back(name);
  }
  std::vector<std::string> wanted;
  for (const auto& [name, tensor] : Net(3).state_dict()) wanted.push_back(name);
  EXPECT_EQ(names, wanted);
}

// The error of loading into `into`, which must then be as it was.
void expect_refused(const std::string& folder, nn::Module& into, const std::string& what) {
  const std::string before = state(into);
  EXPECT_THAT(message_of<FormatError>([&] { load_weights(folder, into); }),
              AllOf(StartsWith(folder + "/model.safetensors"), HasSubstr(what)));
  EXPECT_EQ(state(into), before);
}

TEST(SavedModule, AStateDictIsWrittenByItself) {
  const TemporaryFolder folder;
  const Net net(3);
  write_safetensors(folder / "f", net.state_dict(), {{"by", "somebody"}});
  EXPECT_EQ(read_safetensors(folder / "f").metadata.at("by"), "somebody");
  write_safetensors(folder / "g", net.state_dict());
  EXPECT_EQ(TemporaryFolder::get(folder / "g"), state(net));
}

TEST(SavedModule, RefusesTheWeightsOfAnother) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  save(path, Net(3));
  Net wider(7);
  expect_refused(path, wider, "\"first.weight\" is f32[5, 3], not f32[5, 7]");
  Net precise(3, 5, DType::f64);
  expect_refused(path, precise, "\"scale\" is f32[5], not f64[5]");
  nn::Linear linear(3, 5);
  expect_refused(path, linear, "\"weight\" is missing");
  expect_refused(path, linear, "\"scale\" is unexpected; and 7 more");
}

TEST(SavedModule, RefusesDamage) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  Net net(3);
  const std::string bytes = encode_weights(net);
  save_directory(path, {{kWeightsFile, bytes.substr(0, bytes.size() - 1)}});
  expect_refused(path, net, "");
  save_directory(path, {{kWeightsFile, ""}});
  expect_refused(path, net, "");
  EXPECT_ERROR_WITH(IoError, "/no: no model directory", load_weights(folder / "no", net));
  std::filesystem::create_directory(folder / "empty");
  EXPECT_ERROR_WITH(IoError, "/model.safetensors: missing from the model",
                    load_weights(folder / "empty", net));
}

TEST(SavedModule, SettingsAreComparedWithTheWeightsBeforeAnythingIsMade) {
  const TemporaryFolder folder;
  const std::string path = folder / "m";
  save_directory(path,
                 {{kWeightsFile, encode_safetensors({{"a", Array::zeros({3, 5}, DType::f32)},
                                                     {"b", Array::zeros({7}, DType::f32)}})}});
  check_shapes(path, {{"a", {3, 5}}, {"b", {7}}});
  check_shapes(path, {{"a", {-1, 5}}, {"b", {-1}}});
  EXPECT_THROW(check_shapes(path, {{"a", {0, 5}}}), FormatError);
  EXPECT_THROW(check_shapes(path, {{"a", {-1, 4}}}), FormatError);
  const auto refused = [&](const NamedShapes& shapes, const std::string& text) {
    EXPECT_ERROR_WITH(FormatError, text, check_shapes(path, shapes));
  };
  refused({{"b", {7}}, {"a", {3, 4000000}}},
          "model.safetensors: at byte 0: \"a\" is [3, 5], but config.json asks for [3, 4000000]");
  refused({{"a", {15}}}, "\"a\" is [3, 5], but config.json asks for [15]");
  refused({{"c", {3}}}, "\"c\" is missing, which config.json asks for");
}

TEST(SavedModule, ReadsTheConfigOfItsKind) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  EXPECT_EQ(config_path(path), path + "/config.json");
  Config config;
  config.set("model", std::string("translator"));
  config.set("width", std::int64_t{17});
  save_directory(path, {{kConfigFile, config.to_json()}});
  EXPECT_EQ(read_config(path, "translator").get_int("width"), 17);

  EXPECT_THAT(
      message_of<FormatError>([&] { read_config(path, "reader"); }),
      AllOf(StartsWith(config_path(path)), HasSubstr("model \"translator\" is not reader")));
  // What is asked of it later names the file too.
  EXPECT_THAT(message_of<FormatError>([&] { read_config(path, "translator").get_int("depth"); }),
              AllOf(StartsWith(config_path(path)), HasSubstr("\"depth\"")));
  for (const char* const broken : {"{}", "{\"model\": 3}", "{\"model\"", ""}) {
    save_directory(path, {{kConfigFile, broken}});
    EXPECT_THAT(message_of<FormatError>([&] { read_config(path, "translator"); }),
                StartsWith(config_path(path)))
        << broken;
  }
  EXPECT_ERROR_WITH(IoError, "/no: no model directory", read_config(folder / "no", "translator"));
}

TEST(SavedModule, BlamesTheFileForWhatFollowsFromIt) {
  EXPECT_EQ(blaming("a.json", [] { return 31; }), 31);
  // Errors become the file's ...
  EXPECT_THAT(message_of<FormatError>(
                  [] { blaming("a.json", []() -> int { throw ValueError("linear: 0 inputs"); }); }),
              AllOf(StartsWith("a.json"), HasSubstr("linear: 0 inputs")));
  EXPECT_THAT(
      message_of<FormatError>([] { blaming("a.json", [] { throw ShapeError("too large"); }); }),
      AllOf(StartsWith("a.json"), HasSubstr("too large")));
  // ... but those that name another file already, and what is no error of ours.
  EXPECT_THAT(message_of<FormatError>(
                  [] { blaming("a.json", [] { throw FormatError("b.txt", 7, "broken"); }); }),
              AllOf(StartsWith("b.txt"), HasSubstr("broken")));
  EXPECT_THROW(blaming("a.json", [] { throw std::logic_error("ours"); }), std::logic_error);
  EXPECT_ERROR(OutOfMemory, "a terabyte",
               blaming("a.json", [] { throw OutOfMemory("a terabyte"); }));
}

}  // namespace
}  // namespace heed::io
