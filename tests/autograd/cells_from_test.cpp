// Cells whose input's share was made elsewhere are the cells.
#include <gtest/gtest.h>

#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/recurrent/cells.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/numbers.h"
#include "../support/throws.h"

namespace heed {
namespace {

constexpr Index kB = 3, kI = 5, kH = 2;

RnnWeights weights(Index gates) {
  manual_seed(3);
  const auto draw = [&](const Shape& shape) { return randn(shape, DType::f64); };
  return {draw({gates * kH, kI}), draw({gates * kH, kH}), draw({gates * kH}), draw({gates * kH})};
}

TEST(CellsFrom, AreTheCells) {
  const RnnWeights gru = weights(3), lstm = weights(4);
  const Tensor x = randn({kB, kI}, DType::f64), h = randn({kB, kH}, DType::f64);
  const auto share = [&](const RnnWeights& w) { return linear(x, w.w_ih, w.b_ih); };
  EXPECT_EQ(numbers(gru_cell_from(share(gru), h, gru)), numbers(gru_cell(x, h, gru)));
  EXPECT_EQ(numbers(gru_cell_from(share(gru), {}, gru)), numbers(gru_cell(x, {}, gru)));
  const LstmState have = lstm_cell_from(share(lstm), {h, Tensor()}, lstm);
  const LstmState want = lstm_cell(x, {h, Tensor()}, lstm);
  EXPECT_EQ(numbers(have.h), numbers(want.h));
  EXPECT_EQ(numbers(have.c), numbers(want.c));
}

TEST(CellsFrom, RefuseWhatDoesNotFit) {
  const RnnWeights gru = weights(3), lstm = weights(4);
  EXPECT_ERROR_WITH(
      ShapeError,
      "gru_cell: from_x must be [B, 3 H] and w_hh [3 H, H], not f64[3, 5] and f64[6, 2]",
      gru_cell_from(zeros({kB, 5}, DType::f64), {}, gru));
  EXPECT_ERROR_WITH(ShapeError, "lstm_cell: h",
                    lstm_cell_from(zeros({kB, 8}, DType::f64), {zeros({kB, 1}), Tensor()}, lstm));
  EXPECT_ERROR_WITH(DTypeError, "gru_cell",
                    gru_cell_from(zeros({kB, 6}), zeros({kB, kH}, DType::f64), gru));
  EXPECT_ERROR_WITH(DTypeError, "f64", gru_cell_from(zeros({kB, 6}), {}, gru));
  EXPECT_ERROR_WITH(GradError, "gru_cell: from_x is undefined", gru_cell_from(Tensor(), {}, gru));
}

}  // namespace
}  // namespace heed
