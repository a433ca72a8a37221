#include "../../train/classified.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

Tensor labels(const std::vector<Index>& of) { return Tensor(Array::from(of)); }

TEST(Classified, CountsGuessesAndLosses) {
  Classified found(3);
  EXPECT_EQ(found.loss(), 0);
  const double two = std::log(2), four = std::log(4);
  // The largest logit of a row is the guess; exp(logits) are shares of 1.
  found.add(tensor({0, -two, -1e9, -four, -four, -two}, {2, 3}, DType::f64), labels({1, 2}));
  const double one = std::log1p(0.5) + two;  // -log(0.5 / 1.5)
  EXPECT_NEAR(found.loss(), (one + two) / 2, 1e-12);
  EXPECT_EQ(found.confusion().count(1, 0), 1);
  EXPECT_EQ(found.confusion().count(2, 2), 1);
  found.add(zeros({1, 3}, DType::f64), labels({0}));
  EXPECT_NEAR(found.loss(), (one + two + std::log(3)) / 3, 1e-12);
  EXPECT_EQ(found.confusion().count(0, 0), 1);
  EXPECT_NEAR(found.confusion().accuracy(), 2.0 / 3, 1e-12);
}

TEST(Classified, IsAPartOfTheValidation) {
  Classified found(3);
  EXPECT_EQ(found.part().weight, 0);
  found.add(Array::from<double>({2, 1, 0, 0, 1, 3}).reshape({2, 3}), Array::from<Index>({0, 1}));
  const Part part = found.part();
  ASSERT_EQ(part.figures.size(), 2u);
  EXPECT_EQ(part.figures[0].name, "validation loss");
  EXPECT_EQ(part.figures[0].value, found.loss());
  EXPECT_EQ(part.figures[1].name, "accuracy");
  EXPECT_EQ(part.figures[1].value, 0.5);
  EXPECT_EQ(part.weight, 2);
}

TEST(Classified, RefusesWhatDoesNotFit) {
  Classified found(3);
  EXPECT_ERROR_WITH(ValueError, "classes", Classified none(0));
  EXPECT_THROW(found.add(zeros({2, 3}), labels({1})), ShapeError);
  EXPECT_THROW(found.add(zeros({1, 3}), labels({3})), IndexError);
  EXPECT_THROW(found.add(zeros({1, 3}), labels({-1})), IndexError);
  // Of a batch all or nothing, and no label is passed over.
  EXPECT_ERROR(IndexError, "classified: label -100 is out of range for 3 classes",
               found.add(zeros({2, 3}), labels({1, -100})));
  EXPECT_ERROR(ShapeError, "classified: logits of shape [2, 5]; need [B, 3]",
               found.add(zeros({2, 5}), labels({1, 4})));
  EXPECT_THROW(found.add(zeros({2, 2}), labels({1, 0})), ShapeError);
  EXPECT_THROW(found.add(zeros({2, 3}), zeros({2})), DTypeError);
  EXPECT_EQ(found.confusion().total(), 0);
  EXPECT_EQ(found.loss(), 0);
}

}  // namespace
}  // namespace heed::train
