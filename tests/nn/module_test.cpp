#include "../../nn/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../nn/dropout.h"
#include "../../nn/embedding.h"
#include "../../nn/linear.h"
#include "../support/throws.h"

namespace heed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The design's example: members register themselves, options first.
class Reader : public nn::Module {
 public:
  Reader(Index words_in, Index width_in) : vocab(words_in), width(width_in) {}
  Index vocab, width;
  nn::Embedding& words = child<nn::Embedding>("words", vocab, width);
  nn::Linear& hidden = child<nn::Linear>("hidden", width, 5);
  Tensor& steps = buffer("steps", Array::zeros({3}, DType::i64));
  Tensor& mean = buffer("mean", zeros({5}));
  Tensor& scale = parameter("scale", ones({5}));
  nn::Dropout& drop = child<nn::Dropout>("drop", 0.5);

  Tensor operator()(const Tensor& ids) { return drop(hidden(words(ids))) * scale; }
};

class Outer : public nn::Module {
 public:
  Reader& reader = child<Reader>("reader", 11, 7);
  nn::Linear& out = child<nn::Linear>("out", 7, 11, false);
};

class Open : public nn::Module {
 public:
  using Module::buffer;
  using Module::child;
  using Module::parameter;
};

std::vector<std::string> names(const nn::NamedTensors& entries) {
  std::vector<std::string> out;
  for (const auto& entry : entries) out.push_back(entry.first);
  return out;
}

// Its members refer into it: the compiler refuses to copy or to move one.
static_assert(!std::is_copy_constructible_v<nn::Linear> && !std::is_copy_assignable_v<nn::Linear>);
static_assert(!std::is_move_constructible_v<nn::Linear> && !std::is_move_assignable_v<nn::Linear>);

TEST(Module, WalksParametersBuffersChildrenInOrderOfConstruction) {
  const Outer model;
  EXPECT_THAT(names(model.named_parameters()),
              ElementsAre("reader.scale", "reader.words.weight", "reader.hidden.weight",
                          "reader.hidden.bias", "out.weight"));
  EXPECT_THAT(names(model.named_buffers()), ElementsAre("reader.steps", "reader.mean"));
  EXPECT_THAT(names(model.state_dict()),
              ElementsAre("reader.scale", "reader.steps", "reader.mean", "reader.words.weight",
                          "reader.hidden.weight", "reader.hidden.bias", "out.weight"));
  const auto children = model.children();
  ASSERT_EQ(children.size(), 2U);
  EXPECT_EQ(children[0].first, "reader");
  EXPECT_EQ(children[0].second, &model.reader);
  EXPECT_EQ(model.parameter_count(), 5 + 11 * 7 + 5 * 7 + 5 + 11 * 7);
  for (const Tensor& parameter : model.parameters()) EXPECT_TRUE(parameter.requires_grad());
  EXPECT_FALSE(model.reader.mean.requires_grad());
}

TEST(Module, AddressesStayWhileMoreIsRegistered) {
  Open model;
  Tensor& first = model.parameter("first", ones({2}));
  nn::Linear& layer = model.child<nn::Linear>("layer", 2, 3);
  for (int i = 0; i < 100; ++i) {
    model.parameter("p" + std::to_string(i), ones({1}));
    model.child<nn::Linear>("c" + std::to_string(i), 1, 1);
  }
  EXPECT_TRUE(first.is_same(model.parameters()[0]));
  EXPECT_EQ(&layer, model.children()[0].second);
}

TEST(Module, NamesMustBeNewAndPlain) {
  Open model;
  model.parameter("weight", ones({2}));
  EXPECT_ERROR(ValueError, "module: the name \"weight\" is taken",
               model.buffer("weight", ones({2})));
  EXPECT_ERROR(ValueError, "module: the name \"weight\" is taken",
               model.child<nn::Dropout>("weight"));
  EXPECT_ERROR(ValueError,
               "module: \"a.b\" is no name: it must not be empty and must not have a '.'",
               model.parameter("a.b", ones({2})));
  EXPECT_ERROR(ValueError, "module: \"\" is no name: it must not be empty and must not have a '.'",
               model.parameter("", ones({2})));
  EXPECT_THAT(names(model.state_dict()), ElementsAre("weight"));
}

TEST(Module, AParameterIsAFloatingLeaf) {
  Open model;
  EXPECT_ERROR_WITH(DTypeError, "parameter \"count\"",
                    model.parameter("count", Array::zeros({2}, DType::i64)));
  const Tensor leaf = ones({2}).set_requires_grad();
  EXPECT_ERROR_WITH(GradError, "the result of add", model.parameter("result", leaf + leaf));
  EXPECT_TRUE(model.state_dict().empty());
}

