#include "../../data/token_stream.h"

#include <gmock/gmock.h>

#include <set>

#include "../../data/mix.h"
#include "../../data/shards.h"
#include "../support/throws.h"
#include "shard_folder.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

// Documents of different lengths: line i of shard f is f 100 + i, i modulo 7 times; some are empty.
std::vector<Index> tokens(const std::string& line) {
  const std::size_t dot = line.find('.');
  const Index shard = std::stoi(line.substr(0, dot)), i = std::stoi(line.substr(dot + 1));
  return std::vector<Index>(static_cast<std::size_t>(i % 7), 100 * (shard + 1) + i);
}

std::vector<Index> numbers(const Array& array) { return array.to_vector<Index>(); }

template <class Batch>
std::vector<Batch> all(Loader<Batch>& loader) {
  std::vector<Batch> out;
  while (auto batch = loader.next()) out.push_back(std::move(*batch));
  return out;
}

void expect_equal(const Windows& a, const Windows& b) {
  EXPECT_EQ(a.inputs.shape(), b.inputs.shape());
  EXPECT_EQ(numbers(a.inputs), numbers(b.inputs));
  EXPECT_EQ(numbers(a.targets), numbers(b.targets));
}
void expect_equal(const PackedDocuments& a, const PackedDocuments& b) {
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(numbers(a.inputs), numbers(b.inputs));
  EXPECT_EQ(numbers(a.targets), numbers(b.targets));
}

TEST(TokenStream, WindowsAreTheWholeText) {
  const ShardFolder folder({23, 11});
  std::vector<Index> text;
  for (const std::string& line : folder.all()) {
    const auto some = tokens(line);
    text.insert(text.end(), some.begin(), some.end());
    text.push_back(kEnd);
  }
  const auto shards = text_shards(folder.paths(), {.open = 1});
  for (const Index length : {1, 5, 13, 127, 200}) {
    auto loader = streamed_windows(shards, tokens, {.rows = 3, .length = length, .buffer = 1});
    const auto expected = all_windows(text, 3, length);
    const auto found = all(loader);
    ASSERT_EQ(found.size(), expected.size()) << length;
    for (std::size_t i = 0; i < found.size(); ++i) expect_equal(found[i], expected[i]);
    EXPECT_EQ(all(loader).size(), expected.size());  // and again
  }
}

TEST(TokenStream, DocumentsStandOneBehindTheOther) {
  const ShardFolder folder({10});
  const auto shards = text_shards(folder.paths());
  auto loader = streamed_documents(shards, tokens, {.tokens = 8, .longest = 5, .buffer = 1});
  // Of lengths 0 1 2 3 4 5 6 0 1 2; the one of six is five and one.
  const auto found = all(loader);
  ASSERT_THAT(found, SizeIs(5));
  EXPECT_THAT(found[0].offsets, ElementsAre(0, 1, 3, 6));
  EXPECT_THAT(numbers(found[0].inputs), ElementsAre(101, 102, 102, 103, 103, 103));
  EXPECT_THAT(numbers(found[0].targets), ElementsAre(kEnd, 102, kEnd, 103, 103, kEnd));
  EXPECT_THAT(found[1].offsets, ElementsAre(0, 4));
  EXPECT_THAT(found[2].offsets, ElementsAre(0, 5));
  EXPECT_THAT(found[3].offsets, ElementsAre(0, 5, 6, 7));
  EXPECT_THAT(numbers(found[3].targets), ElementsAre(106, 106, 106, 106, 106, kEnd, kEnd));
  EXPECT_THAT(found[4].offsets, ElementsAre(0, 2));
}

TEST(TokenStream, DocumentsMayBeginWithAMark) {
  const ShardFolder folder({3});
  auto loader = streamed_documents(text_shards(folder.paths()), tokens,
                                   {.tokens = 7, .begin_mark = kBegin, .buffer = 1});
  const auto batch = loader.next();
  EXPECT_THAT(batch->offsets, ElementsAre(0, 1, 3, 6));
  EXPECT_THAT(numbers(batch->inputs), ElementsAre(kBegin, kBegin, 101, kBegin, 102, 102));
  EXPECT_THAT(numbers(batch->targets), ElementsAre(kEnd, 101, kEnd, 102, 102, kEnd));
  EXPECT_EQ(loader.next(), std::nullopt);
}

template <class Begin>
void expect_going_on(const Begin& begin) {
  auto plain = begin(0);
  std::vector<std::vector<std::pair<std::string, Array>>> states{plain.state_dict()};
  std::vector<std::decay_t<decltype(*plain.next())>> batches;
  while (auto batch = plain.next()) {
    batches.push_back(*batch);
    states.push_back(plain.state_dict());
  }
  ASSERT_GT(batches.size(), 10u);
  const auto again = plain.next();
  for (const Index threads : {0, 2}) {
    auto other = begin(threads);
    for (std::size_t at = 0; at < states.size(); at += 3) {
      other.load_state_dict(states[at]);
      for (std::size_t i = at; i < batches.size(); ++i) {
        const auto batch = other.next();
        ASSERT_TRUE(batch);
        expect_equal(*batch, batches[i]);
      }
      EXPECT_FALSE(other.next());
      expect_equal(*other.next(), *again);
    }
  }
}

