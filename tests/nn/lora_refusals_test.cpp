// What low-rank adapters leave as it was.
#include <gtest/gtest.h>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../nn/lora.h"
#include "../../nn/nn.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

struct Pair : Module {
  Linear& first = child<Linear>("first", 7, 5);
  Linear& second = child<Linear>("second", 5, 3);
};

std::vector<float> numbers(const Tensor& x) { return x.array().to_vector<float>(); }

void randomise(Module& model) {
  for (const auto& [name, tensor] : lora_state(model)) normal_(tensor, 0, 0.3);
}

TEST(LoraRefusals, ModesThatWereSetByHandStay) {
  Pair model;
  model.first.eval();
  add_lora(model, {.rank = 2});
  EXPECT_FALSE(model.first.training());
  EXPECT_FALSE(model.first.adapters()[0].second->training());
  EXPECT_TRUE(model.second.training());
  EXPECT_TRUE(model.second.adapters()[0].second->training());
}

TEST(LoraRefusals, WhatMakesItsWeightTakesNoAdapter) {
  WeightNormLinear alone(7, 5);
  EXPECT_ERROR_WITH(ValueError, "add_lora: no layer with a matrix", add_lora(alone));
  EXPECT_TRUE(alone.weight_v.requires_grad());
  Sequential net(layer<WeightNormLinear>(7, 5), layer<Linear>(5, 3));
  EXPECT_EQ(add_lora(net, {.rank = 2}), 1);
  EXPECT_EQ(lora_state(net).size(), 2U);
}

TEST(LoraRefusals, ANumberIsNotTheBeginningOfAnother) {
  struct Stack : Module {
    ModuleListOf<Linear>& layers = child<ModuleListOf<Linear>>("layers");
    Stack() {
      for (int i = 0; i < 13; ++i) layers.add(3, 2);
    }
  } model;
  EXPECT_EQ(add_lora(model, {.rank = 2, .at = {"layers.1"}}), 1);
  EXPECT_EQ(lora_state(model)[0].first, "layers.1.lora.lora_a");
}

TEST(LoraRefusals, AMergedWeightThatWasWrittenStays) {
  manual_seed(5);
  Pair model;
  add_lora(model, {.rank = 2});
  randomise(model);
  merge_lora(model);
  const auto first = numbers(model.first.weight);
  model.load_state_dict({{"second.weight", full({3, 5}, 2.0)}}, false);
  EXPECT_ERROR(ValueError,
               "second.lora: unmerge: the weight beside it was written or replaced after it was "
               "merged",
               unmerge_lora(model));
  EXPECT_EQ(numbers(model.first.weight), first);
  EXPECT_EQ(numbers(model.second.weight), std::vector<float>(15, 2));
  EXPECT_FALSE(has_unmerged_lora(model));
}

TEST(LoraRefusals, AMergedWeightInBf16Stays) {
  manual_seed(5);
  struct Heads : Module {
    Linear& first = child<Linear>("first", 7, 6);
    attention::MultiHead& heads = child<attention::MultiHead>("heads", 6, 2);
  } model;
  add_lora(model, {.rank = 2});
  randomise(model);
  merge_lora(model);
  const auto first = numbers(model.first.weight);
  model.heads.to_bf16();
  EXPECT_ERROR_WITH(ValueError, "unmerge: the weight beside it was", unmerge_lora(model));
  EXPECT_EQ(numbers(model.first.weight), first);
  model.first.to_bf16();  // undefined for its adapter
  EXPECT_ERROR_WITH(ValueError, "first.lora: unmerge: the weight", unmerge_lora(model));
  EXPECT_FALSE(has_unmerged_lora(model));
}

TEST(LoraRefusals, WhatIsMergedAndRoundedSinceIsMergedOnceMore) {
  for (const bool in_int8 : {false, true}) {
    manual_seed(5);
    Pair model;
    add_lora(model, {.rank = 2});
    randomise(model);
    merge_lora(model);
    in_int8 ? model.second.to_int8() : model.second.to_bf16();
    const auto first = numbers(model.first.weight);
    const Tensor x = randn({2, 5});
    const auto second = numbers(model.second(x));
    merge_lora(model);
    EXPECT_EQ(numbers(model.first.weight), first);
    EXPECT_EQ(numbers(model.second(x)), second);
    EXPECT_FALSE(has_unmerged_lora(model));
  }
}

TEST(LoraRefusals, EntriesThatDoNotFitLeaveAMergedModelSo) {
  manual_seed(5);
  Pair model;
  add_lora(model, {.rank = 2});
  randomise(model);
  NamedTensors state;
  for (const auto& [name, tensor] : lora_state(model)) state.emplace_back(name, tensor.clone());
  merge_lora(model);
  const auto merged = numbers(model.first.weight);
  NamedTensors wrong = state;
  wrong.pop_back();
  EXPECT_ERROR_WITH(ValueError, "is missing", load_lora(model, wrong));
  EXPECT_FALSE(has_unmerged_lora(model));
  EXPECT_EQ(numbers(model.first.weight), merged);
  load_lora(model, state);
  EXPECT_TRUE(has_unmerged_lora(model));
}

TEST(LoraRefusals, RoundedWeightsTakeNothingIn) {
  for (const bool in_int8 : {false, true}) {
    Pair model;
    in_int8 ? model.second.to_int8() : model.second.to_bf16();
    add_lora(model, {.rank = 2});
    const auto before = numbers(model.first.weight);
    EXPECT_ERROR(ValueError, "second.lora: merge_lora: a weight in 8 bits or bf16 takes nothing in",
                 merge_lora(model));
    EXPECT_EQ(numbers(model.first.weight), before);
  }
}

TEST(LoraRefusals, CheckingDrawsNothing) {
  WeightNormLinear alone(7, 5);
  const auto before = default_generator().state();
  EXPECT_THROW(add_lora(alone), ValueError);
  EXPECT_EQ(default_generator().state(), before);
  Pair model;
  manual_seed(11);
  add_lora(model, {.rank = 2});
  manual_seed(11);
  const LowRank first(7, 5, {.rank = 2});
  EXPECT_EQ(numbers(model.first.adapters()[0].second->a), numbers(first.a));
  EXPECT_ERROR(ValueError, "Dropout: p 1.5 is not in [0, 1]",
               check_low_rank({.rank = 2, .dropout = 1.5}));
  EXPECT_NO_THROW(check_low_rank({.rank = 1, .dropout = 1}));
}

}  // namespace
}  // namespace heed::nn