TEST(Module, AnUndefinedParameterIsInNoList) {
  nn::Linear layer(3, 2, false);
  EXPECT_FALSE(layer.bias.defined());
  EXPECT_THAT(names(layer.state_dict()), ElementsAre("weight"));
  EXPECT_EQ(layer(ones({5, 3})).shape(), (Shape{5, 2}));
}

TEST(Module, ATiedTensorIsOneParameterWithTwoNames) {
  Outer model;
  model.out.weight = model.reader.words.weight;
  EXPECT_EQ(model.parameters().size(), 4U);
  EXPECT_THAT(names(model.state_dict()), testing::Contains("out.weight"));
  EXPECT_EQ(model.parameter_count(), 5 + 11 * 7 + 5 * 7 + 5);
  model.to(DType::f64);
  EXPECT_EQ(model.out.weight.dtype(), DType::f64);
  EXPECT_TRUE(model.out.weight.is_same(model.reader.words.weight));
  EXPECT_THAT(model.summary(), HasSubstr("tied"));
}

TEST(Module, AParameterGivenToTwoModulesIsTied) {
  Open model;
  const Tensor shared = ones({3});
  model.parameter("a", shared);
  model.parameter("b", shared);
  EXPECT_THAT(names(model.named_parameters()), ElementsAre("a"));
  EXPECT_THAT(names(model.state_dict()), ElementsAre("a", "b"));
}

TEST(Module, StateGoesFromModelToModelInPlace) {
  Outer from, to;
  from.reader.steps.copy_from(Array::full({3}, 5, DType::i64));
  const Tensor held = to.reader.hidden.weight;
  const auto* place = held.array().raw();
  to.load_state_dict(from.state_dict());
  EXPECT_TRUE(held.is_same(to.reader.hidden.weight));
  EXPECT_EQ(held.array().raw(), place);
  EXPECT_FALSE(held.array().shares_storage(from.reader.hidden.weight.array()));
  const auto ours = to.state_dict(), theirs = from.state_dict();
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].first, theirs[i].first);
    if (ours[i].second.dtype() == DType::f32) {
      EXPECT_EQ(ours[i].second.array().to_vector<float>(),
                theirs[i].second.array().to_vector<float>());
    }
  }
  EXPECT_THAT(to.reader.steps.array().to_vector<std::int64_t>(), ElementsAre(5, 5, 5));
  EXPECT_TRUE(held.requires_grad());
}

TEST(Module, LoadingItsOwnStateChangesNothing) {
  nn::Linear layer(3, 2);
  const auto before = layer.weight.array().to_vector<float>();
  layer.load_state_dict(layer.state_dict());
  EXPECT_EQ(layer.weight.array().to_vector<float>(), before);
}

TEST(Module, LoadingListsFaultsAndChangesNothing) {
  class Pair : public nn::Module {
   public:
    nn::Linear& a = child<nn::Linear>("a", 2, 3);
    nn::Linear& b = child<nn::Linear>("b", 3, 5);
  } pair;
  const auto before = pair.a.weight.array().to_vector<float>();
  const nn::NamedTensors entries = {{"a.weight", zeros({3, 2})},
                                    {"a.bias", zeros({3}, DType::f64)},
                                    {"b.weight", zeros({3, 5})},
                                    {"c.bias", zeros({5})},
                                    {"a.weight", zeros({3, 2})}};
  EXPECT_ERROR(
      ValueError,
      "load_state_dict: the entries do not fit the module: \"a.weight\" is named twice; \"a.bias\" "
      "is f64[3], not f32[3]; \"b.weight\" is f32[3, 5], not f32[5, 3]; and 2 more",
      pair.load_state_dict(entries));
  EXPECT_ERROR(ValueError,
               "load_state_dict: the entries do not fit the module: \"bias\" is missing; \"scale\" "
               "is unexpected",
               pair.a.load_state_dict({{"weight", zeros({3, 2})}, {"scale", zeros({5})}}));
  EXPECT_EQ(pair.a.weight.array().to_vector<float>(), before);
}

TEST(Module, LoadingNotStrictlyTakesWhatIsThere) {
  nn::Linear layer(2, 3);
  const auto weight = layer.weight.array().to_vector<float>();
  layer.load_state_dict({{"bias", ones({3})}, {"else", ones({7})}}, false);
  EXPECT_THAT(layer.bias.array().to_vector<float>(), ElementsAre(1, 1, 1));
  EXPECT_EQ(layer.weight.array().to_vector<float>(), weight);
  EXPECT_ERROR_WITH(ValueError, "\"bias\" is f32[2], not f32[3]",
                    layer.load_state_dict({{"bias", ones({2})}}, false));
}

