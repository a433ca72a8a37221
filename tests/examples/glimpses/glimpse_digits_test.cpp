#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "../../../core/error.h"
#include "../../../data/cluttered_digits.h"
#include "../../../examples/glimpses/digits.h"
#include "../../io/temporary_folder.h"
#include "../../support/places.h"
#include "../../support/throws.h"

namespace glimpses {
namespace {

namespace fs = std::filesystem;
using testing::Each;

constexpr std::size_t kPixels = kSide * kSide;

class GlimpseDigits : public testing::Test {
 protected:
  // Of bytes that count up modulo `modulus`, packed.
  void write(const std::string& name, const std::vector<Index>& shape, int modulus) const {
    std::string content{0, 0, 8, static_cast<char>(shape.size())};
    Index count = 1;
    for (const Index size : shape) {
      count *= size;
      for (int shift = 24; shift >= 0; shift -= 8) {
        content.push_back(static_cast<char>(size >> shift));
      }
    }
    for (Index i = 0; i < count; ++i) content.push_back(static_cast<char>(i % modulus));
    gzFile file = gzopen((folder_ / (name + "-ubyte.gz")).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
  }
  // 26 digits to train on and validate, 13 to test.
  void write_all() const {
    write("train-images-idx3", {26, kSide, kSide}, 251);
    write("train-labels-idx1", {26}, 10);
    write("t10k-images-idx3", {13, kSide, kSide}, 7);
    write("t10k-labels-idx1", {13}, 10);
  }
  Corpus read() const { return load_corpus({.path = folder_.path().string()}); }

  heed::TemporaryFolder folder_;
};

TEST_F(GlimpseDigits, ComeFromFilesTheLastTwelfthForValidation) {
  write_all();
  const Corpus corpus = read();
  EXPECT_EQ(corpus.train.count(), 24);
  EXPECT_EQ(corpus.validation.count(), 2);
  EXPECT_EQ(corpus.test.count(), 13);
  EXPECT_EQ(corpus.train.labels[23], 3);
  EXPECT_EQ(corpus.validation.labels, (std::vector<Index>{4, 5}));
  EXPECT_EQ(corpus.train.pixels.size(), 24 * kPixels);
  EXPECT_EQ(corpus.validation.pixels.size(), 2 * kPixels);
  EXPECT_EQ(corpus.validation.pixels[1], (24 * kPixels + 1) % 251);
}

// What data::read_mnist() refuses, and what is too little to be parted.
TEST_F(GlimpseDigits, AreRefusedWhereFilesDoNotFit) {
  EXPECT_ERROR_WITH(IoError, "train-images-idx3-ubyte", read());
  write_all();
  write("t10k-labels-idx1", {14}, 10);
  EXPECT_ERROR_WITH(FormatError, "labels of [14] for 13 images", read());
  write_all();
  write("train-images-idx3", {11, kSide, kSide}, 7);
  write("train-labels-idx1", {11}, 10);
  EXPECT_ERROR_WITH(FormatError, "fewer than 12 digits", read());
}

TEST(GlimpseDrawnDigits, AreTheSeedsAndLookLikeTheirClass) {
  Generator a(7), b(7), c(8);
  const Digits train = draw_digits(701, a), same = draw_digits(701, b), test = draw_digits(307, c);
  EXPECT_EQ(train.pixels, same.pixels);
  EXPECT_EQ(train.labels, same.labels);
  EXPECT_EQ(std::set<Index>(train.labels.begin(), train.labels.end()).size(), 10u);
  // The nearest of the classes' means.
  std::array<std::array<double, kPixels>, kClasses> means{};
  std::array<double, kClasses> counts{};
  for (std::size_t i = 0; i < train.labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(train.labels[i]);
    ++counts[label];
    for (std::size_t p = 0; p < kPixels; ++p) means[label][p] += train.pixels[i * kPixels + p];
  }
  Index right = 0;
  for (std::size_t i = 0; i < test.labels.size(); ++i) {
    double nearest = 1e300;
    Index guess = -1;
    for (std::size_t label = 0; label < kClasses; ++label) {
      double distance = 0;
      for (std::size_t p = 0; p < kPixels; ++p) {
        const double apart = test.pixels[i * kPixels + p] - means[label][p] / counts[label];
        distance += apart * apart;
      }
      if (distance < nearest) {
        nearest = distance;
        guess = static_cast<Index>(label);
      }
    }
    right += guess == test.labels[i];
  }
  EXPECT_GT(right, 307 * 3 / 5);
  EXPECT_LT(right, 307);  // but there is something to learn
}

TEST(GlimpseDrawnDigits, PartsDifferAndFollowTheSeed) {
  const Corpus a = load_corpus({.drawn = 61, .seed = 3}), b = load_corpus({.drawn = 61, .seed = 4});
  EXPECT_EQ(a.train.count(), 61);
  EXPECT_EQ(a.validation.count(), 10);
  EXPECT_EQ(a.test.count(), 10);
  EXPECT_NE(a.train.pixels, b.train.pixels);
  EXPECT_NE(a.validation.pixels, a.test.pixels);
}

TEST(GlimpseDrawnDigits, MoreToTrainOnAreNoneOfTheTest) {
  const Corpus usual = load_corpus({.seed = 3}), few = load_corpus({.drawn = 61, .seed = 3}),
               many = load_corpus({.drawn = 12007, .seed = 3});
  Generator generator(3 + 29);
  const Digits all = draw_digits(12000 + 2000 + 2000 + 7, generator);
  const auto labels = [&](Index begin, Index end) {
    return std::vector<Index>(all.labels.begin() + begin, all.labels.begin() + end);
  };
  EXPECT_EQ(usual.train.labels, labels(0, 12000));
  EXPECT_EQ(usual.validation.labels, labels(12000, 14000));
  EXPECT_EQ(usual.test.labels, labels(14000, 16000));
  EXPECT_EQ(many.test.pixels, usual.test.pixels);
  EXPECT_EQ(many.validation.pixels, usual.validation.pixels);
  EXPECT_TRUE(
      std::equal(usual.train.pixels.begin(), usual.train.pixels.end(), many.train.pixels.begin()));
  EXPECT_TRUE(std::equal(all.pixels.end() - 7 * kSide * kSide, all.pixels.end(),
                         many.train.pixels.end() - 7 * kSide * kSide));
  EXPECT_EQ(many.train.count(), 12007);
  EXPECT_EQ(few.train.labels, labels(0, 61));
  EXPECT_EQ(few.test.labels, labels(14000, 14010));
}

TEST(GlimpseBatch, DigitsStandAtPlacesOfTheirOwn) {
  Digits digits;
  digits.labels = {3, 8};
  digits.pixels.assign(2 * kPixels, 51);  // a fifth
  digits.pixels[0] = 255;                 // the first corner
  Generator generator(5);
  const std::vector<Index> which(31, 0);
  const Batch batch = batch_of(digits, which, 60, 0, generator);
  ASSERT_EQ(batch.images.shape(), (Shape{31, 1, 60, 60}));
  EXPECT_THAT(batch.labels.array().to_vector<Index>(), Each(3));
  const auto pixels = batch.images.array().to_vector<float>();
  std::set<std::ptrdiff_t> corners;
  for (auto image = pixels.begin(); image != pixels.end(); image += 60 * 60) {
    const auto corner = std::find(image, image + 60 * 60, 1.0F) - image;
    corners.insert(corner);
    ASSERT_LE(corner / 60, 60 - kSide);
    ASSERT_LE(corner % 60, 60 - kSide);
    EXPECT_EQ(std::count(image, image + 60 * 60, 0.2F), kSide * kSide - 1);
    EXPECT_EQ(image[corner + 27 * 60 + 27], 0.2F);
  }
  EXPECT_GT(corners.size(), 25u);
  const Batch plain = batch_of(digits, {1}, kSide, 0, generator);
  EXPECT_THAT(plain.images.array().to_vector<float>(), Each(0.2F * 1.0F));
  EXPECT_ERROR(ValueError, "size 27 must be at least that of a digit, 28",
               batch_of(digits, which, 27, 0, generator));
}

TEST(GlimpseBatch, PiecesOfOthersStandBeside) {
  Digits digits;
  digits.labels = {3, 8};
  digits.pixels.assign(2 * kPixels, 0);
  std::fill_n(digits.pixels.begin() + kPixels, kPixels, 255);  // the second is all light
  Generator generator(5);
  const Batch batch = batch_of(digits, std::vector<Index>(23, 0), 40, 3, generator);
  const auto pixels = batch.images.array().to_vector<float>();
  std::set<std::ptrdiff_t> counts;
  for (auto image = pixels.begin(); image != pixels.end(); image += 40 * 40) {
    counts.insert(std::count(image, image + 40 * 40, 1.0F));
  }
  EXPECT_EQ(*counts.begin(), 0);  // of the dark one only
  EXPECT_GT(counts.size(), 3U);   // one, two, three, over each other or not
  EXPECT_TRUE(counts.contains(data::kClutterPiece * data::kClutterPiece));
  EXPECT_LE(*counts.rbegin(), 3 * data::kClutterPiece * data::kClutterPiece);
}

TEST(GlimpseDigitsOnRealData, AreTheStandardSplit) {
  const std::string path = data_folder() + "/mnist";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is absent";
  const Corpus corpus = load_corpus({.path = path});
  EXPECT_EQ(corpus.train.count(), 55000);
  EXPECT_EQ(corpus.validation.count(), 5000);
  EXPECT_EQ(corpus.test.count(), 10000);
  EXPECT_EQ(corpus.train.labels[0], 5);
  EXPECT_EQ(corpus.test.labels[0], 7);
}

}  // namespace
}  // namespace glimpses
