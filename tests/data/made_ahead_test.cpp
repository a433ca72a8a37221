#include "../../data/made_ahead.h"

#include <gtest/gtest.h>

#include <memory>

namespace heed::data {
namespace {

TEST(MadeAhead, GivesWhatWasPutInOrderAndKeepsNothing) {
  MadeAhead<std::shared_ptr<int>> ahead(3);
  EXPECT_TRUE(ahead.empty());
  int next = 0;
  for (int made = 0; made < 17;) {
    while (ahead.size() < 3) ahead.push(std::make_shared<int>(made++));
    for (int i = 0; i < 2; ++i) {
      const std::shared_ptr<int> taken = ahead.pop();
      EXPECT_EQ(*taken, next++);
      EXPECT_EQ(taken.use_count(), 1);
    }
    EXPECT_EQ(ahead.size(), 1U);
  }
}

}  // namespace
}  // namespace heed::data
