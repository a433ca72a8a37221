#include "../../../attention/positions/rotary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../../../autograd/grad_mode.h"
#include "../../../autograd/gradcheck.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../structure/shown_code.h"
#include "../../support/throws.h"

namespace heed::attention {
namespace {

using enum RotaryScalingKind;

std::vector<double> numbers(const Tensor& x) {
  return to(x, DType::f64).array().to_vector<double>();
}

Tensor places(const std::vector<std::int64_t>& numbers, const Shape& shape) {
  return Tensor(Array::from(numbers, shape));
}

// One of each layout, width and kind of scaling, for 10 features.
std::vector<RotaryOptions> each_option() {
  std::vector<RotaryOptions> out;
  for (const RotaryLayout layout : {RotaryLayout::pairs, RotaryLayout::halves}) {
    for (const Index width : {0, 6}) {
      for (const auto kind : {none, linear, ntk, dynamic_ntk, yarn, llama3}) {
        RotaryScaling scaling{.kind = kind, .factor = kind == none ? 1.0 : 3.0};
        scaling.original_length = 131;
        out.push_back({.base = 97, .layout = layout, .width = width, .scaling = scaling});
      }
    }
  }
  return out;
}

TEST(Rotary, TurnsEachPairByItsAngle) {
  manual_seed(3);
  const Tensor x = randn({2, 5, 6}, DType::f64);
  const auto in = x.array().to_vector<double>();
  const auto out = rotary(x, 7, 100).array().to_vector<double>();
  for (std::size_t row = 0; row < 10; ++row) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double angle = (7.0 + static_cast<double>(row % 5)) *
                           std::pow(100.0, -2.0 * static_cast<double>(i) / 6.0);
      const double a = in[row * 6 + 2 * i], b = in[row * 6 + 2 * i + 1];
      EXPECT_NEAR(out[row * 6 + 2 * i], a * std::cos(angle) - b * std::sin(angle), 1e-14);
      EXPECT_NEAR(out[row * 6 + 2 * i + 1], a * std::sin(angle) + b * std::cos(angle), 1e-14);
    }
  }
}

// x [B, T, D] turned by hand, its row of places being t[b * T + step].
std::vector<double> by_hand(const Tensor& x, const std::vector<double>& t,
                            const RotaryOptions& options, double steps) {
  const auto D = static_cast<std::size_t>(x.size(-1));
  const Index width = options.width == 0 ? x.size(-1) : options.width;
  const auto w = numbers(rotary_frequencies(width, options.base, options.scaling, steps));
  const double factor =
      options.scaling.kind == yarn ? 0.1 * std::log(options.scaling.factor) + 1 : 1;
  std::vector<double> out = numbers(x);
  for (std::size_t row = 0; row < t.size(); ++row) {
    for (std::size_t i = 0; i < w.size(); ++i) {
      const bool halves = options.layout == RotaryLayout::halves;
      double& a = out[row * D + (halves ? i : 2 * i)];
      double& b = out[row * D + (halves ? i + w.size() : 2 * i + 1)];
      const double cosine = std::cos(t[row] * w[i]) * factor;
      const double sine = std::sin(t[row] * w[i]) * factor;
      const double before = a;
      a = before * cosine - b * sine;
      b = before * sine + b * cosine;
    }
  }
  return out;
}

TEST(Rotary, TurnsByTheDefinitionUnderEachOption) {
  manual_seed(11);
  const Tensor x = randn({3, 5, 10}, DType::f64);
  std::vector<double> t;
  for (int row = 0; row < 15; ++row) t.push_back(149 + row % 5);
  for (const RotaryOptions& options : each_option()) {
    const auto expected = by_hand(x, t, options, 154);
    const auto got = numbers(rotary(x, options, 149));
    const auto single = numbers(rotary(to(x, DType::f32), options, 149));
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], expected[i], 1e-13);
      EXPECT_NEAR(single[i], expected[i], 3e-6);
    }
    EXPECT_EQ(rotary(to(x, DType::f32), options).dtype(), DType::f32);
  }
}

