// Numbers that a call or a constructor leaves out: what it means is what it is with them said.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "numbers.h"

namespace heed::attention {
namespace {

// What is made without saying a number is what is made with the number said.
template <class LeftOut, class Said>
void expect_same(const LeftOut& left_out, const Said& said) {
  manual_seed(5);
  const auto own = left_out();
  manual_seed(5);
  const auto other = said();
  const auto a = own->named_parameters(), b = other->named_parameters();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    EXPECT_TRUE(a[i].second.equal(b[i].second)) << a[i].first;
  }
}

TEST(LeftOut, NumbersThatMakeAMechanism) {
#define EXPECT_SAME(T, said, ...)                       \
  expect_same([&] { return std::make_shared<T> said; }, \
              [&] { return std::make_shared<T>(__VA_ARGS__); })
  const LinearOptions linear{.width = 8, .heads = 2};
  EXPECT_SAME(StateSpaceDuality, (linear), linear, 4);
  EXPECT_SAME(DeltaNet, (linear), linear, 4);
  EXPECT_SAME(GatedDeltaNet, (linear), linear, 4);
  EXPECT_SAME(GatedLinearAttention, (linear), linear, 16);
  EXPECT_SAME(RWKV6, (linear), linear, 32);
  EXPECT_SAME(Additive, (3, 5, 7), 3, 5, 7, false);
  EXPECT_SAME(ChannelGate, (48), 48, 16);
  EXPECT_SAME(SqueezeExcitation, (48), 48, 16);
  EXPECT_SAME(PlaceGate, (), 7);
  EXPECT_SAME(CBAM, (48), 48, 16, 7);
  EXPECT_SAME(AttentionPooling, (5), 5, 5);
  EXPECT_SAME(SourceToToken, (5), 5, 5);
  EXPECT_SAME(TokenToToken, (5), 5, 5);
  const HopfieldOptions hopfield{.state_width = 4, .head_width = 3};
  EXPECT_SAME(HopfieldPooling, (hopfield), hopfield, 1);
  const SetOptions sets{.width = 4};
  EXPECT_SAME(SetPooling, (sets), sets, 1);
  const TransformerOptions options{.width = 6, .heads = 2, .hidden = 5};
  EXPECT_SAME(TransformerEncoder, (2, options), 2, options, false);
  EXPECT_SAME(TransformerDecoder, (2, options), 2, options, false);
  EXPECT_SAME(CoordConv, (3, 5, 3), 3, 5, 3, Conv2dOptions{}, false);
  EXPECT_SAME(MultiStepAttention, (3, 5), 3, 5, true, DType::f32, false);
  EXPECT_SAME(ConvDecoderLayer, (3, 5, 2, true, DType::f32), 3, 5, 2, true, DType::f32, false);
#undef EXPECT_SAME
}

TEST(LeftOut, LayersAreTheFirstOfTheirStack) {
  std::vector<Index> asked;
  TransformerOptions options{.width = 6, .heads = 2, .hidden = 5};
  options.self_heads = [&](const MultiHeadOptions& heads, Index layer) {
    asked.push_back(layer);
    return heads;
  };
  options.memory_heads = options.self_heads;
  self_heads(options);
  memory_heads(options);
  TransformerEncoderLayer{options};
  TransformerDecoderLayer{options};
  EXPECT_EQ(asked, (std::vector<Index>(5, 0)));
}

TEST(LeftOut, NumbersOfACall) {
  manual_seed(3);
  const DType f64 = DType::f64;
  const Tensor x = randn({2, 5, 6}, f64), map = randn({2, 3, 5, 7}, f64);
  EXPECT_EQ(numbers(rotary(x)), numbers(rotary(x, 0, 10000)));
  EXPECT_EQ(numbers(rotary(x, RotaryOptions{})), numbers(rotary(x, RotaryOptions{}, 0)));
  const LearnedPositions positions(11, 6, f64);
  EXPECT_EQ(numbers(positions(x)), numbers(positions(x, 0)));
  EXPECT_EQ(with_coordinates(map).size(1), 5);
  EXPECT_EQ(with_coordinates(map, true).size(1), 6);
  const Tensor centres = randn({2, 2}, f64);
  EXPECT_EQ(numbers(glimpse_sensor(map, centres, 3)), numbers(glimpse_sensor(map, centres, 3, 1)));
  const LocationNetwork location(6, f64);
  EXPECT_EQ(numbers(location(x)), numbers(location.linear(x))) << "not bounded";
  EXPECT_FALSE(Temperature(2).log_beta.defined());
  const SlotShares shares;
  EXPECT_EQ(numbers(shares(x)), numbers(SlotShares(1e-8)(x)));
  const Monotonic monotonic;
  EXPECT_EQ(numbers(monotonic(x)), numbers(Monotonic(0)(x)));
  EXPECT_EQ(numbers(Mocha(2)(x)), numbers(Mocha(2, 0)(x)));
  const Tensor narrow = randn({2, 3, 5, 7});
  EXPECT_TRUE(maps::sandwich(3, 7)(narrow).equal(maps::sandwich(3, 7, 128, DType::f32)(narrow)));
  EXPECT_EQ(rotary_frequencies(6).array().to_vector<double>(),
            rotary_frequencies(6, 10000, {}, 0).array().to_vector<double>());
}

TEST(LeftOut, ARefitKeepsAllButAThousandth) {
  manual_seed(3);
  const RoutingOptions options{.width = 6, .heads = 2, .centroids = 3, .dtype = DType::f64};
  Routing left_out(options);
  manual_seed(3);
  Routing said(options);
  const Tensor x = randn({2, 5, 6}, DType::f64);
  left_out.refit(x);
  said.refit(x, 0.999);
  EXPECT_EQ(numbers(left_out.centroids), numbers(said.centroids));
}

}  // namespace
}  // namespace heed::attention