TEST(Module, LoadingWidensBf16AndNarrowsNothing) {
  nn::Linear layer(2, 3);
  const Tensor narrow = full({3}, 1.5, DType::bf16);
  layer.load_state_dict({{"bias", narrow}}, false);
  EXPECT_EQ(layer.bias.dtype(), DType::f32);
  EXPECT_THAT(layer.bias.array().to_vector<float>(), ElementsAre(1.5, 1.5, 1.5));
  nn::Linear doubles(2, 3, true, DType::f64);
  EXPECT_ERROR_WITH(ValueError, "\"bias\" is bf16[3], not f64[3]",
                    doubles.load_state_dict({{"bias", narrow}}, false));
  Open model;
  model.buffer("held", narrow);
  EXPECT_ERROR_WITH(ValueError, "\"held\" is f32[3], not bf16[3]",
                    model.load_state_dict({{"held", ones({3})}}));
}

TEST(Module, ModeReachesAllChildren) {
  Outer model;
  EXPECT_TRUE(model.reader.drop.training());
  model.eval();
  EXPECT_FALSE(model.training());
  EXPECT_FALSE(model.reader.drop.training());
  model.train();
  EXPECT_TRUE(model.reader.drop.training());
}

TEST(Module, ListsAllThatAreInItAndAppliesAChangeToThem) {
  Outer model;
  const auto all = model.modules();
  std::vector<std::string> seen, changed;
  for (const nn::Module* module : all) seen.push_back(module->class_name());
  EXPECT_THAT(seen, ElementsAre("Outer", "Reader", "Embedding", "Linear", "Dropout", "Linear"));
  EXPECT_EQ(all[0], &model);
  model.apply([&](nn::Module& module) { changed.push_back(module.class_name()); });
  EXPECT_THAT(changed, ElementsAre("Embedding", "Linear", "Dropout", "Reader", "Linear", "Outer"));
}

TEST(Module, ConvertsFloatingNumbersOnlyAndForgetsGradients) {
  Outer model;
  const Tensor held = model.reader.scale;
  sum(held * held).backward();
  model.to(DType::f64);
  EXPECT_EQ(held.dtype(), DType::f64);
  EXPECT_FALSE(held.grad().defined());
  EXPECT_TRUE(held.requires_grad());
  EXPECT_EQ(model.reader.mean.dtype(), DType::f64);
  EXPECT_EQ(model.reader.steps.dtype(), DType::i64);
  EXPECT_EQ(model.reader(Array::zeros({2, 3}, DType::i64)).dtype(), DType::f64);
  EXPECT_ERROR_WITH(DTypeError, "module.to", model.to(DType::i64));
  EXPECT_ERROR(DTypeError,
               "module.to: takes f32 or f64, not bf16: nn::to_bf16(module) holds its weights so",
               model.to(DType::bf16));
}

TEST(Module, FreezingStopsAndForgetsGradients) {
  Outer model;
  const Tensor ids = Array::zeros({2}, DType::i64);
  sum(model.reader(ids)).backward();
  EXPECT_TRUE(model.reader.hidden.bias.grad().defined());
  model.reader.hidden.requires_grad(false);
  EXPECT_FALSE(model.reader.hidden.bias.grad().defined());
  EXPECT_TRUE(model.reader.scale.grad().defined());
  model.zero_grad();
  EXPECT_FALSE(model.reader.scale.grad().defined());
  sum(model.reader(ids)).backward();
  EXPECT_FALSE(model.reader.hidden.bias.grad().defined());
  EXPECT_TRUE(model.reader.words.weight.grad().defined());
  EXPECT_THAT(model.summary(), HasSubstr("40 of the parameters are frozen"));
}

TEST(Module, SummaryIsATree) {
  const Outer model;
  const std::string text = model.summary();
  EXPECT_THAT(text, testing::StartsWith("Outer "));
  EXPECT_THAT(text, HasSubstr("\n  reader: Reader "));
  EXPECT_THAT(text, HasSubstr("\n    words: Embedding "));
  EXPECT_THAT(text, testing::ContainsRegex("\n      weight +f32\\[11, 7\\] +77\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\n    steps +i64\\[3\\] +3 buffer\n"));
  EXPECT_THAT(nn::Embedding(1234, 1000).summary(), HasSubstr("1,234,000"));
}