TEST(Rotary, WithoutOptionsIsAsWithTheirDefaults) {
  manual_seed(13);
  const Tensor x = randn({2, 3, 5, 14});
  EXPECT_EQ(numbers(rotary(x, 7)), numbers(rotary(x, RotaryOptions{}, 7)));
  EXPECT_EQ(numbers(rotary(x, 7, 97)), numbers(rotary(x, {.base = 97}, 7)));
}

TEST(Rotary, HalvesArePairsInAnotherOrder) {
  manual_seed(17);
  const Tensor x = randn({2, 3, 5, 10});
  const Tensor order = places({0, 2, 4, 6, 8, 1, 3, 5, 7, 9}, {10});
  const Tensor pairs = rotary(x, {.layout = RotaryLayout::pairs}, 3);
  const Tensor halves = rotary(index_select(x, -1, order), {.layout = RotaryLayout::halves}, 3);
  EXPECT_EQ(numbers(halves), numbers(index_select(pairs, -1, order)));
}

TEST(Rotary, APartOfTheFeaturesLeavesTheRest) {
  manual_seed(19);
  const Tensor x = randn({2, 3, 5, 11});  // odd: the rest needs no pairs
  for (const RotaryLayout layout : {RotaryLayout::pairs, RotaryLayout::halves}) {
    const Tensor out = rotary(x, {.layout = layout, .width = 6}, 3);
    EXPECT_EQ(numbers(narrow(out, -1, 6, 5)), numbers(narrow(x, -1, 6, 5)));
    EXPECT_EQ(numbers(narrow(out, -1, 0, 6)),
              numbers(rotary(narrow(x, -1, 0, 6), {.layout = layout}, 3)));
  }
}

TEST(Rotary, PlacesOneByOneAreAsThoseFromAFirst) {
  manual_seed(23);
  const Tensor x = randn({2, 3, 5, 10});
  const Tensor t = places({149, 150, 151, 152, 153}, {5});
  for (const RotaryOptions& options : each_option()) {
    const auto expected = numbers(rotary(x, options, 149));
    EXPECT_EQ(numbers(rotary(x, t, options)), expected);
    EXPECT_EQ(numbers(rotary(x, to(t, DType::f32), options)), expected);
    EXPECT_EQ(numbers(rotary(x, to(t, DType::f64), options)), expected);
  }
}

TEST(Rotary, PlacesOfEachRowHoldForAllItsHeads) {
  manual_seed(29);
  const Tensor x = randn({2, 3, 5, 10});
  const Tensor t = places({7, 1, 0, 4, 400, 2, 3, 3, 11, -6}, {2, 5});
  const Tensor out = rotary(x, t);
  for (Index b = 0; b < 2; ++b) {
    for (Index h = 0; h < 3; ++h) {
      const Tensor row = select(select(x, 0, b), 0, h);
      EXPECT_EQ(numbers(select(select(out, 0, b), 0, h)), numbers(rotary(row, select(t, 0, b))));
    }
  }
  EXPECT_EQ(numbers(rotary(x, unsqueeze(t, 1))), numbers(out));
  EXPECT_EQ(numbers(rotary(x, broadcast_to(unsqueeze(t, 1), {2, 3, 5}))), numbers(out));
  // Beside [B, T, D] they are those of the rows as they stand.
  const Tensor head = select(x, 1, 2);
  EXPECT_EQ(numbers(rotary(head, t)), numbers(select(out, 1, 2)));
  // One place for all steps of a row, and for everything.
  EXPECT_EQ(numbers(rotary(x, places({7, 3}, {2, 1}))),
            numbers(rotary(x, places({7, 7, 7, 7, 7, 3, 3, 3, 3, 3}, {2, 5}))));
  EXPECT_EQ(numbers(rotary(x, places({7}, {}))), numbers(rotary(x, places({7, 7, 7, 7, 7}, {5}))));
}

