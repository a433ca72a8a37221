#include "../../../data/generated/seeded_rows.h"

#include <gtest/gtest.h>

namespace heed::data {
namespace {

TEST(SeededRows, EachPieceDrawsItsOwn) {
  auto batches = seeded_rows(11, 5);
  Generator generator(5);
  const SeededRows batch = *batches.next();
  EXPECT_EQ(batch.seed, generator.next());  // what is drawn in one piece is the seed's
  EXPECT_EQ(rows_of(batch), 11);
  EXPECT_EQ(part_of(batch, 0, 11).seed, batch.seed);
  Pieces<SeededRows> pieces;
  ASSERT_TRUE(batches.next_pieces({.count = 3, .first = 1, .last = 3}, pieces));
  const std::uint64_t seed = generator.next();
  EXPECT_FALSE(pieces[0].batch);
  EXPECT_EQ(pieces[1].batch->seed, seed + 3);
  EXPECT_EQ(pieces[1].batch->count, 4);
  EXPECT_EQ(pieces[2].batch->seed, seed + 7);
  EXPECT_EQ(pieces[2].batch->count, 4);
}

}  // namespace
}  // namespace heed::data
