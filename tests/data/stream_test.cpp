#include "../../data/stream.h"

#include <gmock/gmock.h>

#include "../../data/shards.h"
#include "../support/throws.h"
#include "shard_folder.h"

namespace heed::data {
namespace {

using testing::UnorderedElementsAreArray;

TEST(Stream, ReadsEachItemOnceAPass) {
  const ShardFolder folder({5, 6, 7});
  const auto shards = text_shards(folder.paths(), {.open = 2});
  auto plain = streamed(shards, same, {.size = 4, .buffer = 1});
  const Strings in_order = rest_of(plain);
  EXPECT_THAT(in_order, UnorderedElementsAreArray(folder.all()));
  EXPECT_EQ(rest_of(plain), in_order);
  auto loader = streamed(shards, same, {.size = 4, .buffer = 7});
  const Strings first = rest_of(loader), second = rest_of(loader);
  EXPECT_THAT(first, UnorderedElementsAreArray(folder.all()));
  EXPECT_THAT(second, UnorderedElementsAreArray(folder.all()));
  EXPECT_NE(first, in_order);
  EXPECT_NE(first, second);
}

TEST(Stream, ShufflesWithinItsBuffer) {
  const ShardFolder folder({23});
  auto loader = streamed(text_shards(folder.paths()), same, {.size = 7, .buffer = 7, .seed = 3});
  for (std::size_t i = 0; i < 23; i += 7) {
    const auto begin = folder.all().begin() + static_cast<std::ptrdiff_t>(i);
    const Strings held(begin, std::min(begin + 7, folder.all().end()));
    const auto batch = loader.next();
    ASSERT_TRUE(batch);
    EXPECT_THAT(*batch, UnorderedElementsAreArray(held));
    EXPECT_EQ(*batch == held, i == 21) << i;  // two lines, which stayed
  }
}

TEST(Stream, BeginsAlikeWithTheSameFilesAndSeedAlone) {
  const auto beginning = [](const std::vector<int>& lines, Index parts, std::uint64_t seed,
                            bool read = false) {
    const ShardFolder folder(lines);
    auto loader = streamed(text_shards(folder.paths()), same,
                           {.size = 4, .buffer = 7, .parts = parts, .seed = seed});
    if (read) loader.next();
    return loader.beginning();
  };
  for (const Index parts : {1, 2}) {
    const PlaceNumbers one = beginning({5, 6, 7}, parts, 3);
    EXPECT_EQ(beginning({5, 6, 7}, parts, 3), one);  // in another folder
    EXPECT_NE(beginning({5, 6, 7}, parts, 4), one);
    EXPECT_NE(beginning({5, 6, 8}, parts, 3), one);
    EXPECT_NE(beginning({6, 5, 7}, parts, 3), one);
    EXPECT_NE(beginning({5, 6, 7}, 3 - parts, 3), one);
    // Of a pass under way only the draws: where it stands differs among those who share it.
    EXPECT_EQ(beginning({5, 6, 7}, parts, 3, true), beginning({6, 5, 7}, parts, 3, true));
  }
}

// Of every place in a pass, with threads and without, plain shards and packed ones.
TEST(Stream, GoesOnAnywhereToTheSameBits) {
  for (const bool packed : {false, true}) {
    const ShardFolder folder({5, 1, 11, 3, 1031, 2}, packed);
    for (const Index buffer : {1, 7, 499, 2000}) {
      const auto begin = [&](Index threads, Index prefetch) {
        return streamed(text_shards(folder.paths(), {.open = 3, .threads = threads}), same,
                        {.size = 101, .buffer = buffer, .prefetch = prefetch, .seed = 5});
      };
      auto plain = begin(0, 0);
      rest_of(plain);
      std::vector<std::vector<std::pair<std::string, Array>>> states;
      std::vector<Strings> batches;
      for (states.push_back(plain.state_dict()); auto batch = plain.next();) {
        batches.push_back(*batch);
        states.push_back(plain.state_dict());
      }
      ASSERT_EQ(batches.size(), 11u);
      const Strings next = rest_of(plain);
      for (const Index threads : {0, 1, 3}) {
        auto other = begin(threads, threads);
        for (std::size_t at = 0; at < states.size(); at += 2) {
          other.load_state_dict(states[at]);
          EXPECT_EQ(other.pass(), 1);
          Strings rest;
          for (std::size_t i = at; i < batches.size(); ++i) {
            rest.insert(rest.end(), batches[i].begin(), batches[i].end());
          }
          ASSERT_EQ(rest_of(other), rest) << at << " with " << threads << " threads";
          ASSERT_EQ(rest_of(other), next);
        }
      }
    }
  }
}

TEST(Stream, GoesOnWithoutReadingWhatCameBefore) {
  const ShardFolder folder({40009});
  Index read = 0;
  const Shards<std::string> shards(
      folder.paths(),
      [&](const std::string& path) {
        struct Counting {
          TextFile file;
          Index* read;
          bool next(std::string& line) { return ++*read, file.next(line); }
          TextPlace place() const { return file.place(); }
          void go_to(const TextPlace& place) { file.go_to(place); }
        };
        return std::unique_ptr<Counting>(new Counting{TextFile(path), &read});
      },
      {.threads = 0});
  const StreamOptions options{.size = 100, .buffer = 1000};
  auto loader = streamed(shards, same, options);
  for (int i = 0; i < 355; ++i) loader.next();
  const auto state = loader.state_dict();
  auto resumed = streamed(shards, same, options);
  read = 0;
  resumed.load_state_dict(state);
  EXPECT_LE(read, 1000 + 2 * 1024);
  EXPECT_EQ(resumed.next(), loader.next());
}

TEST(Stream, CutsItsBatchesInPieces) {
  const ShardFolder folder({5, 11});
  const auto shards = text_shards(folder.paths());
  const StreamOptions options{.size = 7, .buffer = 5};
  auto whole = streamed(shards, same, options), cut = streamed(shards, same, options);
  while (const auto batch = whole.next()) {
    Pieces<Strings> pieces;
    ASSERT_TRUE(cut.next_pieces({.count = 3, .first = 0, .last = 3}, pieces));
    Strings joined;
    for (const auto& piece : pieces) {
      if (piece.batch) joined.insert(joined.end(), piece.batch->begin(), piece.batch->end());
    }
    EXPECT_EQ(joined, *batch);
  }
}

TEST(Stream, BringsWhatMakingThrowsAndStaysWhereItWas) {
  const ShardFolder folder({5, 11});
  bool broken = true;
  const auto make = [&](Strings lines) {
    if (broken && lines.front() == "1.3") throw ShapeError("no such line");
    return lines;
  };
  auto loader = streamed(text_shards(folder.paths(), {.open = 1}), make, {.size = 4, .buffer = 1});
  loader.next();
  loader.next();
  for (int i = 0; i < 2; ++i) {
    EXPECT_ERROR(ShapeError, "loader: batch 2 of pass 0: no such line", loader.next());
    EXPECT_EQ(loader.index(), 2);
  }
  broken = false;
  EXPECT_EQ(loader.next()->front(), "1.3");
}

TEST(Stream, RefusesWhatMakesNoSense) {
  const ShardFolder folder({5}), other({6});
  const auto shards = text_shards(folder.paths());
  EXPECT_ERROR_WITH(ValueError, "size 32 and buffer 0 must be positive",
                    streamed(shards, same, {.buffer = 0}));
  EXPECT_ERROR_WITH(ValueError, "size -1 and buffer 10000 must be positive",
                    streamed(shards, same, {.size = -1}));
  auto loader = streamed(shards, same, {.size = 2, .seed = 4});
  const auto first = loader.next();
  const auto state = loader.state_dict();
  auto elsewhere = streamed(text_shards(other.paths()), same, {.size = 2});
  EXPECT_ERROR_WITH(ValueError, "this state is of other data, or of other options",
                    elsewhere.load_state_dict(state));
  EXPECT_EQ(rest_of(elsewhere).size(), 6u);
  auto smaller = streamed(shards, same, {.size = 2, .buffer = 3});
  EXPECT_ERROR_WITH(ValueError, "of other options", smaller.load_state_dict(state));
  const std::vector<Index> set{1, 2, 3};
  Loader numbers(set, {.size = 1});
  EXPECT_ERROR_WITH(ValueError, "this state is of a loader that streams",
                    numbers.load_state_dict(state));
}

}  // namespace
}  // namespace heed::data
