#include "../../nn/lora.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../io/lora.h"
#include "../../io/saved_module.h"
#include "../../nn/bf16.h"
#include "../../nn/gradcheck.h"
#include "../../nn/int8.h"
#include "../../nn/nn.h"
#include "../../optim/optim.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

using attention::MultiHead;
using attention::MultiHeadOptions;
using testing::ElementsAre;
using testing::HasSubstr;

class Tagger : public Module {
 public:
  explicit Tagger(DType dtype = DType::f64, Index key_width = 0)
      : hidden(child<Linear>("hidden", 7, 6, true, dtype)),
        heads(child<MultiHead>(
            "heads",
            MultiHeadOptions{.width = 6, .heads = 2, .key_width = key_width, .dtype = dtype})),
        out(child<Linear>("out", 6, 5, false, dtype)) {}
  Linear& hidden;
  MultiHead& heads;
  Linear& out;
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(out(heads(hidden(x)).context));
  }
};

Tensor input(DType dtype = DType::f64) {
  manual_seed(3);
  return randn({2, 3, 7}, dtype);
}

void randomise(Module& model) {
  for (const auto& [name, tensor] : lora_state(model)) normal_(tensor, 0, 0.3);
}

std::vector<double> numbers(const Tensor& x) {
  return x.array().to(DType::f64).to_vector<double>();
}

TEST(Lora, BeginsAsTheModelItStandsBeside) {
  manual_seed(5);
  Tagger model;
  const auto before = numbers(model(input()));
  EXPECT_EQ(add_lora(model, {.rank = 3}), 4);
  EXPECT_EQ(numbers(model(input())), before);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : lora_state(model)) names.push_back(name);
  EXPECT_THAT(names,
              ElementsAre("hidden.lora.lora_a", "hidden.lora.lora_b", "heads.out_proj.lora.lora_a",
                          "heads.out_proj.lora.lora_b", "heads.in_proj_lora.lora_a",
                          "heads.in_proj_lora.lora_b", "out.lora.lora_a", "out.lora.lora_b"));
  EXPECT_EQ(state_without_lora(model).size(), 7U);
}

// The formula of the paper, with matrices of their own for each part.
TEST(Lora, AddsAProductOfTwoThinMatrices) {
  manual_seed(7);
  Linear layer(7, 5, true, DType::f64);
  add_lora(layer, {.rank = 2, .alpha = 3});
  randomise(layer);
  const NamedTensors state = lora_state(layer);
  const Tensor a = state[0].second, b = state[1].second, x = input();
  EXPECT_EQ(a.shape(), (Shape{2, 7}));
  EXPECT_EQ(b.shape(), (Shape{5, 2}));
  const Tensor wanted = matmul(x, (layer.weight + matmul(b, a) * 1.5).t()) + layer.bias;
  EXPECT_TRUE(allclose(layer(x), wanted, 1e-13, 1e-13));
}

TEST(Lora, MergesAndComesOutAgainToTheBit) {
  for (const Index key_width : {0, 6}) {
    manual_seed(11);
    Tagger model(DType::f64, key_width);
    model.eval();
    std::vector<std::vector<double>> weights;
    for (const auto& [name, tensor] : model.state_dict()) weights.push_back(numbers(tensor));
    const auto original = numbers(model(input()));
    add_lora(model, {.rank = 2});
    randomise(model);
    EXPECT_TRUE(has_unmerged_lora(model));
    const Tensor beside = model(input());
    EXPECT_NE(numbers(beside), original);
    merge_lora(model);
    merge_lora(model);  // once more changes nothing
    EXPECT_FALSE(has_unmerged_lora(model));
    EXPECT_TRUE(allclose(model(input()), beside, 1e-12, 1e-12));

    // What is merged is a model by itself.
    Tagger plain(DType::f64, key_width);
    plain.load_state_dict(state_without_lora(model));
    EXPECT_EQ(numbers(plain(input())), numbers(model(input())));

    unmerge_lora(model);
    std::size_t i = 0;
    for (const auto& [name, tensor] : state_without_lora(model)) {
      EXPECT_EQ(numbers(tensor), weights[i++]) << name;
    }
    EXPECT_EQ(numbers(model(input())), numbers(beside));
  }
}

