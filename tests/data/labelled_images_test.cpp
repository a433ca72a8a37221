#include "../../data/labelled_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../data/cluttered_digits.h"
#include "../../data/generated/drawn_digits.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

using testing::ElementsAre;

TEST(LabelledImages, OfDigitsAreThoseOfTheStream) {
  Generator generator(3), same(4), again(4);
  const Digits digits = draw_digits(5, generator);
  const LabelledImages images = placed_digits(digits, 31, 2, same);
  EXPECT_EQ(images.labels, digits.labels);
  const Array wanted = cluttered_digits(digits, {0, 1, 2, 3, 4}, 31, 2, again);
  const Array found = image_batch(images, {0, 1, 2, 3, 4});
  ASSERT_EQ(found.shape(), wanted.shape());
  EXPECT_THAT(found.to_vector<float>(),
              testing::Pointwise(testing::FloatNear(1e-6F), wanted.to_vector<float>()));
}

TEST(LabelledImages, OfQuestionsAreThoseAskedForTheirShape) {
  VisualQuestions all{.count = 3, .height = 1, .width = 2};
  for (int i = 0; i < 18; ++i) all.images.push_back(static_cast<std::uint8_t>(i * 10));
  all.questions = {{.text = "what shape is present?", .answer = "triangle", .image = 2},
                   {.text = "is it red?", .answer = "yes", .image = 1},
                   {.text = "what shape is in the image?", .answer = "circle", .image = 0}};
  const LabelledImages images = shown_shapes(all);
  EXPECT_THAT(images.labels, ElementsAre(0, 2));
  // Red, green and blue planes, of what came dot by dot.
  EXPECT_THAT(images.pixels, ElementsAre(0, 30, 10, 40, 20, 50, 120, 150, 130, 160, 140, 170));
  const LabelledImages last = part_of(images, 1, 7);
  EXPECT_THAT(last.labels, ElementsAre(2));
  EXPECT_EQ(last.pixels[1], 150);
  EXPECT_EQ(part_of(images, 5, 2).count(), 0);
  EXPECT_FLOAT_EQ(image_batch(images, {1, 0}).data<float>()[0], 120.0F / 255);
}

TEST(LabelledImages, RefuseWhatIsNotThere) {
  const LabelledImages none{1, 2, 3};
  EXPECT_ERROR(IndexError, "image 0 of 0", image_batch(none, {0}));
  EXPECT_ERROR(IndexError, "image -1 of 0", image_batch(none, {-1}));
  EXPECT_ERROR(IndexError, "images: 2 from -1", part_of(none, -1, 2));
  EXPECT_ERROR(IndexError, "images: -2 from 1", part_of(none, 1, -2));
  EXPECT_EQ(part_of(none, 0, 0).count(), 0);
}

}  // namespace
}  // namespace heed::data
