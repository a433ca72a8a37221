#include "../../io/saved_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../core/allocator.h"
#include "../../core/bfloat16.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../io/file.h"
#include "../../nn/linear.h"
#include "../support/throws.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

using testing::HasSubstr;

struct Options {
  Index width = 3;
  double rate = 0.5;
  bool deep = false;
  std::string name = "a";
  void fields(Fields& f) {
    f.size("width", width, 1, 100, "of the model");
    f.number("rate", rate, 0, 1, "a share");
    f.flag("deep", deep, "or not");
    f.text("name", name, "of it");
  }
};

class Net : public nn::Module {
 public:
  explicit Net(const Options& given) : options(given) {}
  Options options;
  nn::Linear& linear = child<nn::Linear>("linear", options.width, 2);
};

// What a text of the folder is read as.
struct Words {
  std::string text, path;
  static Words parse(const std::string& text, const std::string& path) { return {text, path}; }
};

void save(const std::string& folder, const Net& net, const std::string& words = "one two") {
  save_directory(folder, ModelFiles("net")
                             .options(net.options)
                             .set("level", std::string("high"))
                             .text("words.txt", words)
                             .weights(net));
}

TEST(SavedModel, ComesBackWithItsSettingsTextsAndWeights) {
  const TemporaryFolder folder;
  const Net net({.width = 7, .rate = 0.25, .deep = true, .name = "b \"c\""});
  save(folder / "m", net);
  const ModelFolder saved(folder / "m", "net");
  const auto options = saved.options<Options>();
  EXPECT_EQ(options.width, 7);
  EXPECT_EQ(options.rate, 0.25);
  EXPECT_TRUE(options.deep);
  EXPECT_EQ(options.name, "b \"c\"");
  EXPECT_EQ(saved.config().get_string("level"), "high");
  EXPECT_EQ(saved.text("words.txt"), "one two");
  EXPECT_EQ(saved.parse<Words>("words.txt").text, "one two");
  EXPECT_EQ(saved.parse<Words>("words.txt").path, folder / "m/words.txt");
  EXPECT_NO_THROW(saved.expect({{"linear.weight", {2, 7}}}));
  EXPECT_THROW(saved.expect({{"linear.weight", {2, 8}}}), FormatError);
  const auto again = saved.make<Net>(options);
  EXPECT_FALSE(again->training());
  EXPECT_EQ(again->linear.weight.array().to_vector<float>(),
            net.linear.weight.array().to_vector<float>());
}

TEST(SavedModel, SaysWhatDoesNotBelongTogether) {
  const TemporaryFolder folder;
  save(folder / "m", Net({.width = 7}));
  EXPECT_ERROR_WITH(FormatError, "config.json", ModelFolder(folder / "m", "another"));
  const ModelFolder saved(folder / "m", "net");
  EXPECT_ERROR_WITH(FormatError, "linear.weight", saved.make<Net>(Options{.width = 5}));
  save(folder / "other", Net({.width = 7}), "three four");
  write_file_atomically(folder / "m/words.txt", read_file(folder / "other/words.txt"));
  EXPECT_ERROR(FormatError,
               folder / "m/words.txt: at byte 0: it is not the one that was saved with this model",
               saved.text("words.txt"));
  std::string config = read_file(folder / "m/config.json");
  const std::size_t at = config.find("\"width\": 7");
  ASSERT_NE(at, std::string::npos);
  write_file_atomically(folder / "m/config.json", config.replace(at, 10, "\"width\": 0"));
  EXPECT_ERROR_WITH(FormatError, "width", ModelFolder(folder / "m", "net").options<Options>());
}

// Of 64 layers, each of a size that no bound on one would find.
class Deep : public nn::Module {
 public:
  explicit Deep(Index width) {
    for (int i = 0; i < 64; ++i) child<nn::Linear>(std::to_string(i), width, width, false);
  }
};

// Settings that do not belong to the weights could ask for any memory.
TEST(SavedModel, SettingsAskForNoMoreThanTheWeightsAreWorth) {
  const TemporaryFolder folder;
  save(folder / "m", Net({.width = 7}));
  const ModelFolder saved(folder / "m", "net");
  const std::size_t bytes = read_file(folder / "m/model.safetensors").size();
  const MemoryStats before = memory_stats();
  const auto refuses = [&](const std::string& text, const auto& make) {
    EXPECT_ERROR_WITH(FormatError, folder / "m/config.json: at byte 0: " + text, make());
    EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
  };
  const std::string larger =
      "asks for a model far larger than its model.safetensors of " + std::to_string(bytes);
  refuses(larger, [&] { saved.make<Net>(Options{.width = 16777259}); });
  refuses(larger, [&] { saved.make<Deep>(521); });
  // Sizes that no number of bytes holds.
  refuses("array: size", [&] { saved.make<Net>(Options{.width = Index{1} << 61}); });
  refuses("shape: the number", [&] { saved.make<Net>(Options{.width = Index{1} << 62}); });
  EXPECT_NO_THROW(saved.make<Net>(Options{.width = 7}));
  // A system that has none left says nothing about the settings.
  EXPECT_THROW(saved.make_by([]() -> std::unique_ptr<Net> { throw OutOfMemory("a terabyte"); }),
               OutOfMemory);
}

