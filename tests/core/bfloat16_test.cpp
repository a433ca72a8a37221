#include "../../core/bfloat16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "../../core/array.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../core/kernels/gemm/matmul.h"
#include "../../core/precision.h"
#include "../support/throws.h"

namespace heed {
namespace {

float of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(BFloat16, IsTheUpperHalfOfAFloat) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto number = std::bit_cast<BFloat16>(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(float{number}), bits << 16);
    if (std::isnan(float{number})) {
      ASSERT_TRUE(std::isnan(float{BFloat16(float{number})})) << bits;
    } else {
      ASSERT_EQ(BFloat16(float{number}).bits, bits);
    }
  }
}

TEST(BFloat16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(BFloat16(of(0x3F807FFF)).bits, 0x3F80);
  EXPECT_EQ(BFloat16(of(0x3F808000)).bits, 0x3F80);  // a tie: the even one
  EXPECT_EQ(BFloat16(of(0x3F808001)).bits, 0x3F81);
  EXPECT_EQ(BFloat16(of(0x3F818000)).bits, 0x3F82);  // a tie, whose even one is above
  EXPECT_EQ(BFloat16(of(0x80000001)).bits, 0x8000);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7F80);
  EXPECT_EQ(BFloat16(-HUGE_VALF).bits, 0xFF80);
  EXPECT_TRUE(std::isnan(float{BFloat16(of(0x7F800001))}));  // whose upper half alone is infinity
  EXPECT_EQ(float{BFloat16(3)}, 3);
  EXPECT_EQ(float{BFloat16(257.0)}, 256);
  std::mt19937 draw(11);
  for (int i = 0; i < 100000; ++i) {
    const float x = of(static_cast<std::uint32_t>(draw()));
    if (!std::isfinite(x)) continue;
    const float y = BFloat16(x);
    const float below = of(std::bit_cast<std::uint32_t>(x) & 0xFFFF0000);
    const float above = of((std::bit_cast<std::uint32_t>(x) & 0xFFFF0000) + 0x10000);
    ASSERT_TRUE(y == below || y == above) << x;
    if (std::isfinite(above)) {
      ASSERT_LE(std::abs(double{y} - x), std::abs(double{y == below ? above : below} - x)) << x;
    }
  }
}

