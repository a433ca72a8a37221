// Precision, recall and F1 of spans in tagged sentences, counted as the script conlleval of CoNLL
// 2000 does: a span is right where begin, end and type are.
//
//   precision = right / predicted,  recall = right / true,  F1 = 2 right / (predicted + true)
//
// Tags are B, I and O, or with types B-LOC, I-LOC. What a model says need not be well-formed: an I
// behind O, at the beginning or behind another type begins a span, as in the script.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../core/shape.h"

namespace heed::train {

/// Words [begin, end).
struct Span {
  std::size_t begin = 0, end = 0;
  std::string type = {};
  friend bool operator==(const Span&, const Span&) = default;
};

/// The spans of one sentence, from left to right. Throws ValueError for a tag that is none.
std::vector<Span> spans_of(const std::vector<std::string>& tags);

/// Counts over sentences. A ratio of nothing to nothing is 0.
class SpanF1 {
 public:
  /// One sentence. Throws ValueError for tags that are none, and other numbers of them.
  void add(const std::vector<std::string>& truth, const std::vector<std::string>& prediction);

  Index truths() const { return truths_; }
  Index predicted() const { return predicted_; }
  Index right() const { return right_; }
  /// True and predicted ones: by these an F1 weighs in that of all.
  double spans() const { return static_cast<double>(truths_ + predicted_); }

  double precision() const;
  double recall() const;
  double f1() const;

 private:
  Index truths_ = 0, predicted_ = 0, right_ = 0;
};

}  // namespace heed::train
