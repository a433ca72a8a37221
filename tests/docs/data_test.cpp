// The code of docs/data.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/autograd.h"
#include "../../data/data.h"
#include "../../data/labelled_parts.h"
#include "../io/temporary_folder.h"

namespace heed {
namespace {

TEST(DataGuide, LabelledTexts) {
  const TemporaryFolder temporary;
  const std::string path = temporary / "reviews.tsv";
  std::string lines;
  for (int i = 0; i < 40; ++i) lines += i % 2 ? "good\tA fine film.\n" : "bad\tIt wasn't.\n";
  TemporaryFolder::put(path, lines);
  // [docs: texts]
  data::WordCounts counts;
  const auto reviews = data::read_labelled<std::vector<std::string>>(
      path, {.label = "1", .text = "2"}, [&](const std::string& text) {
        const std::vector<std::string> words = data::tokenize(text);  // lower-cased
        for (const std::string& word : words) ++counts[word];
        return words;
      });
  const auto classes = data::classes_of(reviews);  // the labels found, sorted
  const auto vocabulary = data::Vocabulary::from_counts(counts, {.min_count = 2});
  // [end]
  EXPECT_THAT(classes, testing::ElementsAre("bad", "good"));
  // [docs: batches]
  struct Batch {
    Packed texts;   // i64 [N], one behind the other
    Tensor labels;  // i64 [B]
  };
  const auto batch_of = [&](const std::vector<Index>& rows) {
    std::vector<std::vector<Index>> texts;
    std::vector<Index> labels;
    for (const Index row : rows) {
      const auto& review = reviews[static_cast<std::size_t>(row)];
      texts.push_back(vocabulary.ids(review.item));
      labels.push_back(data::class_of(review, classes));
    }
    return Batch{pack(texts), Array::from(labels)};
  };
  data::Loader batches(reviews, batch_of, {.size = 16, .prefetch = 2, .seed = 1});
  while (const auto batch = batches.next()) {  // one pass; the next call begins another
    std::printf("%lld texts, %lld words\n", static_cast<long long>(batch->texts.sequences()),
                static_cast<long long>(batch->texts.tokens.numel()));
  }
  // [end]
  EXPECT_EQ(vocabulary.size(), 2 + 6);
}

}  // namespace
}  // namespace heed
