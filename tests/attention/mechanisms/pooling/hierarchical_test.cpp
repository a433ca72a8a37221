#include "../../../../attention/mechanisms/pooling/hierarchical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/gru.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {
using Lengths = std::vector<Index>;

// Words to sentences to documents to shelves; the second level's encoder looks at neighbours too.
class Library : public nn::Module {
 public:
  nn::GRU& words = child<nn::GRU>(
      "words", nn::GRUOptions{.input = 3, .hidden = 2, .bidirectional = true, .dtype = DType::f64});
  nn::GRU& sentences = child<nn::GRU>(
      "sentences",
      nn::GRUOptions{.input = 4, .hidden = 5, .bidirectional = false, .dtype = DType::f64});
  Hierarchical& attend = child<Hierarchical>(
      "attend",
      std::vector<HierarchicalLevel>{
          {.width = 4,
           .encode = [this](const Tensor& x, const Lengths& n) { return words(x, n).output; }},
          {.width = 5,
           .encode = [this](const Tensor& x, const Lengths& n) { return sentences(x, n).output; }},
          {.width = 5, .hidden = 7}},
      DType::f64);

  // Of one sequence [T, in], without padding.
  Tensor pool(std::size_t level, const std::vector<Tensor>& rows) {
    std::size_t l = 0;
    for (const AttentionPooling& pooling : attend.levels) {
      if (l++ != level) continue;
      Tensor x = unsqueeze(stack(rows), 0);
      if (level == 0) x = words(x).output;
      if (level == 1) x = sentences(x).output;
      return squeeze(pooling(x).context, 0);
    }
    return Tensor();
  }
};

const Lengths kWords = {4, 1, 3, 2, 5, 1, 2}, kSentences = {3, 1, 2, 1}, kDocuments = {1, 3};

TEST(Hierarchical, OfAnyDepthEqualsItsPartsAlone) {
  manual_seed(3);
  Library library;
  const Tensor x = randn({7, 5, 3}, DType::f64);
  std::vector<Tensor> rows;
  for (Index i = 0; i < 7; ++i) {
    std::vector<Tensor> words;
    for (Index t = 0; t < kWords[static_cast<std::size_t>(i)]; ++t) {
      words.push_back(select(select(x, 0, i), 0, t));
    }
    rows.push_back(library.pool(0, words));
  }
  for (std::size_t level = 1; level < 3; ++level) {
    const Lengths& counts = level == 1 ? kSentences : kDocuments;
    std::vector<Tensor> above;
    auto next = rows.begin();
    for (const Index count : counts) {
      above.push_back(library.pool(level, {next, next + count}));
      next += count;
    }
    rows = above;
  }
  const auto read = library.attend(x, {kWords, kSentences, kDocuments}, true);
  EXPECT_THAT(numbers(read.context), near(stack(rows)));
  ASSERT_EQ(read.weights.size(), 3U);
  EXPECT_EQ(read.weights[0].shape(), (Shape{7, 5}));
  EXPECT_EQ(read.weights[1].shape(), (Shape{4, 3}));
  EXPECT_EQ(read.weights[2].shape(), (Shape{2, 3}));
  EXPECT_TRUE(library.attend(x, {kWords, kSentences, kDocuments}).weights.empty());
}

TEST(Hierarchical, PassesTheChecks) {
  manual_seed(5);
  Library library;
  Tensor x = randn({7, 5, 3}, DType::f64);
  const auto run = [&] { return library.attend(x, {kWords, kSentences, kDocuments}).context; };
  const auto first = nn::gradcheck(library, run, {}, {{"x", x.set_requires_grad()}});
  EXPECT_TRUE(first) << first.text();
  const auto second =
      nn::gradgradcheck(library, run, {.max_elements = 5}, {{"x", x.set_requires_grad()}});
  EXPECT_TRUE(second) << second.text();
}

// A sentence without words, a document without sentences.
TEST(Hierarchical, RowsOfNothingAreZeros) {
  manual_seed(7);
  const Hierarchical attend({{.width = 3}, {.width = 3}}, DType::f64);
  const Tensor x = randn({3, 4, 3}, DType::f64);
  const auto read = attend(x, {{4, 0, 2}, {1, 0, 2}}, true);
  EXPECT_EQ(numbers(narrow(read.context, 0, 1, 1)), (std::vector<double>(3, 0.0)));
  EXPECT_EQ(numbers(narrow(read.weights[1], 0, 1, 1)), (std::vector<double>(2, 0.0)));
  EXPECT_EQ(attend(zeros({0, 4, 3}, DType::f64), {{}, {}}).context.shape(), (Shape{0, 3}));
}

