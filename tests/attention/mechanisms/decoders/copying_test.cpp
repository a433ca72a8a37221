#include "../../../../attention/mechanisms/decoders/copying.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/embedding.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../decoders.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kK = 5, kE = 4, kDk = 3, kH = 6, kV = 5, kExtended = 7, kLongest = 3;
constexpr Index kUnknown = 1, kBegin = 2, kEnd = 3;

class CopyingTest : public testing::Test {
 protected:
  CopyingTest() {
    manual_seed(3);
    for (const Tensor& each : decoder.parameters()) nn::normal_(each, 0, 0.9);
    source = randn({kB, kK, kDk}, DType::f64);
  }
  // log p of these words and the end mark, word by word.
  double log_p(Index row, const std::vector<Index>& words) const {
    std::vector<Index> before = {kBegin}, after = words;
    for (const Index word : words) before.push_back(word < kV ? word : kUnknown);
    after.push_back(kEnd);
    const auto T = static_cast<Index>(after.size());
    const auto out = decoder(embed(Tensor(Array::from(before).reshape({1, T}))),
                             narrow(source, 0, row, 1), narrow(ids, 0, row, 1),
                             Mask::lengths({lengths[static_cast<std::size_t>(row)]}, kK));
    double sum = 0;
    const Tensor targets = Tensor(Array::from(after).reshape({1, T}));
    for (const double each : Block(out.log_likelihood(targets)).values()) sum += each;
    return sum;
  }
  Copying copying() const {
    return {decoder,
            decoder.start(source, ids, Mask::lengths(lengths, kK)),
            {.embed = [this](const Tensor& words) { return embed(words); },
             .extended = kExtended,
             .unknown = kUnknown}};
  }
  PointerGenerator decoder{{.word_width = kE,
                            .annotation_width = kDk,
                            .state_width = kH,
                            .vocabulary = kV,
                            .dtype = DType::f64}};
  nn::Embedding embed{nn::EmbeddingOptions{.count = kV, .width = kE, .dtype = DType::f64}};
  Tensor source;
  Tensor ids = indices({5, 4, 6, 4, 1, 4, 5, 4, -3, 77}, {kB, kK});
  std::vector<Index> lengths = {kK, 3};
};

// A beam that holds every text finds the likeliest, words of the source alone among them.
TEST_F(CopyingTest, FindsTheLikeliestText) {
  Copying writing = copying();
  const auto found = nn::beam_search(writing, kB,
                                     {.begin = kBegin,
                                      .end = kEnd,
                                      .beam = 40,
                                      .longest = {kLongest, kLongest},
                                      .n_best = 20,
                                      .forbidden = {0, kUnknown, kBegin},
                                      .need_weights = true});
  bool copied = false;
  for (Index row = 0; row < kB; ++row) {
    std::map<double, std::vector<Index>> texts;  // 4, 5 and 6 may be written, up to two of them
    const std::vector<Index> may =
        row == 0 ? std::vector<Index>{4, 5, 6} : std::vector<Index>{4, 5};
    texts[log_p(row, {})] = {};
    for (const Index one : may) {
      texts[log_p(row, {one})] = {one};
      for (const Index two : may) texts[log_p(row, {one, two})] = {one, two};
    }
    const auto& own = found[static_cast<std::size_t>(row)];
    auto next = texts.rbegin();
    for (const nn::Hypothesis& text : own) {
      if (!text.finished) break;
      ASSERT_NE(next, texts.rend());
      EXPECT_EQ(text.words, next->second);
      EXPECT_NEAR(text.log_probability, next->first, 1e-9);
      for (const Index word : text.words) copied = copied || word >= kV;
      const auto steps = static_cast<Index>(text.words.size()) + 1;
      EXPECT_EQ(text.weights.shape(), (Shape{steps, kK}));
      ++next;
    }
    EXPECT_GT(std::distance(texts.rbegin(), next), 3);
  }
  EXPECT_TRUE(copied);
}

TEST_F(CopyingTest, RefusesIdsBeyondTheExtendedVocabulary) {
  Copying writing = {decoder,
                     decoder.start(source, ids, Mask::lengths(lengths, kK)),
                     {.embed = [this](const Tensor& words) { return embed(words); },
                      .extended = 6,
                      .unknown = kUnknown}};
  EXPECT_ERROR_WITH(IndexError, "index 6 is out of range [0, 6)",
                    writing.step(Tensor(Array::from(std::vector<Index>{kBegin, kBegin})), nullptr));
}

TEST_F(CopyingTest, KnownIdsAreThoseOfTheVocabulary) {
  const Tensor known = known_ids(indices({4, 5, 0, 99, 2, 1}, {2, 3}), 5, kUnknown);
  EXPECT_EQ(known.array().to_vector<Index>(), (std::vector<Index>{4, 1, 0, 1, 2, 1}));
  EXPECT_EQ(known.shape(), (Shape{2, 3}));
}

}  // namespace
}  // namespace heed::attention