// What a module takes while it is made may be some times what it keeps.
TEST(SavedModel, AModelOfManyWeightsHasRoomToBeMade) {
  const TemporaryFolder folder;
  const Deep deep(101);
  save_directory(folder / "m", ModelFiles("deep").weights(deep));
  const auto again = ModelFolder(folder / "m", "deep").make_by([] {
    const Array passing = Array::empty({73000003}, DType::boolean);
    return std::make_unique<Deep>(101);
  });
  EXPECT_EQ(encode_weights(*again), encode_weights(deep));
}

TEST(SavedModel, WeightsAloneAreOneFile) {
  const TemporaryFolder folder;
  const Net net({.width = 5});
  Net again({.width = 5}), other({.width = 3});
  io::save(folder / "w.safetensors", net);
  load(folder / "w.safetensors", again);
  EXPECT_EQ(again.linear.weight.array().to_vector<float>(),
            net.linear.weight.array().to_vector<float>());
  EXPECT_ERROR_WITH(FormatError, "linear.weight", load(folder / "w.safetensors", other));
}

// The module says how what is BF16 in a file is held.
TEST(SavedModel, Bf16GoesIntoBf16AndIntoF32) {
  class Table : public nn::Module {
   public:
    explicit Table(DType dtype)
        : numbers(buffer("numbers", Tensor(Generator(3).normal({7, 3}, 0, 1).to(dtype)))) {}
    Tensor& numbers;
  };
  const TemporaryFolder folder;
  const Table saved(DType::bf16);
  Table narrow(DType::bf16), wide(DType::f32), doubles(DType::f64);
  for (Table* each : {&narrow, &wide})
    each->numbers.copy_from(zeros({7, 3}, each->numbers.dtype()));
  io::save(folder / "w", saved);
  save_directory(folder / "m", {{kWeightsFile, encode_weights(saved)}});
  const auto expected = saved.numbers.array().to(DType::f32).to_vector<float>();
  const auto numbers = [](const Table& table) {
    return table.numbers.array().to(DType::f32).to_vector<float>();
  };
  load(folder / "w", narrow);
  load(folder / "w", wide);
  EXPECT_EQ(describe(narrow.numbers), "bf16[7, 3]");
  EXPECT_EQ(numbers(narrow), expected);
  EXPECT_EQ(describe(wide.numbers), "f32[7, 3]");
  EXPECT_EQ(numbers(wide), expected);
  EXPECT_ERROR_WITH(FormatError, "\"numbers\" is bf16[7, 3], not f64[7, 3]",
                    load(folder / "w", doubles));
  narrow.numbers.copy_from(zeros({7, 3}, DType::bf16));
  load_weights(folder / "m", narrow);
  EXPECT_EQ(numbers(narrow), expected);
  io::save(folder / "w", wide);
  EXPECT_ERROR_WITH(FormatError, "\"numbers\" is f32[7, 3], not bf16[7, 3]",
                    load(folder / "w", narrow));
}

TEST(SavedModel, WeightsAreHeldAsAsked) {
  const TemporaryFolder folder;
  const std::vector<float> row = {1, 0.3F, 0.1F, 0.77F, 0.003F};
  const Array weights = Array::from(row, {1, 5}).expand({2, 5}).contiguous();
  Net net({.width = 5});
  net.linear.weight.set_array(weights);
  io::save(folder / "w", net);
  const auto given = [&](auto... quantize) {
    Net own({.width = 5});
    load(folder / "w", own, quantize...);
    const Tensor y = own.linear(ones({1, 5})) - own.linear.bias;
    return static_cast<double>(y.array().to_vector<float>()[1]);
  };
  double sum = 0, rounded = 0;
  for (const float each : row) {
    sum += each;
    rounded += BFloat16(each);
  }
  EXPECT_NEAR(given(), sum, 1e-6);
  EXPECT_NEAR(given(Quantize::none), sum, 1e-6);
  EXPECT_NEAR(given(Quantize::bf16), rounded, 1e-6);
  const double int8 = given(Quantize::int8);
  EXPECT_NEAR(int8, sum, 0.02);
  EXPECT_GT(std::abs(int8 - sum), 1e-5);
  EXPECT_GT(std::abs(int8 - rounded), 1e-5);
}

TEST(SavedModel, TheVocabularyIsTheTextWhereNoneIsNamed) {
  const TemporaryFolder folder;
  save_directory(folder / "m", ModelFiles("net").text(kVocabularyFile, "one two"));
  const ModelFolder saved(folder / "m", "net");
  EXPECT_EQ(saved.parse<Words>().text, "one two");
  EXPECT_EQ(saved.parse<Words>().path, folder / "m/vocabulary.txt");
  TemporaryFolder::put(folder / "m/other", "never saved with it");
  EXPECT_ERROR_WITH(FormatError, "\"fingerprint of other\" is missing", saved.text("other"));
}

}  // namespace
}  // namespace heed::io
