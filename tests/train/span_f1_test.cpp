#include "../../train/span_f1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Tags = std::vector<std::string>;

TEST(Spans, BeginAndEndAsInConlleval) {
  EXPECT_THAT(spans_of({}), IsEmpty());
  EXPECT_THAT(spans_of({"O", "O"}), IsEmpty());
  EXPECT_THAT(spans_of({"O", "B", "I", "I", "O", "B"}), ElementsAre(Span{1, 4}, Span{5, 6}));
  // A B behind a span begins another one.
  EXPECT_THAT(spans_of({"B", "B", "I"}), ElementsAre(Span{0, 1}, Span{1, 3}));
  // An I that goes on with nothing begins one.
  EXPECT_THAT(spans_of({"I", "I", "O", "I"}), ElementsAre(Span{0, 2}, Span{3, 4}));
  EXPECT_THAT(spans_of({"B-X", "I-X", "I-Y", "B-Y", "I"}),
              ElementsAre(Span{0, 2, "X"}, Span{2, 3, "Y"}, Span{3, 4, "Y"}, Span{4, 5}));
}

TEST(Spans, AreOfTagsAlone) {
  for (const char* tag : {"", "E", "b", "O-X", "B-", "BX"}) {
    EXPECT_ERROR(ValueError, std::string("spans: \"") + tag + "\" is no tag: B, I or O",
                 spans_of({"O", tag}));
  }
}

// Three spans are true: the first is found, the second too short, the third not; what is found
// besides is wrong. Precision 1/3, recall 1/3.
TEST(SpanF1, CountsWhatIsExact) {
  SpanF1 f1;
  EXPECT_EQ(f1.precision(), 0);
  EXPECT_EQ(f1.recall(), 0);
  EXPECT_EQ(f1.f1(), 0);
  f1.add({"B", "I", "O", "B", "I", "O", "B", "O"}, {"B", "I", "O", "B", "O", "O", "O", "B"});
  EXPECT_EQ(f1.truths(), 3);
  EXPECT_EQ(f1.predicted(), 3);
  EXPECT_EQ(f1.right(), 1);
  EXPECT_DOUBLE_EQ(f1.precision(), 1.0 / 3);
  // Two of one word where the truth is one of two; and a second sentence is a place of its own.
  f1.add({"B", "I", "O"}, {"B", "B", "O"});
  f1.add({"O", "B", "I"}, {"O", "I", "I"});
  EXPECT_EQ(f1.truths(), 5);
  EXPECT_EQ(f1.predicted(), 6);
  EXPECT_EQ(f1.right(), 2);
  EXPECT_DOUBLE_EQ(f1.precision(), 2.0 / 6);
  EXPECT_DOUBLE_EQ(f1.recall(), 2.0 / 5);
  EXPECT_DOUBLE_EQ(f1.f1(), 4.0 / 11);
}

// The same place with another type is wrong; so is a span that is cut in two by its types.
TEST(SpanF1, TypesCount) {
  SpanF1 f1;
  f1.add({"B-A", "I-A", "O", "B-C"}, {"B-A", "I-C", "O", "B-C"});
  EXPECT_EQ(f1.right(), 1);
  EXPECT_EQ(f1.predicted(), 3);
  EXPECT_EQ(f1.truths(), 2);
  EXPECT_DOUBLE_EQ(f1.f1(), 2.0 / 5);
}

TEST(SpanF1, RefusesOtherNumbersOfTags) {
  SpanF1 f1;
  EXPECT_ERROR(ValueError, "spans: 2 tags predicted for 3 words",
               f1.add({"O", "O", "O"}, Tags{"O", "O"}));
  EXPECT_THROW(f1.add({"O"}, {"x"}), ValueError);
  EXPECT_EQ(f1.truths(), 0);
}

}  // namespace
}  // namespace heed::train
