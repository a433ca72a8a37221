#include "../../optim/ema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../core/error.h"
#include "../support/numbers.h"
#include "../support/throws.h"

namespace heed {
namespace {

using optim::EMA;
using testing::ElementsAre;

Tensor leaf(const std::vector<double>& values) {
  return tensor(values, {static_cast<Index>(values.size())}, DType::f64).set_requires_grad();
}

TEST(EMA, FollowsTheParameters) {
  Tensor p = leaf({8, 0});
  EMA average({p}, 0.75);
  p.set_array(Array::from(std::vector<double>{0, 4}));
  average.update();
  EXPECT_THAT(average.averages()[0].to_vector<double>(), ElementsAre(6, 1));
  average.update();
  EXPECT_THAT(average.averages()[0].to_vector<double>(), ElementsAre(4.5, 1.75));
  EXPECT_THAT(numbers(p), ElementsAre(0, 4));
}

TEST(EMA, UpdatesInPlaceAndSaysSo) {
  Tensor p = leaf({8, 0}), q = leaf({1});
  EMA average({p, q}, 0.75);
  const std::vector<Array> held = average.averages();
  std::vector<std::uint32_t> versions;
  for (const Array& array : held) versions.push_back(array.version());
  average.update();
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_EQ(held[i].raw(), average.averages()[i].raw());
    EXPECT_GT(held[i].version(), versions[i]) << i;
  }
}

TEST(EMA, SwapsInAndOut) {
  Tensor p = leaf({8, 0}), q = leaf({1});
  EMA average({p, q}, 0.5);
  p.set_array(Array::from(std::vector<double>{0, 4}));
  average.update();
  const auto* place = p.array().raw();
  const auto version = p.array().version();
  average.swap();
  EXPECT_TRUE(average.swapped());
  EXPECT_THAT(numbers(p), ElementsAre(4, 2));
  EXPECT_EQ(p.array().raw(), place);
  EXPECT_GT(p.array().version(), version);
  EXPECT_ERROR(GradError, "EMA.update: the averages are swapped in", average.update());
  EXPECT_ERROR(GradError, "EMA.state_dict: the averages are swapped in", average.state_dict());
  average.swap();
  EXPECT_THAT(numbers(p), ElementsAre(0, 4));
  EXPECT_THAT(average.averages()[0].to_vector<double>(), ElementsAre(4, 2));
}

TEST(EMA, SwapsAnyStrides) {
  Tensor p(Array::from(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3}).transpose(0, 1));
  p.set_requires_grad();
  EMA average({p}, 0);
  Array(p.array()).mutable_data<double>()[1] = 7;
  const Array held = average.averages()[0];
  const auto version = held.version();
  average.swap();
  EXPECT_GT(held.version(), version);
  EXPECT_THAT(numbers(p), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(held.to_vector<double>(), ElementsAre(1, 4, 7, 5, 3, 6));
  average.swap();
  EXPECT_THAT(numbers(p), ElementsAre(1, 4, 7, 5, 3, 6));
  average.update();
  EXPECT_THAT(average.averages()[0].to_vector<double>(), ElementsAre(1, 4, 7, 5, 3, 6));
}

TEST(EMA, OfDecayOneStaysAndOfDecayZeroFollows) {
  Tensor p = leaf({8});
  EMA still({p}, 1), follower({p}, 0), warming({p}, 0.05, true);
  p.set_array(Array::from(std::vector<double>{0}));
  for (EMA* each : {&still, &follower, &warming}) each->update();
  EXPECT_EQ(still.averages()[0].item(), 8);
  EXPECT_EQ(follower.averages()[0].item(), 0);
  EXPECT_DOUBLE_EQ(warming.averages()[0].item(), 0.4) << "0.05 is less than 1/10";
}

TEST(EMA, ForgetsEarlyWeightsSoonWhenItWarmsUp) {
  Tensor p = leaf({10});
  EMA average({p}, 0.999, true);
  p.set_array(Array::from(std::vector<double>{0}));
  average.update();  // 1/10 stays
  EXPECT_NEAR(average.averages()[0].to_vector<double>()[0], 1, 1e-15);
  average.update();  // 2/11
  EXPECT_NEAR(average.averages()[0].to_vector<double>()[0], 2.0 / 11, 1e-15);
}

TEST(EMA, GoesOnFromItsState) {
  Tensor p = leaf({8, 3});
  EMA average({p}, 0.9, true);
  p.set_array(Array::from(std::vector<double>{1, 2}));
  average.update();
  EMA resumed({p}, 0.9, true);
  resumed.load_state_dict(average.state_dict());
  EXPECT_FALSE(resumed.averages()[0].shares_storage(average.averages()[0]));
  average.update();
  resumed.update();
  EXPECT_EQ(resumed.averages()[0].to_vector<double>(), average.averages()[0].to_vector<double>());
}

TEST(EMA, LoadingListsAllFaultsAndChangesNothing) {
  Tensor p = leaf({8, 3});
  EMA average({p}, 0.9);
  EXPECT_ERROR(ValueError,
               "EMA: the entries do not fit: \"updates\" is missing; \"averages.0\" is f64[3], not "
               "f64[2]; \"more\" is unexpected",
               average.load_state_dict({{"averages.0", Array::zeros({3}, DType::f64)},
                                        {"more", Array::zeros({}, DType::f64)}}));
  auto state = average.state_dict();
  for (auto& [name, array] : state) {
    if (name == "updates") array = Array::full({}, -1, array.dtype());
  }
  EXPECT_ERROR(ValueError, "EMA: the entries do not fit: \"updates\" is negative",
               average.load_state_dict(state));
  EXPECT_THAT(average.averages()[0].to_vector<double>(), ElementsAre(8, 3));
  state = average.state_dict();
  EXPECT_NO_THROW(average.load_state_dict(state)) << "of no update yet";
  auto twice = state;
  twice.push_back(twice[1]);
  EXPECT_ERROR(ValueError, "EMA: the entries do not fit: \"averages.0\" is named twice",
               average.load_state_dict(twice));
  state[1].second = Array();
  EXPECT_ERROR(ValueError, "EMA: the entries do not fit: \"averages.0\" is undefined, not f64[2]",
               average.load_state_dict(state));
  state[1].second = Array::zeros({2}, DType::f32);
  EXPECT_ERROR(ValueError, "EMA: the entries do not fit: \"averages.0\" is f32[2], not f64[2]",
               average.load_state_dict(state));
  state = average.state_dict();
  average.swap();
  EXPECT_ERROR(GradError, "EMA.load_state_dict: the averages are swapped in",
               average.load_state_dict(state));
}

TEST(EMA, ChecksWhatItGets) {
  Tensor p = leaf({8, 3});
  EXPECT_ERROR(ValueError, "EMA: decay 1.5 is not in [0, 1]", EMA({p}, 1.5));
  EXPECT_ERROR(ValueError, "EMA: there are no parameters", EMA(std::vector<Tensor>{}, 0.5));
  EXPECT_ERROR(ValueError, "EMA: a parameter is undefined", EMA({Tensor()}, 0.5));
  EXPECT_ERROR(GradError, "EMA: f64[2] is the result of an operator, not a leaf",
               EMA({p + p}, 0.5));
  EXPECT_ERROR_WITH(DTypeError, "EMA", EMA({Tensor(Array::zeros({2}, DType::i64))}, 0.5));
  EMA average({p}, 0.5);
  p.set_array(Array::zeros({2}, DType::f32));
  EXPECT_ERROR(DTypeError, "EMA.update: a parameter became f32[2], its average is f64[2]",
               average.update());
  p.set_array(Array::zeros({3}, DType::f64));
  EXPECT_ERROR(ShapeError, "EMA.swap: a parameter became f64[3], its average is f64[2]",
               average.swap());
}

TEST(EMA, RefusesAParameterThatIsNamedTwice) {
  const Tensor p = leaf({1, 2, 3}), q = leaf({5});
  EXPECT_ERROR(ValueError, "EMA: parameter f64[3] is named twice", EMA({p, q, p}, 0.5));
}

}  // namespace
}  // namespace heed
