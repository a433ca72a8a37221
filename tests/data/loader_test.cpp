#include "../../data/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <numeric>
#include <set>
#include <string>

#include "../support/throws.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

using Rows = std::vector<Index>;

struct Word {
  std::string text;
  Index length() const { return static_cast<Index>(text.size()); }
};

std::vector<Word> words(Index count) {
  std::vector<Word> out;
  for (Index i = 0; i < count; ++i) {
    out.push_back({std::string(static_cast<std::size_t>(1 + i * 7 % 5), 'x') + std::to_string(i)});
  }
  return out;
}

Rows same(const Rows& rows) { return rows; }

// One whole pass.
template <class Batch>
std::vector<Batch> all(Loader<Batch>& loader) {
  std::vector<Batch> out;
  while (auto batch = loader.next()) out.push_back(std::move(*batch));
  return out;
}

Rows joined(const std::vector<Rows>& batches) {
  Rows out;
  for (const Rows& rows : batches) out.insert(out.end(), rows.begin(), rows.end());
  return out;
}

Rows iota(Index count) {
  Rows out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

TEST(Loader, IsWalkedOverByAFor) {
  const std::vector<Word> set = words(7);
  Loader loader(set, same, {.size = 3, .shuffle = false});
  std::vector<Rows> found;
  for (const Rows& rows : loader) found.push_back(rows);
  EXPECT_EQ(joined(found), iota(7));
  EXPECT_EQ(loader.pass(), 1);
  loader.next();
  for (const Rows& rows : loader) found.push_back(rows);  // what is left
  EXPECT_THAT(found, SizeIs(5));
  EXPECT_EQ(loader.pass(), 2);
}

TEST(Loader, GivesEachExampleOnceAPassInAnotherOrder) {
  const std::vector<Word> set = words(23);
  Loader loader(set, same, {.size = 5, .seed = 3});
  EXPECT_EQ(loader.count(), 5);
  const auto first = all(loader), second = all(loader);
  EXPECT_THAT(first, SizeIs(5));
  EXPECT_THAT(first.back(), SizeIs(3));
  EXPECT_THAT(joined(first), UnorderedElementsAreArray(iota(23)));
  EXPECT_THAT(joined(second), UnorderedElementsAreArray(iota(23)));
  EXPECT_NE(first, second);
  EXPECT_EQ(loader.pass(), 2);
}

TEST(Loader, GivesItemsOrWhatTheSetMakesOfThem) {
  const std::vector<Word> set = words(3);
  Loader items(set, {.size = 2, .shuffle = false});
  const auto first = items.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->at(1).text, set[1].text);
  struct Squares {
    std::size_t size() const { return 4; }
    Index operator[](std::size_t i) const { return static_cast<Index>(i); }
    std::string batch(const Rows& rows) const { return std::to_string(rows.front()); }
  } const squares;
  Loader made(squares, {.size = 3, .shuffle = false});
  EXPECT_EQ(made.next(), "0");
  EXPECT_EQ(made.next(), "3");
  EXPECT_EQ(made.next(), std::nullopt);
}

TEST(Loader, PutsLikeLengthsTogether) {
  const std::vector<Word> set = words(40);
  Loader loader(set, same, {.size = 4, .by = &Word::length});
  for (const Rows& rows : all(loader)) {
    std::set<Index> lengths;
    for (const Index row : rows) lengths.insert(set[static_cast<std::size_t>(row)].length());
    EXPECT_LE(lengths.size(), 3u);
  }
}

TEST(Loader, CutsByTokensWithPaddingAndWithout) {
  const std::vector<Word> set = words(40);
  const auto length = [&](Index row) { return set[static_cast<std::size_t>(row)].length(); };
  for (const bool packed : {false, true}) {
    Loader loader(set, same, {.tokens = 17, .packed = packed, .by = &Word::length});
    const auto batches = all(loader);
    EXPECT_THAT(joined(batches), UnorderedElementsAreArray(iota(40)));
    for (const Rows& rows : batches) {
      Index longest = 0, sum = 0;
      for (const Index row : rows) {
        longest = std::max(longest, length(row));
        sum += length(row);
      }
      EXPECT_LE(packed ? sum : longest * static_cast<Index>(rows.size()), 17);
    }
  }
}

