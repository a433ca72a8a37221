#include "../../nn/named_tensors.h"

#include <gtest/gtest.h>

#include <map>
#include <unordered_map>

#include "../../core/error.h"
#include "../../io/safetensors.h"
#include "../../nn/batch_norm.h"
#include "../../nn/linear.h"
#include "../../nn/sequential.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

TEST(NamedTensors, AreFoundByName) {
  Linear layer(3, 5);
  EXPECT_TRUE(layer.named_parameters()["weight"].is_same(layer.weight));
  EXPECT_TRUE(layer.named_parameters().at("bias").is_same(layer.bias));
  NamedTensors state = layer.state_dict();
  EXPECT_TRUE(state.contains("bias"));
  EXPECT_FALSE(state.contains("biases"));
  EXPECT_EQ(state[0].first, "weight");
  state["weight"] = ones({5, 3});
  layer.load_state_dict(state);
  EXPECT_EQ(layer.weight[4][2].item(), 1);
  EXPECT_ERROR(IndexError, "there is no tensor \"gain\" among 2", state["gain"]);
  EXPECT_EQ(state.size(), 2U);
}

TEST(NamedTensors, LoadFromMaps) {
  Linear layer(3, 5);
  const std::map<std::string, Tensor> sorted{{"weight", ones({5, 3})}, {"bias", zeros({5})}};
  layer.load_state_dict(sorted);
  EXPECT_EQ(layer.weight[1][2].item(), 1);
  const std::unordered_map<std::string, Tensor> part{{"weight", full({5, 3}, 2.0)}};
  layer.load_state_dict(part, false);
  EXPECT_EQ(layer.weight[1][2].item(), 2);
  EXPECT_ERROR_WITH(ValueError, "\"bias\" is missing", layer.load_state_dict(part));
  io::Safetensors file;
  file.arrays = {{"weight", Array::full({5, 3}, 7, DType::f32)},
                 {"bias", Array::full({5}, 1, DType::f32)}};
  layer.load_state_dict(file);
  EXPECT_EQ(layer.weight[1][2].item(), 7);
}

TEST(NamedTensors, ModulesAreListedByName) {
  Sequential net(Linear(3, 5), BatchNorm1d(5));
  const auto named = net.named_modules();
  ASSERT_EQ(named.size(), 3U);
  EXPECT_EQ(named[0].first, "");
  EXPECT_EQ(named[0].second, &net);
  EXPECT_EQ(named[2].first, "1");
  EXPECT_EQ(net.buffers().size(), 3U);
  EXPECT_EQ(net.num_parameters(), 30);
  EXPECT_FALSE(net.train(true).eval().training());
  EXPECT_TRUE(net.train().training());
}

}  // namespace
}  // namespace heed::nn