TEST(Rotary, PlacesMayLieBetweenSteps) {
  manual_seed(31);
  const Tensor x = randn({2, 3, 10}, DType::f64);
  const std::vector<double> t{0.5, -2.25, 17.125, 3, 1e-3, 1e6};
  const auto got = numbers(rotary(x, tensor(t, {2, 3}, DType::f64), {.base = 97}));
  const auto expected = by_hand(x, t, {.base = 97}, 0);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-14);
}

TEST(Rotary, APlaceThatIsNotFiniteSpoilsItsStepAlone) {
  manual_seed(33);
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Tensor x = randn({3, 10}, DType::f64);
  for (const RotaryOptions& options : each_option()) {
    const Tensor out = rotary(x, tensor({kNaN, 2, kInf}, {3}, DType::f64), options);
    EXPECT_EQ(numbers(select(out, 0, 1)), numbers(rotary(narrow(x, 0, 1, 1), options, 2)));
    EXPECT_TRUE(std::isnan(numbers(out)[0]));
    EXPECT_TRUE(std::isnan(numbers(out)[20]));
  }
}

TEST(Rotary, NothingIsTurnedIntoNothing) {
  EXPECT_EQ(rotary(zeros({3, 0, 4})).shape(), (Shape{3, 0, 4}));
  EXPECT_EQ(rotary(zeros({3, 5, 0})).shape(), (Shape{3, 5, 0}));
  EXPECT_EQ(rotary(zeros({0, 5, 4}), {.layout = RotaryLayout::halves}).shape(), (Shape{0, 5, 4}));
}

TEST(Rotary, ProductsDependOnTheDistanceAlone) {
  manual_seed(5);
  const Tensor q = randn({1, 10}, DType::f64), k = randn({1, 10}, DType::f64);
  for (const RotaryOptions& options : each_option()) {
    if (options.scaling.kind == dynamic_ntk) continue;  // its angles depend on the length
    const auto product = [&](Index at, Index other) {
      return matmul(rotary(q, options, at), transpose(rotary(k, options, other), 0, 1)).item();
    };
    EXPECT_NEAR(product(3, 1), product(103, 101), 1e-12);
    EXPECT_NEAR(product(1, 3), product(101, 103), 1e-12);
    EXPECT_GT(std::abs(product(3, 1) - product(3, 2)), 1e-3);
  }
}

TEST(Rotary, TheGuideShowsLlamasOptions) {
  manual_seed(37);
  const Tensor query = randn({2, 3, 5, 128}, DType::f64);
  const Index first = 9001;
  // [docs: llama]
  // Llama 3.1's queries and keys [B, H, T, 128]
  const attention::RotaryOptions options{
      .base = 500000,
      .layout = attention::RotaryLayout::halves,
      .scaling = {
          .kind = attention::RotaryScalingKind::llama3, .factor = 8, .original_length = 8192}};
  const Tensor q = attention::rotary(query, options, first);
  // [end]
  std::vector<double> t;
  for (int row = 0; row < 30; ++row) t.push_back(9001 + row % 5);
  const auto expected = by_hand(query, t, options, 0);
  const auto got = numbers(q);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-13);
  expect_shown("tests/attention/positions/rotary_test.cpp", "docs/attention.md", 5);
}

TEST(Rotary, PassesTheChecks) {
  manual_seed(7);
  const auto f = [](const std::vector<Tensor>& x) { return rotary(x[0], 2); };
  EXPECT_TRUE(gradcheck(f, {randn({3, 5, 4}, DType::f64)}));
  EXPECT_TRUE(gradgradcheck(f, {randn({3, 5, 4}, DType::f64)}));
  const Tensor x = randn({2, 3, 2, 10}, DType::f64);
  const Tensor t = places({7, 1, 0, 4}, {2, 2});
  for (const RotaryOptions& options : each_option()) {
    const auto turn = [&](const std::vector<Tensor>& in) { return rotary(in[0], t, options); };
    EXPECT_TRUE(gradcheck(turn, {x}));
    EXPECT_TRUE(gradgradcheck(turn, {x}));
  }
}

