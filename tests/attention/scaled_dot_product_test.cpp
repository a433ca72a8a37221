#include "../../attention/scaled_dot_product.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/factories.h"
#include "../../autograd/methods.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/elementwise/in_place.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/shape/triangle.h"
#include "../../core/error.h"
#include "../support/seeded_test.h"
#include "../support/throws.h"
#include "mechanisms/plain.h"

namespace heed {
namespace {

constexpr Index kB = 2, kQ = 3, kK = 5, kD = 7;

class ScaledDotProduct : public SeededTest<17> {
 protected:
  Tensor q = randn({kB, kQ, kD}, DType::f64), k = randn({kB, kK, kD}, DType::f64),
         v = randn({kB, kK, 2}, DType::f64);

  // softmax(q k^T scale + added) v
  Tensor plain(const Tensor& added, double scale = 1 / std::sqrt(7.0)) const {
    return matmul(softmax(matmul(q, k.transpose(1, 2)) * scale + added, -1), v);
  }
  static Tensor hidden_unless(const Tensor& open) {
    return where(open, zeros({1}, DType::f64), full({1}, -1e300, DType::f64));
  }
};

TEST_F(ScaledDotProduct, TakesMasksAsPyTorchDoes) {
  const Tensor none = zeros({1}, DType::f64), bias = randn({kQ, kK}, DType::f64);
  const Tensor open = arange(kK) != 2, first = tril(ones({kQ, kK})) == 1;
  const auto call = [&](const Tensor& mask, bool causal) {
    return scaled_dot_product_attention(q, k, v, mask, 0, causal);
  };
  EXPECT_THAT(numbers(call({}, false)), attention::near(plain(none), 1e-12));
  EXPECT_THAT(numbers(call(bias, false)), attention::near(plain(bias), 1e-12));
  EXPECT_THAT(numbers(call(open, false)), attention::near(plain(hidden_unless(open)), 1e-12));
  EXPECT_THAT(numbers(call({}, true)), attention::near(plain(hidden_unless(first)), 1e-12));
  EXPECT_THAT(numbers(call(open, true)),
              attention::near(plain(hidden_unless(open) + hidden_unless(first)), 1e-12));
  EXPECT_THAT(numbers(call(bias, true)),
              attention::near(plain(bias + hidden_unless(first)), 1e-12));
}

TEST_F(ScaledDotProduct, TakesOptionsByNameAndNoMaskAsLibtorch) {
  const Tensor bias = randn({kQ, kK}, DType::f64);
  const Tensor causal = scaled_dot_product_attention(q, k, v, Tensor(), 0, true);
  EXPECT_EQ(numbers(scaled_dot_product_attention(q, k, v, {.is_causal = true})), numbers(causal));
  EXPECT_EQ(numbers(scaled_dot_product_attention(q, k, v, std::nullopt, 0.0, true)),
            numbers(causal));
  EXPECT_EQ(numbers(scaled_dot_product_attention(q, k, v, {.attn_mask = bias, .scale = 0.3})),
            numbers(scaled_dot_product_attention(q, k, v, bias, 0, false, 0.3)));
}

TEST_F(ScaledDotProduct, KnowsOfAMaskThatIsWrittenBeforeTheGradient) {
  const Tensor mask = ones({kQ, kK}) == 1;
  q.set_requires_grad();
  const Tensor y = sum(scaled_dot_product_attention(q, k, v, mask));
  fill_(mask, 0);
  EXPECT_ERROR_WITH(GradError, "dot_attention kept its input bool[3, 5]", y.backward());
}

TEST_F(ScaledDotProduct, TakesAnotherScale) {
  EXPECT_THAT(numbers(scaled_dot_product_attention(q, k, v, Tensor(), 0, false, 0.3)),
              attention::near(plain(zeros({1}, DType::f64), 0.3), 1e-12));
  EXPECT_THAT(numbers(scaled_dot_product_attention(q, k, v, Tensor(), 0, false, 0.0)),
              attention::near(plain(zeros({1}, DType::f64), 0), 1e-12));
  EXPECT_THROW(scaled_dot_product_attention(q, k, v, Tensor(), 0, false, std::nan("")), ValueError);
  EXPECT_ERROR_WITH(GradError, "scaled_dot_product_attention: q is undefined",
                    scaled_dot_product_attention(Tensor(), k, v));
}

}  // namespace
}  // namespace heed