TEST(Loader, KeepsToTheOrderWhereNothingIsDrawn) {
  const std::vector<Word> set = words(11);
  std::vector<LengthKey> lengths;
  for (const Word& word : set) lengths.push_back(Length(word.length()));
  Loader sorted(set, same, {.size = 4, .by = &Word::length, .shuffle = false});
  EXPECT_EQ(all(sorted), batches_by_length(lengths, 4));
  Loader filled(set, same, {.tokens = 9, .by = &Word::length, .shuffle = false});
  EXPECT_EQ(all(filled), batches_by_tokens(lengths, 9, nullptr));
  Loader packed(set, same, {.tokens = 9, .packed = true, .by = &Word::length, .shuffle = false});
  EXPECT_EQ(all(packed), batches_packed(lengths, 9, nullptr));
  Loader last(set, same, {.size = 11, .drop_last = true});
  EXPECT_THAT(all(last), ElementsAre(SizeIs(11)));
  Generator generator(0);
  Loader seedless(set, same, {.size = 11});
  EXPECT_EQ(seedless.next(), generator.permutation(11));
  const auto draw = [](Generator& from) { return from.below(1000003); };
  Generator zero(0);
  EXPECT_EQ(drawn(draw).next(), zero.below(1000003));
}

TEST(Loader, MayLeaveOutTheLast) {
  const std::vector<Word> set = words(11);
  Loader loader(set, same, {.size = 4, .drop_last = true});
  EXPECT_THAT(all(loader), ElementsAre(SizeIs(4), SizeIs(4)));
}

TEST(Loader, LeavesOutDrawnExamplesWhereLikeLengthsMeet) {
  const std::vector<Word> set = words(11);
  LoaderOptions<Word> options{.size = 4, .by = &Word::length, .drop_last = true, .seed = 3};
  Loader loader(set, same, options);
  std::set<Index> dropped;
  for (int pass = 0; pass < 13; ++pass) {
    const auto batches = all(loader);
    EXPECT_THAT(batches, ElementsAre(SizeIs(4), SizeIs(4)));
    const Rows rows = joined(batches);
    const std::set<Index> had(rows.begin(), rows.end());
    EXPECT_EQ(had.size(), 8U);
    for (Index row = 0; row < 11; ++row) {
      if (!had.contains(row)) dropped.insert(row);
    }
  }
  EXPECT_GT(dropped.size(), 7U);  // not the three longest each time
  // A place in a pass is what it was.
  loader.next();
  const auto state = loader.state_dict();
  const auto rest = all(loader);
  options.seed = 5;
  Loader resumed(set, same, options);
  resumed.load_state_dict(state);
  EXPECT_EQ(all(resumed), rest);
  // Where nothing is left over nothing is drawn for it, and without chance the longest go.
  LoaderOptions<Word> whole{.size = 11, .by = &Word::length};
  Loader plain(set, same, whole);
  whole.drop_last = true;
  Loader full(set, same, whole);
  EXPECT_EQ(all(full), all(plain));
  std::vector<LengthKey> lengths;
  for (const Word& word : set) lengths.push_back(Length(word.length()));
  auto sorted = batches_by_length(lengths, 4);
  sorted.pop_back();
  options.shuffle = false;
  Loader still(set, same, options);
  EXPECT_EQ(all(still), sorted);
}

class LoaderAhead : public testing::TestWithParam<Index> {};

TEST_P(LoaderAhead, GivesTheSameBatchesAndGoesOnWhereItStood) {
  const std::vector<Word> set = words(23);
  const LoaderOptions<Word> options{.size = 3, .by = &Word::length, .seed = 5};
  Loader plain(set, same, options);
  LoaderOptions<Word> ahead = options;
  ahead.prefetch = GetParam();
  Loader loader(set, same, ahead);
  EXPECT_EQ(all(loader), all(plain));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(loader.next(), plain.next());
  const auto state = loader.state_dict();
  const auto rest = all(plain), next = all(plain);
  ahead.seed = 99;
  Loader resumed(set, same, ahead);
  resumed.load_state_dict(state);
  EXPECT_EQ(resumed.index(), 4);
  EXPECT_EQ(resumed.pass(), 1);
  EXPECT_EQ(all(resumed), rest);
  EXPECT_EQ(all(resumed), next);
  loader.load_state_dict(state);
  EXPECT_EQ(all(loader), rest);
}

