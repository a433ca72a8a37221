#include "../../distributed/sharded.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../optim/adam.h"
#include "../../optim/sgd.h"
#include "../support/throws.h"
#include "world_here.h"

namespace heed::distributed {
namespace {

using testing::ElementsAre;

std::vector<Tensor> parameters() {
  Generator generator(3);
  std::vector<Tensor> out;
  for (const Shape& shape : {Shape{7, 3}, Shape{2}, Shape{11, 5}, Shape{13}, Shape{3}}) {
    out.push_back(Tensor(generator.normal(shape, 0, 1)).set_requires_grad());
  }
  return out;
}

// Step t gives all but one a gradient, to one rows alone.
void give(std::vector<Tensor>& all, Index t) {
  Generator generator(static_cast<std::uint64_t>(50 + t));
  for (std::size_t p = 0; p < all.size(); ++p) {
    all[p].zero_grad();
    if (p == 1) continue;
    if (p == 2) {
      const Array rows = Array::from(std::vector<Index>{t % 11, 4});
      all[p].set_grad(Tensor(SparseRows::gather(rows, generator.normal({2, 5}, 0, 1), 11)));
    } else {
      all[p].set_grad(Tensor(generator.normal(all[p].shape(), 0, 1)));
    }
  }
}

void step(optim::Optimizer& optimizer, std::vector<Tensor>& all, Index from, Index to) {
  for (Index t = from; t < to; ++t) {
    give(all, t);
    optimizer.set_lr(0, 0.1 / static_cast<double>(t + 1));
    optimizer.step();
  }
}

void expect_same(const optim::NamedArrays& a, const optim::NamedArrays& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    ASSERT_EQ(a[i].second.shape(), b[i].second.shape()) << a[i].first;
    ASSERT_EQ(a[i].second.dtype(), b[i].second.dtype()) << a[i].first;
    EXPECT_EQ(
        std::memcmp(a[i].second.contiguous().raw(), b[i].second.contiguous().raw(),
                    static_cast<std::size_t>(a[i].second.numel()) * size_of(a[i].second.dtype())),
        0)
        << a[i].first;
  }
}

optim::NamedArrays named(const std::vector<Tensor>& all) {
  optim::NamedArrays out;
  for (const Tensor& each : all) out.emplace_back("", each.array());
  return out;
}

template <class Inner>
void check(const typename Inner::Settings& options) {
  std::vector<Tensor> one = parameters(), shared = parameters();
  const auto groups = [&](const std::vector<Tensor>& all) {
    typename Inner::Settings slow = options;
    slow.lr = 0.01;
    return std::vector<optim::ParameterGroup<typename Inner::Settings>>{
        {{all[0], all[1], all[2]}, options}, {{all[3], all[4]}, slow}};
  };
  Inner alone(groups(one));
  Sharded<Inner> sharded(world(), groups(shared));
  step(alone, one, 0, 4);
  step(sharded, shared, 0, 4);
  expect_same(named(one), named(shared));
  expect_same(alone.state_dict(), sharded.state_dict());
  // It goes on from the other's state, and the other from its.
  std::vector<Tensor> again = parameters();
  for (std::size_t p = 0; p < again.size(); ++p) again[p].set_array(one[p].array().clone());
  for (Tensor& each : again) each.set_requires_grad();
  Sharded<Inner> resumed(world(), groups(again));
  resumed.load_state_dict(alone.state_dict());
  step(resumed, again, 4, 7);
  step(alone, one, 4, 7);
  expect_same(named(one), named(again));
  expect_same(alone.state_dict(), resumed.state_dict());
}

TEST(Sharded, HasTheBitsOfTheOptimizer) {
  check<optim::Adam>({.lr = 0.1});
  check<optim::AdamW>({.lr = 0.1});
  check<optim::SGD>({.lr = 0.1, .momentum = 0.9});
}

// What this process' own optimizer holds.
class Open : public Sharded<optim::Adam> {
 public:
  using Sharded::Sharded;
  std::vector<std::string> kept() const { return names(inner().state_dict()); }
  std::vector<std::string> own() const {
    std::vector<std::string> out;
    for (const std::string& name : names(state_dict())) {
      if (owns(std::stoul(name.substr(std::string("parameters.").size())))) out.push_back(name);
    }
    return out;
  }

