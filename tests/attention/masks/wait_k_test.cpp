#include "../../../attention/masks/wait_k.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "../../../attention/attend.h"
#include "../../../autograd/ops/elementwise/close.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../support/throws.h"

namespace heed::attention {
namespace {

// How many of `source` words each of `target` words sees.
std::vector<Index> reads(const WaitKOptions& options, Index target, Index source) {
  const Tensor may = masks::wait_k(options).tensor(Shape{target, source});
  const std::vector<bool> seen = may.array().to_vector<bool>();
  std::vector<Index> out;
  for (Index t = 0; t < target; ++t) {
    out.push_back(std::count(seen.begin() + t * source, seen.begin() + (t + 1) * source, true));
  }
  return out;
}

TEST(WaitK, IsThePapersSchedule) {
  using testing::ElementsAre;
  EXPECT_THAT(reads({.wait = 3}, 6, 5), ElementsAre(3, 4, 5, 5, 5, 5));
  EXPECT_THAT(reads({.wait = 1}, 4, 6), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(reads({.wait = 2, .first = 3}, 2, 7), ElementsAre(5, 6));
  // c = 1/4: each fourth word is written without one being read before.
  EXPECT_THAT(reads({.wait = 3, .catch_up = 4}, 9, 9), ElementsAre(3, 4, 5, 5, 6, 7, 8, 8, 9));
}

TEST(WaitK, ReadsWhatTheMaskShows) {
  const WaitKOptions options{.wait = 2, .catch_up = 3, .first = 1};
  const std::vector<Index> seen = reads(options, 7, 20);
  for (Index i = 0; i < 7; ++i) {
    EXPECT_EQ(wait_k_reads(options, i + options.first), seen[static_cast<std::size_t>(i)]);
  }
}

// Whoever waits longer than any source is long has read all of it.
TEST(WaitK, WaitsOfAnyLengthDoNotOverflow) {
  using testing::ElementsAre, testing::Each;
  constexpr Index kMost = std::numeric_limits<Index>::max();
  for (const Index wait : {kMost, kMost - 1, kMost / 2, kMost / 2 + 1}) {
    for (const Index catch_up : {Index{0}, Index{1}, Index{3}, kMost}) {
      const WaitKOptions options{.wait = wait, .catch_up = catch_up};
      EXPECT_THAT(reads(options, 5, 7), Each(7)) << wait << " " << catch_up;
      for (const Index written : {Index{0}, Index{5}, kMost / 2, kMost}) {
        EXPECT_GE(wait_k_reads(options, written), wait - 1) << wait << " " << catch_up;
      }
    }
  }
  EXPECT_EQ(wait_k_reads({.wait = kMost}, 0), kMost);
  EXPECT_EQ(wait_k_reads({.wait = kMost}, kMost), kMost);
  EXPECT_EQ(wait_k_reads({.wait = 2, .catch_up = 1}, kMost), 1);
  EXPECT_EQ(wait_k_reads({.wait = 2, .catch_up = kMost}, kMost), kMost);
  EXPECT_THAT(reads({.wait = 1, .first = kMost}, 3, 7), Each(7));
  EXPECT_THAT(reads({.wait = kMost, .first = kMost}, 3, 7), Each(7));
  EXPECT_THAT(reads({.wait = 2, .catch_up = 1, .first = kMost}, 3, 7), ElementsAre(1, 1, 1));
}

// By a mask that no block is made of, too.
TEST(WaitK, WaitsOfAnyLengthSeeAllInTiles) {
  manual_seed(3);
  constexpr Index kMost = std::numeric_limits<Index>::max();
  const Tensor q = randn({2, 5, 3}, DType::f64), k = randn({2, 7, 3}, DType::f64);
  const Tensor wanted = attend(q, k, k, {.tiles_only = true}).context;
  const Mask mask = masks::wait_k({.wait = kMost, .first = kMost});
  const Tensor have = attend(q, k, k, {.mask = mask, .tiles_only = true}).context;
  EXPECT_TRUE(allclose(have, wanted, 1e-12, 1e-12));
}

TEST(WaitK, SaysWhatIsWrong) {
  EXPECT_ERROR(ValueError, "wait_k: wait 0 must be positive, catch_up 0 and first 0 not negative",
               masks::wait_k({.wait = 0}));
  EXPECT_ERROR(ValueError, "wait_k: wait 1 must be positive, catch_up -1 and first -2 not negative",
               wait_k_reads({.catch_up = -1, .first = -2}, 0));
}

}  // namespace
}  // namespace heed::attention
