#include "../../data/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "../../data/loader.h"
#include "../../data/windows.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using Rows = std::vector<Index>;

std::vector<Index> counted(Index count) {
  std::vector<Index> out;
  for (Index i = 0; i < count; ++i) out.push_back(10 + i);
  return out;
}

TEST(Pieces, AreTheBatchOneBehindTheOther) {
  const std::vector<Index> set = counted(17);
  Loader whole(set, {.size = 7, .seed = 5});
  Loader cut(set, {.size = 7, .seed = 5});
  for (int pass = 0; pass < 2; ++pass) {
    while (const auto batch = whole.next()) {
      Pieces<Rows> pieces;
      ASSERT_TRUE(cut.next_pieces({.count = 3, .first = 0, .last = 3}, pieces));
      Rows joined;
      for (const auto& piece : pieces) {
        EXPECT_EQ(static_cast<Index>(piece.batch->size()), piece.rows);
        EXPECT_LE(std::abs(3 * piece.rows - static_cast<Index>(batch->size())), 3);
        joined.insert(joined.end(), piece.batch->begin(), piece.batch->end());
      }
      EXPECT_EQ(joined, *batch);
    }
    Pieces<Rows> none;
    EXPECT_FALSE(cut.next_pieces({.count = 3, .first = 0, .last = 3}, none));
  }
}

TEST(Pieces, OnlyThoseWantedAreMade) {
  const std::vector<Index> set = counted(11);
  for (const Index prefetch : {0, 2}) {
    std::vector<Rows> made;
    Loader batches(set,
                   [&](const Rows& rows) {
                     made.push_back(rows);
                     return rows;
                   },
                   {.size = 8, .shuffle = false, .prefetch = prefetch});
    Pieces<Rows> pieces;
    ASSERT_TRUE(batches.next_pieces({.count = 4, .first = 1, .last = 2}, pieces));
    EXPECT_EQ(batches.index(), 1);
    EXPECT_FALSE(pieces[0].batch || pieces[2].batch || pieces[3].batch);
    EXPECT_THAT(*pieces[1].batch, ElementsAre(2, 3));
    // A batch of fewer rows than pieces leaves some empty; other pieces may be asked for.
    ASSERT_TRUE(batches.next_pieces({.count = 4, .first = 0, .last = 4}, pieces));
    EXPECT_THAT((Rows{pieces[0].rows, pieces[1].rows, pieces[2].rows, pieces[3].rows}),
                ElementsAre(0, 1, 1, 1));
    EXPECT_FALSE(pieces[0].batch);
    EXPECT_THAT(*pieces[3].batch, ElementsAre(10));
    EXPECT_FALSE(batches.next_pieces({.count = 4, .first = 0, .last = 4}, pieces));
    EXPECT_THAT(*batches.next(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));  // whole again
    EXPECT_EQ(batches.index(), 1);
    if (prefetch == 0) {
      EXPECT_EQ(made.size(), 5U);
    }
  }
}

// An error of a batch that was made ahead, and is dropped as other pieces are asked for.
TEST(Pieces, NoBatchIsLostBehindAnError) {
  const std::vector<Index> set = counted(17);
  std::atomic<bool> broken = true, met = false;
  Loader batches(set,
                 [&](const Rows& rows) {
                   if (rows.front() == 5 && broken) {
                     met = true;
                     throw ShapeError("no such row");
                   }
                   return rows;
                 },
                 {.size = 5, .shuffle = false, .prefetch = 1});
  Pieces<Rows> pieces;
  ASSERT_TRUE(batches.next_pieces({.count = 2, .first = 0, .last = 1}, pieces));
  EXPECT_THAT(*pieces[0].batch, ElementsAre(0, 1));
  // As long as it takes, but for a loader that makes nothing ahead.
  for (int i = 0; i < 60000 && !met; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(met);
  broken = false;
  ASSERT_TRUE(batches.next_pieces({.count = 2, .first = 1, .last = 2}, pieces));
  EXPECT_THAT(*pieces[1].batch, ElementsAre(7, 8, 9));
  EXPECT_EQ(batches.index(), 2);
  ASSERT_TRUE(batches.next_pieces({.count = 2, .first = 0, .last = 1}, pieces));
  EXPECT_THAT(*pieces[0].batch, ElementsAre(10, 11));
}

// As in steps of several batches: what was made ahead would be of the wrong pieces each time, and
// going back dear.
TEST(Pieces, OfOtherPlacesEachTimeAreNotMadeAhead) {
  for (const Index prefetch : {0, 3}) {
    Index back = 0;
    Loader<Rows> batches(
        [&](Generator&, Index) {
          Pass<Rows> pass = pass_over<Rows>(std::vector<Rows>(23, Rows{2, 3, 5, 7}),
                                            [](const Rows& rows) { return rows; });
          pass.place = [] { return PlaceNumbers{11}; };
          pass.go_to = [&](const PlaceNumbers&) { ++back; };
          return pass;
        },
        Generator(3), prefetch);
    Pieces<Rows> pieces;
    for (Index k = 0; k < 23; ++k) {
      ASSERT_TRUE(batches.next_pieces({.count = 2, .first = k % 2, .last = k % 2 + 1}, pieces));
    }
    EXPECT_LE(back, prefetch == 0 ? 0 : 1);
    EXPECT_EQ(batches.index(), 23);
  }
}

TEST(Pieces, OfWhatIsDrawnWhole) {
  const std::vector<Index> text = counted(40);
  const auto draw = [&](Generator& generator) { return random_windows(text, 5, 3, generator); };
  auto whole = drawn(draw, 9), cut = drawn(draw, 9);
  const Windows all = *whole.next();
  Pieces<Windows> pieces;
  ASSERT_TRUE(cut.next_pieces({.count = 2, .first = 1, .last = 2}, pieces));
  EXPECT_FALSE(pieces[0].batch);
  EXPECT_EQ(pieces[0].rows, 2);
  EXPECT_EQ(pieces[1].batch->inputs.to_vector<Index>(),
            all.inputs.slice(0, 2, 5).to_vector<Index>());
  EXPECT_EQ(pieces[1].batch->targets.to_vector<Index>(),
            all.targets.slice(0, 2, 5).to_vector<Index>());
  // One piece is the whole, with as many rows.
  auto one = drawn(draw, 9);
  ASSERT_TRUE(one.next_pieces({}, pieces));
  EXPECT_EQ(pieces[0].rows, 5);
  EXPECT_EQ(pieces[0].batch->inputs.to_vector<Index>(), all.inputs.to_vector<Index>());
  auto numbers = drawn([](Generator& generator) { return generator.next(); });
  Pieces<std::uint64_t> none;
  EXPECT_ERROR_WITH(ValueError, "nobody has said how to cut them",
                    numbers.next_pieces({.count = 2, .first = 0, .last = 1}, none));
  EXPECT_TRUE(numbers.next_pieces({}, none));
}

}  // namespace
}  // namespace heed::data