 private:
  static std::vector<std::string> names(const optim::NamedArrays& entries) {
    std::vector<std::string> out;
    for (const auto& [name, array] : entries) {
      if (name.starts_with("parameters.")) out.push_back(name);
    }
    return out;
  }
};

TEST(Sharded, KeepsTheStateOfItsParametersAlone) {
  std::vector<Tensor> all = parameters();
  Open adam(world(), all);
  std::string own;
  for (std::size_t i = 0; i < all.size(); ++i) own += adam.owns(i) ? '1' : '0';
  std::vector<int> owners(all.size(), 0);
  for (const std::string& each : world().gather(own)) {
    for (std::size_t i = 0; i < all.size(); ++i) owners[i] += each[i] - '0';
  }
  EXPECT_EQ(owners, std::vector<int>(all.size(), 1));
  step(adam, all, 0, 2);
  const optim::NamedArrays whole = adam.state_dict();
  EXPECT_EQ(whole.size(), 1 + 4 * 3U);  // of all but one that never had a gradient
  EXPECT_EQ(adam.kept(), adam.own());
  Open resumed(world(), all);
  resumed.load_state_dict(whole);
  EXPECT_EQ(resumed.kept(), resumed.own());
  std::size_t kept = 0;
  for (const std::string& each : world().gather(std::to_string(resumed.kept().size()))) {
    kept += std::stoul(each);
  }
  EXPECT_EQ(kept, 4 * 3U);
}

TEST(Sharded, AreSharedOutBySize) {
  EXPECT_THAT(owners_of(parameters(), 1), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(owners_of(parameters(), 2), ElementsAre(1, 1, 0, 1, 1));
  EXPECT_THAT(owners_of(parameters(), 4), ElementsAre(1, 3, 0, 2, 3));
}

TEST(Sharded, RefusesAStateThatDoesNotFit) {
  std::vector<Tensor> all = parameters();
  Sharded<optim::Adam> adam(world(), all);
  EXPECT_ERROR_WITH(ValueError, "Adam: the entries do not fit", adam.load_state_dict({}));
  optim::NamedArrays more = adam.state_dict();
  more.emplace_back("parameters.9.step", Array::zeros({}, DType::i64));
  EXPECT_ERROR_WITH(ValueError, "is unexpected", adam.load_state_dict(more));
  for (const char* name : {"parameters.x.step", "parameters.99999999999999999999.step",
                           "parameters.-1.step", "parameters.", "parameters.2x.step"}) {
    optim::NamedArrays others = adam.state_dict();
    others.emplace_back(name, Array::zeros({}, DType::i64));
    EXPECT_ERROR_WITH(ValueError, "is unexpected", adam.load_state_dict(others));
  }
}

TEST(Sharded, RefusesGradientsThatOthersDoNotHave) {
  if (world().size() == 1) GTEST_SKIP() << "one process has what it has";
  for (const std::size_t lacking : {std::size_t{0}, std::size_t{2}, std::size_t{4}}) {
    std::vector<Tensor> all = parameters(), before = parameters();
    Sharded<optim::SGD> sgd(world(), all, {.lr = 0.1});
    give(all, 0);
    if (world().rank() == 1) all[lacking].zero_grad();
    const std::string what = describe(all[lacking]);
    EXPECT_ERROR(ValueError,
                 fmt::format("sharded: parameter {} is {} on process 0, {} without a gradient on "
                             "process 1",
                             lacking, what, what),
                 sgd.step());
    expect_same(named(all), named(before));
    give(all, 0);
    sgd.step();  // it goes on
  }
}

// Also where one alone differs, whoever owns it, and where there are as many numbers.
TEST(Sharded, RefusesParametersOfOtherShapes) {
  if (world().size() == 1) GTEST_SKIP() << "one process has what it has";
  const bool other = world().rank() == 1;
  for (const Index odd : {0, 1, 4}) {
    for (const Shape& shape : {Shape{3, 7}, Shape{7, 2}}) {
      std::vector<Tensor> all;
      for (Index p = 0; p < 5; ++p) {
        all.push_back(ones(other && p == odd ? shape : Shape{7, 3}));
        all.back().set_requires_grad();
        all.back().set_grad(ones_like(all.back()));
      }
      Sharded<optim::SGD> sgd(world(), all, {.lr = 0.1});
      EXPECT_ERROR(
          ValueError,
          fmt::format("sharded: parameter {} is f32[7, 3] on process 0, f32{} on process 1", odd,
                      to_string(shape)),
          sgd.step());
      for (const Tensor& each : all) EXPECT_TRUE(each.equal(ones(each.shape())));
    }
  }
}

// Whosever parameter it is, nobody takes anything.
TEST(Sharded, TakesAStateEverywhereOrNowhere) {
  std::vector<Tensor> all = parameters();
  Sharded<optim::Adam> adam(world(), all);
  step(adam, all, 0, 3);
  const auto copied = [](optim::NamedArrays entries) {
    for (auto& [name, array] : entries) array = array.clone();
    return entries;
  };
  const optim::NamedArrays before = copied(adam.state_dict());
  step(adam, all, 3, 5);
  const optim::NamedArrays now = copied(adam.state_dict());
  for (const char* number : {"0", "2", "3", "4"}) {
    const std::string name = fmt::format("parameters.{}.exp_avg", number);
    optim::NamedArrays wrong = before;
    for (auto& [each, array] : wrong) {
      if (each == name) array = Array::zeros({17}, DType::f32);
    }
    EXPECT_ERROR_WITH(ValueError, "\"" + name + "\" is f32[17]", adam.load_state_dict(wrong));
    expect_same(adam.state_dict(), now);
  }
  adam.load_state_dict(before);
  expect_same(adam.state_dict(), before);
}

}  // namespace
}  // namespace heed::distributed
