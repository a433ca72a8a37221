#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxComparisons = SeededTest<33>;
using Truths = std::vector<bool>;

Truths truths(const Tensor& x) { return x.to_vector<bool>(); }

TEST_F(OnnxComparisons, OfNumbersThatBroadcast) {
  const Tensor x = ints({1, 5, 3}, {3, 1}), y = ints({3, 4});
  EXPECT_EQ(truths(OneNode{"Equal"}(x, y)), (Truths{0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(truths(OneNode{"Greater"}(x, y)), (Truths{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(truths(OneNode{"GreaterOrEqual"}(x, y)), (Truths{0, 0, 1, 1, 1, 0}));
  EXPECT_EQ(truths(OneNode{"Less"}(x, y)), (Truths{1, 1, 0, 0, 0, 1}));
  EXPECT_EQ(truths(OneNode{"LessOrEqual"}(x, y)), (Truths{1, 1, 0, 0, 1, 1}));
  const Tensor a = random({3, 5}), b = random({5});
  const Tensor wanted = made(
      {3, 5}, [&](const Place& p) { return at(a, p) < at(b, {p[1]}) ? 1 : 0; }, DType::boolean);
  EXPECT_EQ(truths(OneNode{"Less"}(a, b)), truths(wanted));
}

TEST_F(OnnxComparisons, Logic) {
  const Tensor x = tensor({false, false, true, true}), y = tensor({false, true, false, true});
  EXPECT_EQ(truths(OneNode{"And"}(x, y)), (Truths{0, 0, 0, 1}));
  EXPECT_EQ(truths(OneNode{"Or"}(x, y)), (Truths{0, 1, 1, 1}));
  EXPECT_EQ(truths(OneNode{"Xor"}(x, y)), (Truths{0, 1, 1, 0}));
  EXPECT_EQ(truths(OneNode{"Not"}(x)), (Truths{1, 1, 0, 0}));
  EXPECT_ERROR_WITH(DTypeError, "And \"y0\": logical_and", OneNode{"And"}(ints({1}), ints({1})));
}

TEST_F(OnnxComparisons, NotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = Array::from(std::vector<double>{1, infinity, -infinity, std::nan("")});
  EXPECT_EQ(truths(OneNode{"IsNaN"}(x)), (Truths{0, 0, 0, 1}));
  EXPECT_EQ(truths(OneNode{"IsInf"}(x)), (Truths{0, 1, 1, 0}));
  EXPECT_EQ(truths(OneNode{"IsInf", {{"detect_negative", std::int64_t{0}}}}(x)),
            (Truths{0, 1, 0, 0}));
  EXPECT_EQ(truths(OneNode{"IsInf", {{"detect_positive", std::int64_t{0}}}}(x)),
            (Truths{0, 0, 1, 0}));
  EXPECT_EQ(truths(OneNode{
                "IsInf",
                {{"detect_positive", std::int64_t{0}}, {"detect_negative", std::int64_t{0}}}}(x)),
            (Truths{0, 0, 0, 0}));
}

TEST_F(OnnxComparisons, WhereOfAnyDtype) {
  const Tensor x = random({3, 5}), y = random({5}), condition = tensor({{true}, {false}, {true}});
  const Tensor wanted =
      made({3, 5}, [&](const Place& p) { return p[0] == 1 ? at(y, {p[1]}) : at(x, p); });
  EXPECT_EQ(difference(OneNode{"Where"}(condition, x, y), wanted), 0);
  EXPECT_EQ(
      OneNode{"Where"}(tensor({true, false}), ints({3, 5}), ints({-7})).to_vector<std::int64_t>(),
      (Ints{3, -7}));
  EXPECT_EQ(
      truths(OneNode{"Where"}(tensor({true, false}), tensor({true, true}), tensor({false, false}))),
      (Truths{1, 0}));
}

TEST_F(OnnxComparisons, CastsBetweenTypes) {
  const auto cast = [](DataType to) {
    return OneNode{"Cast", {{"to", static_cast<std::int64_t>(to)}}};
  };
  const Tensor x = tensor({-1.75, 0.0, 300.5});
  EXPECT_EQ(cast(DataType::i64)(x).to_vector<std::int64_t>(), (Ints{-1, 0, 300}));
  EXPECT_EQ(truths(cast(DataType::boolean)(x)), (Truths{1, 0, 1}));
  EXPECT_EQ(cast(DataType::f64)(x).dtype(), DType::f64);
  EXPECT_EQ(cast(DataType::f16)(x).dtype(), DType::f32);
  EXPECT_EQ(cast(DataType::f32)(tensor({true, false})).to_vector<float>(),
            (std::vector<float>{1, 0}));
  // What does not fit a narrower type wraps around.
  const Tensor wide = ints({-1, 127, 128, 300, (1LL << 32) + 5});
  EXPECT_EQ(cast(DataType::i8)(wide).to_vector<std::int64_t>(), (Ints{-1, 127, -128, 44, 5}));
  EXPECT_EQ(cast(DataType::u8)(wide).to_vector<std::int64_t>(), (Ints{255, 127, 128, 44, 5}));
  EXPECT_EQ(cast(DataType::i32)(wide).to_vector<std::int64_t>(), (Ints{-1, 127, 128, 300, 5}));
  EXPECT_EQ(cast(DataType::u16)(wide).to_vector<std::int64_t>(), (Ints{65535, 127, 128, 300, 5}));
  EXPECT_EQ(OneNode{"CastLike"}(x, ints({1})).to_vector<std::int64_t>(), (Ints{-1, 0, 300}));
  EXPECT_EQ(difference(OneNode{"Identity"}(x), x), 0);
  EXPECT_ERROR_WITH(FormatError, "Cast \"y0\": a cast to STRING is not supported",
                    cast(DataType::string)(x));
  EXPECT_ERROR_WITH(FormatError, "Cast \"y0\": attribute to is missing", OneNode{"Cast"}(x));
}

}  // namespace
}  // namespace heed::onnx
