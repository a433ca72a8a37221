#include "../../data/shards.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "../../data/stream.h"
#include "../support/throws.h"
#include "shard_folder.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAreArray;
namespace fs = std::filesystem;

template <class Item>
std::vector<Item> walked(const Shards<Item>& shards, bool shuffled, std::uint64_t seed = 0) {
  Generator generator(seed);
  const auto walk = shards.walk(generator, shuffled);
  std::vector<Item> out;
  for (Item item; walk->next(item);) out.push_back(item);
  Item none;
  EXPECT_FALSE(walk->next(none));
  return out;
}

TEST(Shards, GiveAnItemOfEachOpenOneInTurn) {
  const ShardFolder folder({3, 1, 2, 2}, true);
  EXPECT_EQ(walked(text_shards(folder.paths(), {.open = 1}), false), folder.all());
  EXPECT_THAT(walked(text_shards(folder.paths(), {.open = 2}), false),
              ElementsAre("0.0", "1.0", "0.1", "3.0", "0.2", "3.1", "2.0", "2.1"));
  EXPECT_THAT(walked(text_shards(folder.paths(), {.open = 99}), false),
              ElementsAre("0.0", "1.0", "2.0", "3.0", "0.1", "2.1", "3.1", "0.2"));
}

TEST(Shards, ComeInADrawnOrderThatThreadsDoNotChange) {
  const ShardFolder folder({3001, 17, 1024, 1025, 2}, true);
  const auto shards = [&](Index threads) {
    return text_shards(folder / "part-?.t*", {.open = 3, .threads = threads});
  };
  const Strings first = walked(shards(0), true, 7);
  EXPECT_THAT(first, UnorderedElementsAreArray(folder.all()));
  EXPECT_NE(walked(shards(0), true, 8), first);
  for (const Index threads : {1, 2, 5}) EXPECT_EQ(walked(shards(threads), true, 7), first);
}

TEST(Shards, OfLabelledTexts) {
  const TemporaryFolder folder;
  TemporaryFolder::put(folder / "a.tsv", "y\tx\npos\tgood\nneg\tbad\n");
  TemporaryFolder::put(folder / "b.tsv.gz", gzip("y\tx\npos\tfine\n"));
  TemporaryFolder::put(folder / "c.jsonl.zst", zstd("{\"y\": \"neg\", \"x\": \"poor\"}\n"));
  Strings found;
  for (const LabelledText& text :
       walked(labelled_shards(folder.path().string(), {.label = "y", .text = "x"}, {.open = 1}),
              false)) {
    found.push_back(text.label + " " + text.text + " " + std::to_string(text.line));
  }
  EXPECT_THAT(found, ElementsAre("pos good 2", "neg bad 3", "pos fine 2", "neg poor 1"));
}

// With a header and without, gone on with at each line.
TEST(Shards, OfLabelledTextsGoOnWhereTheyStood) {
  const TemporaryFolder folder;
  const std::string rows = "pos\tgood\nneg\tbad\n\npos\tfine\n";
  TemporaryFolder::put(folder / "a.tsv", rows);
  TemporaryFolder::put(folder / "b.tsv", "y\tx\n" + rows);
  TemporaryFolder::put(folder / "c.jsonl",
                       "{\"x\": \"good\"}\n\n{\"x\": \"bad\"}\n{\"x\": \"fine\"}\n");
  const LabelledTextOptions options[] = {{"", "1", "2"}, {"", "y", "x"}, {"", "", "x"}};
  for (int k = 0; k < 3; ++k) {
    const std::string path =
        folder / (std::string(1, static_cast<char>('a' + k)) + (k < 2 ? ".tsv" : ".jsonl"));
    for (int at = 0; at <= 3; ++at) {
      const auto reader = open_labelled_text(path, options[k]),
                 again = open_labelled_text(path, options[k]);
      LabelledText text, same_text;
      for (int i = 0; i < at; ++i) ASSERT_TRUE(reader->next(text));
      if (at > 0) again->go_to(reader->place());
      for (int i = at; i < 3; ++i) {
        ASSERT_TRUE(reader->next(text) && again->next(same_text));
        EXPECT_EQ(text.text, same_text.text);
        EXPECT_EQ(text.line, same_text.line);
      }
      EXPECT_FALSE(again->next(same_text));
    }
  }
  const auto reader = open_labelled_text(folder / "a.tsv", options[0]);
  TemporaryFolder::put(folder / "a.tsv", "pos\tgood\nneg\tbad\tmore\n");
  reader->go_to({9, 1});
  LabelledText text;
  EXPECT_ERROR_WITH(FormatError, ":2: 3 columns, but the first line has 2", reader->next(text));
}

TEST(Shards, OfAUsersOwnFormatThatKnowsNoPlace) {
  const ShardFolder folder({2000, 31});
  const Shards<std::string> shards(folder.paths(), [](const std::string& path) {
    return [file = std::make_shared<std::ifstream>(path)](std::string& line) {
      return static_cast<bool>(std::getline(*file, line));
    };
  });
  auto loader = streamed(shards, same, {.size = 11, .buffer = 5});
  for (int i = 0; i < 150; ++i) loader.next();
  const auto state = loader.state_dict();
  const Strings rest = rest_of(loader);
  auto resumed = streamed(shards, same, {.size = 11, .buffer = 5});
  resumed.load_state_dict(state);
  EXPECT_EQ(rest_of(resumed), rest);
}

