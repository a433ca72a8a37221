#include "../../data/shuffled_items.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../support/throws.h"

namespace heed::data {
namespace {

// 0, 1, 2 ..; once it fails in front of a number.
class Counting : public Items<Index> {
 public:
  explicit Counting(Index fails) : fails_(fails) {}
  bool next(Index& out) override {
    if (at_ == fails_) {
      fails_ = -1;
      throw ValueError("unreadable");
    }
    out = at_++;
    return true;
  }
  void add_place(PlaceNumbers& to) const override { to.push_back(at_); }
  void go_to(PlaceReader& from) override { at_ = from.take(); }

 private:
  Index fails_, at_ = 0;
};

TEST(ShuffledItems, HoldNothingBehindAnErrorInTheMiddleOfABuffer) {
  for (std::uint64_t seed = 0; seed < 11; ++seed) {
    Generator generator(seed);
    ShuffledItems<Index> items(std::make_unique<Counting>(7), 5, generator);
    Index item = -1;
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(items.next(item));
    PlaceNumbers place;
    ShuffledItems<Index>::add(place, items.mark());
    EXPECT_ERROR(ValueError, "unreadable", items.next(item));
    // What was read of it is gone: the next buffer.
    std::vector<Index> found;
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(items.next(item));
      found.push_back(item);
    }
    EXPECT_THAT(found, testing::UnorderedElementsAre(7, 8, 9, 10, 11));
    // From its place it comes whole.
    PlaceReader from(place);
    items.go_to(from);
    found.clear();
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(items.next(item));
      found.push_back(item);
    }
    EXPECT_THAT(found, testing::UnorderedElementsAre(5, 6, 7, 8, 9));
  }
}

}  // namespace
}  // namespace heed::data
