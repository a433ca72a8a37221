#include "../../../attention/masks/wait_k.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../../../core/error.h"
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

TEST(WaitK, SaysWhatIsWrong) {
  EXPECT_ERROR(ValueError, "wait_k: wait 0 must be positive, catch_up 0 and first 0 not negative",
               masks::wait_k({.wait = 0}));
  EXPECT_ERROR(ValueError, "wait_k: wait 1 must be positive, catch_up -1 and first -2 not negative",
               wait_k_reads({.catch_up = -1, .first = -2}, 0));
}

}  // namespace
}  // namespace heed::attention
