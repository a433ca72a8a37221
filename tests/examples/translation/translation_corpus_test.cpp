#include "../../../examples/translation/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../core/generator.h"
#include "../../../data/generated/pairs.h"
#include "../../io/temporary_folder.h"

namespace translation {
namespace {

using testing::ElementsAre;
using Lines = std::vector<std::string>;

Lines first(const Lines& lines, std::size_t count) {
  return {lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count)};
}

Corpus seeded(Index sentences) {
  CorpusOptions options;
  options.sentences = sentences;
  options.seed = 3;
  return load_corpus(options);
}

TEST(TranslationCorpus, MorePairsToTrainOnAreNoneOfTheTest) {
  const Corpus usual = seeded(CorpusOptions().sentences), few = seeded(73), many = seeded(9011);
  Generator generator(3 + 11);
  Lines all;
  for (const auto& pair : data::generate_pairs(8000 + 800 + 800 + 1011, generator)) {
    all.push_back(pair.source);
  }
  EXPECT_EQ(usual.train.source, first(all, 8000));
  EXPECT_EQ(usual.validation.source, Lines(all.begin() + 8000, all.begin() + 8800));
  EXPECT_EQ(usual.test.source, Lines(all.begin() + 8800, all.begin() + 9600));
  EXPECT_EQ(many.test.source, usual.test.source);
  EXPECT_EQ(many.validation.source, usual.validation.source);
  EXPECT_EQ(first(many.train.source, 8000), usual.train.source);
  EXPECT_EQ(Lines(many.train.source.begin() + 8000, many.train.source.end()),
            Lines(all.begin() + 9600, all.end()));
  EXPECT_EQ(many.train.links.size(), 9011U);
  EXPECT_EQ(few.train.source, first(usual.train.source, 73));
  EXPECT_EQ(few.validation.source, first(usual.validation.source, 7));
  EXPECT_EQ(few.test.source, first(usual.test.source, 7));
}

TEST(TranslationCorpus, AllFilesOfAPartAreRead) {
  const TemporaryFolder folder;
  for (const char* name : {"train.2", "train.1", "val", "test_a", "test_b"}) {
    TemporaryFolder::put(folder / (std::string(name) + ".en"), std::string(name) + "\n");
    TemporaryFolder::put(folder / (std::string(name) + ".de"), "de " + std::string(name) + "\n");
  }
  TemporaryFolder::put(folder / "train.3.en", "nobody's\n");  // has no translation
  CorpusOptions options;
  options.path = folder.path();
  const Corpus corpus = load_corpus(options);
  EXPECT_THAT(corpus.train.source, ElementsAre("train.1", "train.2"));
  EXPECT_THAT(corpus.train.target, ElementsAre("de train.1", "de train.2"));
  EXPECT_THAT(corpus.validation.source, ElementsAre("val"));
  EXPECT_THAT(corpus.test.source, ElementsAre("test_a", "test_b"));
  options.test = "test_b";
  EXPECT_THAT(load_corpus(options).test.source, ElementsAre("test_b"));
}

}  // namespace
}  // namespace translation