TEST(TokenStream, GoesOnAnywhereToTheSameBits) {
  const ShardFolder folder({59, 23, 11, 1}, true);
  for (const Index buffer : {1, 13}) {
    for (const Index length : {3, 31}) {
      expect_going_on([&](Index threads) {
        return streamed_windows(text_shards(folder.paths(), {.open = 3, .threads = threads}),
                                tokens,
                                {.rows = 2,
                                 .length = length / 2 + 1,
                                 .buffer = buffer,
                                 .prefetch = threads,
                                 .seed = 5});
      });
      expect_going_on([&](Index threads) {
        return streamed_documents(text_shards(folder.paths(), {.open = 3, .threads = threads}),
                                  tokens,
                                  {.tokens = 17,
                                   .longest = length / 2 + 1,
                                   .buffer = buffer,
                                   .prefetch = threads,
                                   .seed = 5});
      });
    }
  }
}

// A state comes from a file, too.
TEST(TokenStream, RefusesAPlaceThatIsNoneOrGoesOnSomewhere) {
  const ShardFolder folder({59, 23, 11}, true);
  const Mix<std::string> mix({{text_shards(folder.paths(), {.open = 2}), 1}}, MixEnds::with_all);
  auto loader = streamed_windows(mix, tokens, {.rows = 2, .length = 5, .buffer = 13});
  for (int i = 0; i < 7; ++i) loader.next();
  const auto good = loader.state_dict()[0].second.to_vector<std::int64_t>();
  int refused = 0;
  for (std::size_t i = 4; i < good.size(); ++i) {
    for (const std::int64_t other :
         {good[i] + 1, good[i] - 1, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
      auto numbers = good;
      numbers[i] = other;
      try {
        loader.load_state_dict({{"loader", Array::from(numbers)}});
        for (int k = 0; k < 100 && loader.next(); ++k) {
        }
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, static_cast<int>(good.size()));
  for (std::size_t count = 5; count < good.size() + 2; ++count) {
    auto numbers = good;
    numbers.resize(count, 0);
    if (count == good.size()) continue;
    EXPECT_ERROR_WITH(ValueError, "this state is of other data",
                      loader.load_state_dict({{"loader", Array::from(numbers)}}));
  }
  loader.load_state_dict({{"loader", Array::from(good)}});
  EXPECT_TRUE(loader.next());
}

TEST(TokenStream, IsCutInPieces) {
  const ShardFolder folder({59});
  const auto shards = text_shards(folder.paths());
  auto whole = streamed_documents(shards, tokens, {.tokens = 29});
  auto cut = streamed_documents(shards, tokens, {.tokens = 29});
  while (const auto batch = whole.next()) {
    Pieces<PackedDocuments> pieces;
    ASSERT_TRUE(cut.next_pieces({.count = 2, .first = 0, .last = 2}, pieces));
    std::vector<Index> inputs;
    Index documents = 0;
    for (const auto& piece : pieces) {
      documents += piece.rows;
      if (!piece.batch) continue;
      EXPECT_EQ(piece.batch->offsets.front(), 0);
      EXPECT_EQ(piece.batch->offsets.back(), piece.batch->inputs.numel());
      EXPECT_EQ(rows_of(*piece.batch), piece.rows);
      for (const Index token : numbers(piece.batch->inputs)) inputs.push_back(token);
    }
    EXPECT_EQ(documents, rows_of(*batch));
    EXPECT_EQ(inputs, numbers(batch->inputs));
  }
  auto windows = streamed_windows(shards, tokens, {.rows = 5, .length = 3});
  Pieces<Windows> pieces;
  ASSERT_TRUE(windows.next_pieces({.count = 2, .first = 1, .last = 2}, pieces));
  EXPECT_EQ(pieces[1].batch->inputs.shape(), (Shape{3, 3}));
}

TEST(TokenStream, LinesStandOneBehindTheOther) {
  const PackedDocuments batch =
      packed_lines({5, 9, 1, 2, 3, 9, 9, 4, 9, 6, 7}, {{2, 6}, {7, 9}, {9, 10}});
  EXPECT_EQ(numbers(batch.inputs), (std::vector<Index>{9, 1, 2, 3, 9, 4, 9}));
  EXPECT_EQ(numbers(batch.targets), (std::vector<Index>{1, 2, 3, 9, 4, 9, 6}));
  EXPECT_EQ(batch.offsets, (std::vector<Index>{0, 4, 6, 7}));
  const PackedDocuments part = part_of(batch, 1, 3);
  EXPECT_EQ(numbers(part.targets), (std::vector<Index>{4, 9, 6}));
  EXPECT_EQ(part.offsets, (std::vector<Index>{0, 2, 3}));
}

TEST(TokenStream, RefusesWhatMakesNoSense) {
  const ShardFolder folder({2});
  const auto shards = text_shards(folder.paths());
  EXPECT_ERROR(ValueError, "windows: rows 0 must be positive",
               streamed_windows(shards, tokens, {.rows = 0}));
  EXPECT_ERROR(ValueError, "windows: length -3 must be positive",
               streamed_windows(shards, tokens, {.length = -3}));
  EXPECT_ERROR(ValueError, "windows: buffer 0 must be positive",
               streamed_windows(shards, tokens, {.buffer = 0}));
  EXPECT_ERROR(ValueError, "windows: end_mark -1 must be a token",
               streamed_windows(shards, tokens, {.end_mark = -1}));
  EXPECT_ERROR(ValueError, "documents: tokens 0 must be positive",
               streamed_documents(shards, tokens, {.tokens = 0}));
  EXPECT_ERROR(ValueError, "documents: longest 9 must be in [0, tokens 8]",
               streamed_documents(shards, tokens, {.tokens = 8, .longest = 9}));
  auto loader = streamed_windows(
      shards, [](const std::string&) -> std::vector<Index> { throw IndexError("no such word"); });
  EXPECT_ERROR(IndexError, "loader: batch 0 of pass 0: no such word", loader.next());
}

}  // namespace
}  // namespace heed::data