TEST(Lora, KeysOfTheirOwnWidthHaveAdaptersOfTheirOwn) {
  manual_seed(13);
  MultiHead heads({.width = 6, .heads = 2, .key_width = 5, .value_width = 7, .dtype = DType::f64});
  EXPECT_EQ(add_lora(heads, {.rank = 2}), 4);
  randomise(heads);
  const Tensor query = randn({2, 3, 6}, DType::f64), keys = randn({2, 4, 5}, DType::f64),
               values = randn({2, 4, 7}, DType::f64);
  const Tensor beside = heads(query, keys, values).context;
  merge_lora(heads);
  EXPECT_TRUE(allclose(heads(query, keys, values).context, beside, 1e-12, 1e-12));
}

TEST(Lora, AProjectionInPartsTakesItsRows) {
  manual_seed(17);
  MultiHead heads({.width = 6, .heads = 2, .kv_heads = 1, .dtype = DType::f64});
  add_lora(heads, {.rank = 2});
  randomise(heads);
  const Tensor query = randn({2, 3, 6}, DType::f64), keys = randn({2, 4, 6}, DType::f64),
               values = randn({2, 4, 6}, DType::f64);
  const Tensor beside = heads(query, keys, values).context;
  merge_lora(heads);
  EXPECT_TRUE(allclose(heads(query, keys, values).context, beside, 1e-12, 1e-12));
}

TEST(Lora, OnlyAdaptersLearn) {
  manual_seed(19);
  Tagger model;
  add_lora(model, {.rank = 2, .at = {"hidden", "heads"}});
  const NamedTensors before = state_without_lora(model);
  std::vector<std::vector<double>> frozen;
  for (const auto& [name, tensor] : before) frozen.push_back(numbers(tensor));
  optim::Adam adam(model.parameters(), {.lr = 0.02});
  const Tensor x = input(), wanted = randn({2, 3, 5}, DType::f64);
  double first = 0, last = 0;
  for (int step = 0; step < 60; ++step) {
    adam.zero_grad();
    const Tensor loss = mean(square(model(x) - wanted));
    loss.backward();
    adam.step();
    (step == 0 ? first : last) = loss.item();
  }
  EXPECT_LT(last, 0.7 * first);
  std::size_t i = 0;
  for (const auto& [name, tensor] : before) EXPECT_EQ(numbers(tensor), frozen[i++]) << name;
}

// Of a layer that has several, too.
TEST(Lora, WhatDoesNotFitIsKnownBeforeAnythingIsAdded) {
  const LoraOptions options{.rank = 2, .at = {"heads"}};
  Tagger other(DType::f64, 5), model(DType::f64, 5);
  add_lora(other, options);
  NamedTensors entries = lora_state(other);
  ASSERT_EQ(entries.size(), 8U);  // of three projections and of what joins the heads
  check_lora(model, options, entries);
  const Tensor last = entries.back().second;
  entries.pop_back();
  EXPECT_ERROR_WITH(ValueError, "is missing", check_lora(model, options, entries));
  entries.emplace_back("heads.none_lora.lora_b", last);
  EXPECT_ERROR_WITH(ValueError, "is missing", check_lora(model, options, entries));
  EXPECT_ERROR_WITH(ValueError, "no layer with a matrix",
                    check_lora(model, {.rank = 2, .at = {"tail"}}, entries));
  EXPECT_TRUE(lora_state(model).empty());
  EXPECT_TRUE(model.hidden.weight.requires_grad());
}

TEST(Lora, ALayerOfTwoPlacesIsAdaptedOnce) {
  const auto stack = [] {
    const auto additive = std::make_shared<attention::Additive>(3, 3, 5);
    attention::TransformerOptions options{.width = 6, .heads = 2, .hidden = 7};
    options.self_heads = [additive](MultiHeadOptions heads, Index) {
      heads.score = additive;
      return heads;
    };
    return std::make_shared<attention::TransformerEncoder>(2, options);
  };
  const auto model = stack(), other = stack();
  const LoraOptions options{.rank = 2, .at = {"score"}};
  EXPECT_EQ(add_lora(*model, options), 2);  // of queries and of keys
  const NamedTensors entries = lora_state(*model);
  EXPECT_EQ(entries.size(), 4U);
  check_lora(*other, options, entries);
  EXPECT_EQ(add_lora(*other, options), 2);
  load_lora(*other, entries);
}

