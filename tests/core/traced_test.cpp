// What operators say of themselves reaches the tracer of their own thread, and nobody else.
#include "../../core/traced.h"

#include <gtest/gtest.h>

#include <thread>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

struct Listener final : Tracer {
  void computed(const Call&) override { ++computations; }
  static std::vector<Said> taken() { return take_said(); }
  int computations = 0;
};

struct Silent final : Observer {};

TEST(Traced, SaysNamesAndValuesInTheirOrder) {
  Listener listener;
  const Tracer::Installed installed(listener);
  EXPECT_TRUE(traced());
  say("axis", 2, "keepdim", true, "eps", 0.5F, "axes", std::vector<Index>{3, 1});
  say("condition", Array::full({}, 7, DType::f64));
  const std::vector<Said> said = Listener::taken();
  ASSERT_EQ(said.size(), 5U);
  EXPECT_STREQ(said[0].name, "axis");
  EXPECT_EQ(std::get<Index>(said[0].value), 2);
  EXPECT_STREQ(said[1].name, "keepdim");
  EXPECT_EQ(std::get<Index>(said[1].value), 1);
  EXPECT_EQ(std::get<double>(said[2].value), 0.5);
  EXPECT_EQ(std::get<std::vector<Index>>(said[3].value), (std::vector<Index>{3, 1}));
  EXPECT_STREQ(said[4].name, "condition");
  EXPECT_EQ(std::get<Array>(said[4].value).item(), 7);
  EXPECT_TRUE(Listener::taken().empty()) << "what was taken is forgotten";
}

TEST(Traced, NothingIsSaidWhereNobodyTraces) {
  say("axis", 1);
  EXPECT_FALSE(traced());
  EXPECT_TRUE(Listener::taken().empty());
  Silent silent;
  const Observer::Installed installed(silent);
  EXPECT_FALSE(traced()) << "an observer that does not trace";
  say("axis", 1);
  EXPECT_TRUE(Listener::taken().empty());
}

TEST(Traced, ConcernsItsOwnThreadAlone) {
  Listener listener;
  const Tracer::Installed installed(listener);
  bool elsewhere = true;
  std::thread([&] { elsewhere = traced(); }).join();
  EXPECT_FALSE(elsewhere);
}

TEST(Traced, BeginsAndEndsWithNothingSaid) {
  Listener first, second;
  detail::tell_said("left over", Index{1});
  {
    const Tracer::Installed installed(first);
    EXPECT_TRUE(Listener::taken().empty());
    say("axis", 1);
  }
  EXPECT_FALSE(traced());
  EXPECT_TRUE(Listener::taken().empty());
  const Tracer::Installed installed(second);
  EXPECT_ERROR(ValueError, "observer: another profiler or summary is at work",
               const Tracer::Installed other(first));
  EXPECT_TRUE(traced());
}

}  // namespace
}  // namespace heed
