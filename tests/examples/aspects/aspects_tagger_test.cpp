#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../examples/aspects/tagging.h"
#include "../../../nn/gradcheck.h"
#include "../../support/throws.h"

namespace aspects {
namespace {

using testing::HasSubstr;

ModelOptions small(const std::string& attention, DType dtype = DType::f32) {
  return {.attention = attention,
          .vocabulary = 11,
          .width = 5,
          .hidden = 3,
          .slices = 2,
          .dropout = 0,
          .dtype = dtype};
}
const std::vector<Example> kSome = {
    {{2, 3, 4, 10, 5, 3, 2}, {{{2, 0, 1, 2, 2, 2, 2}, {2, 2, 2, 2, 0, 2, 2}}}},
    {{7, 8, 9}, {{{0, 2, 2}, {2, 2, 0}}}}};

TEST(AspectsTagger, GradientsAreThoseOfDifferences) {
  for (const char* attention : {"cmla", "uncoupled", "none"}) {
    manual_seed(5);
    Tagger tagger(small(attention, DType::f64));
    const Batch batch = batch_of(kSome);
    const auto report = nn::gradcheck(tagger, [&] { return loss_of(tagger, batch).tensor; });
    EXPECT_TRUE(report) << attention << '\n' << report.text();
  }
}

// A piece of a batch counts by its words.
TEST(AspectsTagger, TheLossIsTheMeanOfWords) {
  manual_seed(5);
  const Tagger tagger(small("cmla", DType::f64));
  double sum = 0;
  for (const Example& example : kSome) {
    const train::Loss own = loss_of(tagger, batch_of({example}));
    EXPECT_EQ(own.weight, static_cast<double>(example.words.size()));
    sum += own.tensor.item() * own.weight.value_or(0);
  }
  EXPECT_NEAR(loss_of(tagger, batch_of(kSome)).tensor.item(), sum / 10, 1e-12);
}

TEST(AspectsTagger, ASentenceIsTaggedAsAlone) {
  for (const char* attention : {"cmla", "uncoupled", "none"}) {
    manual_seed(6);
    Tagger tagger(small(attention));
    const auto both = tag(tagger, kSome);
    const Tagged alone = tag(tagger, {kSome[1]})[0];
    for (std::size_t side = 0; side < 2; ++side) {
      ASSERT_EQ(both[0].tags[side].size(), 7U);
      EXPECT_EQ(both[1].tags[side], alone.tags[side]);
      ASSERT_EQ(both[1].weights[side].size(), *attention == 'n' ? 0U : 1U);
      for (std::size_t layer = 0; layer < both[1].weights[side].size(); ++layer) {
        const auto& weights = both[1].weights[side][layer];
        ASSERT_EQ(weights.size(), 3U);
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-6);
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_NEAR(weights[i], alone.weights[side][layer][i], 1e-6);
        }
      }
    }
  }
}

TEST(AspectsTagger, ScoresCountSpans) {
  manual_seed(7);
  Tagger tagger(small("none"));
  const auto scores = evaluate(tagger, kSome);
  EXPECT_EQ(scores[0].truths(), 2);
  EXPECT_EQ(scores[1].truths(), 2);
  for (const train::SpanF1& each : scores) {
    EXPECT_EQ(each.spans(), static_cast<double>(each.truths() + each.predicted()));
  }
}

TEST(AspectsTagger, BeginsWithTheVectorsGiven) {
  const data::WordVectors vectors{data::Vocabulary({"a", "b"}), Generator(3).normal({4, 5}, 0, 1)};
  const Reader reader = make_reader(small("cmla"), vectors);
  EXPECT_EQ(reader.tagger->words.weight.array().to_vector<float>(),
            vectors.rows.to_vector<float>());
  EXPECT_EQ(reader.tagger->options.vocabulary, 4);
  ModelOptions wide = small("cmla");
  wide.width = 7;
  EXPECT_ERROR(ValueError, "vectors of width 5, not 7", make_reader(wide, vectors));
  EXPECT_ERROR(ValueError, "the sentence has no words", tag(reader, {}));
  EXPECT_ERROR(ValueError, "a sentence of 1001 words, above 1000", tag(reader, Words(1001, "a")));
}

TEST(AspectsTagging, TermsAreMarkedAndAttentionIsShown) {
  const Words words = {"the", "fish", "tacos", "rock"};
  const Tagged tagged{{{{"O", "B", "I", "O"}, {"O", "O", "O", "B"}}},
                      {{{{0.25, 0.25, 0.25, 0.25}, {0, 1, 0, 0}}, {{1, 0, 0, 0}, {0, 0, 0, 1}}}}};
  EXPECT_EQ(in_text(words, tagged, train::ShadeStyle::marks),
            "the <fish tacos> *rock*\n"
            "  aspects  look at  the [[fish]] tacos rock\n"
            "  opinions look at  the fish tacos [[rock]]\n");
  const train::Picture picture = in_picture(words, tagged);
  EXPECT_GT(picture.width(), picture.height());
  const Tagged plain{{{{"O", "B", "B", "O"}, {"I", "O", "O", "I"}}}, {}};
  EXPECT_EQ(in_text(words, plain, train::ShadeStyle::marks), "*the* <fish> <tacos> *rock*\n");
  EXPECT_ERROR(ValueError, "a model without attention has no picture", in_picture(words, plain));
}

}  // namespace
}  // namespace aspects
