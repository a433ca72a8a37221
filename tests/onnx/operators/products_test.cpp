#include <gtest/gtest.h>

#include <limits>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxProducts = SeededTest<39>;

Tensor product(const Tensor& a, const Tensor& b) {  // [m, k] [k, n]
  return made({a.size(0), b.size(1)}, [&](const Place& p) {
    double sum = 0;
    for (Index k = 0; k < a.size(1); ++k) sum += at(a, {p[0], k}) * at(b, {k, p[1]});
    return sum;
  });
}
Tensor turned(const Tensor& a) {
  return made({a.size(1), a.size(0)}, [&](const Place& p) { return at(a, {p[1], p[0]}); });
}

TEST_F(OnnxProducts, MatMulOfBatchesAndVectors) {
  const Tensor a = random({2, 1, 3, 5}), b = random({11, 5, 7});
  const Tensor wanted = made({2, 11, 3, 7}, [&](const Place& p) {
    double sum = 0;
    for (Index k = 0; k < 5; ++k) sum += at(a, {p[0], 0, p[2], k}) * at(b, {p[1], k, p[3]});
    return sum;
  });
  EXPECT_LT(difference(OneNode{"MatMul"}(a, b), wanted), 1e-13);
  EXPECT_EQ(OneNode{"MatMul"}(random({5}), b).shape(), (Shape{11, 7}));
  EXPECT_EQ(OneNode{"MatMul"}(a, random({5})).shape(), (Shape{2, 1, 3}));
  EXPECT_ERROR_WITH(ShapeError, "MatMul \"y0\": matmul: inner sizes differ",
                    OneNode{"MatMul"}(b, a));
}

TEST_F(OnnxProducts, GemmOfEveryKind) {
  const Tensor a = random({3, 5}), b = random({5, 7});
  const Tensor plain = product(a, b);
  for (const bool turn_a : {false, true})
    for (const bool turn_b : {false, true})
      for (const Shape& shape : {Shape{}, Shape{7}, Shape{3, 1}, Shape{3, 7}}) {
        for (const float scale : {1.0F, 0.5F}) {
          const Tensor c = random(shape);
          const Tensor wanted = made({3, 7}, [&](const Place& p) {
            const double bias = shape.rank() == 0   ? c.item()
                                : shape.rank() == 1 ? at(c, {p[1]})
                                                    : at(c, {p[0], shape[1] == 1 ? 0 : p[1]});
            return static_cast<double>(scale) * at(plain, p) +
                   2 * static_cast<double>(scale) * bias;
          });
          const OneNode node{"Gemm",
                             {{"transA", std::int64_t{turn_a}},
                              {"transB", std::int64_t{turn_b}},
                              {"alpha", scale},
                              {"beta", 2 * scale}}};
          EXPECT_LT(difference(node(turn_a ? turned(a) : a, turn_b ? turned(b) : b, c), wanted),
                    1e-13);
        }
      }
  EXPECT_LT(difference(OneNode{"Gemm"}(a, b), plain), 1e-13);
  const Tensor bias = random({7});
  const Tensor wanted =
      made({3, 7}, [&](const Place& p) { return at(plain, p) + at(bias, {p[1]}); });
  EXPECT_LT(difference(OneNode{"Gemm", {{"transB", std::int64_t{1}}}}(a, turned(b), bias), wanted),
            1e-13);
  EXPECT_ERROR_WITH(ShapeError, "Gemm \"y0\"", OneNode{"Gemm"}(a, a));
}

TEST_F(OnnxProducts, OfIntegers) {
  const auto drawn = [](const Shape& shape) { return randint(-9, 10, shape); };
  const auto expect_product = [](const Tensor& a, const Tensor& b) {
    const Tensor found = OneNode{"MatMul"}(a, b);
    EXPECT_EQ(found.dtype(), DType::i64);
    EXPECT_EQ(difference(found.to(DType::f64), matmul(a.to(DType::f64), b.to(DType::f64))), 0);
  };
  expect_product(drawn({2, 1, 3, 5}), drawn({11, 5, 7}));
  expect_product(drawn({5}), drawn({11, 5, 7}));
  expect_product(drawn({2, 3, 5}), drawn({5}));
  const std::int64_t half = std::int64_t{1} << 62;
  EXPECT_EQ(OneNode{"MatMul"}(ints({half, half}, {1, 2}), ints({1, 1}, {2, 1})).item<Index>(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_ERROR_WITH(ShapeError, "inner sizes differ: a product of i64[3, 5] and i64[3, 5]",
                    OneNode{"MatMul"}(drawn({3, 5}), drawn({3, 5})));
  const Tensor a = drawn({3, 5}), b = drawn({7, 5}), c = drawn({7});
  OneNode gemm{.op = "Gemm", .attributes = {{"transB", std::int64_t{1}}}, .ours_alone = true};
  EXPECT_EQ(difference(gemm(a, b, c).to(DType::f64),
                       product(a, turned(b)).to(DType::f64) + c.to(DType::f64)),
            0);
  gemm.attributes.push_back({"alpha", 0.5F});
  EXPECT_ERROR_WITH(DTypeError, "integers times alpha 0.5 and beta 1", gemm(a, b, c));
}

TEST_F(OnnxProducts, Einsum) {
  const Tensor a = random({2, 3, 5}), b = random({2, 5, 7});
  const Tensor wanted = made({7, 2, 3}, [&](const Place& p) {
    double sum = 0;
    for (Index k = 0; k < 5; ++k) sum += at(a, {p[1], p[2], k}) * at(b, {p[1], k, p[0]});
    return sum;
  });
  EXPECT_LT(
      difference(OneNode{"Einsum", {{"equation", std::string("bij,bjk->kbi")}}}(a, b), wanted),
      1e-13);
  EXPECT_ERROR_WITH(ValueError, "Einsum \"y0\"",
                    (OneNode{"Einsum", {{"equation", std::string("b;")}}}(a, b)));
}

}  // namespace
}  // namespace heed::onnx