// In bf16 a model's matrices stay as they are; what is added beside them is in f32.
TEST(Lora, StandsBesideHeadsInBf16) {
  manual_seed(29);
  Tagger model(DType::f32), other(DType::f32);
  to_bf16(model);
  to_bf16(other);
  EXPECT_EQ(add_lora(model, {.rank = 2}), 4);
  for (const auto& [name, tensor] : lora_state(model)) EXPECT_EQ(tensor.dtype(), DType::f32);
  check_lora(other, {.rank = 2}, lora_state(model));
  const Tensor x = input(DType::f32);
  const auto before = numbers(model(x));
  randomise(model);
  EXPECT_NE(numbers(model(x)), before);
}

TEST(Lora, GradientsOfBothOrders) {
  manual_seed(23);
  Tagger model;
  add_lora(model, {.rank = 2, .alpha = 3});  // more, and scores grow too large for differences
  randomise(model);
  const Tensor x = input();
  const GradcheckReport first = gradcheck(model, [&] { return model(x); });
  EXPECT_TRUE(first) << first.text();
  const GradcheckReport second = gradgradcheck(model, [&] { return model(x); });
  EXPECT_TRUE(second) << second.text();
}

TEST(Lora, DropsOnlyWhatItIsGivenItself) {
  manual_seed(29);
  Linear layer(7, 5, true, DType::f64);
  const Tensor x = input();
  add_lora(layer, {.rank = 2, .dropout = 0.5});
  randomise(layer);
  EXPECT_NE(numbers(layer(x)), numbers(layer(x)));
  layer.eval();
  EXPECT_EQ(numbers(layer(x)), numbers(layer(x)));
}

TEST(Lora, AdaptersHaveTheModeOfTheirModel) {
  manual_seed(29);
  Linear layer(7, 5, true, DType::f64);
  layer.eval();
  add_lora(layer, {.rank = 2, .dropout = 0.5});
  randomise(layer);
  EXPECT_EQ(numbers(layer(input())), numbers(layer(input())));
}

TEST(Lora, StandsWhereAPathHoldsOneOfTheParts) {
  manual_seed(31);
  Tagger model;
  EXPECT_EQ(add_lora(model, {.rank = 2, .at = {"nowhere", "hid", "ou"}}), 3);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : lora_state(model)) names.push_back(name);
  EXPECT_THAT(names, testing::IsSupersetOf(
                         {"hidden.lora.lora_a", "out.lora.lora_b", "heads.out_proj.lora.lora_a"}));
}

TEST(Lora, OneMatrixMergesOnceAndComesOutOnce) {
  manual_seed(33);
  LowRank adapter(3, 2, {.rank = 1, .alpha = 4}, DType::f64);
  normal_(adapter.b, 0, 1);
  const Tensor weight = randn({2, 3}, DType::f64), x = randn({5, 3}, DType::f64);
  const auto before = numbers(weight);
  adapter.unmerge(weight);  // nothing was in it
  EXPECT_EQ(numbers(weight), before);
  const auto wanted = numbers(weight + 4 * matmul(adapter.b, adapter.a));
  adapter.merge(weight);
  adapter.merge(weight);
  EXPECT_THAT(numbers(weight), testing::Pointwise(testing::DoubleNear(1e-13), wanted));
  const Tensor y = randn({5, 2}, DType::f64);
  EXPECT_TRUE(adapter(y, x).is_same(y));
  adapter.unmerge(weight);
  EXPECT_EQ(numbers(weight), before);
  EXPECT_FALSE(adapter.merged());
  // Its second row alone.
  const Tensor row = adapter(zeros({5, 1}, DType::f64), x, 1, 1);
  EXPECT_THAT(numbers(row), testing::Pointwise(testing::DoubleNear(1e-13),
                                               numbers(narrow(adapter(0 * y, x), 1, 1, 1))));
}

TEST(Lora, StandsBesideWeightsInEightBits) {
  manual_seed(31);
  Tagger model(DType::f32);
  model.eval();
  to_int8(model);
  const NoGrad scope;
  const auto before = numbers(model(input(DType::f32)));
  add_lora(model, {.rank = 2});
  EXPECT_EQ(numbers(model(input(DType::f32))), before);
  randomise(model);
  EXPECT_NE(numbers(model(input(DType::f32))), before);
  EXPECT_THAT(message_of<ValueError>([&] { merge_lora(model); }), HasSubstr("8 bits"));
  EXPECT_TRUE(has_unmerged_lora(model));
}

