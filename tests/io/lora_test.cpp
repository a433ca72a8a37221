#include "../../io/lora.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../io/saved_module.h"
#include "../../nn/linear.h"
#include "../support/throws.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

struct Pair : nn::Module {
  nn::Linear& first = child<nn::Linear>("first", 5, 3);
  nn::Linear& second = child<nn::Linear>("second", 3, 2);
  Tensor operator()(const Tensor& x) const { return second(first(x)); }
};

std::vector<float> numbers(const Tensor& x) { return x.array().to_vector<float>(); }

void randomise(nn::Module& model) {
  for (const auto& [name, tensor] : nn::lora_state(model)) {
    Tensor(tensor).copy_from(Tensor(default_generator().normal(tensor.shape(), 0, 0.3)));
  }
}

// Adapters of another rank and scale than where nothing is said, beside the second layer.
struct Adapted {
  TemporaryFolder folder;
  std::string path = folder / "adapters";
  Pair model, other;
  Tensor x = Tensor(default_generator().normal({4, 5}, 0, 1));
  Adapted() {
    other.load_state_dict(model.state_dict());
    nn::add_lora(model, {.rank = 2, .alpha = 3.5, .dropout = 0.25, .at = {"second"}});
    randomise(model);
    save_lora(path, model);
    model.eval();
    other.eval();
  }
};

TEST(Lora, ComesBesideTheLayersThatTheFileNames) {
  Adapted a;
  const Safetensors file = read_safetensors(a.path);
  EXPECT_EQ(file.metadata,
            (std::map<std::string, std::string>{{"alpha", "3.5"}, {"dropout", "0.25"}}));
  ASSERT_EQ(file.arrays.size(), 2u);
  EXPECT_NE(numbers(a.other(a.x)), numbers(a.model(a.x)));
  load_lora(a.path, a.other);
  EXPECT_EQ(numbers(a.other(a.x)), numbers(a.model(a.x)));
  ASSERT_EQ(nn::lora_state(a.other).size(), 2u);
  EXPECT_EQ(nn::lora_state(a.other)[0].first, "second.lora.lora_a");
  EXPECT_EQ(nn::lora_state(a.other)[0].second.shape(), (Shape{2, 3}));
  for (nn::Module* module : a.other.modules()) {
    if (const auto* adapter = dynamic_cast<const nn::LowRank*>(module)) {
      EXPECT_EQ(adapter->options().rank, 2);
      EXPECT_EQ(adapter->options().alpha, 3.5);
      EXPECT_EQ(adapter->options().dropout, 0.25);
    }
  }
}

TEST(Lora, IsLoadedIntoAdaptersOfTheSameScale) {
  Adapted a;
  nn::add_lora(a.other, {.rank = 2, .alpha = 3.5, .dropout = 0.125, .at = {"second"}});
  load_lora(a.path, a.other);
  EXPECT_EQ(numbers(a.other(a.x)), numbers(a.model(a.x)));
  for (nn::Module* module : a.other.modules()) {
    if (const auto* adapter = dynamic_cast<const nn::LowRank*>(module)) {
      EXPECT_EQ(adapter->options().dropout, 0.125);  // its own
    }
  }
  Pair third;
  nn::add_lora(third, {.rank = 2, .alpha = 4, .at = {"second"}});
  const auto before = numbers(nn::lora_state(third)[0].second);
  EXPECT_ERROR(FormatError, a.path + ": at byte 0: alpha 3.5, the model's adapters have 4",
               load_lora(a.path, third));
  EXPECT_EQ(numbers(nn::lora_state(third)[0].second), before);
}

// A layer that is a whole model has no name to stand before its adapters'.
TEST(Lora, OfALayerByItselfComesBack) {
  const TemporaryFolder folder;
  nn::Linear model(5, 3), other(5, 3);
  other.load_state_dict(model.state_dict());
  nn::add_lora(model, {.rank = 2});
  randomise(model);
  save_lora(folder / "a", model);
  const Tensor x(default_generator().normal({4, 5}, 0, 1));
  load_lora(folder / "a", other);
  EXPECT_EQ(numbers(other(x)), numbers(model(x)));
  load_lora(folder / "a", other);
  EXPECT_EQ(numbers(other(x)), numbers(model(x)));
}

