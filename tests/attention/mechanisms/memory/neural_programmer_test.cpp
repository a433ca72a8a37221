#include "../../../../attention/mechanisms/memory/neural_programmer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::affine;
using plain::join;
using testing::Each;

constexpr Index kB = 2, kQ = 5, kN = 3, kR = 7, kC = 2, kD = 4, kT = 5, kWords = 11;
const std::vector<Index> kLengths = {5, 3}, kRows = {7, 4};

class Asked : public nn::Module {
 public:
  Asked() {
    for (const Tensor& p : parameters()) nn::normal_(p, 0, 0.6);
  }
  NeuralProgrammer& programmer =
      child<NeuralProgrammer>("programmer", NeuralProgrammerOptions{kWords, kD, kT, DType::f64});
};

TableQuestions questions(const Tensor& numbers, const Tensor& table) {
  const auto ids = [](const std::vector<Index>& values, const Shape& shape) {
    return Tensor(Array::from(values, shape));
  };
  return {ids({3, 1, 4, 1, 5, 9, 2, 6, 0, 0}, {kB, kQ}),
          kLengths,
          numbers,
          ids({0, 2, 4, 1, -1, -1}, {kB, kN}),
          table,
          kRows,
          ids({7, 8, 8, 10}, {kB, kC})};
}

// The definition for the b-th question, in single numbers: scalar, cells, operations, columns, rows
// of all steps, and betas.
Numbers definition(const Asked& model, const TableQuestions& asked, Index b, Numbers& lookup) {
  const Numbers V = numbers(model.programmer.words.weight),
                U = numbers(model.programmer.operations);
  const Numbers words = numbers(to(asked.words, DType::f64)),
                names = numbers(to(asked.names, DType::f64));
  const Numbers table = numbers(asked.table), given = numbers(asked.numbers);
  const Numbers left = numbers(to(asked.left, DType::f64));
  const Index Q = kLengths[static_cast<std::size_t>(b)], R = kRows[static_cast<std::size_t>(b)];
  const auto vector = [](const Numbers& of, Index row) {
    return Numbers(of.begin() + row * kD, of.begin() + (row + 1) * kD);
  };
  std::vector<Numbers> z = {Numbers(kD, 0.0)};
  const Block w_ih = plain::parameter(model, "programmer.question.weight_ih_l0"),
              w_hh = plain::parameter(model, "programmer.question.weight_hh_l0"),
              b_ih = plain::parameter(model, "programmer.question.bias_ih_l0"),
              b_hh = plain::parameter(model, "programmer.question.bias_hh_l0");
  for (Index i = 0; i < Q; ++i) {
    const Numbers v = vector(V, static_cast<Index>(at(words, b * kQ + i)));
    z.push_back(plain::tanh(plain::add(affine(w_ih, v, b_ih), affine(w_hh, z.back(), b_hh))));
  }
  const auto softmax = [](Numbers scores) {
    return plain::softmax(scores, static_cast<Index>(scores.size()));
  };
  std::vector<Numbers> betas;
  for (const Index op : {3, 4}) {
    Numbers scores;
    for (Index n = 0; n < kN; ++n) {
      const auto place = static_cast<Index>(at(left, b * kN + n));
      if (place < 0) break;
      scores.push_back(plain::dot(z[static_cast<std::size_t>(place) + 1], vector(U, op)));
    }
    betas.push_back(softmax(scores));
    betas.back().resize(kN, 0.0);
  }
  const auto cell = [&](Index i, Index j) { return at(table, (b * kR + i) * kC + j); };
  std::vector<Numbers> r = {Numbers(kR, 0.0), Numbers(kR, 0.0)};
  for (Index i = 0; i < R; ++i)
    r[0][static_cast<std::size_t>(i)] = r[1][static_cast<std::size_t>(i)] = 1;
  Numbers scalar(3, 0.0), h(kD, 0.0), all_a, all_c, all_r;
  for (Index t = 0; t < kT; ++t) {
    const Numbers qh = join({z.back(), h});
    const Numbers to_op = plain::tanh(affine(model, "programmer.operation", qh));
    const Numbers to_col = plain::tanh(affine(model, "programmer.column", qh));
    Numbers ops, cols;
    for (Index o = 0; o < 9; ++o) ops.push_back(plain::dot(vector(U, o), to_op));
    const auto P = [&](Index j) { return vector(V, static_cast<Index>(at(names, b * kC + j))); };
    for (Index j = 0; j < kC; ++j) cols.push_back(plain::dot(P(j), to_col));
    const Numbers a = softmax(ops), c = softmax(cols);
    const Numbers last = r.back(), before = r[r.size() - 2];
    double count = 0, sum = 0;
    lookup.assign(kR * kC, 0.0);
    Numbers now(kR, 0.0);
    for (Index i = 0; i < R; ++i) {
      count += at(last, i);
      double& row = at(now, i);
      row = at(a, 5) * std::min(at(last, i), at(before, i)) +
            at(a, 6) * std::max(at(last, i), at(before, i)) + at(a, 8);
      for (Index j = 0; j < kC; ++j) {
        sum += at(c, j) * at(last, i) * cell(i, j);
        at(lookup, i * kC + j) = at(c, j) * at(a, 7) * at(last, i);
        for (Index n = 0; n < kN; ++n) {
          const double number = at(given, b * kN + n);
          row += at(c, j) * at(a, 3) * at(betas[0], n) * (cell(i, j) > number ? 1 : 0);
          row += at(c, j) * at(a, 4) * at(betas[1], n) * (cell(i, j) < number ? 1 : 0);
        }
      }
    }
    scalar.push_back(at(a, 1) * count + at(a, 0) * sum +
                     at(a, 2) * (scalar[scalar.size() - 3] - scalar.back()));
    r.push_back(now);
    Numbers of_ops(kD, 0.0), of_cols(kD, 0.0);
    for (Index d = 0; d < kD; ++d) {
      for (Index o = 0; o < 9; ++o) at(of_ops, d) += at(a, o) * at(vector(U, o), d);
      for (Index j = 0; j < kC; ++j) at(of_cols, d) += at(c, j) * at(P(j), d);
    }
    h = plain::tanh(affine(model, "programmer.history", join({of_ops, of_cols, h})));
    all_a = join({all_a, a});
    all_c = join({all_c, c});
    all_r = join({all_r, now});
  }
  return join(
      {{scalar.back(), 1 - at(all_a, (kT - 1) * 9 + 7)}, all_a, all_c, all_r, betas[0], betas[1]});
}

