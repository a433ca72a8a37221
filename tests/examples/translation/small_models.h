// Small models of this example, and rows of words for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/slicing.h"
#include "../../../core/generator.h"
#include "../../../examples/translation/translator.h"
#include "../../support/numbers.h"

namespace translation {

using heed::Array;
using heed::DType;

inline constexpr Index kSources = 17, kTargets = 13;
inline const std::vector<Index> kRead = {7, 4, 1}, kWritten = {5, 2, 3};

inline ModelOptions small(const std::string& model) {
  return {.model = model,
          .source_words = kSources,
          .target_words = kTargets,
          .width = 6,
          .hidden = 10,
          .layers = 2,
          .heads = 3,
          .dropout = 0.3,
          .half_width = 2,
          .longest = 11,
          .dtype = DType::f64};
}

inline ModelOptions luong(const std::string& score, const std::string& attention,
                          bool feeding = false) {
  ModelOptions options = small("luong");
  options.score = score;
  options.attention = attention;
  options.input_feeding = feeding;
  return options;
}

// Random words; whatever is padded holds `padding`, or words as well where that is negative.
inline Rows rows(const std::vector<Index>& lengths, Index words, Index padding,
                 std::uint64_t seed) {
  heed::Generator generator(seed);
  const Index T = *std::max_element(lengths.begin(), lengths.end());
  std::vector<Index> ids;
  for (const Index length : lengths) {
    for (Index t = 0; t < T; ++t) {
      const auto word = static_cast<Index>(generator.below(static_cast<std::uint64_t>(words - 1)));
      ids.push_back(t < length || padding < 0 ? word + 1 : padding);
    }
  }
  return {Array::from(ids, {static_cast<Index>(lengths.size()), T}), lengths};
}

inline Rows row(const Rows& all, Index b) {
  const Index length = all.lengths[static_cast<std::size_t>(b)];
  return {narrow(narrow(all.ids, 0, b, 1), 1, 0, length), {length}};
}

inline Tensor numbers(const std::vector<Index>& ids) {
  return Array::from(ids, {static_cast<Index>(ids.size())});
}

}  // namespace translation
