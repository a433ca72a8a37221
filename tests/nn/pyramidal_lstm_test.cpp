#include "../../nn/pyramidal_lstm.h"

#include <gtest/gtest.h>

#include <limits>

#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"
#include "recurrent.h"

namespace heed::nn {
namespace {

PyramidalLSTMOptions options(Index levels, bool bottom) {
  return {.input = 3, .hidden = 5, .levels = levels, .bottom = bottom, .dtype = DType::f64};
}

// The formula, place by place: rows 2i and 2i + 1 of one row of the batch, zeros behind the last.
Tensor halved(const Tensor& x) {
  std::vector<Tensor> out;
  const Index T = x.size(1), D = x.size(2);
  for (Index t = 0; t < T; t += 2) {
    const Tensor second = t + 1 < T ? select(x, 1, t + 1) : zeros({x.size(0), D}, DType::f64);
    out.push_back(concat({select(x, 1, t), second}, 1));
  }
  return stack(out, 1);
}

TEST(PyramidalLSTM, IsTheDefinition) {
  manual_seed(3);
  for (const bool bottom : {false, true}) {
    for (const Index T : {8, 11}) {
      const PyramidalLSTM pyramid(options(2, bottom));
      ASSERT_EQ(pyramid.layers.size(), bottom ? 3U : 2U);
      const Tensor x = randn({2, T, 3}, DType::f64);
      Tensor h = x;
      for (std::size_t i = 0; i < pyramid.layers.size(); ++i) {
        if (i > 0 || !bottom) h = halved(h);
        h = lstm_plain(h, {}, both_directions(pyramid.layers[i], 0)).output;
      }
      const PyramidOutput found = pyramid(x);
      EXPECT_EQ(found.output.shape(), (Shape{2, (T + 3) / 4, 10}));
      EXPECT_EQ(found.lengths, (std::vector<Index>{(T + 3) / 4, (T + 3) / 4}));
      EXPECT_LE(difference(found.output, h), 1e-12);
    }
  }
}

// Whatever stands behind a row's end, NaN too.
TEST(PyramidalLSTM, ARowSaysTheSameAloneAndBesideLongerOnes) {
  manual_seed(5);
  const std::vector<Index> lengths = {13, 5, 1, 0, 8};
  const std::vector<Index> places = {4, 2, 1, 0, 2};
  for (const bool bottom : {false, true}) {
    const PyramidalLSTM pyramid(options(2, bottom));
    Array numbers = randn({5, 13, 3}, DType::f64).array().clone();
    for (Index b = 0; b < 5; ++b) {
      for (Index i = lengths[static_cast<std::size_t>(b)] * 3; i < 39; ++i) {
        numbers.mutable_data<double>()[b * 39 + i] = std::numeric_limits<double>::quiet_NaN();
      }
    }
    const PyramidOutput all = pyramid(Tensor(numbers), lengths);
    EXPECT_EQ(all.lengths, places);
    ASSERT_EQ(all.output.shape(), (Shape{5, 4, 10}));
    for (Index b = 0; b < 5; ++b) {
      const auto row = static_cast<std::size_t>(b);
      const Tensor padding = slice(slice(all.output, 0, b, b + 1), 1, places[row], 4);
      EXPECT_EQ(difference(padding, zeros(padding.shape(), DType::f64)), 0);
      if (lengths[row] == 0) continue;
      const Tensor alone = slice(slice(Tensor(numbers), 0, b, b + 1), 1, 0, lengths[row]);
      const Tensor beside = slice(slice(all.output, 0, b, b + 1), 1, 0, places[row]);
      EXPECT_LE(difference(pyramid(alone).output, beside), 1e-12) << b;
    }
  }
}

TEST(PyramidalLSTM, TheFirstLevelMayReadMore) {
  manual_seed(6);
  for (const bool bottom : {false, true}) {
    PyramidalLSTMOptions o = options(2, bottom);
    o.first = 4;
    const PyramidalLSTM pyramid(o);
    const Tensor x = randn({2, 11, 3}, DType::f64);
    Tensor h = x;
    std::size_t i = 0;
    if (bottom) h = lstm_plain(h, {}, both_directions(pyramid.layers[i++], 0)).output;
    h = halved(halved(h));  // four side by side
    h = lstm_plain(h, {}, both_directions(pyramid.layers[i++], 0)).output;
    h = lstm_plain(halved(h), {}, both_directions(pyramid.layers[i], 0)).output;
    const PyramidOutput found = pyramid(x, {11, 4});
    EXPECT_EQ(found.lengths, (std::vector<Index>{2, 1}));
    EXPECT_LE(difference(select(found.output, 0, 0), select(h, 0, 0)), 1e-12);
  }
}

TEST(PyramidalLSTM, Gradcheck) {
  manual_seed(7);
  for (const bool bottom : {false, true}) {
    const PyramidalLSTM pyramid(
        {.input = 2, .hidden = 3, .levels = 2, .bottom = bottom, .dtype = DType::f64});
    const Tensor x = randn({3, 7, 2}, DType::f64);
    expect_gradients(pyramid, [&] { return std::vector<Tensor>{pyramid(x, {7, 2, 5}).output}; });
  }
}

TEST(PyramidalLSTM, DropsNothingOfWhatItReadsOrGives) {
  manual_seed(9);
  const PyramidalLSTM pyramid(
      {.input = 3, .hidden = 5, .levels = 1, .bottom = false, .dropout = 1, .dtype = DType::f64});
  const Tensor x = randn({2, 7, 3}, DType::f64);
  const Tensor h = lstm_plain(halved(x), {}, both_directions(pyramid.layers[0], 0)).output;
  EXPECT_LE(difference(pyramid(x).output, h), 1e-12);
}

TEST(PyramidalLSTM, DropsOutBetweenLevelsInTrainingOnly) {
  manual_seed(9);
  PyramidalLSTM pyramid({.input = 3, .hidden = 17, .levels = 2, .bottom = false, .dropout = 0.5});
  const Tensor x = randn({2, 8, 3});
  EXPECT_GT(difference(pyramid(x).output, pyramid(x).output), 0);
  pyramid.eval();
  EXPECT_EQ(difference(pyramid(x).output, pyramid(x).output), 0);
}

TEST(PyramidalLSTM, SaysWhatIsWrong) {
  EXPECT_ERROR_WITH(ValueError, "levels 0 must be positive",
                    PyramidalLSTM pyramid(options(0, true)));
  EXPECT_ERROR_WITH(ValueError, "levels 17 must be", PyramidalLSTM pyramid(options(17, true)));
  EXPECT_ERROR_WITH(ValueError, "input 3, hidden 0, first 2", PyramidalLSTM pyramid({.input = 3}));
  EXPECT_ERROR_WITH(ValueError, "input 0, hidden 5", PyramidalLSTM pyramid({.hidden = 5}));
  EXPECT_ERROR_WITH(ValueError, "hidden 5, first 0 and levels 3 must be positive",
                    PyramidalLSTM pyramid({.input = 3, .hidden = 5, .first = 0}));
  EXPECT_EQ(PyramidalLSTM({.input = 1, .hidden = 1, .levels = 16}).layers.size(), 17U);
  EXPECT_THROW(PyramidalLSTM pyramid({.input = 3, .hidden = 5, .dropout = 2}), ValueError);
  for (const bool bottom : {false, true}) {
    const PyramidalLSTM pyramid(options(1, bottom));
    EXPECT_THROW(pyramid(zeros({2, 3}, DType::f64)), ShapeError);
    EXPECT_THROW(pyramid(zeros({2, 4, 7}, DType::f64)), ShapeError);
    EXPECT_THROW(pyramid(zeros({2, 4, 3}, DType::f64), {4}), Error);
    EXPECT_THROW(pyramid(zeros({2, 4, 3}, DType::f64), {4, 5}), Error);
    EXPECT_THROW(pyramid(zeros({2, 4, 3}, DType::f32)), DTypeError);
  }
}

TEST(PyramidalLSTM, RefusesLengthsAsTheyWereGiven) {
  const PyramidalLSTM pyramid(options(1, false));
  const Tensor x = zeros({2, 3, 3}, DType::f64);
  EXPECT_ERROR_WITH(ValueError, "PyramidalLSTM: length 4 at 1 is not in [0, 3]",
                    pyramid(x, {2, 4}));
  EXPECT_ERROR_WITH(ValueError, "PyramidalLSTM: length -1 at 0 is not in [0, 3]",
                    pyramid(x, {-1, 3}));
  EXPECT_ERROR_WITH(ShapeError, "PyramidalLSTM: 1 lengths for x f64[2, 3, 3]", pyramid(x, {3}));
}

}  // namespace
}  // namespace heed::nn