TEST(NeuralProgrammer, IsTheDefinition) {
  manual_seed(3);
  const Asked model;
  const Tensor given = randn({kB, kN}, DType::f64), table = randn({kB, kR, kC}, DType::f64);
  const TableQuestions asked = questions(given, table);
  const NeuralProgrammerOutput out = model.programmer(asked);
  for (Index b = 0; b < kB; ++b) {
    Numbers lookup;
    const Numbers expected = definition(model, asked, b, lookup);
    const auto of = [&](const Tensor& x) { return numbers(select(x, 0, b)); };
    EXPECT_THAT(join({of(out.answers.scalar), of(out.answers.is_scalar), of(out.operations),
                      of(out.columns), of(out.rows), of(out.pivots)}),
                near(expected, 1e-10));
    EXPECT_THAT(of(out.answers.cells), near(lookup, 1e-10));
  }
  const plain::Ours run = [&] {
    const NeuralProgrammerOutput now = model.programmer(asked);
    return std::vector<Tensor>{now.answers.scalar, now.answers.cells, now.rows, now.columns};
  };
  plain::expect_gradients(plain::leaves_of(model, {{"table", table}}), run, 3);
}

TEST(NeuralProgrammer, WhatIsBeyondTheEndsChangesNoBit) {
  manual_seed(5);
  const Asked model;
  const Tensor given = randn({kB, kN}, DType::f64), table = randn({kB, kR, kC}, DType::f64);
  plain::expect_hidden([&](double beyond) {
    const Tensor rows = plain::spoiled(table, kRows, beyond);
    Array own = given.array().clone();
    for (Index n = 1; n < kN; ++n) own.mutable_data<double>()[kN + n] = beyond;
    TableQuestions asked = questions(Tensor(own), rows);
    Array words = asked.words.array().clone();
    words.mutable_data<Index>()[kQ + 3] = -7;  // no word at all
    asked.words = words;
    return plain::bits_of(plain::leaves_of(model, {{"table", rows}}), [&] {
      const NeuralProgrammerOutput now = model.programmer(asked);
      EXPECT_THAT(numbers(narrow(select(now.answers.cells, 0, 1), 0, 4, 3)), Each(0));
      return std::vector{now.answers.scalar, now.answers.cells, now.rows};
    });
  });
}

TEST(NeuralProgrammer, ChoosesHard) {
  manual_seed(7);
  const Asked model;
  const TableQuestions asked =
      questions(randn({kB, kN}, DType::f64), randn({kB, kR, kC}, DType::f64));
  const NeuralProgrammerOutput hard = model.programmer(asked, true);
  for (const Tensor& x : {hard.operations, hard.columns, hard.pivots, hard.rows}) {
    for (const double each : numbers(x)) EXPECT_TRUE(each == 0 || each == 1) << each;
  }
  TableQuestions none = asked;
  none.numbers = zeros({kB, 0}, DType::f64);
  none.left = Tensor(Array::zeros({kB, 0}, DType::i64));
  EXPECT_EQ(model.programmer(none).pivots.shape(), (Shape{kB, 2, 0}));
}

