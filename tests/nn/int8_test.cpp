#include "../../nn/int8.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../io/saved_model.h"
#include "../../nn/bf16.h"
#include "../../nn/nn.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"
#include "tagger.h"

namespace heed::nn {
namespace {

Tensor ids() {
  manual_seed(3);
  return randint(53, {5, 7});
}

double distance(const Tensor& x, const Tensor& y) {
  return std::sqrt((sum(square(x - y)) / sum(square(y))).item());
}

TEST(ToInt8, AModelSaysNearlyTheSame) {
  manual_seed(5);
  Tagger model;
  const NoGrad scope;
  const Tensor before = model(ids());
  const Index count = model.parameter_count();
  EXPECT_EQ(to_int8(model), 3);
  EXPECT_EQ(to_int8(model), 3);  // once more changes nothing
  const Tensor after = model(ids());
  EXPECT_GT(distance(after, before), 1e-4);
  EXPECT_LT(distance(after, before), 0.02);
  EXPECT_EQ(model.parameter_count(), count);
  EXPECT_EQ(model.hidden.weight.shape(), (Shape{67, 32}));
  EXPECT_TRUE(std::isnan(model.hidden.weight.array().contiguous().data<float>()[0]));
  EXPECT_EQ(model.norm.weight.array().data<float>()[0], 1);
}

TEST(ToInt8, StacksOfLayersTakeIt) {
  manual_seed(7);
  attention::TransformerEncoder encoder(2, {.width = 32, .heads = 4, .hidden = 64, .dropout = 0});
  const NoGrad scope;
  const Tensor x(Generator(9).normal({3, 11, 32}, 0, 1, DType::f32));
  const Tensor before = encoder(x).output;
  EXPECT_EQ(to_int8(encoder), 6);  // linear1, linear2 and out_proj of each
  EXPECT_LT(distance(encoder(x).output, before), 0.02);
}

TEST(ToInt8, ATableMayBeTheOutputLayerToo) {
  manual_seed(5);
  Embedding table(53, 32);
  const NoGrad scope;
  const Tensor x = randn({7, 32});
  const Tensor before = table.scores(x);
  EXPECT_EQ(before.array().to_vector<float>(), linear(x, table.weight).array().to_vector<float>());
  table.to_int8();
  EXPECT_LT(distance(table.scores(x), before), 0.02);
}

TEST(ToInt8, OnceMoreOrAfterBf16ChangesNothing) {
  manual_seed(5);
  Linear linear(32, 7);
  Embedding table(53, 32);
  const NoGrad scope;
  const Tensor x = randn({7, 32});
  const auto says = [](const Tensor& y) { return y.array().to_vector<float>(); };
  const auto check = [&](auto& layer, auto&& call, auto&& change, auto&& other) {
    change(layer);
    const auto before = call(layer);
    change(layer);
    EXPECT_EQ(call(layer), before);
    other(layer);
    EXPECT_EQ(call(layer), before);
  };
  const auto int8 = [](auto& layer) { layer.to_int8(); };
  const auto bf16 = [](auto& layer) { layer.to_bf16(); };
  const auto scores = [&](const Embedding& layer) { return says(layer.scores(x)); };
  const auto product = [&](const Linear& layer) { return says(layer(x)); };
  check(linear, product, int8, bf16);
  check(table, scores, int8, bf16);
  Linear second(32, 7);
  Embedding other(53, 32);
  check(second, product, bf16, int8);
  check(other, scores, bf16, int8);
}

TEST(ToInt8, WhatIsTiedStays) {
  manual_seed(5);
  Tagger model;
  const Tensor tied = model.words.weight;
  const auto numbers = tied.array().to_vector<float>();
  model.words.to_int8();
  EXPECT_EQ(tied.array().to_vector<float>(), numbers);
}

TEST(ToInt8, IsForWhatHasBeenTrained) {
  Tagger model;
  to_int8(model);
  EXPECT_ERROR_WITH(ValueError,
                    "state_dict: \"words.weight\" is in 8 bits, for good: keep the file",
                    model.state_dict());
  EXPECT_ERROR_WITH(ValueError, "load_state_dict: \"words.weight\" is in 8 bits",
                    model.load_state_dict(Tagger().state_dict()));
  EXPECT_ERROR_WITH(ValueError, "module.to: \"words.weight\" is in 8 bits", model.to(DType::f64));
  EXPECT_ERROR_WITH(GradError, "linear_int8: a weight in 8 bits is for what has been trained",
                    sum(model(ids())).backward());
  Tagger doubles(DType::f64);
  EXPECT_ERROR_WITH(DTypeError, "int8: weights are f32, not f64[53, 32]", to_int8(doubles));
}

TEST(ToInt8, ChangesAllOfAModelOrNothing) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  const std::string path = folder / "tagger.safetensors";
  manual_seed(5);
  Tagger model, loaded;
  {
    const NoGrad scope;
    model.out.weight.copy_from(full({17, 67}, INFINITY));
  }
  io::save(path, model);
  const std::string before = io::encode_weights(model);
  EXPECT_ERROR_WITH(ValueError, "int8: row 0 of the weights has inf", to_int8(model));
  EXPECT_EQ(io::encode_weights(model), before);
  EXPECT_ERROR_WITH(FormatError, "int8: row 0 of the weights has inf",
                    io::load(path, loaded, io::Quantize::int8));
  EXPECT_EQ(io::encode_weights(loaded), before);
  const NoGrad scope;
  model.out.weight.copy_from(ones({17, 67}));
  EXPECT_EQ(to_int8(model), 3);
}

TEST(ToInt8, SaysThatNothingCame) {
  Linear linear(32, 7);
  Embedding table(53, 32);
  linear.to_int8();
  table.to_int8();
  EXPECT_ERROR(GradError, "linear_int8: x is undefined", linear(Tensor()));
  EXPECT_ERROR(GradError, "embedding_int8: ids is undefined", table(Tensor()));
}

TEST(ToInt8, AFileIsLoadedSo) {
  const TemporaryFolder folder(TemporaryFolder::memory());
  manual_seed(5);
  Tagger model;
  const std::string path = folder / "tagger.safetensors";
  io::save(path, model);
  manual_seed(6);
  Tagger loaded;
  io::load(path, loaded, io::Quantize::int8);
  to_int8(model);
  const NoGrad scope;
  EXPECT_EQ(loaded(ids()).array().to_vector<float>(), model(ids()).array().to_vector<float>());
}

TEST(ToInt8, CountsWhatIsInIt) {
  Sequential net(layer<WeightNormLinear>(7, 5), layer<Linear>(5, 3));
  EXPECT_EQ(to_int8(net), 1);
  EXPECT_EQ(to_bf16(net), 0);
  EXPECT_EQ(to_int8(net), 1);
  net.at<WeightNormLinear>(0).to_int8();
  const NoGrad scope;
  EXPECT_EQ(net(randn({2, 7})).shape(), (Shape{2, 3}));
}

}  // namespace
}  // namespace heed::nn
