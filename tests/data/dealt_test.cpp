#include "../../data/dealt.h"

#include <gmock/gmock.h>

#include <mutex>
#include <set>

#include "../../data/mix.h"
#include "../../data/shards.h"
#include "../../data/stream.h"
#include "../../data/token_stream.h"
#include "../support/throws.h"
#include "shard_folder.h"

namespace heed::data {
namespace {

using testing::UnorderedElementsAreArray;
using State = std::vector<std::pair<std::string, Array>>;

std::vector<std::int64_t> numbers_of(const State& state) {
  return state.at(0).second.to_vector<std::int64_t>();
}

// Shards that remember which of their files were opened.
struct Watched {
  explicit Watched(const ShardFolder& folder, Index threads = 0)
      : shards(folder.paths(),
               [this](const std::string& path) {
                 const std::lock_guard lock(mutex);
                 opened.insert(path);
                 return std::make_unique<TextFile>(path);
               },
               {.open = 2, .threads = threads}) {}
  std::mutex mutex;
  std::set<std::string> opened;
  Shards<std::string> shards;
};

const std::vector<int> kLines = {11, 5, 31, 2, 7, 13, 3};

Loader<Strings> begin(const Shards<std::string>& shards, Index buffer, Index prefetch = 0) {
  return streamed(shards, same,
                  {.size = 8, .buffer = buffer, .parts = 4, .prefetch = prefetch, .seed = 5});
}

// What a process that makes the pieces [first, last) of four has of a pass; "|" behind each batch.
Strings pieces_of_pass(Loader<Strings>& loader, Index first, Index last, Index most = 1000) {
  Strings out;
  Pieces<Strings> pieces;
  for (Index i = 0; i < most && loader.next_pieces({4, first, last}, pieces); ++i) {
    EXPECT_EQ(pieces.size(), 4u);
    Index rows = 0;
    for (Index k = 0; k < 4; ++k) {
      const Piece<Strings>& piece = pieces[static_cast<std::size_t>(k)];
      rows += piece.rows;
      EXPECT_EQ(piece.batch.has_value(), piece.rows > 0);
      if (!piece.batch) continue;
      EXPECT_EQ(std::ssize(*piece.batch), piece.rows);
      EXPECT_TRUE(k >= first && k < last);
      out.insert(out.end(), piece.batch->begin(), piece.batch->end());
    }
    if (rows == 0) break;  // nobody else is asked here
    out.emplace_back("|");
  }
  return out;
}

TEST(Dealt, GivesEachBatchAsMuchOfEachPart) {
  const ShardFolder folder(kLines);
  for (const Index buffer : {1, 9, 4000}) {
    Watched watched(folder);
    auto loader = begin(watched.shards, buffer);
    Strings all;
    while (const auto batch = loader.next()) {
      if (all.empty()) {
        ASSERT_EQ(batch->size(), 8u);
        for (int i = 0; i < 8; ++i)
          EXPECT_EQ(((*batch)[static_cast<std::size_t>(i)][0] - '0') % 4, i / 2);
      }
      all.insert(all.end(), batch->begin(), batch->end());
    }
    EXPECT_THAT(all, UnorderedElementsAreArray(folder.all()));
    const Strings again = rest_of(loader);
    EXPECT_THAT(again, UnorderedElementsAreArray(folder.all()));
    EXPECT_EQ(again == all, buffer == 1);
  }
}

// Two processes, one with three pieces; the second pass, too.
TEST(Dealt, IsReadByThoseWhoMakeThePieces) {
  const ShardFolder folder(kLines);
  for (const Index prefetch : {0, 2}) {
    Watched one(folder), two(folder), whole(folder);
    auto a = begin(one.shards, 9, prefetch), b = begin(two.shards, 9, prefetch),
         all = begin(whole.shards, 9);
    for (int pass = 0; pass < 2; ++pass) {
      Strings together, alone;
      Pieces<Strings> here, there, pieces;
      for (;;) {
        ASSERT_TRUE(a.next_pieces({4, 0, 3}, here));
        ASSERT_TRUE(b.next_pieces({4, 3, 4}, there));
        const bool more = all.next_pieces({4, 0, 4}, pieces);
        Index rows = 0;
        for (std::size_t k = 0; k < 4; ++k) {
          const Piece<Strings>& piece = k < 3 ? here[k] : there[k];
          rows += piece.rows;
          if (!more) continue;
          EXPECT_EQ(piece.rows, pieces[k].rows);
          EXPECT_EQ(piece.batch, pieces[k].batch);
        }
        ASSERT_EQ(rows > 0, more);
        if (!more) break;
      }
      EXPECT_EQ(a.pass(), pass);
      a.end_pass();
      b.end_pass();
      EXPECT_EQ(numbers_of(a.state_dict()), numbers_of(all.state_dict()));
      EXPECT_EQ(numbers_of(b.state_dict()), numbers_of(all.state_dict()));
    }
    const Strings& paths = folder.paths();
    EXPECT_THAT(one.opened, UnorderedElementsAreArray(
                                {paths[0], paths[1], paths[2], paths[4], paths[5], paths[6]}));
    EXPECT_THAT(two.opened, UnorderedElementsAreArray({paths[3]}));
  }
}

// From each place of a pass that two have read, by one, by two and by four.
TEST(Dealt, GoesOnWithAnyNumberOfProcesses) {
  const ShardFolder folder(kLines, true);
  Watched watched(folder);
  for (const Index buffer : {1, 9}) {
    auto a = begin(watched.shards, buffer), b = begin(watched.shards, buffer),
         all = begin(watched.shards, buffer);
    Strings rest = pieces_of_pass(all, 0, 4);
    for (Index at = 1; at < 10; ++at) {
      pieces_of_pass(a, 0, 2, 1);
      pieces_of_pass(b, 2, 4, 1);
      rest.erase(rest.begin(), std::find(rest.begin(), rest.end(), "|") + 1);
      const State place = joined_places({a.state_dict(), b.state_dict()});
      const auto from_here = [&](Index first, Index last) {
        auto loader = begin(watched.shards, buffer, at % 3);
        loader.load_state_dict(place);
        EXPECT_EQ(numbers_of(loader.state_dict()), numbers_of(place));
        return pieces_of_pass(loader, first, last);
      };
      ASSERT_EQ(from_here(0, 4), rest) << at;
      const Strings low = from_here(0, 1), middle = from_here(1, 3), high = from_here(3, 4);
      Strings lines = rest, found;
      for (const Strings& part : {low, middle, high}) {
        found.insert(found.end(), part.begin(), part.end());
      }
      std::erase(lines, "|");
      std::erase(found, "|");
      ASSERT_THAT(found, UnorderedElementsAreArray(lines)) << at;
    }
  }
}

// Of two batches a step, the first of which one process makes and the second the other: both read
// all parts.
TEST(Dealt, ReadsWhatTheStepsOtherBatchesWant) {
  const ShardFolder folder(kLines);
  Watched watched(folder);
  auto a = begin(watched.shards, 9), all = begin(watched.shards, 9);
  Pieces<Strings> some, pieces;
  for (int i = 0; i < 4; ++i) {
    const bool mine = i % 2 == 0;
    ASSERT_TRUE(a.next_pieces({4, 0, mine ? 4 : 0, 0, 4}, some));
    ASSERT_TRUE(all.next_pieces({4, 0, 4}, pieces));
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(some[k].rows, pieces[k].rows);
      EXPECT_EQ(some[k].batch, mine ? pieces[k].batch : std::nullopt);
    }
  }
}

TEST(Dealt, KnowsNothingOfPartsThatOthersRead) {
  const ShardFolder folder(kLines);
  Watched watched(folder);
  auto loader = begin(watched.shards, 9);
  pieces_of_pass(loader, 0, 3, 1);
  Pieces<Strings> pieces;
  EXPECT_ERROR(ValueError,
               "loader: batch 1 of pass 0: streamed: where part 3 of 4 stands is known to the "
               "process that read it: go on from a saved state",
               loader.next_pieces({4, 0, 4}, pieces));
}

TEST(Dealt, MixesAndWindowsAndDocuments) {
  const ShardFolder folder({4, 6, 5}), more({3, 2, 7});
  const Mix<std::string> mix({{text_shards(folder.paths()), 1}, {text_shards(more.paths()), 2}},
                             MixEnds::with_all);
  auto mixed = streamed(mix, same, {.size = 6, .buffer = 1, .parts = 3});
  const auto batch = mixed.next();
  ASSERT_TRUE(batch && batch->size() == 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ((*batch)[i][0] - '0', static_cast<int>(i / 2));

  // Line i of shard f as 10 f + i twice; 99 ends it.
  const auto ids = [](const std::string& line) {
    return std::vector<Index>(2, 10 * (line[0] - '0') + (line[2] - '0'));
  };
  const auto lines = text_shards(folder.paths());
  auto documents = streamed_documents(
      lines, ids, {.tokens = 12, .end_mark = 99, .buffer = 1, .parts = 3, .seed = 1});
  const auto first = documents.next();  // two documents of three tokens, two inputs, a part
  ASSERT_TRUE(first);
  EXPECT_EQ(first->offsets, (std::vector<Index>{0, 2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(first->inputs.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 0, 1, 1, 10, 10, 11, 11, 20, 20, 21, 21}));
  std::size_t count = 6;
  while (const auto next = documents.next()) count += next->offsets.size() - 1;
  EXPECT_EQ(count, folder.all().size());

  auto windows = streamed_windows(
      lines, ids, {.rows = 3, .length = 4, .end_mark = 99, .buffer = 1, .parts = 3});
  const auto window = windows.next();
  ASSERT_TRUE(window);
  EXPECT_EQ(window->inputs.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 0, 99, 1, 10, 10, 99, 11, 20, 20, 99, 21}));
  // 12, 18 and 15 tokens: 2, 4 and 3 windows of four, each of which wants one more behind it.
  Index rows = 3;
  while (const auto next = windows.next()) {
    EXPECT_EQ(next->inputs.size(1), 4);
    rows += next->inputs.size(0);
  }
  EXPECT_EQ(rows, 2 + 4 + 3);
}

TEST(Dealt, RefusesWhatCannotBeDealt) {
  const ShardFolder folder({3, 2, 5});
  const auto shards = text_shards(folder.paths());
  EXPECT_ERROR(ValueError, "streamed: parts 0 must be in [1, 4096]",
               streamed(shards, same, {.parts = 0}));
  EXPECT_ERROR(ValueError, "streamed: parts 4097 must be in [1, 4096]",
               streamed(shards, same, {.size = 4097, .parts = 4097}));
  EXPECT_ERROR(ValueError, "streamed: size 32 must be a multiple of the 3 parts",
               streamed(shards, same, {.size = 32, .parts = 3}));
  const auto ids = [](const std::string&) { return std::vector<Index>{1}; };
  EXPECT_ERROR(ValueError, "windows: rows 7 must be a multiple of the 2 parts",
               streamed_windows(shards, ids, {.rows = 7, .parts = 2}));
  EXPECT_ERROR(ValueError, "documents: tokens 9 must be a multiple of the 2 parts",
               streamed_documents(shards, ids, {.tokens = 9, .parts = 2}));
  EXPECT_ERROR(ValueError, "documents: longest 5 must be in [0, tokens 4]",
               streamed_documents(shards, ids, {.tokens = 8, .longest = 5, .parts = 2}));
  auto many = streamed(shards, same, {.size = 4, .parts = 4});
  EXPECT_ERROR(ValueError, "loader: batch 0 of pass 0: shards: 3 files cannot be dealt in 4 parts",
               many.next());
  auto three = streamed(shards, same, {.size = 3, .parts = 3});
  Pieces<Strings> pieces;
  EXPECT_ERROR(ValueError,
               "loader: batch 0 of pass 0: streamed: 3 parts cannot be shared out in 2 pieces a "
               "batch: a multiple of the pieces can",
               three.next_pieces({2, 0, 1}, pieces));

  struct Own {
    using Item = std::string;
    std::unique_ptr<Items<std::string>> walk(Generator& generator, bool shuffled) const {
      return shards->walk(generator, shuffled);
    }
    const Shards<std::string>* shards;
  };
  auto own = streamed(Own{&shards}, same, {.size = 4, .parts = 2});
  EXPECT_ERROR(ValueError,
               "loader: batch 0 of pass 0: streamed: this source cannot be dealt in parts: its "
               "walk() takes no data::Deal",
               own.next());
  auto whole = streamed(Own{&shards}, same, {.size = 4, .buffer = 1});
  EXPECT_EQ(rest_of(whole).size(), folder.all().size());
}

TEST(Dealt, ABufferIsSharedOutAmongItsParts) {
  EXPECT_EQ(detail::buffer_of(40, 4), 10);
  EXPECT_EQ(detail::buffer_of(11, 5), 2);
  EXPECT_EQ(detail::buffer_of(9, 7), 2);  // one alone would draw nothing
  EXPECT_EQ(detail::buffer_of(2, 1), 2);
  EXPECT_EQ(detail::buffer_of(1, 4), 1);
}

TEST(Dealt, RefusesPlacesThatDoNotBelongTogether) {
  const ShardFolder folder(kLines);
  Watched watched(folder);
  auto a = begin(watched.shards, 9), b = begin(watched.shards, 9), c = begin(watched.shards, 9);
  constexpr const char* kApart = "streamed: the processes' loaders stand at different places";
  EXPECT_ERROR(ValueError, "streamed: no process has said where it stands", joined_places({}));
  EXPECT_EQ(numbers_of(joined_places({a.state_dict(), b.state_dict()})),
            numbers_of(a.state_dict()));
  pieces_of_pass(a, 0, 2, 1);
  EXPECT_ERROR(ValueError, kApart, joined_places({a.state_dict(), b.state_dict()}));
  pieces_of_pass(b, 2, 4, 2);
  EXPECT_ERROR(ValueError, kApart, joined_places({a.state_dict(), b.state_dict()}));
  pieces_of_pass(c, 0, 3, 1);  // part 2 not as b
  EXPECT_ERROR(ValueError, kApart, joined_places({a.state_dict(), {}}));
  EXPECT_ERROR(ValueError, kApart,
               joined_places({{{"loader", Array::zeros({2, 3}, DType::i64)}}, a.state_dict()}));
  for (const Array& array : {Array::zeros({2, 3}, DType::i64), Array::zeros({6}, DType::f64)}) {
    const std::vector<std::pair<std::string, Array>> place = {{"loader", array}};
    EXPECT_ERROR(ValueError, kApart, joined_places({place, place}));
  }
  auto other = streamed(watched.shards, same, {.size = 8, .parts = 2});
  other.next();
  EXPECT_ERROR(ValueError, kApart, joined_places({a.state_dict(), other.state_dict()}));
  auto joined = joined_places({a.state_dict(), c.state_dict()});  // no part 3
  auto on = begin(watched.shards, 9);
  on.load_state_dict(joined);
  EXPECT_THROW(on.next(), ValueError);
  EXPECT_THROW(other.load_state_dict(joined), ValueError);
}

}  // namespace
}  // namespace heed::data
