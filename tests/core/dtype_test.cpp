#include "../../core/dtype.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(DType, KnowsItsSizeNameAndGradients) {
  struct Row {
    DType dtype;
    std::size_t size;
    const char* name;
    bool floating;
  };
  for (const Row& row : {Row{DType::f32, 4, "f32", true}, Row{DType::f64, 8, "f64", true},
                         Row{DType::i64, 8, "i64", false}, Row{DType::boolean, 1, "bool", false},
                         Row{DType::bf16, 2, "bf16", true}}) {
    EXPECT_EQ(size_of(row.dtype), row.size) << row.name;
    EXPECT_STREQ(name(row.dtype), row.name);
    EXPECT_EQ(is_floating(row.dtype), row.floating) << row.name;
  }
}

TEST(DType, ComputesInWhatGradientsHave) {
  EXPECT_EQ(widened(DType::bf16), DType::f32);
  EXPECT_EQ(widened(DType::f64), DType::f64);
  EXPECT_EQ(widened(DType::i64), DType::i64);
  EXPECT_TRUE(is_computed(DType::f32) && is_computed(DType::f64));
  EXPECT_FALSE(is_computed(DType::bf16) || is_computed(DType::i64) || is_computed(DType::boolean));
}

TEST(DType, IsThatOfAnElementType) {
  EXPECT_EQ(dtype_of<float>, DType::f32);
  EXPECT_EQ(dtype_of<double>, DType::f64);
  EXPECT_EQ(dtype_of<std::int64_t>, DType::i64);
  EXPECT_EQ(dtype_of<bool>, DType::boolean);
  EXPECT_EQ(dtype_of<BFloat16>, DType::bf16);
}

}  // namespace
}  // namespace heed
