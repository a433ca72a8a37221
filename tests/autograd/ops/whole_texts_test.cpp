// What operators say when they refuse, to the last letter: that numbers and tensors stand where
// the text says.
#include <gtest/gtest.h>

#include "../../../autograd/autograd.h"
#include "../../../core/error.h"
#include "../../support/throws.h"

namespace heed {
namespace {

Tensor whole(const Shape& shape) { return zeros(shape, DType::i64); }
Tensor doubles(const Shape& shape) { return zeros(shape, DType::f64); }

TEST(WholeTexts, OfTransposedConvolutions) {
  const Tensor x = zeros({2, 4, 7}), weight = zeros({4, 3, 5});
  const auto text = [&](const ConvTranspose1dOptions& options) {
    return message_of<ValueError>([&] { conv_transpose1d(x, weight, {}, options); });
  };
  const std::string rule = " in [0, the larger of stride and dilation)";
  EXPECT_EQ(text({.stride = 0}),
            "conv_transpose1d: stride 0 and dilation 1 must be positive, padding 0 not negative, "
            "output_padding 0" +
                rule);
  EXPECT_EQ(text({.padding = -1}),
            "conv_transpose1d: stride 1 and dilation 1 must be positive, padding -1 not negative, "
            "output_padding 0" +
                rule);
  EXPECT_EQ(text({.output_padding = -1}),
            "conv_transpose1d: stride 1 and dilation 1 must be positive, padding 0 not negative, "
            "output_padding -1" +
                rule);
  EXPECT_EQ(text({.dilation = 0}),
            "conv_transpose1d: stride 1 and dilation 0 must be positive, padding 0 not negative, "
            "output_padding 0" +
                rule);
  EXPECT_EQ(text({.stride = 2, .output_padding = 3, .dilation = 3}),
            "conv_transpose1d: stride 2 and dilation 3 must be positive, padding 0 not negative, "
            "output_padding 3" +
                rule);
  EXPECT_NE(text({.stride = 2, .output_padding = 2}), "");
  EXPECT_NE(text({.output_padding = 2, .dilation = 2}), "");
  EXPECT_EQ(conv_transpose1d(x, weight, {}, {.stride = 2, .output_padding = 1}).size(-1), 18);
  EXPECT_EQ(conv_transpose1d(x, weight, {}, {.output_padding = 1, .dilation = 2}).size(-1), 16);
  EXPECT_EQ(text({.groups = 3}), "conv_transpose1d: groups 3 do not divide 4 channels");
  EXPECT_EQ(text({.groups = 0}), "conv_transpose1d: groups 0 do not divide 4 channels");
}

TEST(WholeTexts, OfTransposedConvolutionsWithoutPlaces) {
  const Tensor x = zeros({2, 4, 7}), weight = zeros({4, 3, 5});
  EXPECT_EQ(conv_transpose1d(x, weight, {}, {.padding = 5}).size(-1), 1);
  EXPECT_ERROR(ShapeError, "conv_transpose1d: 6 places and a kernel of 5 leave none",
               conv_transpose1d(zeros({2, 4, 6}), weight, {}, {.padding = 5}));
  EXPECT_ERROR(ShapeError, "conv_transpose1d: 0 places and a kernel of 5 leave none",
               conv_transpose1d(zeros({2, 4, 0}), weight));
  EXPECT_ERROR(ShapeError, "conv_transpose1d: 7 places and a kernel of 0 leave none",
               conv_transpose1d(x, zeros({4, 3, 0})));
  constexpr Index kHuge = Index{1} << 62;
  EXPECT_ERROR(ShapeError,
               "conv_transpose1d: 4611686018427387904 places with stride 1 and dilation "
               "2305843009213693952 overflow 64 bits",
               conv_transpose1d(expand(zeros({1, 0, 1}), {1, 0, kHuge}), zeros({0, 3, 3}), {},
                                {.dilation = kHuge / 2}));
  const Tensor image = zeros({2, 4, 7, 5});
  EXPECT_ERROR(ShapeError,
               "conv_transpose2d: x is f32[2, 4, 7, 5], weight is f32[6, 3, 2, 2]: its first axis "
               "must be the channels",
               conv_transpose2d(image, zeros({6, 3, 2, 2})));
  EXPECT_ERROR(ShapeError, "conv_transpose2d: bias is f32[4], not [3]",
               conv_transpose2d(image, zeros({4, 3, 2, 2}), zeros({4})));
  EXPECT_ERROR(ShapeError, "conv_transpose2d: x is f32[4, 7], weight is f32[4, 3, 2, 2]",
               conv_transpose2d(zeros({4, 7}), zeros({4, 3, 2, 2})));
  EXPECT_ERROR(ShapeError, "conv_transpose2d: x is f32[2, 4, 7, 5], weight is f32[4, 3, 2]",
               conv_transpose2d(image, zeros({4, 3, 2})));
  EXPECT_ERROR(DTypeError,
               "conv_transpose2d: dtypes differ: x is f32[2, 4, 7, 5], weight is f64[4, 3, 2, 2]",
               conv_transpose2d(image, doubles({4, 3, 2, 2})));
}

TEST(WholeTexts, OfWritesInPlace) {
  Tensor x = whole({3}), y = doubles({2, 3}).set_requires_grad() * 1;
  EXPECT_ERROR(DTypeError,
               "add_: i64[3] and a number with a point, 0.5: convert x first, to(x, DType::f32)",
               add_(x, 0.5));
  EXPECT_ERROR(DTypeError,
               "mul_: dtypes differ: x is i64[3], y is f64[3]: convert one, to(y, DType::i64)",
               mul_(x, doubles({3})));
  EXPECT_ERROR(ShapeError, "operator+=: the result f64[5, 2, 3] is not of x's shape, f64[2, 3]",
               y += doubles({5, 2, 3}));
  EXPECT_ERROR(ShapeError, "sub_: f64[2, 3] does not broadcast into f64[3]",
               sub_(doubles({3}), doubles({2, 3})));
  Tensor none;
  EXPECT_ERROR(GradError, "operator*=: x is undefined", none *= 2.0);
  EXPECT_ERROR(GradError, "operator-=: y is undefined", x -= none);
  EXPECT_ERROR(GradError, "operator/=: x is undefined", none /= x);
  EXPECT_ERROR(GradError, "normal_: x is undefined", none.normal_());
  EXPECT_ERROR(GradError, "uniform_: x is undefined", none.uniform_());
}

TEST(WholeTexts, OfPlacesAndSearches) {
  const Tensor image = zeros({2, 3, 5, 7});
  for (const Shape& shape : {Shape{1, 4, 4, 2}, Shape{2, 4, 4, 3}, Shape{2, 4, 2}}) {
    EXPECT_ERROR(ShapeError,
                 "grid_sample: the grid of f32[2, 3, 5, 7] must be [2, OH, OW, 2], not f32" +
                     to_string(shape),
                 grid_sample(image, zeros(shape)));
  }
  EXPECT_ERROR(ShapeError, "take_along: ranks differ: x is f32[2, 3], the index is i64[2]",
               take_along(zeros({2, 3}), whole({2}), 0));
  EXPECT_ERROR(DTypeError, "masked_select: the mask must be bool, not i64[3]",
               masked_select(zeros({3}), whole({3})));
  EXPECT_ERROR(DTypeError, "bincount: takes i64, not f32[2]", bincount(zeros({2})));
  EXPECT_ERROR(ShapeError, "bincount: takes [n], not i64[2, 2]", bincount(whole({2, 2})));
  EXPECT_ERROR(ValueError, "bincount: minlength -1 is negative", bincount(whole({2}), -1));
  EXPECT_ERROR(ValueError, "bincount: -3 is negative", bincount(tensor({1, -3})));
  EXPECT_ERROR(DTypeError, "bucketize: dtypes differ: x is f32[2], boundaries are f64[3]",
               bucketize(zeros({2}), doubles({3})));
  EXPECT_ERROR(ShapeError, "bucketize: boundaries must be [n], not f32[3, 1]",
               bucketize(zeros({2}), zeros({3, 1})));
  EXPECT_ERROR(DTypeError, "concat: dtypes differ: f64[5, 2] beside f32[3, 2]",
               concat({zeros({3, 2}), doubles({5, 2})}));
  EXPECT_ERROR(DTypeError, "stack: dtypes differ: f64[3] beside f32[3]",
               stack({zeros({3}), doubles({3})}));
}

TEST(WholeTexts, OfLosses) {
  EXPECT_ERROR(ShapeError, "mse_loss: target must have the input's shape: it is f32[3] for f32[2]",
               mse_loss(zeros({2}), zeros({3})));
  EXPECT_ERROR(DTypeError, "mse_loss: target is f64[2] for input f32[2]",
               mse_loss(zeros({2}), doubles({2})));
  const std::string mismatch = "cross_entropy: targets are i64[2, 5] for logits f32[2, 5, 7]";
  EXPECT_ERROR(ShapeError,
               mismatch +
                   ", not [2, 7]; the classes are axis 1: of [B, T, V], "
                   "cross_entropy(transpose(logits, 1, 2), targets)",
               cross_entropy(zeros({2, 5, 7}), whole({2, 5})));
  EXPECT_ERROR(ShapeError,
               "cross_entropy: targets are i64[2, 1] for logits f32[2, 5], not [2]; "
               "squeeze(targets, -1)",
               cross_entropy(zeros({2, 5}), whole({2, 1})));
  EXPECT_ERROR(ShapeError, "cross_entropy: targets are i64[3] for logits f32[2, 5], not [2]",
               cross_entropy(zeros({2, 5}), whole({3})));
  EXPECT_ERROR(ShapeError, "cross_entropy: targets are i64[2, 3] for logits f32[2, 5], not [2]",
               cross_entropy(zeros({2, 5}), whole({2, 3})));
  EXPECT_ERROR(ShapeError,
               "cross_entropy: logits must be [C], [N, C] or [N, C, d..] with C > 0, not f32[2, 0]",
               cross_entropy(zeros({2, 0}), whole({2})));
  EXPECT_ERROR(IndexError, "cross_entropy: target 5 at 1 is out of range [0, 5)",
               cross_entropy(zeros({2, 5}), tensor({4, 5})));
}

TEST(WholeTexts, OfAlignments) {
  const Tensor log_probs = zeros({7, 2, 5}), targets = ones({2, 3}, DType::i64);
  EXPECT_ERROR(ShapeError, "ctc_loss: 3 input_lengths for 2 rows",
               ctc_loss(log_probs, targets, {7, 7, 7}, {3, 3}));
  EXPECT_ERROR(ShapeError, "ctc_loss: 1 target_lengths for 2 rows",
               ctc_loss(log_probs, targets, {7, 7}, {3}));
  EXPECT_ERROR(ValueError, "ctc_loss: input_lengths: 8 at 1 is not in [0, 7]",
               ctc_loss(log_probs, targets, {7, 8}, {3, 3}));
  EXPECT_ERROR(ValueError, "ctc_loss: target_lengths: -1 at 0 is not in [0, 3]",
               ctc_loss(log_probs, targets, {7, 7}, {-1, 3}));
  EXPECT_ERROR(ShapeError, "ctc_loss: log_probs must be [T, N, C] with C > 0, not f32[7, 2, 0]",
               ctc_loss(zeros({7, 2, 0}), targets, {7, 7}, {3, 3}));
  EXPECT_ERROR(DTypeError, "ctc_loss: targets must be i64, not f32[2, 3]",
               ctc_loss(log_probs, zeros({2, 3}), {7, 7}, {3, 3}));
  EXPECT_ERROR(ShapeError, "ctc_loss: targets must be [2, U] or [U], not i64[3, 3]",
               ctc_loss(log_probs, whole({3, 3}), {7, 7}, {3, 3}));
  EXPECT_ERROR(ShapeError, "ctc_loss: target_lengths do not sum to the size of targets i64[5]",
               ctc_loss(log_probs, ones({5}, DType::i64), {7, 7}, {3, 3}));
  EXPECT_ERROR(ShapeError, "ctc_loss: target_lengths do not sum to the size of targets i64[7]",
               ctc_loss(log_probs, ones({7}, DType::i64), {7, 7}, {3, 3}));
  EXPECT_ERROR(IndexError, "ctc_loss: target 5 at [1, 0] is the blank or out of range [0, 5)",
               ctc_loss(log_probs, tensor({{1, 2, 3}, {5, 2, 3}}), {7, 7}, {3, 3}));
  EXPECT_ERROR(IndexError, "ctc_loss: target 0 at [0, 2] is the blank or out of range [0, 5)",
               ctc_loss(log_probs, tensor({{1, 2, 0}, {1, 2, 3}}), {7, 7}, {3, 3}));
  EXPECT_NO_THROW(ctc_loss(log_probs, tensor({{1, 2, 9}, {4, 2, 3}}), {7, 7}, {2, 3}));
}

TEST(WholeTexts, OfSequencesAndProducts) {
  EXPECT_ERROR(ShapeError, "unpack: tokens must be [N, ..], not f32[]",
               unpack({tensor(1.0), {0, 1}}));
  EXPECT_ERROR(ValueError,
               "unpack: 2 steps for a sequence of 3: tokens are f32[5, 2], in 2 sequences",
               unpack({zeros({5, 2}), {0, 3, 5}}, 2));
  const RnnWeights gru_weights{zeros({12, 5}), zeros({12, 4}), {}, {}};
  EXPECT_ERROR(ShapeError, "gru_cell: x must be [B, I], not f32[5]",
               gru_cell(zeros({5}), {}, gru_weights));
  const auto refuses = [](const Shape& w_hh, const std::string& text) {
    EXPECT_ERROR(ShapeError, text,
                 gru(zeros({2, 3, 5}), Tensor(), {{zeros({12, 5}), zeros(w_hh), {}, {}}}));
  };
  const std::string rule = "gru: w_hh must be [3 H, H] with H > 0, not ";
  refuses({12, 3}, rule + "f32[12, 3]");
  refuses({13, 4}, rule + "f32[13, 4]");
  refuses({0, 0}, rule + "f32[0, 0]");
  refuses({12}, rule + "f32[12]");
  EXPECT_ERROR(ShapeError, "rnn: w_hh must be [H, H] with H > 0, not f32[4, 3]",
               rnn(zeros({2, 3, 5}), Tensor(), {{zeros({4, 5}), zeros({4, 3}), {}, {}}}));
  EXPECT_ERROR(DTypeError,
               "bilinear: dtypes differ: x1 is f32[3, 5], x2 is f64[3, 2], weight is f32[7, 5, 2]",
               bilinear(zeros({3, 5}), doubles({3, 2}), zeros({7, 5, 2})));
}

// The name is that of the function which was called, not of what it is made of.
TEST(WholeTexts, OfActivationsThatAreComposed) {
  const std::pair<const char*, std::function<Tensor(const Tensor&)>> all[] = {
      {"relu6", relu6},        {"hardtanh", [](const Tensor& x) { return hardtanh(x); }},
      {"softsign", softsign},  {"mish", mish},
      {"selu", selu},          {"hardsigmoid", hardsigmoid},
      {"hardswish", hardswish}};
  for (const auto& [name, function] : all) {
    EXPECT_ERROR(GradError, name + std::string(": x is undefined"), function(Tensor()));
    EXPECT_ERROR(DTypeError, name + std::string(": takes f32 or f64, not i64"),
                 function(whole({3})));
  }
  EXPECT_ERROR(GradError, "isclose: y is undefined", isclose(zeros({3}), Tensor()));
  EXPECT_ERROR(GradError, "equal: x is undefined", equal(Tensor(), zeros({3})));
  EXPECT_ERROR(GradError, "lerp: weight is undefined", lerp(zeros({3}), zeros({3}), Tensor()));
  EXPECT_ERROR(GradError, "remainder: x is undefined", remainder(Tensor(), 2));
  EXPECT_ERROR(GradError, "nonzero: x is undefined", nonzero(Tensor()));
  EXPECT_ERROR(GradError, "masked_select: mask is undefined", masked_select(zeros({3}), Tensor()));
  EXPECT_ERROR(GradError, "bucketize: boundaries is undefined", bucketize(zeros({3}), Tensor()));
  EXPECT_ERROR(DTypeError, "clamp: dtypes differ: x is f32[3], min is f64[3]",
               clamp(zeros({3}), doubles({3}), Tensor()));
  EXPECT_ERROR(DTypeError, "clamp: dtypes differ: x is f32[3], max is f64[3]",
               clamp(zeros({3}), Tensor(), doubles({3})));
  EXPECT_ERROR(ValueError, "clamp: it takes min, max or both; both are left out",
               clamp(zeros({3}), Tensor(), Tensor()));
  EXPECT_ERROR(ValueError, "softplus: beta must be finite and not 0: it is 0",
               softplus(zeros({3}), 0));
}

}  // namespace
}  // namespace heed