TEST(Lora, SaysWhatTheFileLacks) {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  Pair model;
  EXPECT_ERROR(ValueError, "save_lora: the model has no adapters", save_lora(path, model));
  const auto refused = [&](const NamedArrays& arrays,
                           const std::map<std::string, std::string>& metadata,
                           const std::string& text) {
    write_safetensors(path, arrays, metadata);
    EXPECT_ERROR(FormatError, path + ": at byte 0: " + text, load_lora(path, model));
    EXPECT_TRUE(model.first.weight.requires_grad());
  };
  const std::map<std::string, std::string> good = {{"alpha", "2"}, {"dropout", "0"}};
  const Array a = Array::zeros({2, 3}, DType::f32);
  refused({}, {}, "no file of adapters: its alpha is no number");
  refused({}, {{"alpha", "two"}, {"dropout", "0"}}, "no file of adapters: its alpha is no number");
  refused({}, {{"alpha", "2"}}, "no file of adapters: its dropout is no number");
  refused({}, good, "there are no adapters in it");
  for (const char* const name : {"lora_a", ".lora_a", "weight"}) {
    refused({{name, a}}, good, "not an adapter's: \"" + std::string(name) + "\"");
  }
  refused({{"third.lora.lora_a", a}}, good,
          "add_lora: no layer with a matrix is where they should go");
  EXPECT_THROW(load_lora(folder / "none", model), IoError);
}

// A file that does not fit must leave the model for one that does.
TEST(Lora, NothingIsAddedForWhatDoesNotFit) {
  Adapted a;
  const auto metadata = read_safetensors(a.path).metadata;
  const std::string path = a.folder / "bad", first = "second.lora.lora_a",
                    second = "second.lora.lora_b";
  const auto zeros_of = [](Index rows, Index columns, DType dtype = DType::f32) {
    return Array::zeros({rows, columns}, dtype);
  };
  const auto refused = [&](const NamedArrays& arrays, const std::string& text) {
    write_safetensors(path, arrays, metadata);
    EXPECT_ERROR_WITH(FormatError, text, load_lora(path, a.other));
    EXPECT_TRUE(a.other.second.adapters().empty());
    EXPECT_TRUE(a.other.second.weight.requires_grad());
  };
  const Array good_a = zeros_of(2, 3), good_b = zeros_of(2, 2);
  refused({{first, zeros_of(2, 5)}, {second, good_b}},
          "second.lora.lora_a is f32[2, 5], not f32[2, 3]");
  refused({{first, good_a}, {second, zeros_of(7, 2)}},
          "second.lora.lora_b is f32[7, 2], not f32[2, 2]");
  refused({{first, zeros_of(2, 3, DType::f64)}, {second, good_b}}, "not f32[2, 3]");
  refused({{first, good_a}}, "second.lora.lora_b is missing");
  refused({{second, good_b}}, "second.lora.lora_a is missing");
  refused({{first, good_a}, {second, good_b}, {"third.lora.lora_a", good_a}},
          "third.lora.lora_a is beside no matrix");
  refused({{"second.other.lora_a", good_a}}, "second.lora.lora_a is missing");
  refused({{"third.lora.lora_a", good_a}}, "no layer with a matrix is where they should go");
  refused({{first, good_a}, {second, zeros_of(2, 3)}}, "has the rank");
  // A rank that no number stands behind.
  refused({{first, zeros_of(Index{1} << 30, 0)}, {second, zeros_of(0, Index{1} << 30)}},
          "no adapter's matrix");
  refused({{first, Array::zeros({6}, DType::f32)}, {second, good_b}}, "no adapter's matrix");
  load_lora(a.path, a.other);
  EXPECT_EQ(numbers(a.other(a.x)), numbers(a.model(a.x)));
}

}  // namespace
}  // namespace heed::io
