// The dropout of self-attention's options: of the weights, in training, where the call says none.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../../../../attention/mechanisms/transformer/differential_heads.h"
#include "../../../../attention/mechanisms/transformer/forgetting_heads.h"
#include "../../../../attention/mechanisms/transformer/latent_heads.h"
#include "../../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../../attention/mechanisms/transformer/native_sparse_heads.h"
#include "../../../../attention/mechanisms/transformer/synthesizer.h"
#include "../../../../attention/mechanisms/transformer/transformer_xl.h"
#include "../../../../attention/mechanisms/transformer/value_residual_heads.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 5, kE = 6;
constexpr DType kF64 = DType::f64;

struct Kind {
  std::string name;
  std::function<std::shared_ptr<SelfAttention>(double dropout)> make;
  bool sums = false;    ///< its contexts have a bias: what is left is not 0
  bool asked = true;    ///< takes the dropout of a call
  bool cached = false;  ///< is asked through a cache
};

template <class T, class Options>
auto of(Options options) {
  options.width = kE;
  options.dtype = kF64;
  return [options](double dropout) {
    Options own = options;
    own.dropout = dropout;
    return std::make_shared<T>(own);
  };
}

std::vector<Kind> kinds() {
  const LatentHeadsOptions latent{.heads = 3, .latent = 5, .head_width = 2};
  return {
      {"multi_head", of<MultiHead>(MultiHeadOptions{.heads = 3, .bias = false})},
      {"multi_head", of<MultiHead>(MultiHeadOptions{.heads = 3, .kv_heads = 1, .bias = false})},
      {"latent_heads", of<LatentHeads>(latent)},
      {.name = "latent_heads", .make = of<LatentHeads>(latent), .cached = true},
      {"differential_heads", of<DifferentialHeads>(DifferentialHeadsOptions{.heads = 3})},
      {"differential_heads", of<DifferentialHeads>(DifferentialHeadsOptions{
                                 .kind = DifferentialKind::v2, .heads = 3, .kv_heads = 1})},
      {"forgetting_heads", of<ForgettingHeads>(ForgettingHeadsOptions{.heads = 3})},
      {"value_residual_heads",
       [](double dropout) {
         const ValueResidualOptions options{
             .width = kE, .heads = 3, .layers = 2, .dropout = dropout, .dtype = kF64};
         return std::make_shared<ValueResidualHeads>(options, 0);
       }},
      {"transformer_xl", of<TransformerXLHeads>(TransformerXLOptions{.heads = 3})},
      {.name = "native_sparse_heads",
       .make = of<NativeSparseHeads>(NativeSparseOptions{.heads = 2,
                                                         .block = 2,
                                                         .stride = 1,
                                                         .selected_block = 2,
                                                         .selected = 2,
                                                         .initial = 0,
                                                         .local = 1,
                                                         .window = 3}),
       .asked = false},
      {.name = "synthesizer",
       .make = of<Synthesizer>(SynthesizerOptions{.heads = 3, .max_length = kT}),
       .sums = true},
  };
}

class Dropouts : public testing::TestWithParam<std::size_t> {
 protected:
  const Kind kind = kinds()[GetParam()];
  std::shared_ptr<SelfAttention> made(double dropout) const {
    manual_seed(31);
    return kind.make(dropout);
  }
  Numbers context(const SelfAttention& attend, double dropout_of_call = 0) const {
    const NoGrad off;
    manual_seed(37);
    const Tensor x = randn({kB, kT, kE}, kF64);
    KeyValueCache cache;
    const Terms terms{.mask = Mask::causal(), .dropout = dropout_of_call};
    return numbers(attend(x, terms, kind.cached ? &cache : nullptr).context);
  }
};

INSTANTIATE_TEST_SUITE_P(Of, Dropouts, testing::Range<std::size_t>(0, kinds().size()),
                         [](const auto& each) {
                           return kinds()[each.param].name + '_' + std::to_string(each.param);
                         });

TEST_P(Dropouts, AreFromNothingToAll) {
  for (const double good : {0.0, 0.25, 1.0}) EXPECT_NO_THROW(kind.make(good)) << good;
  for (const auto& [bad, text] : std::vector<std::pair<double, std::string>>{
           {-0.25, "-0.25"},
           {1.25, "1.25"},
           {2, "2"},
           {std::numeric_limits<double>::quiet_NaN(), "nan"}}) {
    EXPECT_ERROR(ValueError, kind.name + ": dropout " + text + " is not in [0, 1]", kind.make(bad));
  }
}

// All weights are dropped: nothing is left of any token, as in none there is.
TEST_P(Dropouts, AreOfTheWeightsInTraining) {
  const auto all = made(1), none = made(0);
  const Numbers dropped = context(*all), whole = context(*none);
  if (kind.sums) {
    EXPECT_NE(dropped, whole);
  } else {
    EXPECT_EQ(dropped, Numbers(dropped.size(), 0.0));
    EXPECT_NE(whole, Numbers(whole.size(), 0.0));
  }
  all->eval();
  EXPECT_EQ(context(*all), whole);
}

TEST_P(Dropouts, AreThoseOfTheCallWhereItSaysSome) {
  if (!kind.asked) {
    EXPECT_THROW(context(*made(0), 0.5), ValueError);
    return;
  }
  const auto all = made(1), none = made(0);
  const Numbers whole = context(*none);
  EXPECT_EQ(context(*none, 1), context(*all));
  // So little that none of these few weights is dropped.
  EXPECT_THAT(context(*all, 1e-13), near(whole, 1e-10));
  none->eval();
  EXPECT_EQ(context(*none, 1), context(*all));
}

}  // namespace
}  // namespace heed::attention
