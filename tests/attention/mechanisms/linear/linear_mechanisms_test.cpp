// Each mechanism over fast weights beside its paper's formulas, and what is its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "../../../../attention/mechanisms/linear/attention_free.h"
#include "../../../../attention/mechanisms/linear/cos_former.h"
#include "../../../../attention/mechanisms/linear/gated_linear_attention.h"
#include "../../../../attention/mechanisms/linear/linear_attention.h"
#include "../../../../attention/mechanisms/linear/linear_kinds.h"
#include "../../../../attention/mechanisms/linear/luna_causal.h"
#include "../../../../attention/mechanisms/linear/performer.h"
#include "../../../../attention/mechanisms/linear/retnet.h"
#include "../../../../attention/mechanisms/linear/state_space_duality.h"
#include "../../../../attention/mechanisms/self_attention_kinds.h"
#include "../../../../attention/scaled_dot_product.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../../numbers.h"
#include "makers.h"
#include "plain_references.h"

namespace heed::attention {
namespace {

constexpr Index kT = 5;

class LinearMechanism : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Each, LinearMechanism, testing::ValuesIn(linear_makers()),
                         [](const auto& made) { return made.param; });

TEST_P(LinearMechanism, IsThePapersFormula) {
  manual_seed(31);
  const auto made = linear_makers()(GetParam(), {.width = plain::kWidth,
                                                 .heads = plain::kHeads,
                                                 .head_width = plain::kKeyWidth,
                                                 .value_head_width = plain::kValueWidth,
                                                 .chunk = 2,
                                                 .dtype = DType::f64});
  for (const Tensor& parameter : made->parameters()) nn::normal_(parameter, 0, 0.5);
  const Tensor x = randn({1, kT, plain::kWidth}, DType::f64);
  Block rows;
  for (const auto& [name, tensor] : made->named_buffers()) {
    if (name == "rows") rows = Block(tensor);
  }
  const plain::LinearReference reference = plain::linear_reference(GetParam());
  ASSERT_NE(reference, nullptr);
  plain::expect_same(
      plain::leaves_of(*made, {{"x", x}}),
      [&] { return std::vector<Tensor>{(*made)(x, {.mask = Mask::causal()}).context}; },
      [&](const plain::Leaves& w) { return reference(w, plain::rows_of(w["x"], 0, kT), rows); },
      1e-4);  // norms of small numbers are steep
}

TEST_P(LinearMechanism, LearnsFromItsOwnInitialNumbers) {
  manual_seed(37);
  const auto made = linear_makers()(GetParam(), {.width = 12, .heads = 2});
  const Tensor x = randn({2, GetParam() == "cos_former" ? 32 : 150, 12});
  const Tensor y = (*made)(x, {.mask = Mask::causal()}).context;
  sum(y * y).backward();
  EXPECT_TRUE(std::isfinite(sum(y).item()));
  for (const auto& [name, parameter] : made->named_parameters()) {
    const double most = amax(abs(parameter.grad())).item();
    EXPECT_TRUE(std::isfinite(most) && most > 0) << name;
  }
}

TEST(FastWeightsAttention, HeadsShareTheWidthUnlessTold) {
  const auto options = [](const LinearOptions& o) {
    return dynamic_cast<const FastWeightsAttention&>(*linear_makers()("retnet", o)).options();
  };
  EXPECT_EQ(options({.width = 12, .heads = 2}).head_width, 6);
  EXPECT_EQ(options({.width = 12, .heads = 2}).value_head_width, 6);
  EXPECT_EQ(options({.width = 12, .heads = 2, .value_head_width = 5}).head_width, 6);
  EXPECT_EQ(options({.width = 12, .heads = 2, .head_width = 4}).value_head_width, 6);
}

// Where widths of heads are said they need not divide anything; and the least of each is enough.
TEST(LinearMechanisms, TakeTheLeastOfEach) {
  const Tensor x = zeros({2, 5, 6});
  const auto runs = [&](const SelfAttention& made) {
    return made(x, {.mask = Mask::causal()}).context.shape() == x.shape();
  };
  EXPECT_TRUE(
      runs(LinearAttention({.width = 6, .heads = 4, .head_width = 1, .value_head_width = 1})));
  EXPECT_TRUE(
      runs(LinearAttention({.width = 6, .heads = 4, .head_width = 2, .value_head_width = 3})));
  EXPECT_TRUE(runs(LunaCausal({.width = 6}, 1)));
  EXPECT_TRUE(runs(Performer({.width = 6}, {.features = 1})));
  EXPECT_TRUE(runs(StateSpaceDuality({.width = 6}, 1)));
}

// E[phi(q) . phi(k)] = exp(q . k): with many rows the weights are those of softmax attention.
TEST(Performer, IsSoftmaxAttentionInExpectation) {
  manual_seed(3);
  const NoGrad off;
  for (const auto kind : {PerformerFeatures::positive, PerformerFeatures::hyperbolic}) {
    Performer made({.width = 8, .heads = 1, .dtype = DType::f64},
                   {.features = 20000, .kind = kind});
    const Tensor x = randn({1, 7, 8}, DType::f64);
    const Tensor want =
        scaled_dot_product_attention(made.q_proj(x), made.k_proj(x), made.v_proj(x));
    const Tensor got = made(x).context;
    EXPECT_LT(amax(abs(got - made.out_proj(want))).item(), 0.01);
    const Tensor before = made.rows.detach() * 1.0;
    made.redraw();
    EXPECT_GT(amax(abs(made.rows - before)).item(), 0.1);
    EXPECT_LT(amax(abs(made(x).context - got)).item(), 0.01);
  }
}

TEST(Performer, DrawsOrthogonalRowsFromTheGenerator) {
  Performer made({.width = 8, .heads = 2, .dtype = DType::f64}, {.features = 6});
  Generator a(7), b(7);
  made.redraw(a);
  const Numbers first = numbers(made.rows);
  made.redraw(b);
  EXPECT_EQ(numbers(made.rows), first);
  const Tensor rows = narrow(made.rows, 0, 0, 4);
  const Tensor products = matmul(rows, transpose(rows, 0, 1));
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < i; ++j) {
      EXPECT_NEAR(select(select(products, 0, i), 0, j).item(), 0, 1e-12);
    }
  }
}

