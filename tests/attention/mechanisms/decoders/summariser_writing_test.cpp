#include "../../../../attention/mechanisms/decoders/summariser_writing.h"

#include <gtest/gtest.h>

#include <map>

#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/block.h"
#include "../plain.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kM = 5, kV = 6, kBegin = 2, kEnd = 3;

// A beam that holds every text gives them in the order of their likelihoods, though only the last
// words are kept.
TEST(SummariserWriting, FindsTheLikeliestText) {
  manual_seed(5);
  const Summariser model({.source_words = 7,
                          .target_words = kV,
                          .source_width = 4,
                          .target_width = 3,
                          .context = 2,
                          .window = 1,
                          .hidden = 5,
                          .start = kBegin,
                          .dtype = DType::f64});
  for (const Tensor& each : model.parameters()) nn::normal_(each, 0, 0.9);
  const Tensor source = indices({3, 1, 4, 1, 5, 2, 6, 5, 77, -3}, {kB, kM});
  const std::vector<Index> lengths = {kM, 3};
  SummariserWriting writing(model, source, lengths);
  const auto found = nn::beam_search(writing, kB,
                                     {.begin = kBegin,
                                      .end = kEnd,
                                      .beam = 60,
                                      .longest = {4, 4},
                                      .n_best = 15,
                                      .forbidden = {0, 1, kBegin},
                                      .need_weights = true});
  const auto log_p = [&](Index row, const std::vector<Index>& words) {
    std::vector<Index> before = {kBegin};
    before.insert(before.end(), words.begin(), words.end());
    const auto T = static_cast<Index>(before.size());
    const auto at = static_cast<std::size_t>(row);
    const Block p(
        log_softmax(model(narrow(source, 0, row, 1), Tensor(Array::from(before).reshape({1, T})),
                          Mask::lengths({lengths[at]}, kM))
                        .logits,
                    -1));
    double sum = 0;
    for (Index t = 0; t < T; ++t) {
      sum += p(Index{0}, t, t + 1 < T ? before[static_cast<std::size_t>(t) + 1] : kEnd);
    }
    return sum;
  };
  for (Index row = 0; row < kB; ++row) {
    std::map<double, std::vector<Index>> texts;
    std::vector<std::vector<Index>> open = {{}};
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::vector<Index> own = open[i];
      texts[log_p(row, own)] = own;
      if (own.size() == 3) continue;
      for (const Index word : {4, 5}) {
        open.push_back(own);
        open.back().push_back(word);
      }
    }
    ASSERT_EQ(texts.size(), 15U);
    auto next = texts.rbegin();
    for (const nn::Hypothesis& text : found[static_cast<std::size_t>(row)]) {
      if (!text.finished) break;
      EXPECT_EQ(text.words, next->second);
      EXPECT_NEAR(text.log_probability, next->first, 1e-9);
      EXPECT_EQ(text.weights.shape(), (Shape{static_cast<Index>(text.words.size()) + 1, kM}));
      ++next;
    }
    EXPECT_GT(std::distance(texts.rbegin(), next), 5);
  }
}

}  // namespace
}  // namespace heed::attention
