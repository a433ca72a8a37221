#include "../../data/mix.h"

#include <gmock/gmock.h>

#include <limits>
#include <map>

#include "../../data/shards.h"
#include "../../data/stream.h"
#include "../support/throws.h"
#include "shard_folder.h"

namespace heed::data {
namespace {

Strings walked(const Mix<std::string>& mix, std::uint64_t seed, std::size_t most = 10000) {
  Generator generator(seed);
  const auto walk = mix.walk(generator, true);
  Strings out;
  for (std::string line; out.size() < most && walk->next(line);) out.push_back(line);
  return out;
}

class Mixed : public testing::Test {
 protected:
  const ShardFolder long_{{211, 307}}, short_{{0 + 13}};
  Mix<std::string> mix(double of_long, double of_short, MixEnds ends) const {
    return {
        {{text_shards(long_.paths()), of_long}, {text_shards(Strings{short_.paths()}), of_short}},
        ends};
  }
  // How often each line came.
  static std::map<std::string, int> counts(const Strings& lines) {
    std::map<std::string, int> out;
    for (const std::string& line : lines) ++out[line];
    return out;
  }
};

TEST_F(Mixed, DrawsByWeight) {
  // Lines "0.13" and above, and all of "1.", are of the long one.
  const ShardFolder a({1}), b({1, 1});
  const Mix<std::string> mix(
      {{text_shards(Strings{a.paths()[0]}), 6}, {text_shards(Strings{b.paths()[1]}), 2}},
      MixEnds::never);
  const auto found = counts(walked(mix, 3, 4001));
  EXPECT_EQ(found.size(), 2u);
  EXPECT_NEAR(found.at("0.0"), 3000, 120);  // four deviations
  EXPECT_EQ(walked(mix, 3, 50), walked(mix, 3, 50));
  EXPECT_NE(walked(mix, 3, 50), walked(mix, 4, 50));
}

TEST_F(Mixed, EndsWithTheFirst) {
  const Strings lines = walked(mix(1, 2, MixEnds::with_first), 5);
  EXPECT_GE(lines.size(), 13u);
  EXPECT_LT(lines.size(), 60u);
  for (const auto& [line, count] : counts(lines)) EXPECT_LE(count, 2) << line;
}

TEST_F(Mixed, EndsWithAll) {
  const auto found = counts(walked(mix(1, 1, MixEnds::with_all), 5));
  EXPECT_EQ(found.size(), 518u);
  int repeated = 0;
  for (const auto& [line, count] : found) {
    const bool in_both = line.starts_with("0.") && std::stoi(line.substr(2)) < 13;
    if (in_both) {
      repeated += count - 1;
    } else {
      EXPECT_EQ(count, 1) << line;
    }
  }
  EXPECT_GT(repeated, 13 * 30);  // the short one some 40 times
}

TEST_F(Mixed, GoesOnAnywhereToTheSameBits) {
  for (const MixEnds ends : {MixEnds::never, MixEnds::with_first, MixEnds::with_all}) {
    const StreamOptions options{.size = 7, .buffer = 17, .seed = 3};
    const auto source = mix(3, 1, ends);
    auto loader = streamed(source, same, options);
    std::vector<std::vector<std::pair<std::string, Array>>> states;
    std::vector<Strings> batches;
    for (;;) {
      states.push_back(loader.state_dict());
      auto batch = loader.next();
      if (!batch || batches.size() == 120) break;
      batches.push_back(*batch);
    }
    EXPECT_GT(batches.size(), 5u);
    auto resumed = streamed(source, same, options);
    for (std::size_t at = 0; at < batches.size(); at += 3) {
      resumed.load_state_dict(states[at]);
      for (std::size_t i = at; i < std::min(at + 5, batches.size()); ++i) {
        ASSERT_EQ(resumed.next(), batches[i]) << at << ' ' << i;
      }
    }
  }
}

TEST_F(Mixed, MayHoldAMix) {
  const Mix<std::string> outer({{mix(1, 1, MixEnds::with_all), 1}, {text_shards(long_.paths()), 1}},
                               MixEnds::with_first);
  EXPECT_GT(walked(outer, 3).size(), 400u);
}

// So many lines, as a part of few shards may have none.
struct Lines {
  using Item = std::string;
  Index count;

  struct Walk : Items<std::string> {
    explicit Walk(Index lines) : left(lines) {}
    bool next(std::string& out) override {
      out = "line";
      return left-- > 0;
    }
    void add_place(PlaceNumbers& to) const override { to.push_back(left); }
    void go_to(PlaceReader& from) override { left = from.take(); }
    Index left;
  };
  std::unique_ptr<Items<std::string>> walk(Generator&, bool) const {
    return std::make_unique<Walk>(count);
  }
};

TEST_F(Mixed, OfNothingEnds) {
  const auto of = [](Index second, MixEnds ends) {
    return Mix<std::string>({{Lines{0}, 2}, {Lines{second}, 5}}, ends);
  };
  EXPECT_ERROR(ValueError, "mix: its sources hold nothing", walked(of(0, MixEnds::never), 3));
  EXPECT_TRUE(walked(of(0, MixEnds::with_first), 3).empty());
  EXPECT_TRUE(walked(of(0, MixEnds::with_all), 3).empty());
  EXPECT_EQ(walked(of(3, MixEnds::never), 3, 31).size(), 31u);  // one that has some will do
}

TEST_F(Mixed, RefusesWhatMakesNoSense) {
  EXPECT_ERROR(ValueError, "mix: there are no sources", Mix<std::string>({}, MixEnds::never));
  EXPECT_ERROR(ValueError, "mix: weight 0 of source 1 must be positive and finite",
               mix(1, 0, MixEnds::never));
  EXPECT_ERROR(ValueError, "mix: weight -2.5 of source 0 must be positive and finite",
               mix(-2.5, 1, MixEnds::never));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(ValueError, "mix: weight nan of source 0 must be positive and finite",
               mix(nan, 1, MixEnds::never));
  EXPECT_ERROR_WITH(ValueError, "weight inf of source 1", mix(1, HUGE_VAL, MixEnds::never));
  EXPECT_ERROR(ValueError, "mix: the weights' sum is not finite",
               mix(1.5e308, 1.5e308, MixEnds::never));
}

}  // namespace
}  // namespace heed::data