// exp(k) alone would overflow.
TEST(AttentionFree, TakesLargeNumbers) {
  manual_seed(5);
  AttentionFree made(3, 4, DType::f64);
  nn::constant_(made.k_proj.weight, 0);
  nn::constant_(made.q_proj.weight, 0);
  const auto identity = [](Tensor weight) { weight.copy_from(eye(3, DType::f64)); };
  const NoGrad off;
  for (Tensor* weight : {&made.k_proj.weight, &made.v_proj.weight, &made.out_proj.weight}) {
    identity(weight->detach());
  }
  const Tensor x =
      tensor({{{900.0, 1.0, -900.0}, {901.0, 2.0, -900.0}, {900.0, 3.0, -2000.0}}}, DType::f64);
  const Tensor y = made(x, {.mask = Mask::causal()}).context;
  const double e = std::exp(1.0);
  EXPECT_NEAR(select(select(y, 1, 1), 1, 0).item(), (900 + 901 * e) / (1 + e) / 2, 1e-9);
  EXPECT_NEAR(select(select(y, 1, 2), 1, 2).item(), -450, 1e-9);
}

TEST(LinearMechanisms, HaveNames) {
  for (const std::string& kind : linear_kinds()) {
    EXPECT_TRUE(is_linear_kind(kind));
    const auto made =
        self_attention_maker(kind, {.width = 12, .heads = 2, .max_length = 9, .dtype = DType::f64});
    const Tensor y = (*made(0))(zeros({2, 5, 12}, DType::f64)).context;
    EXPECT_EQ(y.shape(), (Shape{2, 5, 12})) << kind;
  }
  EXPECT_EQ(linear_kinds().size(), 11U);
  EXPECT_EQ(make_linear("retnet", {.width = 6, .chunk = 7}, 0)->options().chunk, 7);
  EXPECT_FALSE(is_linear_kind("dot"));
  EXPECT_ERROR_WITH(ValueError, "linear: 'rwkv' is none of linear, performer, cosformer, aft",
                    make_linear("rwkv", {.width = 6}, 0));
}

TEST(LinearMechanisms, RefuseBadOptions) {
  EXPECT_ERROR_WITH(ValueError, "retnet: width 0, heads 1 and chunk 64 must be positive",
                    RetNet({.width = 0}));
  EXPECT_ERROR(ValueError, "retnet: heads 4 does not divide width 6",
               RetNet({.width = 6, .heads = 4}));
  EXPECT_ERROR(ValueError, "retnet: head_width 3 must be even: pairs are turned",
               RetNet({.width = 6, .heads = 2}));
  EXPECT_ERROR_WITH(ValueError, "widths of heads -1 and 0 not negative",
                    RetNet({.width = 6, .heads = 2, .head_width = -1}));
  EXPECT_ERROR(ValueError, "performer: features 0 must be positive",
               Performer({.width = 6}, {.features = 0}));
  EXPECT_ERROR(ValueError, "luna_causal: length 0 must be positive", LunaCausal({.width = 6}, 0));
  EXPECT_ERROR(ValueError, "cos_former: max_length 0 must be positive", CosFormer({.width = 6}, 0));
  EXPECT_ERROR(ShapeError, "cos_former: 5 steps are more than max_length 4: x is f32[2, 5, 6]",
               CosFormer({.width = 6}, 4)(zeros({2, 5, 6})));
  EXPECT_NO_THROW(CosFormer({.width = 6}, 5)(zeros({2, 5, 6})));
  EXPECT_NO_THROW(CosFormer({.width = 6}, 1)(zeros({2, 1, 6})));
  EXPECT_ERROR(ValueError, "linear_attention: heads 4 does not divide width 6",
               LinearAttention({.width = 6, .heads = 4, .head_width = 2}));
  EXPECT_ERROR(ValueError, "linear_attention: heads 4 does not divide width 6",
               LinearAttention({.width = 6, .heads = 4, .value_head_width = 2}));
  EXPECT_ERROR(ValueError, "short_convolution: width 18 and steps 0 must be positive",
               StateSpaceDuality({.width = 6}, 0));
}

}  // namespace
}  // namespace heed::attention