// A double that lies beside a tie of bf16, nearer to it than any float.
TEST(BFloat16, RoundsDoublesAndIntegersOnce) {
  const double ulp = 0x1p-7, little = 0x1p-40;
  EXPECT_EQ(BFloat16(1 + ulp / 2).bits, 0x3F80);  // a tie
  EXPECT_EQ(BFloat16(1 + ulp / 2 + little).bits, 0x3F81);
  EXPECT_EQ(BFloat16(1 + ulp / 2 - little).bits, 0x3F80);
  EXPECT_EQ(BFloat16(1 + 1.5 * ulp).bits, 0x3F82);  // a tie, whose even one is above
  EXPECT_EQ(BFloat16(1 + 1.5 * ulp - little).bits, 0x3F81);
  EXPECT_EQ(BFloat16(-1 - ulp / 2 - little).bits, 0xBF81);
  EXPECT_EQ(BFloat16(-1 - 1.5 * ulp + little).bits, 0xBF81);
  EXPECT_EQ(BFloat16(0x1p-134).bits, 0x0000);  // half of the least number
  EXPECT_EQ(BFloat16(0x1p-134 + 0x1p-180).bits, 0x0001);
  EXPECT_EQ(BFloat16(-0x1.8p-133 + 0x1p-180).bits, 0x8001);
  EXPECT_EQ(BFloat16(1e-300).bits, 0x0000);
  EXPECT_EQ(BFloat16(-1e-300).bits, 0x8000);
  EXPECT_EQ(BFloat16(-0.0).bits, 0x8000);
  EXPECT_EQ(BFloat16(0x1.FFp127 - 0x1p80).bits, 0x7F7F);  // a tie with what would be 2^128
  EXPECT_EQ(BFloat16(0x1.FFp127).bits, 0x7F80);
  EXPECT_EQ(BFloat16(1e300).bits, 0x7F80);
  EXPECT_EQ(BFloat16(-HUGE_VAL).bits, 0xFF80);
  EXPECT_TRUE(std::isnan(float{BFloat16(std::nan(""))}));
  const std::int64_t tie = (std::int64_t{1} << 40) + (std::int64_t{1} << 32);
  EXPECT_EQ(float{BFloat16(tie)}, 0x1p40F);
  EXPECT_EQ(float{BFloat16(tie + 1)}, 0x1.02p40F);
  EXPECT_EQ(float{BFloat16(-tie - 1)}, -0x1.02p40F);
  EXPECT_EQ(float{BFloat16(tie - 1)}, 0x1p40F);
  EXPECT_EQ(float{BFloat16(std::numeric_limits<std::int64_t>::min())}, -0x1p63F);
  EXPECT_EQ(float{BFloat16(std::numeric_limits<std::uint64_t>::max())}, 0x1p64F);
  EXPECT_EQ(float{BFloat16(true)}, 1);
  const Array all =
      Array::from<double>({1 + ulp / 2 + little, 1 + ulp / 2, -1 - ulp / 2 - little}, {3});
  EXPECT_EQ(all.to(DType::bf16).to(DType::f64).to_vector<double>(),
            (std::vector<double>{1 + ulp, 1, -1 - ulp}));
  EXPECT_EQ(Array::full({}, 1 + ulp / 2 + little, DType::bf16).item(), 1 + ulp);
  EXPECT_EQ(Array::from<std::int64_t>({tie + 1, tie}, {2})
                .to(DType::bf16)
                .to(DType::f64)
                .to_vector<double>(),
            (std::vector<double>{0x1.02p40, 0x1p40}));
}

TEST(BFloat16, RoundsDoublesToTheNearest) {
  std::mt19937_64 draw(13);
  for (int i = 0; i < 100000; ++i) {
    const auto bits = static_cast<std::uint16_t>(draw());
    const double low = float{std::bit_cast<BFloat16>(bits)};
    const double high = float{std::bit_cast<BFloat16>(static_cast<std::uint16_t>(bits + 1))};
    if (!std::isfinite(low) || !std::isfinite(high) || (bits & 0x7FFF) == 0x7FFF) continue;
    const double middle = (low + high) / 2;  // exact
    const double side = std::ldexp(high - low, -2 - static_cast<int>(draw() % 44));
    ASSERT_EQ(BFloat16(middle - side).bits, bits) << middle << ' ' << side;
    ASSERT_EQ(BFloat16(middle + side).bits, bits + 1) << middle << ' ' << side;
    ASSERT_EQ(BFloat16(middle).bits, bits + (bits & 1)) << middle;
  }
}

TEST(BFloat16, ArraysConvertFromAndToEachDType) {
  const Array x = Array::from(std::vector<float>{0, -1.5F, 3.14159F, 1e30F, -7}, {5});
  const Array narrow = x.to(DType::bf16);
  EXPECT_EQ(describe(narrow), "bf16[5]");
  EXPECT_EQ(narrow.to(DType::f32).to_vector<float>(),
            (std::vector<float>{0, -1.5F, 3.140625F, float{BFloat16(1e30F)}, -7}));
  EXPECT_EQ(narrow.to(DType::f64).to_vector<double>()[2], 3.140625);
  EXPECT_EQ(narrow.slice(0, 0, 3).to(DType::i64).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, -1, 3}));
  EXPECT_EQ(narrow.to(DType::boolean).to_vector<bool>(),
            (std::vector<bool>{false, true, true, true, true}));
  EXPECT_EQ(
      Array::from(std::vector<bool>{true, false}).to(DType::bf16).to(DType::f32).to_vector<float>(),
      (std::vector<float>{1, 0}));
  EXPECT_EQ(Array::from(std::vector<std::int64_t>{257}).to(DType::bf16).item(), 256);
  EXPECT_EQ(Array::full({}, NAN, DType::bf16).to(DType::i64).to_vector<std::int64_t>(),
            Array::full({}, NAN, DType::f32).to(DType::i64).to_vector<std::int64_t>());
  EXPECT_EQ(Array::full({2}, 0.1, DType::bf16).to_vector<BFloat16>()[1].bits, BFloat16(0.1).bits);
  EXPECT_ERROR_WITH(DTypeError, "array: asked for f32 of bf16[5]", narrow.data<float>());
}

