#include "../../../examples/captioning/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "../../../core/error.h"
#include "../../data/temporary_file.h"
#include "../../io/temporary_folder.h"
#include "../../support/throws.h"

namespace captioning {
namespace {

using testing::ElementsAre;

TEST(CaptioningCorpus, SeedsAndPartsDiffer) {
  const Corpus one = load_corpus({.scenes = 3, .validation = 5, .test = 7, .seed = 5});
  const Corpus same = load_corpus({.scenes = 3, .validation = 5, .test = 7, .seed = 5});
  const Corpus other = load_corpus({.scenes = 3, .validation = 5, .test = 7, .seed = 6});
  EXPECT_EQ(one.validation.size(), 5U);
  EXPECT_EQ(one.test.size(), 7U);
  EXPECT_EQ(one.train[2].image, same.train[2].image);
  EXPECT_NE(one.train[2].image, other.train[2].image);
  EXPECT_EQ(one.test[2].image, same.test[2].image);
  EXPECT_NE(one.train[2].image, one.validation[2].image);
  EXPECT_NE(one.train[2].image, one.test[2].image);
  EXPECT_NE(one.validation[2].image, one.test[2].image);
}

TEST(CaptioningCorpus, BatchesHoldWordsAndTargets) {
  const auto vocabulary = vocabulary_of("shapes");
  Scene scene;
  scene.image.assign(3 * kSceneSide * kSceneSide, 51);
  data::say_things({{{"red", "circle"}, 3}, {{"blue", "square"}, 5}}, scene);
  Scene shorter = scene;
  shorter.words.resize(2);
  const Batch batch = batch_of({scene, shorter}, {1, 0}, vocabulary);
  EXPECT_EQ(batch.images.shape(), (Shape{2, 3, kSceneSide, kSceneSide}));
  EXPECT_FLOAT_EQ(batch.images.data<float>()[0], 0.2F);
  EXPECT_EQ(batch.words.shape(), (Shape{2, 9}));
  const auto words = batch.words.to_vector<std::int64_t>();
  const auto targets = batch.targets.to_vector<std::int64_t>();
  EXPECT_EQ(words[0], vocabulary.id(kBegin));
  EXPECT_EQ(words[1], vocabulary.id("a"));
  EXPECT_EQ(targets[0], vocabulary.id("a"));
  EXPECT_EQ(targets[2], vocabulary.id(kEnd));
  EXPECT_EQ(targets[3], 0);
  EXPECT_EQ(targets[17], vocabulary.id(kEnd));
}

TEST(CaptioningCorpus, BatchesAreCutInParts) {
  const Corpus corpus = load_corpus({.scenes = 7, .validation = 1, .test = 1});
  const auto vocabulary = vocabulary_of("shapes");
  const Batch batch = batch_of(corpus.train, {0, 1, 2, 3, 4}, vocabulary);
  const Batch part = part_of(batch, 2, 5);
  EXPECT_EQ(rows_of(batch), 5);
  EXPECT_EQ(rows_of(part), 3);
  EXPECT_EQ(part.images.to_vector<float>(),
            batch_of(corpus.train, {2, 3, 4}, vocabulary).images.to_vector<float>());
  const auto words = batch.words.to_vector<Index>();
  const auto from = words.begin() + 2 * batch.words.size(1);
  EXPECT_EQ(part.words.to_vector<Index>(), std::vector<Index>(from, words.end()));
  EXPECT_EQ(part.targets.shape(), (Shape{3, batch.targets.size(1)}));
}

// Two files of MNIST's format with the digits 0 to 9, the images of a digit as bright as it is.
void write_digits(const TemporaryFolder& folder, const std::string& part, int labels,
                  int worst = 9) {
  std::string images("\0\0\x08\x03\0\0\0\x0a\0\0\0\x1c\0\0\0\x1c", 16),
      names("\0\0\x08\x01\0\0\0", 7);
  names.push_back(static_cast<char>(labels));
  for (int digit = 0; digit < 10; ++digit)
    images += std::string(28 * 28, static_cast<char>(10 * digit + 100));
  for (int i = 0; i < labels; ++i) names.push_back(static_cast<char>(i == labels - 1 ? worst : i));
  TemporaryFolder::put(folder / (part + "-images-idx3-ubyte"), images);
  TemporaryFolder::put(folder / (part + "-labels-idx1-ubyte.gz"), data::gzip(names));
}

// Of ten digits to train on the last is for validation; the test part stands for itself.
TEST(CaptioningCorpus, NoDigitServesTwoParts) {
  const TemporaryFolder folder;
  write_digits(folder, "train", 10);
  write_digits(folder, "t10k", 10);
  const Corpus corpus = load_corpus(
      {.data = "mnist", .path = folder.path(), .scenes = 50, .validation = 11, .test = 50});
  const auto said = [](const std::vector<Scene>& scenes) {
    std::set<std::string> out;
    for (const Scene& scene : scenes) {
      for (std::size_t t = 0; t < scene.words.size(); ++t) {
        if (scene.places[t] >= 0) out.insert(scene.words[t]);
      }
    }
    return out;
  };
  EXPECT_EQ(said(corpus.train).size(), 9U);
  EXPECT_FALSE(said(corpus.train).contains("nine"));
  EXPECT_THAT(said(corpus.validation), ElementsAre("nine"));
  EXPECT_EQ(said(corpus.test).size(), 10U);
}

TEST(CaptioningCorpus, SaysWhatIsWrongWithData) {
  const TemporaryFolder folder;
  EXPECT_ERROR(ValueError, "data: 'photos' is none of shapes, mnist",
               load_corpus({.data = "photos"}));
  EXPECT_ERROR(ValueError, "data: mnist needs --path, the folder of its files",
               load_corpus({.data = "mnist"}));
  const auto load = [&] { load_corpus({.data = "mnist", .path = folder.path()}); };
  EXPECT_ERROR_WITH(IoError, "train-images-idx3-ubyte: open: No such file", load());
  write_digits(folder, "train", 10, 77);
  EXPECT_ERROR_WITH(FormatError, "77 is no digit", load());
  write_digits(folder, "train", 10);
  Generator generator(5);
  const data::Digits digits = data::read_mnist(folder.path(), "train");
  EXPECT_ERROR(ValueError, "digits: [7, 11) are no digits of 10",
               data::digit_scene(digits, 7, 11, generator));
}

}  // namespace
}  // namespace captioning