class BadShards : public testing::TestWithParam<Index> {
 protected:
  // Lines of the shard that comes second, long enough that it is not read ahead to its end.
  const ShardFolder folder_{{3, 300011}};
  const std::string second_ = folder_.paths()[1];
  Shards<std::string> shards() const {
    return text_shards(folder_.paths(), {.open = 1, .threads = GetParam()});
  }
  static StreamOptions options() { return {.size = 1000, .buffer = 1}; }
};

TEST_P(BadShards, ThatVanishAreNamed) {
  auto loader = streamed(shards(), same, options());
  loader.next();
  fs::rename(second_, second_ + ".away");
  std::string message;
  Index done = 0;
  for (;; ++done) {
    try {
      loader.next();
    } catch (const IoError& error) {
      message = error.what();
      break;
    }
  }
  EXPECT_EQ(message, second_ + ": open: No such file or directory");
  EXPECT_LT(done, 20);
  EXPECT_EQ(loader.index(), done + 1);
  const auto state = loader.state_dict();
  EXPECT_ERROR_WITH(IoError, message, loader.next());
  EXPECT_ERROR_WITH(IoError, message, loader.load_state_dict(state));
  EXPECT_EQ(loader.index(), done + 1);
  // Where it comes back nothing was lost.
  fs::rename(second_ + ".away", second_);
  auto whole = streamed(shards(), same, options());
  for (Index i = 0; i <= done; ++i) whole.next();
  EXPECT_EQ(rest_of(loader), rest_of(whole));
}

TEST_P(BadShards, ThatChangeAreNamed) {
  auto loader = streamed(shards(), same, options());
  EXPECT_EQ(rest_of(loader).size(), 300014u);
  const auto bytes = fs::file_size(second_);
  std::ofstream(second_, std::ios::app) << "more\n";
  EXPECT_ERROR(FormatError,
               second_ + ": at byte 0: the shard has changed after the stream was made: " +
                   std::to_string(bytes) + " bytes then, " + std::to_string(bytes + 5) + " now",
               rest_of(loader));
  fs::resize_file(second_, bytes);
  fs::last_write_time(second_, fs::last_write_time(second_) + std::chrono::hours(1));
  auto other = streamed(shards(), same, options());
  other.next();
  fs::last_write_time(second_, fs::last_write_time(second_) + std::chrono::hours(1));
  EXPECT_ERROR(FormatError,
               second_ + ": at byte 0: the shard was written anew after the stream was made",
               rest_of(other));
}

INSTANTIATE_TEST_SUITE_P(Threads, BadShards, testing::Values(0, 2));

TEST(Shards, AreRefusedBeforeTheyAreRead) {
  const TemporaryFolder folder;
  EXPECT_ERROR(ValueError, "shards: there are no files", text_shards(Strings{}));
  EXPECT_ERROR_WITH(ValueError, "shards: no file is like \"" + (folder / "*.txt") + "\"",
                    text_shards(folder / "*.txt"));
  EXPECT_ERROR_WITH(IoError, "No such file", text_shards(folder / "absent/*"));
  TemporaryFolder::put(folder / "empty.txt", "");
  EXPECT_ERROR(FormatError, (folder / "empty.txt") + ": at byte 0: the shard is empty",
               text_shards(folder / "*.txt"));
  EXPECT_ERROR_WITH(IoError, ": open: No such file or directory",
                    text_shards(Strings{folder / "absent"}));
  EXPECT_ERROR_WITH(IoError, ": read: Is a directory",
                    text_shards(Strings{folder.path().string()}));
  const ShardFolder some({2});
  EXPECT_ERROR(ValueError, "shards: open 0 must be in [1, 1024]",
               text_shards(some.paths(), {.open = 0}));
  EXPECT_ERROR(ValueError, "shards: threads -1 must be in [0, 64]",
               text_shards(some.paths(), {.threads = -1}));
  EXPECT_ERROR(ValueError, "shards: open 1025 must be in [1, 1024]",
               text_shards(some.paths(), {.open = 1025}));
  EXPECT_ERROR(ValueError, "shards: threads 65 must be in [0, 64]",
               text_shards(some.paths(), {.threads = 65}));
  EXPECT_NO_THROW(text_shards(some.paths(), {.open = 1024, .threads = 64}));
}

TEST(Shards, AreRefusedWhereTheyHoldNothing) {
  const TemporaryFile nothing(gzip("")), damaged(gzip(std::string(1000, 'x')).substr(0, 20));
  EXPECT_ERROR(FormatError, nothing.path() + ": at byte 0: the shard has no items",
               walked(text_shards(Strings{nothing.path()}), false));
  EXPECT_ERROR_WITH(FormatError, damaged.path() + ": at byte ",
                    walked(text_shards(Strings{damaged.path()}), false));
}

// What came before the damage is there.
TEST(Shards, AreReadUpToTheirDamage) {
  const TemporaryFile file("{\"x\": \"a\"}\n{\"x\": \"b\"}\n{\n", "a.jsonl");
  auto loader = streamed(labelled_shards(Strings{file.path()}, {.text = "x"}),
                         [](std::vector<LabelledText> some) { return some.front().text; },
                         {.size = 1, .buffer = 1});
  Strings found;
  EXPECT_ERROR_WITH(FormatError, file.path() + ":3: not valid JSON", {
    while (const auto text = loader.next()) found.push_back(*text);
  });
}

}  // namespace
}  // namespace heed::data