TEST(Hierarchical, RefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "hierarchical: there must be one level",
                    Hierarchical attend(std::vector<HierarchicalLevel>{}));
  EXPECT_ERROR_WITH(ValueError, "hierarchical: width 0 must be positive",
                    Hierarchical attend(std::vector<HierarchicalLevel>{{.width = 0}}));
  const Hierarchical attend({{.width = 3}, {.width = 3}}, DType::f64);
  const auto refuses = [&](const Tensor& x, const std::vector<Lengths>& counts, const char* text) {
    EXPECT_ERROR_WITH(ShapeError, text, attend(x, counts));
  };
  const Tensor x = zeros({3, 4, 3}, DType::f64);
  refuses(x, {{4, 4, 4}}, "hierarchical: counts of 1 levels for 2");
  refuses(x, {{4, 4}, {2}}, "hierarchical: 2 lengths for 3 rows of x");
  refuses(x, {{4, 4, 5}, {3}}, "length 5 of row 2 is not in [0, 4]");
  refuses(x, {{4, 4, 4}, {2}}, "hierarchical: counts leave 1 of 3 rows over");
  refuses(x, {{4, 4, 4}, {2, 2}}, "hierarchical: a count of 2 where 1 of 3 rows are left");
  refuses(x, {{4, 4, 4}, {4, -1}}, "hierarchical: a count of 4 where 3 of 3 rows are left");
  refuses(select(x, 0, 0), {{4}, {1}}, "hierarchical: x must be [B, n, width], not f64[4, 3]");
  refuses(zeros({3, 4, 2}, DType::f64), {{4, 4, 4}, {3}},
          "hierarchical: level 0 must encode to [3, 4, 3], not f64[3, 4, 2]");
  EXPECT_ERROR_WITH(GradError, "hierarchical: x is undefined", attend(Tensor(), {{1}, {1}}));
}

// Encoders that look at one place alone, so that packed and padded batches can be compared.
std::vector<HierarchicalLevel> scaled(double by) {
  return {{.width = 3,
           .encode = [by](const Tensor& x, const Lengths&) { return x * by; },
           .encode_packed = [by](const Packed& x) { return x.tokens * by; }},
          {.width = 3, .hidden = 2}};
}

TEST(Hierarchical, PackedBatchesGiveWhatPaddedOnesDo) {
  manual_seed(11);
  const Hierarchical attend(scaled(1.5), DType::f64);
  const Tensor x = randn({7, 5, 3}, DType::f64).set_requires_grad();
  const Tensor g = randn({4, 3}, DType::f64);
  const Packed packed = pack(x, kWords);
  const auto wanted = attend(x, {kWords, kSentences}, true);
  const auto got = attend(packed, {kSentences}, true);
  EXPECT_THAT(numbers(got.context), near(wanted.context));
  ASSERT_EQ(got.weights.size(), 2U);
  EXPECT_THAT(numbers(got.weights[0]), near(pack(wanted.weights[0], kWords).tokens));
  EXPECT_THAT(numbers(got.weights[1]), near(pack(wanted.weights[1], kSentences).tokens));
  EXPECT_THAT(numbers(grad({got.context}, {x}, {g})[0]), near(grad({wanted.context}, {x}, {g})[0]));
  EXPECT_TRUE(attend(packed, {kSentences}).weights.empty());
}

TEST(Hierarchical, APoolingOfItsOwnStandsInAttentionsPlace) {
  manual_seed(13);
  std::vector<HierarchicalLevel> levels = scaled(2);
  levels[0].pool = [](const Packed& x) { return average_pooling(x); };
  const Hierarchical attend(levels, DType::f64);
  const Tensor x = randn({7, 5, 3}, DType::f64);
  const auto got = attend(pack(x, kWords), {kSentences}, true);
  const Tensor sentences = average_pooling(x, Mask::lengths(kWords, 5)) * 2;
  EXPECT_THAT(numbers(got.context),
              near((*attend.levels.begin())(Packed{sentences, {0, 3, 4, 6, 7}}).context));
  ASSERT_EQ(got.weights.size(), 2U);
  EXPECT_FALSE(got.weights[0].defined());
}

TEST(Hierarchical, RefusesPackedBatchesThatDoNotFit) {
  const Packed x{zeros({6, 3}, DType::f64), {0, 2, 6}};
  const auto refuses = [&](std::vector<HierarchicalLevel> levels, const std::vector<Lengths>& above,
                           const char* text) {
    const Hierarchical attend(levels, DType::f64);
    EXPECT_ERROR_WITH(ShapeError, text, attend(x, above));
  };
  refuses(scaled(1), {}, "hierarchical: counts of 0 levels above the first for 2");
  refuses(scaled(1), {{2}, {1}}, "hierarchical: counts of 2 levels above the first for 2");
  std::vector<HierarchicalLevel> levels = scaled(1);
  levels[0].encode_packed = [](const Packed& p) { return narrow(p.tokens, 0, 0, 5); };
  refuses(levels, {{2}}, "hierarchical: level 0 must encode to [6, 3], not f64[5, 3]");
  levels[0].encode_packed = [](const Packed& p) { return narrow(p.tokens, 1, 0, 2); };
  refuses(levels, {{2}}, "hierarchical: level 0 must encode to [6, 3], not f64[6, 2]");
  levels[0].encode_packed = {};
  const Hierarchical padded_only(levels, DType::f64);
  EXPECT_ERROR_WITH(ValueError, "hierarchical: level 0 has no encode_packed for packed batches",
                    padded_only(x, {{2}}));
}

}  // namespace
}  // namespace heed::attention