TEST(Rotary, RefusesWhatHasNoPairs) {
  EXPECT_ERROR_WITH(ShapeError, "rotary: x must be [.., T, D] with an even D, not f32[3, 5]",
                    rotary(zeros({3, 5})));
  EXPECT_ERROR_WITH(ShapeError, "not f32[4]", rotary(zeros({4})));
  EXPECT_ERROR_WITH(GradError, "rotary: x is undefined", rotary(Tensor()));
  EXPECT_ERROR_WITH(ValueError, "base 0 must be positive", rotary(zeros({3, 4}), 0, 0));
  EXPECT_ERROR_WITH(DTypeError, "takes f32 or f64, not i64",
                    rotary(Tensor(Array::zeros({3, 4}, DType::i64))));
  const Tensor deep = zeros({1, 1, 1, 1, 1, 1, 3, 4});
  EXPECT_ERROR_WITH(ShapeError,
                    "rotary: pairs take at most 7 axes, not f32[1, 1, 1, 1, 1, 1, 3, 4]",
                    rotary(deep));
  EXPECT_EQ(rotary(deep, {.layout = RotaryLayout::halves}).shape(), deep.shape());
}

TEST(Rotary, RefusesWidthsAndScalingsThatDoNotFit) {
  const Tensor x = zeros({3, 4});
  for (const Index width : {3, -2}) {
    EXPECT_ERROR_WITH(ValueError,
                      "rotary: width " + std::to_string(width) + " must be even and not negative",
                      rotary(x, {.width = width}));
  }
  EXPECT_ERROR_WITH(ShapeError, "rotary: width 6 is more than the 4 features of x, f32[3, 4]",
                    rotary(x, {.width = 6}));
  EXPECT_ERROR_WITH(ValueError, "rotary: original_length 0 must be positive",
                    rotary(x, {.scaling = {.kind = yarn, .factor = 2}}));
  EXPECT_ERROR_WITH(ValueError, "rotary: attention_factor -1 must be finite",
                    rotary(x, {.scaling = {.attention_factor = -1}}));
  EXPECT_ERROR_WITH(ShapeError, "rotary: size 9223372036854775805 + 3 overflows",
                    rotary(x, std::numeric_limits<Index>::max() - 2));
}

TEST(Rotary, RefusesPlacesThatDoNotFit) {
  const Tensor x = zeros({2, 3, 5, 4});
  const auto refuses = [&](const Shape& shape) {
    const Tensor t(Array::zeros(shape, DType::i64));
    EXPECT_ERROR_WITH(ShapeError,
                      "rotary: positions i64" + to_string(shape) +
                          " do not broadcast to the [2, 3, 5] steps of x, f32[2, 3, 5, 4]",
                      rotary(x, t));
  };
  refuses({7});
  refuses({3, 5});  // of heads: [3, 5] is read as [B, T]
  refuses({2, 2, 5});
  refuses({1, 2, 3, 5});
  // They may not stretch x either.
  EXPECT_ERROR_WITH(ShapeError, "do not broadcast to the [1] steps of x",
                    rotary(zeros({1, 4}), places({1, 2}, {2})));
  EXPECT_ERROR_WITH(GradError, "rotary: positions is undefined", rotary(x, Tensor()));
  EXPECT_ERROR_WITH(DTypeError, "rotary: positions must be i64 or floating, not bool[5]",
                    rotary(x, Tensor(Array::zeros({5}, DType::boolean))));
  Tensor learned = zeros({5});
  learned.set_requires_grad();
  EXPECT_ERROR_WITH(GradError, "rotary: positions get no gradient; detach() them",
                    rotary(x, learned));
  const NoGrad off;
  EXPECT_EQ(rotary(x, learned).shape(), x.shape());
}

}  // namespace
}  // namespace heed::attention