TEST(NeuralProgrammer, LossIsOfNumbersOrOfCells) {
  const auto f64 = [](const std::vector<double>& values, const Shape& shape) {
    return Tensor(Array::from(values, shape));
  };
  const TableAnswers found{f64({3, 0.5}, {2}), f64({0.5, 0.25, 0.9, 0.5}, {2, 2, 1}),
                           f64({0.5, 0.25}, {2})};
  const TableAnswers wanted{f64({1, 9}, {2}), f64({0, 0, 1, 0}, {2, 2, 1}),
                            Tensor(Array::from(std::vector<bool>{true, false}, {2}))};
  // Huber of 2 with delta 1: 1.5; the second table has one row.
  EXPECT_NEAR(table_answer_loss(found, wanted, {2, 1}).item(), (1.5 - 50 * std::log(0.9)) / 2,
              1e-12);
  EXPECT_NEAR(table_answer_loss(found, wanted, {}, {.delta = 2, .cells = 1, .kind = 3}).item(),
              (2 - (std::log(0.9) + std::log(0.5)) / 2 - 3 * (std::log(0.5) + std::log(0.75))) / 2,
              1e-12);
}

// A table without rows has no cells to be wrong in, and padded cells are nobody's.
TEST(NeuralProgrammer, LossSeesNothingOfPaddedCells) {
  const std::vector<Index> rows = {2, 0};
  const Tensor is_scalar(Array::from(std::vector<bool>{false, false}, {2}));
  const auto run = [&](double beyond) {
    Tensor cells(Array::from<double>({0.5, 0.25, beyond, beyond, beyond, beyond}, {2, 3, 1}));
    cells.set_requires_grad();
    const Tensor wanted(Array::from<double>({1, 0, beyond, beyond, beyond, beyond}, {2, 3, 1}));
    const Tensor nothing = zeros({2}, DType::f64);
    const Tensor loss =
        table_answer_loss({nothing, cells, nothing}, {nothing, wanted, is_scalar}, rows);
    loss.backward();
    return join({numbers(loss), numbers(cells.grad())});
  };
  const Numbers clean = run(0);
  EXPECT_NEAR(clean[0], -50 * (std::log(0.5) + std::log(0.75)) / 2 / 2, 1e-12);
  EXPECT_NEAR(clean[1], -50 / 0.5 / 4, 1e-12);
  EXPECT_NEAR(clean[2], 50 / 0.75 / 4, 1e-12);
  EXPECT_EQ(run(NAN), clean);
}

TEST(NeuralProgrammer, SaysWhatIsWrong) {
  EXPECT_ERROR(ValueError, "NeuralProgrammer: vocabulary 0, width 64 and steps 4 must be positive",
               NeuralProgrammer(NeuralProgrammerOptions{}));
  const Asked model;
  const TableQuestions good =
      questions(zeros({kB, kN}, DType::f64), zeros({kB, kR, kC}, DType::f64));
  TableQuestions bad = good;
  bad.table = zeros({kB, kR, kC});
  EXPECT_ERROR_WITH(DTypeError, "table must be f64, not f32[2, 7, 2]", model.programmer(bad));
  bad = good;
  bad.numbers = zeros({kB + 1, kN}, DType::f64);
  EXPECT_ERROR_WITH(ShapeError, "NeuralProgrammer: numbers must be [2, 3], not f64[3, 3]",
                    model.programmer(bad));
  bad = good;
  bad.names = Tensor(Array::full({kB, kC}, kWords, DType::i64));
  EXPECT_ERROR_WITH(IndexError, "NeuralProgrammer", model.programmer(bad));
  bad = good;
  bad.left = Tensor(Array::full({kB, kN}, 4, DType::i64));
  EXPECT_ERROR_WITH(IndexError, "left 4 is no place of 3 words", model.programmer(bad));
  bad = good;
  bad.words = zeros({kB}, DType::i64);
  EXPECT_ERROR_WITH(ShapeError, "words must have 2 axes, not be i64[2]", model.programmer(bad));
  bad = good;
  bad.table = zeros({kB, kR, 0}, DType::f64);
  EXPECT_ERROR_WITH(ShapeError, "a table of 0 columns", model.programmer(bad));
}

}  // namespace
}  // namespace heed::attention
