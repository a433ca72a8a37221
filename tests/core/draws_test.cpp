// Draws that are noted, and drawn once more.
#include "../../core/draws.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

TEST(Draws, ThatFollowEachOtherAreOneEntry) {
  Generator a(3), b(5);
  Draws draws;
  a.next();
  {
    NoteDraws note(draws);
    EXPECT_EQ(DrawScope::innermost(), &note);
    a.next();
    a.uniform({7}, 0, 1);
    b.next();
    a.next();
    a.skip(2);
    a.set_state({7, 5});  // as far, but another stream
    a.next();
    a.set_state({7, 11});
    a.next();
  }
  EXPECT_EQ(DrawScope::innermost(), nullptr);
  a.next();
  ASSERT_EQ(draws.size(), 5U);
  EXPECT_EQ(draws[0].at, (Generator::State{3, 1}));
  EXPECT_EQ(draws[0].blocks, 3U);
  EXPECT_EQ(draws[1].at, (Generator::State{5, 0}));
  EXPECT_EQ(draws[1].blocks, 1U);
  EXPECT_EQ(draws[2].at, (Generator::State{3, 4}));
  EXPECT_EQ(draws[2].blocks, 3U);
  EXPECT_EQ(draws[3].at, (Generator::State{7, 5}));
  EXPECT_EQ(draws[4].at, (Generator::State{7, 11}));
}

TEST(Draws, OfTwoStreamsStayApartWhereOneEndsWhereTheOtherBegins) {
  Generator a(3), b(5);
  b.skip(1);
  Draws draws;
  {
    NoteDraws note(draws);
    a.next();
    b.next();
  }
  ASSERT_EQ(draws.size(), 2U);
  EXPECT_EQ(draws[1].at, (Generator::State{5, 1}));
}

TEST(Draws, ComeAgainAndTheGeneratorsStay) {
  Generator a(3), b(5);
  a.skip(2);
  Draws draws;
  const auto run = [&] {
    std::vector<std::uint64_t> out = {a.next(), b.next(), b.next(), a.next()};
    for (const double x : a.uniform({5}, 0, 1, DType::f64).to_vector<double>()) {
      out.push_back(static_cast<std::uint64_t>(x * 0x1p53));
    }
    return out;
  };
  std::vector<std::uint64_t> first;
  {
    NoteDraws note(draws);
    first = run();
  }
  const Generator::State after_a = a.state(), after_b = b.state();
  a.next();
  for (int time = 0; time < 2; ++time) {
    RepeatDraws repeat(draws);
    EXPECT_EQ(run(), first);
  }
  EXPECT_EQ(a.state(), (Generator::State{3, after_a.offset + 1}));
  EXPECT_EQ(b.state(), after_b);
}

TEST(Draws, MoreOrOtherPiecesAreRefused) {
  const std::string message =
      "draws: the second run asks for other random numbers than the first "
      "did";
  Generator a(3), b(5);
  Draws draws;
  {
    NoteDraws note(draws);
    a.skip(3);
    b.skip(2);
  }
  {
    RepeatDraws repeat(draws);
    a.skip(2);
    EXPECT_ERROR(ValueError, message, a.skip(2)) << "of one block and of another stream";
    EXPECT_EQ(a.skip(1), (Generator::State{3, 2}));
    EXPECT_EQ(a.skip(2), (Generator::State{5, 0}));
    EXPECT_ERROR(ValueError, message, a.skip(1)) << "more than there were";
  }
  const Draws none;
  RepeatDraws repeat(none);
  EXPECT_ERROR(ValueError, message, a.next());
}

TEST(Draws, InnerScopesTakeFromOuterOnes) {
  Generator a(3);
  Draws outer, inner;
  {
    NoteDraws around(outer);
    a.next();
    {
      NoteDraws within(inner);
      a.next();
      a.next();
    }
    EXPECT_EQ(DrawScope::innermost(), &around);
  }
  ASSERT_EQ(outer.size(), 1U);
  EXPECT_EQ(outer[0].blocks, 3U);
  ASSERT_EQ(inner.size(), 1U);
  EXPECT_EQ(inner[0].at, (Generator::State{3, 1}));
  EXPECT_EQ(inner[0].blocks, 2U);
  Draws again;
  {
    RepeatDraws repeat(inner);
    NoteDraws note(again);
    EXPECT_EQ(a.skip(2), (Generator::State{3, 1}));
  }
  EXPECT_EQ(a.state().offset, 3U);
  EXPECT_EQ(again.at(0).at, inner[0].at);
}

}  // namespace
}  // namespace heed