TEST(BFloat16, ViewsAndCopiesOfArraysAreThoseOfFloats) {
  Generator generator(5);
  const Array x = generator.normal({7, 37, 11}, 0, 1, DType::f32).to(DType::bf16);
  const Array wide = x.to(DType::f32);
  const auto same = [](const Array& a, const Array& b) {
    EXPECT_EQ(a.to(DType::f32).to_vector<float>(), b.to_vector<float>());
  };
  same(x.transpose(0, 2).contiguous(), wide.transpose(0, 2).contiguous());
  same(x.transpose(1, 2).clone(), wide.transpose(1, 2).clone());
  same(x.slice(1, 3, 30, 4).clone(), wide.slice(1, 3, 30, 4).clone());
  same(x.select(0, -2), wide.select(0, -2));
  same(x.permute({2, 0, 1}).reshape({77, 37}), wide.permute({2, 0, 1}).reshape({77, 37}));
}

// With rows beyond the few, weights that are rows of a wider matrix, ends of each length.
TEST(BFloat16, LinearHasTheBitsOfTheSameNumbersInFloats) {
  Generator generator(3);
  for (const Index rows : {1, 2, 3, 5, 8, 9, 31}) {
    for (const Index in : {7, 16, 61, 64, 129, 515}) {
      const Array x = generator.normal({rows, in}, 0, 1, DType::f32);
      const Array held = generator.normal({67, in + 5}, 0, 1, DType::f32).to(DType::bf16);
      const Array bias = generator.normal({67}, 0, 1, DType::f32);
      for (const bool whole : {false, true}) {
        const Array w = whole ? held.slice(1, 0, in).clone() : held.slice(1, 2, in + 2);
        for (const Array& b : {Array(), bias}) {
          EXPECT_EQ(kernels::linear(x, w, b).to_vector<float>(),
                    kernels::linear(x, w.to(DType::f32), b).to_vector<float>())
              << rows << " x " << in;
        }
      }
      const Array turned = generator.normal({in, 67}, 0, 1, DType::f32).to(DType::bf16);
      EXPECT_EQ(kernels::linear(x, turned.transpose(0, 1), bias).to_vector<float>(),
                kernels::linear(x, turned.transpose(0, 1).to(DType::f32), bias).to_vector<float>());
      const PrecisionScope scope(Precision::bf16);
      EXPECT_EQ(kernels::linear(x, held.slice(1, 0, in), bias).to_vector<float>(),
                kernels::linear(x, held.slice(1, 0, in).to(DType::f32), bias).to_vector<float>());
    }
  }
}

TEST(BFloat16, LinearTakesNoOtherPair) {
  const Array x = Array::zeros({2, 19}, DType::f64), w = Array::zeros({3, 19}, DType::bf16);
  EXPECT_ERROR_WITH(DTypeError, "linear: dtypes differ: x is f64[2, 19], weight is bf16[3, 19]",
                    kernels::linear(x, w, Array()));
  EXPECT_ERROR_WITH(DTypeError, "matmul: dtypes differ: a is f64[2, 19]",
                    kernels::matmul(x, w.transpose(0, 1)));
  EXPECT_ERROR_WITH(ShapeError, "linear: x is f32[2, 18], weight is bf16[3, 19]",
                    kernels::linear(Array::zeros({2, 18}, DType::f32), w, Array()));
}

}  // namespace
}  // namespace heed
