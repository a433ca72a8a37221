#include "../../../examples/captioning/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "../../../core/error.h"
#include "../../../examples/captioning/corpus.h"
#include "../../data/temporary_file.h"
#include "../../io/temporary_folder.h"

namespace captioning {
namespace {

using data::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(CaptioningScene, OneSentenceIsRight) {
  Scene scene;
  describe({{{"red", "circle"}, 3}, {{"blue", "square"}, 5}, {{"white", "cross"}, 6}}, scene);
  EXPECT_THAT(scene.words, ElementsAre("a", "red", "circle", "left", "of", "a", "blue", "square",
                                       "above", "a", "white", "cross"));
  EXPECT_THAT(scene.places, ElementsAre(-1, 3, 3, -1, -1, -1, 5, 5, -1, -1, 6, 6));
}

TEST(CaptioningScene, ShapesStandWhereTheWordsSay) {
  Generator generator(3);
  std::set<std::string> said;
  const std::vector<std::string> words = words_of("shapes");
  for (int i = 0; i < 200; ++i) {
    const Scene scene = shape_scene(generator);
    ASSERT_EQ(scene.image.size(), static_cast<std::size_t>(3 * kSide * kSide));
    said.insert(scene.words.begin(), scene.words.end());
    const std::set<Index> named(scene.places.begin(), scene.places.end());
    EXPECT_THAT(named.size(), testing::AnyOf(3U, 4U));  // -1 is one of them
    for (Index place = 0; place < kPlaces * kPlaces; ++place) {
      std::uint8_t brightest = 0;
      for (Index y = 0; y < kPlaceSize; ++y) {
        for (Index x = 0; x < kPlaceSize; ++x) {
          for (Index c = 0; c < 3; ++c) {
            const Index row = place / kPlaces * kPlaceSize + y,
                        column = place % kPlaces * kPlaceSize + x;
            brightest =
                std::max(brightest,
                         scene.image[static_cast<std::size_t>((c * kSide + row) * kSide + column)]);
          }
        }
      }
      EXPECT_EQ(brightest > 100, named.contains(place)) << i << " " << place;
    }
  }
  EXPECT_EQ(said, std::set<std::string>(words.begin(), words.end()));
}

TEST(CaptioningScene, SeedsAndPartsDiffer) {
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

TEST(CaptioningScene, BatchesHoldWordsAndTargets) {
  const auto vocabulary = vocabulary_of("shapes");
  Scene scene;
  scene.image.assign(3 * kSide * kSide, 51);
  describe({{{"red", "circle"}, 3}, {{"blue", "square"}, 5}}, scene);
  Scene shorter = scene;
  shorter.words.resize(2);
  const Batch batch = batch_of({scene, shorter}, {1, 0}, vocabulary);
  EXPECT_EQ(batch.images.shape(), (Shape{2, 3, kSide, kSide}));
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

TEST(CaptioningScene, DigitsStandWhereTheWordsSay) {
  const TemporaryFolder folder;
  write_digits(folder, "train", 10);
  const data::Digits digits = data::read_mnist(folder.path(), "train");
  const std::vector<std::string> words = words_of("mnist");
  Generator generator(5);
  for (int i = 0; i < 50; ++i) {
    const Scene scene = digit_scene(digits, 0, 10, generator);
    for (std::size_t t = 0; t < scene.words.size(); ++t) {
      if (scene.places[t] < 0) continue;
      const Index middle = kPlaceSize / 2;
      const Index row = scene.places[t] / kPlaces * kPlaceSize + middle;
      const Index column = scene.places[t] % kPlaces * kPlaceSize + middle;
      const int digit = (scene.image[static_cast<std::size_t>(row * kSide + column)] - 100) / 10;
      EXPECT_EQ(scene.words[t], words[static_cast<std::size_t>(4 + digit)]);
    }
  }
}

// Of ten digits to train on the last is for validation; the test part stands for itself.
TEST(CaptioningScene, NoDigitServesTwoParts) {
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

TEST(CaptioningScene, SaysWhatIsWrongWithData) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<ValueError>([] { load_corpus({.data = "photos"}); }),
            "data: 'photos' is none of shapes, mnist");
  EXPECT_EQ(message_of<ValueError>([] { load_corpus({.data = "mnist"}); }),
            "data: mnist needs --path, the folder of its files");
  const auto load = [&] { load_corpus({.data = "mnist", .path = folder.path()}); };
  EXPECT_THAT(message_of<IoError>(load), HasSubstr("train-images-idx3-ubyte: open: No such file"));
  write_digits(folder, "train", 10, 77);
  EXPECT_THAT(message_of<FormatError>(load), HasSubstr("77 is no digit"));
  write_digits(folder, "train", 10);
  Generator generator(5);
  const data::Digits digits = data::read_mnist(folder.path(), "train");
  EXPECT_EQ(message_of<ValueError>([&] { digit_scene(digits, 7, 11, generator); }),
            "digits: [7, 11) are no digits of 10");
}

}  // namespace
}  // namespace captioning