TEST(Module, SummaryHasALineForEachName) {
  class Whole : public nn::Module {
   public:
    Whole() {
      again = first;
      first.set_requires_grad(false);
      small.set_requires_grad(false);
    }
    Tensor& first = parameter("first", ones({10, 123}));
    Tensor& again = parameter("again", ones({2}));
    Tensor& small = parameter("small", ones({7}));
    Tensor& none = parameter("none", Tensor());
    Tensor& steps = buffer("steps", zeros({137, 1000}));
    nn::Linear& out = child<nn::Linear>("out", 100, 1, false);
  } const whole;
  EXPECT_EQ(whole.summary(),
            "Whole                                                            1,337\n"
            "  first                            f32[10, 123]                  1,230 frozen\n"
            "  again                            f32[10, 123]                  1,230 tied frozen\n"
            "  small                            f32[7]                            7 frozen\n"
            "  steps                            f32[137, 1000]              137,000 buffer\n"
            "  out: Linear                                                      100\n"
            "    weight                         f32[1, 100]                     100\n"
            "1,237 of the parameters are frozen\n");
  EXPECT_EQ(to_string(whole), whole.summary());
  std::ostringstream out;
  out << whole;
  EXPECT_EQ(out.str(), whole.summary());
}

TEST(Module, LoadingTakesPartsOfItsOwnNumbersAsTheyWere) {
  Open model;
  const Tensor both = tensor({1, 2, 3, 4, 5, 6}, {6});
  Tensor& left = model.parameter("left", Tensor(both.array().slice(0, 0, 4)));
  Tensor& right = model.parameter("right", Tensor(both.array().slice(0, 2, 6)));
  model.load_state_dict({{"left", right}, {"right", left}});
  // One after the other, each from what was there at first.
  EXPECT_THAT(left.array().to_vector<float>(), ElementsAre(3, 4, 1, 2));
  EXPECT_THAT(right.array().to_vector<float>(), ElementsAre(1, 2, 3, 4));
}

TEST(Module, LoadingExchangesItsOwnTensors) {
  Open model;
  Tensor& a = model.parameter("a", tensor({1, 2, 3, 4}, {2, 2}));
  Tensor& b = model.parameter("b", tensor({5, 6, 7, 8}, {2, 2}));
  model.load_state_dict({{"a", b}, {"b", a}});
  EXPECT_THAT(a.array().to_vector<float>(), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(b.array().to_vector<float>(), ElementsAre(1, 2, 3, 4));
  model.load_state_dict({{"a", Tensor(a.array().transpose(0, 1))}, {"b", b}});
  EXPECT_THAT(a.array().to_vector<float>(), ElementsAre(5, 7, 6, 8));
  EXPECT_THAT(b.array().to_vector<float>(), ElementsAre(1, 2, 3, 4));
}

TEST(Module, LoadingRefusesNoNumbersAtAll) {
  nn::Linear layer(2, 3, false);
  EXPECT_ERROR_WITH(ValueError, "\"weight\" is undefined, not f32[3, 2]",
                    layer.load_state_dict({{"weight", Tensor()}}));
  layer.load_state_dict({}, false);
}

TEST(Module, ConvertingToWhatItIsLeavesGradients) {
  nn::Linear layer(2, 3);
  sum(layer(ones({5, 2}))).backward();
  layer.to(DType::f32);
  EXPECT_TRUE(layer.bias.grad().defined());
  layer.to(DType::f64);
  EXPECT_FALSE(layer.bias.grad().defined());
}

TEST(Module, ASharedChildIsListedOnceAndMustBeThere) {
  class Two : public nn::Module {
   public:
    explicit Two(const std::shared_ptr<nn::Linear>& made) {
      shared_child("a", made);
      shared_child("b", made);
    }
  };
  Two two(std::make_shared<nn::Linear>(2, 3));
  EXPECT_EQ(two.modules().size(), 2U);
  EXPECT_EQ(two.parameters().size(), 2U);
  EXPECT_EQ(two.state_dict().size(), 4U);
  EXPECT_ERROR(GradError, "module: child \"a\" is none", Two{nullptr});
}

TEST(Module, AParameterOfOddStridesBecomesContiguous) {
  Open model;
  const Tensor& weight = model.parameter(
      "weight", Tensor(Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3}).transpose(0, 1)));
  EXPECT_TRUE(weight.array().is_contiguous());
  EXPECT_THAT(weight.array().to_vector<float>(), ElementsAre(1, 4, 2, 5, 3, 6));
}

}  // namespace
}  // namespace heed