TEST_P(LoaderAhead, DrawsWithoutEnd) {
  const auto draw = [](Generator& generator) { return generator.below(1000003); };
  auto plain = drawn(draw, 7);
  auto loader = drawn(draw, 7, GetParam());
  std::vector<Index> first;
  for (int i = 0; i < 5; ++i) {
    first.push_back(*plain.next());
    EXPECT_EQ(loader.next(), first.back());
  }
  Generator generator(7);
  EXPECT_EQ(first[0], generator.below(1000003));
  const auto state = loader.state_dict();
  auto resumed = drawn(draw, 1, GetParam());
  resumed.load_state_dict(state);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(resumed.next(), plain.next());
  EXPECT_EQ(loader.count(), 0);
}

TEST_P(LoaderAhead, TellsHowManyCameBefore) {
  const auto draw = [](Generator& generator, Index number) {
    return std::make_pair(number, generator.below(1000003));
  };
  auto loader = drawn(draw, 7, GetParam());
  Generator generator(7);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_EQ(loader.next(), std::make_pair(i, generator.below(1000003)));
  }
  auto resumed = drawn(draw, 1, GetParam());
  resumed.load_state_dict(loader.state_dict());
  EXPECT_EQ(resumed.next(), std::make_pair(Index{5}, generator.below(1000003)));
}

TEST_P(LoaderAhead, RefusesAPlaceWithinAPassWhereThereIsNoEnd) {
  const std::vector<Word> set = words(10);
  Loader finite(set, same, {.size = 3});
  finite.next();
  const auto draw = [](Generator& generator) { return generator.below(1000003); };
  auto plain = drawn(draw, 7);
  auto loader = drawn(draw, 7, GetParam());
  EXPECT_EQ(loader.next(), plain.next());
  EXPECT_THROW(loader.load_state_dict(finite.state_dict()), ValueError);
  EXPECT_EQ(loader.next(), plain.next());
}

