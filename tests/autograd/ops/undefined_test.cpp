// An operand that is undefined is named: the functions and operands that the gradient table, which
// asks the same of every row, does not reach.
#include <gtest/gtest.h>

#include <functional>

#include "../../../autograd/autograd.h"
#include "../../../core/error.h"
#include "../../support/throws.h"

namespace heed {
namespace {

const Tensor kNone;

Tensor some() { return ones({3}); }
Tensor places() { return zeros({3}, DType::i64); }
Tensor flags() { return zeros({3}, DType::boolean); }

void refuses(const std::string& operand, const std::function<void()>& call) {
  EXPECT_TRUE(throws<GradError>(operand + " is undefined", call)) << operand;
}

TEST(Undefined, NumbersBesideATensor) {
  refuses("add: x", [] { kNone + 2; });
  refuses("sub: x", [] { kNone - 2; });
  refuses("mul: x", [] { kNone * 2; });
  refuses("div: x", [] { kNone / 2; });
  refuses("add: y", [] { 2 + kNone; });
  refuses("sub: y", [] { 2 - kNone; });
  refuses("mul: y", [] { 2 * kNone; });
  refuses("div: y", [] { 2 / kNone; });
  refuses("pow: x", [] { pow(kNone, 2); });
  refuses("lerp: x", [] { lerp(kNone, some(), 0.5); });
  refuses("lerp: y", [] { lerp(some(), kNone, 0.5); });
  refuses("where: condition", [] { where(kNone, some(), 2); });
  refuses("where: x", [] { where(flags(), kNone, 2); });
  refuses("where: y", [] { where(flags(), 2, kNone); });
  refuses("masked_fill: x", [] { masked_fill(kNone, flags(), 2); });
  refuses("masked_fill: mask", [] { masked_fill(some(), kNone, 2); });
}

TEST(Undefined, ComparisonsAndLogic) {
  refuses("compare: x", [] { (void)(kNone == some()); });
  refuses("compare: y", [] { (void)(some() != kNone); });
  refuses("compare: y", [] { (void)(some() < kNone); });
  refuses("compare: x", [] { (void)(kNone >= some()); });
  refuses("compare: x", [] { (void)(kNone <= 2); });
  refuses("compare: y", [] { (void)(2 > kNone); });
  refuses("logical_not: x", [] { logical_not(kNone); });
  refuses("logical_and: x", [] { logical_and(kNone, flags()); });
  refuses("logical_or: y", [] { logical_or(flags(), kNone); });
  refuses("logical_xor: y", [] { logical_xor(flags(), kNone); });
  refuses("isnan: x", [] { isnan(kNone); });
  refuses("isinf: x", [] { isinf(kNone); });
  refuses("isfinite: x", [] { isfinite(kNone); });
}

TEST(Undefined, InPlace) {
  refuses("fill_: x", [] { fill_(kNone, 2); });
  EXPECT_ERROR(GradError, "zero_: x is undefined, as a grad() is before any backward pass",
               zero_(kNone));
  refuses("copy_: x", [] { copy_(kNone, some()); });
  refuses("copy_: from", [] { copy_(some(), kNone); });
  refuses("add_: x", [] { add_(kNone, some()); });
  refuses("add_: y", [] { add_(some(), kNone); });
  refuses("sub_: x", [] { sub_(kNone, 2); });
  refuses("mul_: y", [] { mul_(some(), kNone); });
  refuses("div_: x", [] { div_(kNone, 2); });
  refuses("pow_: y", [] { pow_(some(), kNone); });
  refuses("clamp_: x", [] { clamp_(kNone, 0, 1); });
  refuses("masked_fill_: x", [] { masked_fill_(kNone, flags(), 2); });
  refuses("masked_fill_: mask", [] { masked_fill_(some(), kNone, 2); });
}

TEST(Undefined, Reductions) {
  refuses("argmax: x", [] { argmax(kNone); });
  refuses("argmax: x", [] { argmax(kNone, 0); });
  refuses("argmin: x", [] { argmin(kNone); });
  refuses("argmin: x", [] { argmin(kNone, 0); });
  refuses("all: x", [] { all(kNone); });
  refuses("any: x", [] { any(kNone); });
}

TEST(Undefined, Shapes) {
  refuses("flatten: x", [] { flatten(kNone); });
  refuses("broadcast_to: x", [] { broadcast_to(kNone, {3}); });
  refuses("squeeze: x", [] { squeeze(kNone, {0, 1}); });
  refuses("narrow: x", [] { narrow(kNone, 0, 0, 1); });
  refuses("concat: xs[0]", [] { concat({kNone, some()}); });
  refuses("stack: xs[0]", [] { stack({kNone, some()}); });
  refuses("split: x", [] { split(kNone, {1, 2}); });
  refuses("pad: x", [] { pad(kNone, {1, 1}, PadMode::reflect); });
  refuses("diag_embed: x", [] { diag_embed(kNone); });
}

TEST(Undefined, Indices) {
  refuses("index_add: index", [] { index_add(some(), 0, kNone, some()); });
  refuses("scatter_add: index", [] { scatter_add(some(), 0, kNone, some()); });
  refuses("index_put: x", [] { index_put(kNone, {places()}, some()); });
  refuses("index_put: indices[0]", [] { index_put(some(), {kNone}, some()); });
  refuses("index: indices[1]", [] { index(ones({3, 2}), {places(), kNone}); });
  refuses("one_hot: ids", [] { one_hot(kNone); });
  refuses("nonzero: x", [] { nonzero(kNone); });
  refuses("argsort: x", [] { argsort(kNone); });
}

TEST(Undefined, Losses) {
  refuses("hinge_embedding_loss: targets", [] { hinge_embedding_loss(some(), kNone); });
  refuses("multi_margin_loss: targets", [] { multi_margin_loss(some(), kNone); });
  refuses("cross_entropy: targets", [] { cross_entropy_plain(some(), kNone); });
  refuses("ctc_loss: targets", [] { ctc_loss_plain(ones({3, 1, 2}), kNone, {3}, {1}); });
}

TEST(Undefined, LossesOfSeveralInputs) {
  refuses("margin_ranking_loss: x1", [] { margin_ranking_loss(kNone, some(), some()); });
  refuses("margin_ranking_loss: x2", [] { margin_ranking_loss(some(), kNone, some()); });
  refuses("margin_ranking_loss: y", [] { margin_ranking_loss(some(), some(), kNone); });
  refuses("triplet_margin_loss: anchor", [] { triplet_margin_loss(kNone, some(), some()); });
  refuses("triplet_margin_loss: positive", [] { triplet_margin_loss(some(), kNone, some()); });
  refuses("triplet_margin_loss: negative", [] { triplet_margin_loss(some(), some(), kNone); });
  refuses("cosine_embedding_loss: a", [] { cosine_embedding_loss(kNone, some(), some()); });
  refuses("huber_loss: target", [] { huber_loss(some(), kNone); });
}

TEST(Undefined, PartsOfSequences) {
  refuses("segment_sum: tokens", [] { segment_sum({kNone, {0, 3}}); });
  refuses("repeat_segments: x", [] { repeat_segments(kNone, {0, 3}); });
  refuses("unpack: tokens", [] { unpack({kNone, {0, 3}}); });
  const RnnWeights none, half{ones({6, 2}), kNone, kNone, kNone};
  refuses("gru_cell: from_x", [&] { gru_cell_from(kNone, kNone, none); });
  refuses("gru_cell: w_hh", [&] { gru_cell_from(ones({1, 6}), kNone, none); });
  refuses("lstm_cell: from_x", [&] { lstm_cell_from(kNone, {}, none); });
  refuses("gru: w_ih", [&] { gru(ones({1, 3, 2}), kNone, {none}); });
  refuses("gru: w_hh", [&] { gru(ones({1, 3, 2}), kNone, {half}); });
}

TEST(Undefined, PlainDefinitions) {
  refuses("layer_norm: x", [] { layer_norm_plain(kNone, {3}); });
  refuses("rms_norm: x", [] { rms_norm_plain(kNone, {3}); });
  refuses("batch_norm: x", [] { batch_norm_plain(kNone); });
  refuses("group_norm: x", [] { group_norm_plain(kNone, 1); });
  refuses("conv2d: x", [] { conv2d_plain(kNone, ones({1, 1, 1, 1})); });
  refuses("max_pool2d: x", [] { max_pool2d_plain(kNone, {.kernel = 2}); });
  refuses("avg_pool2d: x", [] { avg_pool2d_plain(kNone, {.kernel = 2}); });
  refuses("gru: x", [] { gru_plain(kNone, {}, {}); });
  refuses("lstm: x", [] { lstm_plain(kNone, {}, {}); });
  refuses("rnn: x", [] { rnn_plain(kNone, {}, {}); });
}

TEST(Undefined, Methods) {
  refuses("detach: the tensor", [] { kNone.detach(); });
  refuses("copy_from: the tensor", [] { Tensor().copy_from(some()); });
  refuses("copy_from: from", [] { some().copy_from(kNone); });
}

TEST(Undefined, SearchesAndComparisons) {
  refuses("isclose: x", [] { isclose(kNone, some()); });
  refuses("isclose: y", [] { allclose(some(), kNone); });
  refuses("equal: y", [] { equal(some(), kNone); });
  refuses("logical_and: y", [] { logical_and(flags(), kNone); });
  refuses("logical_or: x", [] { logical_or(kNone, flags()); });
  refuses("logical_xor: x", [] { logical_xor(kNone, flags()); });
  refuses("unique: x", [] { unique(kNone); });
  refuses("bincount: x", [] { bincount(kNone); });
  refuses("bucketize: x", [] { bucketize(kNone, some()); });
  refuses("count_nonzero: x", [] { count_nonzero(kNone); });
  refuses("offset_block: offset_bias", [] { offset_block(kNone, 2, 3); });
  refuses("score_map: scores", [] { score_map([](auto s, auto) { return s; })(kNone); });
}

TEST(Undefined, WhatEstimatorsAreGiven) {
  refuses("leave_one_out: cost", [] { leave_one_out(kNone); });
  refuses("baseline_loss: prediction", [] { baseline_loss(kNone, some()); });
  refuses("baseline_loss: cost", [] { baseline_loss(some(), kNone); });
  refuses("multi_sample_bound: cost", [] { multi_sample_bound(kNone); });
  refuses("Categorical: probs", [] { Categorical::from_probs(kNone); });
  refuses("Categorical: logits", [] { Categorical::from_logits(kNone); });
  refuses("Bernoulli: probs", [] { Bernoulli::from_probs(kNone); });
  refuses("Bernoulli: logits", [] { Bernoulli::from_logits(kNone); });
  refuses("Normal: mean", [] { Normal(kNone, some()); });
  refuses("Normal: deviation", [] { Normal(some(), kNone); });
  refuses("Choice: index", [] { Choice::hard(kNone, 3, DType::f32); });
  refuses("Choice: weights", [] { Choice::soft(kNone); });
  refuses("MovingAverage::update: cost", [] { MovingAverage().update(kNone); });
  refuses("Choice::pick: values", [] { Choice::soft(some()).pick(kNone); });
  refuses("Choice::pick_number: values", [] { Choice::soft(some()).pick_number(kNone); });
  refuses("Categorical::log_prob: values",
          [] { Categorical::from_logits(some()).log_prob(kNone); });
  refuses("Bernoulli::log_prob: values", [] { Bernoulli::from_logits(some()).log_prob(kNone); });
  refuses("Normal::log_prob: values", [] { Normal(some(), 1.0).log_prob(kNone); });
  refuses("Normal: mean", [] { Normal(kNone, 1.0); });
  refuses("enumerate: cost", [] { enumerate([](Choices&) { return kNone; }); });
}

// In the order in which they were given.
TEST(Undefined, OperandsOfWhatIsSymmetrical) {
  refuses("maximum: x", [] { max(kNone, some()); });
  refuses("minimum: x", [] { min(kNone, some()); });
  refuses("maximum: x", [] { maximum(kNone, 2); });
  refuses("minimum: x", [] { minimum(kNone, 2); });
  refuses("maximum: y", [] { some().maximum(kNone); });
  refuses("minimum: y", [] { some().minimum(kNone); });
  refuses("logical_and: y", [] { flags().logical_and(kNone); });
  refuses("logical_or: y", [] { flags().logical_or(kNone); });
  refuses("logical_and: y", [] { flags() & kNone; });
  refuses("logical_or: y", [] { flags() | kNone; });
  refuses("equal: y", [] { some().equal(kNone); });
  const Tensor x = some();
  for (const auto& swapped :
       std::vector<std::function<void()>>{[&] { swapdims(x, 5, 6); }, [&] { swapaxes(x, 5, 6); },
                                          [&] { x.swapdims(5, 6); }, [&] { x.swapaxes(5, 6); }}) {
    EXPECT_TRUE(throws_with<ShapeError>("axis 5 ", swapped));
  }
}

TEST(Undefined, MovedFrom) {
  Tensor x = some();
  const Tensor kept = std::move(x);
  refuses("mul: y", [&] { kept* x; });  // NOLINT(bugprone-use-after-move): that is the test
}

}  // namespace
}  // namespace heed