TEST(Lora, AFileHoldsTheAdaptersAlone) {
  const TemporaryFolder folder;
  const std::string path = folder / "adapters.safetensors";
  manual_seed(37);
  Tagger model;
  const NamedTensors base = model.state_dict();
  Tagger other;
  other.load_state_dict(base);
  add_lora(model, {.rank = 3, .alpha = 2.5, .dropout = 0.1, .at = {"heads"}});
  randomise(model);
  model.eval();
  other.eval();
  io::save_lora(path, model);
  EXPECT_EQ(io::read_safetensors(path).arrays.size(), 4U);
  io::load_lora(path, other);
  EXPECT_EQ(numbers(other(input())), numbers(model(input())));
  EXPECT_FALSE(other.hidden.weight.requires_grad());
  merge_lora(other);
  io::load_lora(path, other);  // takes them out first
  EXPECT_EQ(numbers(other(input())), numbers(model(input())));
}

TEST(Lora, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string path = folder / "adapters.safetensors";
  manual_seed(41);
  Tagger model;
  const auto complaint = [](auto&& call) { return message_of<ValueError>(call); };
  EXPECT_THAT(complaint([&] { add_lora(model, {.rank = 0}); }), HasSubstr("rank 0"));
  EXPECT_ERROR(ValueError, "low_rank: rank 8 must be positive, alpha inf finite",
               add_lora(model, {.alpha = INFINITY}));
  EXPECT_THAT(complaint([&] { add_lora(model, {.dropout = 2}); }), HasSubstr("Dropout: p 2"));
  EXPECT_THAT(complaint([&] { add_lora(model, {.at = {"encoder"}}); }), HasSubstr("no layer"));
  EXPECT_TRUE(model.hidden.weight.requires_grad());
  EXPECT_THAT(complaint([&] { merge_lora(model); }), HasSubstr("no adapters"));
  EXPECT_THAT(complaint([&] { io::save_lora(path, model); }), HasSubstr("no adapters"));
  add_lora(model, {.rank = 2, .at = {"out"}});
  EXPECT_THAT(complaint([&] { add_lora(model); }), HasSubstr("has adapters"));
  NamedTensors state = lora_state(model);
  state[0].second = state[0].second.clone().t();
  EXPECT_THAT(complaint([&] { load_lora(model, state); }), HasSubstr("lora_a is "));
  const Tensor wrong[] = {Tensor(), lora_state(model)[0].second.to(DType::f32)};
  for (const Tensor& each : wrong) {
    state[0].second = each;
    EXPECT_THAT(complaint([&] { load_lora(model, state); }), HasSubstr("lora_a is "));
  }
  state.erase(state.begin());
  EXPECT_THAT(complaint([&] { load_lora(model, state); }), HasSubstr("missing"));
  state = lora_state(model);
  const std::string told = std::to_string(state.size());
  state.push_back(state[0]);
  EXPECT_THAT(complaint([&] { load_lora(model, state); }), HasSubstr("of them, not " + told));
  state = lora_state(model);
  state.emplace_back("out.lora.lora_c", state[0].second);
  EXPECT_THAT(complaint([&] { load_lora(model, state); }),
              HasSubstr("out.lora.lora_c is beside no matrix"));
  io::save_lora(path, model);

  Tagger other;
  add_lora(other, {.rank = 2, .alpha = 4, .at = {"out"}});
  EXPECT_THAT(message_of<FormatError>([&] { io::load_lora(path, other); }), HasSubstr("alpha 16"));
  Linear foreign(7, 5);
  EXPECT_THAT(message_of<FormatError>([&] { io::load_lora(path, foreign); }),
              testing::AllOf(HasSubstr(path), HasSubstr("no layer")));
  io::write_safetensors(path, model.state_dict());
  EXPECT_THAT(message_of<FormatError>([&] { io::load_lora(path, model); }), HasSubstr("alpha"));
}

TEST(Lora, AWeightOfTwoPlacesIsNotMerged) {
  manual_seed(43);
  Tagger model;
  model.out.weight = model.hidden.weight;
  add_lora(model, {.rank = 2, .at = {"out"}});
  EXPECT_THAT(message_of<ValueError>([&] { merge_lora(model); }), HasSubstr("elsewhere"));
}

}  // namespace
}  // namespace heed::nn
