// What each kind of self-attention is made with: against the same, made by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../../attention/attention.h"
#include "../../../autograd/grad_mode.h"
#include "../../../core/error.h"
#include "../../support/throws.h"
#include "../numbers.h"

namespace heed::attention {
namespace {

constexpr DType kDtype = DType::f64;

struct Case {
  std::string name;
  SelfAttentionSizes sizes;
  std::function<std::shared_ptr<SelfAttention>()> by_hand;
  Terms terms = {};
  Index layer = 0;
  Index steps = 11;
};

// Both begin with the same draws: their numbers are the same where their sizes are.
void expect_made(const Case& wanted) {
  SCOPED_TRACE(wanted.name);
  const NoGrad off;
  manual_seed(7);
  const auto made = self_attention_maker(wanted.name, wanted.sizes)(wanted.layer);
  manual_seed(7);
  const auto by_hand = wanted.by_hand();
  const Tensor x = randn({2, wanted.steps, wanted.sizes.width}, kDtype);
  Terms terms = wanted.terms;
  terms.mask = terms.mask & Mask::causal();
  made->eval();
  by_hand->eval();
  const auto own = made->named_parameters(), other = by_hand->named_parameters();
  for (std::size_t i = 0; i < std::min(own.size(), other.size()); ++i) {
    EXPECT_EQ(own[i].second.shape(), other[i].second.shape()) << own[i].first;
  }
  EXPECT_EQ(numbers((*made)(x, {.mask = Mask::causal()}).context),
            numbers((*by_hand)(x, terms).context));
}

template <class T, class Options>
auto of(const Options& options) {
  return [options] { return std::make_shared<T>(options); };
}

SelfAttentionSizes sizes(Index width, Index heads, Index max_length) {
  return {.width = width, .heads = heads, .max_length = max_length, .dtype = kDtype};
}

MultiHeadOptions heads(Index width, Index count) {
  return {.width = width, .heads = count, .dtype = kDtype};
}

TEST(SelfAttentionSizes, OfHeads) {
  const auto with = [](Index count, const auto& change) {
    return [=] {  // what the change draws, too, comes after the seed
      MultiHeadOptions options = heads(12, count);
      change(options);
      return std::make_shared<MultiHead>(options);
    };
  };
  expect_made({"gated", sizes(12, 2, 40), with(2, [](auto& o) { o.gate = true; })});
  expect_made({"grouped-query", sizes(12, 4, 40), with(4, [](auto& o) { o.kv_heads = 2; })});
  expect_made({"grouped-query", sizes(12, 3, 40), with(3, [](auto& o) { o.kv_heads = 1; })});
  expect_made({"multi-query", sizes(12, 4, 40), with(4, [](auto& o) { o.kv_heads = 1; })});
  expect_made({"qk-norm", sizes(12, 2, 40), with(2, [](auto& o) { o.qk_norm = QkNorm::rms; })});
  expect_made({"sinks", sizes(12, 2, 40), with(2, [](auto& o) { o.sinks = true; })});
  expect_made({"persistent", sizes(12, 2, 40), with(2, [](auto& o) { o.extras.slots = 16; })});
  expect_made({"sparsemax", sizes(12, 2, 40),
               with(2, [](auto& o) { o.normaliser = std::make_shared<Sparsemax>(); })});
  expect_made({"entmax", sizes(12, 2, 40),
               with(2, [](auto& o) { o.normaliser = std::make_shared<Entmax>(); })});
  for (const auto& [most, kept] : {std::pair<Index, Index>{40, 5}, {23, 2}, {7, 1}}) {
    expect_made({"top-k", sizes(12, 2, most),
                 with(2, [kept = kept](auto& o) { o.normaliser = std::make_shared<TopK>(kept); })});
  }
  for (const auto& [most, places] : {std::pair<Index, Index>{5, 5}, {1000, 64}, {1, 1}}) {
    expect_made({"cope", sizes(12, 2, most), with(2, [places = places](auto& o) {
                   o.score = std::make_shared<ContextualPositions>(6, places, std::nullopt, kDtype);
                 })});
  }
  expect_made({"relative", sizes(12, 2, 40), with(2, [](auto& o) {
                 o.relative = std::make_shared<RelativePositions>(
                     RelativeOptions{.key_width = 6, .value_width = 6, .dtype = kDtype});
               })});
  SelfAttentionSizes turned = sizes(12, 2, 40);
  turned.rotary = true;
  expect_made({"gated", turned, with(2, [](auto& o) {
                 o.gate = true;
                 o.rotary = true;
               })});
}

TEST(SelfAttentionSizes, OfWhatStandsBesideHeads) {
  const auto plain = of<MultiHead>(heads(12, 2));
  for (const auto& [most, seen] : {std::pair<Index, Index>{40, 5}, {23, 2}, {7, 1}}) {
    expect_made({"window", sizes(12, 2, most), plain, {.mask = Mask::window(seen, 0)}});
  }
  for (const auto& [most, apart] : {std::pair<Index, Index>{15, 3}, {16, 4}, {1, 1}}) {
    expect_made({"strided", sizes(12, 2, most), plain, {.mask = masks::strided(apart)}});
  }
  const Alibi alibi(2, kDtype);
  expect_made({"alibi", sizes(12, 2, 40), plain, {.position_bias = &alibi}});
  const Alibi own(tensor({0.5, 3}, {2}, kDtype));
  const NoGrad off;
  manual_seed(7);
  const auto made = self_attention_maker("alibi", sizes(12, 2, 40))(0);
  manual_seed(7);
  const auto by_hand = plain();
  const Tensor x = randn({2, 5, 12}, kDtype);
  const Terms terms{.position_bias = &own};
  EXPECT_EQ(numbers((*made)(x, terms).context), numbers((*by_hand)(x, terms).context))
      << "a bias that is given counts alone";
}

TEST(SelfAttentionSizes, OfOtherHeads) {
  using Differential = DifferentialHeadsOptions;
  for (const auto& [count, half] : {std::pair<Index, Index>{2, 1}, {3, 3}}) {
    expect_made({"differential",
                 sizes(12, count, 40),
                 of<DifferentialHeads>(
                     Differential{.width = 12, .heads = half, .layer = 5, .dtype = kDtype}),
                 {},
                 5});
    expect_made({"differential-v2",
                 sizes(12, count, 40),
                 of<DifferentialHeads>(Differential{.kind = DifferentialKind::v2,
                                                    .width = 12,
                                                    .heads = count,
                                                    .layer = 5,
                                                    .dtype = kDtype}),
                 {},
                 5});
  }
  expect_made(
      {"forgetting", sizes(12, 2, 40),
       of<ForgettingHeads>(ForgettingHeadsOptions{.width = 12, .heads = 2, .dtype = kDtype})});
  for (const bool rotary : {false, true}) {
    SelfAttentionSizes turned = sizes(12, 2, 40);
    turned.rotary = rotary;
    expect_made({"latent", turned,
                 of<LatentHeads>(LatentHeadsOptions{.width = 12,
                                                    .heads = 2,
                                                    .latent = 6,
                                                    .head_width = 6,
                                                    .rotary_width = rotary ? 4 : 0,
                                                    .dtype = kDtype})});
  }
  expect_made(
      {"transformer-xl", sizes(12, 2, 40),
       of<TransformerXLHeads>(TransformerXLOptions{.width = 12, .heads = 2, .dtype = kDtype})});
  expect_made({"aft-full", sizes(12, 2, 40),
               of<AttentionFreeFull>(AttentionFreeFullOptions{
                   .width = 12, .max_length = 40, .rank = 32, .dtype = kDtype})});
  expect_made({"aft-local", sizes(12, 2, 40),
               of<AttentionFreeFull>(AttentionFreeFullOptions{
                   .width = 12, .max_length = 40, .window = 5, .dtype = kDtype})});
  expect_made({"reformer", sizes(12, 2, 40),
               of<Reformer>(ReformerOptions{.width = 12, .heads = 2, .dtype = kDtype})});
  expect_made({"routing", sizes(12, 2, 40),
               of<Routing>(RoutingOptions{.width = 12, .heads = 2, .dtype = kDtype})});
}

TEST(SelfAttentionSizes, OfBlocksAndTheirWindow) {
  struct Of {
    Index most, block, window, steps;
  };
  for (const Of& each : {Of{1, 2, 1, 11}, {16, 2, 4, 19}, {60, 6, 15, 37}, {300, 32, 75, 83}}) {
    expect_made({"native-sparse",
                 sizes(4, 2, each.most),
                 of<NativeSparseHeads>(NativeSparseOptions{.width = 4,
                                                           .heads = 2,
                                                           .block = each.block,
                                                           .stride = each.block / 2,
                                                           .selected_block = each.block,
                                                           .selected = 4,
                                                           .window = each.window,
                                                           .dtype = kDtype}),
                 {},
                 0,
                 each.steps});
  }
}

TEST(SelfAttentionSizes, OfLinearKinds) {
  const LinearOptions options{.width = 12, .heads = 2, .dtype = kDtype};
  expect_made({"linear", sizes(12, 2, 40), of<LinearAttention>(options)});
  expect_made({"retnet", sizes(12, 2, 40), of<RetNet>(options)});
  expect_made({"gla", sizes(12, 2, 40), of<GatedLinearAttention>(options)});
  expect_made(
      {"luna", sizes(12, 2, 40), [=] { return std::make_shared<LunaCausal>(options, 16); }});
  expect_made(
      {"cosformer", sizes(12, 2, 40), [=] { return std::make_shared<CosFormer>(options, 40); }});
}

TEST(SelfAttentionSizes, KindsThatTurnAndKindsThatArePacked) {
  using testing::UnorderedElementsAre;
  std::vector<std::string> turned, packed, summed;
  for (const SelfAttentionKind& kind : self_attention_kinds()) {
    if (kind.rotary) turned.push_back(kind.name);
    if (kind.packed) packed.push_back(kind.name);
    if (kind.sums_up) summed.push_back(kind.name);
  }
  EXPECT_THAT(turned, UnorderedElementsAre("dot", "gated", "grouped-query", "multi-query", "latent",
                                           "differential", "differential-v2", "native-sparse",
                                           "window", "strided", "qk-norm", "sinks", "persistent",
                                           "sparsemax", "entmax", "top-k"));
  EXPECT_THAT(packed, UnorderedElementsAre("dot", "gated", "grouped-query", "multi-query", "latent",
                                           "differential", "differential-v2", "forgetting", "cope",
                                           "transformer-xl", "relative", "alibi", "t5", "window",
                                           "strided", "qk-norm", "sinks", "persistent", "sparsemax",
                                           "entmax", "top-k"));
  EXPECT_EQ(summed, linear_kinds());
  EXPECT_ERROR(ValueError,
               "linear: 'rwkv' is none of linear, performer, cosformer, aft, luna, retnet, gla, "
               "ssd, deltanet, gated-deltanet, rwkv6",
               make_linear("rwkv", {.width = 6}, 5));
}

}  // namespace
}  // namespace heed::attention
