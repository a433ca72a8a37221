// What an observer is told of operators, however they are recorded: of each call its operands and
// results, of each derivative whose call it is and which gradients are wanted.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/autograd.h"
#include "../../autograd/checkpoint.h"
#include "../../core/error.h"
#include "../../core/observer.h"

namespace heed {
namespace {

using testing::ElementsAre;

// Of a call "op(operands) -> results", with "in " before those of a derivative; of a derivative
// "derivative of op, call n: wanted", n counted from 1 among the calls that were told.
class Notes final : public Observer {
 public:
  std::vector<std::string> heard;

  std::uint32_t called(const Call& call) override {
    heard.push_back(fmt::format("{}{}({}) -> {}", call.in_derivative ? "in " : "", call.op,
                                fmt::join(texts(call.inputs), ", "),
                                fmt::join(texts(call.results), ", ")));
    return ++calls_;
  }
  void derivative_begins(const Derivative& it) override {
    std::string wanted;
    for (const bool each : it.wanted) wanted += each ? '1' : '0';
    heard.push_back(fmt::format("derivative of {}, call {}: {}", it.op, it.call, wanted));
  }
  void derivative_ends() override { heard.push_back("end"); }

 private:
  static std::vector<std::string> texts(std::span<const Array> arrays) {
    std::vector<std::string> out;
    for (const Array& each : arrays) {
      out.push_back(each.defined() ? to_string(each.shape()) : "none");
    }
    return out;
  }
  std::uint32_t calls_ = 0;
};

std::vector<std::string> told(const std::function<void()>& calls) {
  Notes notes;
  const Observer::Installed installed(notes);
  calls();
  return notes.heard;
}

Tensor leaf(const Shape& shape) { return ones(shape).set_requires_grad(); }

TEST(Observed, AreOperatorsOfOneResult) {
  const Tensor x = leaf({2, 3}), y = ones({3});
  EXPECT_THAT(told([&] { y* y; }), ElementsAre("mul([3], [3]) -> [3]"));
  EXPECT_THAT(told([&] {
                grad({x * y}, {x}, {ones({2, 3})});
              }),
              ElementsAre("mul([2, 3], [3]) -> [2, 3]", "derivative of mul, call 1: 10",
                          "in mul([2, 3], [3]) -> [2, 3]", "end"));
}

TEST(Observed, AreOperatorsWhoseGradientsShareWork) {
  const Tensor x = ones({2, 3}), w = leaf({5, 3}), none;
  EXPECT_THAT(told([&] {
                linear(x, ones({5, 3}), none);
              }),
              ElementsAre("linear([2, 3], [5, 3], none) -> [2, 5]"));
  const auto heard = told([&] { grad({linear(x, w, none)}, {w}, {ones({2, 5})}); });
  ASSERT_GE(heard.size(), 3U);
  EXPECT_EQ(heard[0], "linear([2, 3], [5, 3], none) -> [2, 5]");
  EXPECT_EQ(heard[1], "derivative of linear, call 1: 010");
  EXPECT_EQ(heard.back(), "end");
}

TEST(Observed, AreOperatorsOfSeveralResults) {
  const Tensor x = leaf({5, 2});
  EXPECT_THAT(told([] {
                split(ones({5, 2}), {1, 4});
              }),
              ElementsAre("split([5, 2]) -> [1, 2], [4, 2]"));
  const auto heard = told([&] { grad({split(x, {1, 4})[1]}, {x}, {ones({4, 2})}); });
  EXPECT_EQ(heard[0], "split([5, 2]) -> [1, 2], [4, 2]");
  EXPECT_EQ(heard[1], "derivative of split, call 1: 1");
  EXPECT_EQ(heard.back(), "end");
}

TEST(Observed, AreCheckpointsAndWhatTheyCallAgain) {
  const Tensor x = leaf({3});
  const auto heard = told([&] {
    const Tensor y = checkpoint([](const Tensor& h) { return exp(h); }, x);
    grad({y}, {x}, {ones({3})});
  });
  EXPECT_THAT(heard, ElementsAre("exp([3]) -> [3]", "checkpoint([3]) -> ",
                                 "derivative of checkpoint, call 2: 1", "exp([3]) -> [3]", "end",
                                 "derivative of exp, call 3: 1", "in mul([3], [3]) -> [3]", "end"));
}

// A derivative that throws has ended as well.
TEST(Observed, AreDerivativesThatThrow) {
  const Tensor x = leaf({3});
  const auto heard = told([&] {
    const Tensor y = record("mine", x.array().clone(), {x},
                            [](const Tensor&) -> Tensor { throw ValueError("enough"); });
    EXPECT_THROW(grad({y}, {x}, {ones({3})}), ValueError);
  });
  EXPECT_THAT(heard, ElementsAre("mine([3]) -> [3]", "derivative of mine, call 1: 1", "end"));
}

}  // namespace
}  // namespace heed
