#include "../../../../attention/mechanisms/memory/tape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/kernels/reduce/finite.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

TEST(Tape, HoldsItsRows) {
  Tape tape;
  EXPECT_FALSE(tape.rows().defined());
  std::vector<Tensor> rows, early;
  for (Index t = 0; t < 37; ++t) {  // past two enlargements
    rows.push_back(randn({2, 3}, DType::f64));
    tape.append(rows.back());
    early.push_back(tape.rows());
  }
  EXPECT_EQ(tape.size(), 37);
  EXPECT_EQ(numbers(tape.rows()), numbers(stack(rows, 1)));
  EXPECT_EQ(numbers(tape.rows(4)), numbers(narrow(stack(rows, 1), 1, 33, 4)));
  EXPECT_EQ(tape.rows(99).shape(), (Shape{2, 37, 3}));
  EXPECT_EQ(numbers(early[4]), numbers(narrow(stack(rows, 1), 1, 0, 5)));
}

TEST(Tape, GoesOnBehindRows) {
  const Tensor rows = randn({2, 5, 3}, DType::f64), next = randn({2, 3}, DType::f64);
  Tape tape(rows);
  EXPECT_EQ(tape.size(), 5);
  tape.append(next);
  EXPECT_EQ(numbers(tape.rows()), numbers(concat({rows, unsqueeze(next, 1)}, 1)));
  EXPECT_ERROR(ShapeError, "tape: rows must be [B, n, d], not f64[2, 3]", Tape{next});
}

TEST(Tape, CopiesGoTheirOwnWays) {
  const Tensor a = ones({1, 2}), b = a * 2, c = a * 3;
  Tape one;
  one.append(a);
  Tape other = one;
  one.append(b);
  other.append(c);
  EXPECT_EQ(one.rows().array().to_vector<float>(), (std::vector<float>{1, 1, 2, 2}));
  EXPECT_EQ(other.rows().array().to_vector<float>(), (std::vector<float>{1, 1, 3, 3}));
}

// What was found of the memory behind the rows says nothing of a row that comes there.
TEST(Tape, ARowMayBeNoNumber) {
  Tape tape;
  for (int t = 0; t < 5; ++t) tape.append(ones({2, 3}));
  tape.rows().array().storage()->note_finite();
  EXPECT_TRUE(kernels::all_finite(tape.rows().array()));
  tape.append(full({2, 3}, NAN));
  EXPECT_FALSE(kernels::all_finite(tape.rows().array()));
}

TEST(Tape, HasGradientsOfFirstAndSecondOrder) {
  manual_seed(3);
  const auto run = [](const std::vector<Tensor>& x) {
    Tape tape;
    std::vector<Tensor> seen;
    for (const Tensor& row : x) {
      tape.append(square(row));
      seen.push_back(square(tape.rows(2)));
    }
    seen.push_back(square(tape.rows()));
    return seen;
  };
  std::vector<Tensor> rows;
  for (int t = 0; t < 19; ++t) rows.push_back(randn({2, 3}, DType::f64));
  const auto first = gradcheck(run, rows);
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(run, rows, {.max_elements = 2});
  EXPECT_TRUE(second) << second.text();
}

TEST(Tape, SaysWhatIsWrong) {
  Tape tape;
  EXPECT_ERROR(ShapeError, "tape: a row must be [B, d], not f32[3]", tape.append(zeros({3})));
  tape.append(zeros({2, 3}));
  EXPECT_ERROR(ShapeError, "tape: f32[2, 4] does not fit the rows f32[2, 1, 3]",
               tape.append(zeros({2, 4})));
  EXPECT_ERROR(DTypeError, "tape: f64[2, 3] does not fit the rows f32[2, 1, 3]",
               tape.append(zeros({2, 3}, DType::f64)));
  EXPECT_ERROR(GradError, "tape: row is undefined", tape.append(Tensor()));
  const Tensor none;
  EXPECT_ERROR(GradError, "tape: rows is undefined", Tape{none});
}

}  // namespace
}  // namespace heed::attention