TEST_P(LoaderAhead, BringsErrorsToTheCallerAndStaysWhereItWas) {
  const std::vector<Word> set = words(10);
  std::atomic<bool> broken = true;
  Loader loader(set,
                [&](const Rows& rows) {
                  if (rows.front() == 6 && broken) throw ShapeError("no such row");
                  return rows;
                },
                {.size = 3, .shuffle = false, .prefetch = GetParam()});
  EXPECT_THAT(loader.next(), testing::Optional(ElementsAre(0, 1, 2)));
  EXPECT_TRUE(loader.next());
  for (int i = 0; i < 2; ++i) {
    EXPECT_ERROR_WITH(ShapeError, "loader: batch 2 of pass 0: no such row", loader.next());
    EXPECT_EQ(loader.index(), 2);
  }
  broken = false;
  EXPECT_THAT(loader.next(), testing::Optional(ElementsAre(6, 7, 8)));
  EXPECT_THAT(loader.next(), testing::Optional(ElementsAre(9)));
  EXPECT_EQ(loader.next(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Batches, LoaderAhead, testing::Values(0, 1, 3));

template <class E>
void expect_named(const E& cause) {
  EXPECT_ERROR(E, "loader: batch 3 of pass 5: why",
               rethrow_named(std::make_exception_ptr(cause), 3, 5));
}

TEST(Loader, NamesTheBatchInErrorsOfEachKind) {
  expect_named(ShapeError("why"));
  expect_named(DTypeError("why"));
  expect_named(IndexError("why"));
  expect_named(ValueError("why"));
  expect_named(GradError("why"));
  expect_named(OutOfMemory("why"));
  EXPECT_ERROR(Error, "loader: batch 3 of pass 5: why",
               rethrow_named(std::make_exception_ptr(std::runtime_error("why")), 3, 5));
  const FormatError file("f.tsv", 7, "why");  // says more than a batch does
  EXPECT_ERROR(FormatError, file.what(), rethrow_named(std::make_exception_ptr(file), 3, 5));
  const IoError io("f.tsv", "read", 5);
  EXPECT_ERROR(IoError, io.what(), rethrow_named(std::make_exception_ptr(io), 3, 5));
  EXPECT_THROW(rethrow_named(std::make_exception_ptr(std::bad_alloc()), 3, 5), std::bad_alloc);
}

TEST(Loader, RefusesWhatMakesNoSense) {
  const std::vector<Word> set = words(10), none;
  EXPECT_ERROR_WITH(ValueError, "there is nothing to load", Loader loader(none, same));
  EXPECT_ERROR_WITH(ValueError, "size 0 must be positive", Loader loader(set, same, {.size = 0}));
  EXPECT_ERROR_WITH(ValueError, "give `by`", Loader loader(set, same, {.tokens = 5}));
  EXPECT_ERROR_WITH(ValueError, "tokens -5 must be positive",
                    Loader loader(set, same, {.tokens = -5, .by = &Word::length}));
  EXPECT_ERROR(ValueError, "loader: batches by tokens have no size: no drop_last",
               Loader loader(set, same, {.tokens = 5, .by = &Word::length, .drop_last = true}));
  EXPECT_ERROR(ValueError, "loader: packed batches are cut by tokens: give `tokens`",
               Loader loader(set, same, {.packed = true, .by = &Word::length}));
  EXPECT_ERROR_WITH(ValueError, "less than a batch of 11",
                    Loader loader(set, same, {.size = 11, .by = &Word::length, .drop_last = true}));
  EXPECT_ERROR_WITH(ValueError, "less than a batch of 11",
                    Loader loader(set, same, {.size = 11, .drop_last = true}));
  EXPECT_ERROR_WITH(ValueError, "prefetch -1 must be in [0, 1024]",
                    Loader loader(set, same, {.prefetch = -1}));
  EXPECT_ERROR_WITH(ValueError, "prefetch 1025 must be in [0, 1024]",
                    Loader loader(set, same, {.prefetch = 1025}));
  EXPECT_NO_THROW(Loader loader(set, same, {.prefetch = 1024}));
  EXPECT_ERROR(ValueError,
               "loader: 10 examples are less than a batch of 11, and drop_last drops them",
               Loader loader(set, same, {.size = 11, .drop_last = true}));
}

TEST(Loader, RefusesAStateThatDoesNotFitAndStaysWhereItWas) {
  const std::vector<Word> set = words(10);
  Loader loader(set, same, {.size = 3, .shuffle = false});
  loader.next();
  EXPECT_ERROR_WITH(ValueError, "the entries must be one", loader.load_state_dict({}));
  EXPECT_ERROR_WITH(ValueError, "5 batches of pass 0 are said to be done, but it has 4",
                    loader.load_state_dict({{"loader", Array::from<std::int64_t>({1, 0, 0, 5})}}));
  const auto numbers = [](const std::vector<std::int64_t>& from) { return Array::from(from); };
  const std::vector<std::vector<std::pair<std::string, Array>>> others = {
      {{"other", numbers({1, 0, 0, 1})}},
      {{"loader", Array()}},
      {{"loader", Array::zeros({4}, DType::f64)}},
      {{"loader", Array::zeros({4, 1}, DType::i64)}},
      {{"loader", numbers({1, 0, 0})}},
      {{"loader", numbers({1, 0, -1, 1})}},
      {{"loader", numbers({1, 0, 0, -1})}},
      {{"loader", numbers({1, 0, 0, 1})}, {"more", numbers({1})}}};
  for (const auto& entries : others) {
    EXPECT_ERROR_WITH(ValueError, "the entries must be one", loader.load_state_dict(entries));
  }
  EXPECT_ERROR_WITH(ValueError, "this state is of a loader that streams",
                    loader.load_state_dict({{"loader", numbers({1, 0, 0, 1, 7})}}));
  auto endless = drawn([](Generator& generator) { return generator.below(7); });
  EXPECT_ERROR(ValueError, "loader: 1 batches of pass 3 are said to be done, but it has 0",
               endless.load_state_dict({{"loader", numbers({1, 0, 3, 1})}}));
  EXPECT_THAT(loader.next(), testing::Optional(ElementsAre(3, 4, 5)));
  loader.load_state_dict({{"loader", numbers({1, 0, 0, 4})}});
  EXPECT_EQ(loader.next(), std::nullopt);
}

// As many items, and others.
TEST(Loader, BeginsAlikeWithTheSameContents) {
  const auto beginning = [](const std::vector<Word>& set, bool told) {
    Loader loader(set, same, {.size = 3});
    if (told) loader.contents(set, &Word::text);
    return loader.beginning();
  };
  const std::vector<Word> one = words(11);
  std::vector<Word> other = one;
  other[7].text[0] = 'y';
  EXPECT_EQ(beginning(one, false), beginning(other, false));
  EXPECT_EQ(beginning(one, true), beginning(words(11), true));
  EXPECT_NE(beginning(one, true), beginning(other, true));
}

}  // namespace
}  // namespace heed::data
