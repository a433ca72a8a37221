// Each event reaches the observer once, with what belongs to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "../../core/observer.h"
#include "../../core/scope.h"
#include "../support/named_part.h"

namespace heed {
namespace {

struct Events final : Observer {
  void begins() override { heard.emplace_back("begins"); }
  void wrapped() override { heard.emplace_back("wrapped"); }
  std::uint32_t called(const Call& call) override {
    heard.push_back(std::string("called ") + call.op);
    return 7;
  }
  void derivative_begins(const Derivative& d) override {
    heard.push_back(std::string("derivative ") + d.op + " of " + std::to_string(d.call));
  }
  void derivative_ends() override {
    heard.emplace_back("ends");
    if (throws) throw std::runtime_error("ends");
  }
  void returned(const Part& part, const Array& output) override {
    heard.push_back(part.path() + " gives " + describe(output));
  }
  std::vector<std::string> heard;
  bool throws = false;
};

struct Deaf final : Observer {};

std::uint32_t tell_all() {
  detail::tell_begins();
  detail::tell_wrapped();
  const std::uint32_t number = detail::tell_called({"add", {}, {}, false});
  detail::tell_derivative({"add", number, {}});
  detail::tell_derivative_ends();
  detail::tell_returned(NamedPart("a.b"), Array::zeros({2, 3}, DType::f32));
  return number;
}

TEST(ObserverEvents, ReachItOnce) {
  Events events;
  const Observer::Installed installed(events);
  EXPECT_EQ(tell_all(), 7U);
  EXPECT_THAT(events.heard,
              testing::ElementsAre("begins", "wrapped", "called add", "derivative add of 7", "ends",
                                   "a.b gives f32[2, 3]"));
  events.throws = true;
  EXPECT_NO_THROW(detail::tell_derivative_ends());
  EXPECT_EQ(events.heard.size(), 7U);
}

TEST(ObserverEvents, ReachNobodyWhereThereIsNone) {
  Events events;
  { const Observer::Installed installed(events); }
  EXPECT_EQ(tell_all(), 0U);
  EXPECT_TRUE(events.heard.empty());
}

TEST(ObserverEvents, OfNoInterestAreNumberedZero) {
  Deaf deaf;
  const Observer::Installed installed(deaf);
  EXPECT_EQ(tell_all(), 0U);
}

}  // namespace
}  // namespace heed
