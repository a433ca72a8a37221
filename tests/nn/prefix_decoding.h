// A decoder by any rule, for the tests of the beam search: it keeps all the words of each row, so
// that a wrong reorder cannot go unseen, and checks what it is called with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "../../autograd/grad_mode.h"
#include "../../nn/beam_search.h"

namespace heed {

using Words = std::vector<Index>;
using Numbers = std::vector<double>;

/// Of a source and all the words before, the first mark among them: the scores of the next, and the
/// weights.
struct Model {
  std::function<Numbers(Index source, const Words&prefix)> scores, weights = {};
};

/// Numbers in [0, 1) that hang on the source and on all the words before.
inline Numbers drawn(Index seed, const Words& prefix, Index count) {
  auto state = static_cast<std::uint64_t>(seed) * 0x9E3779B97F4A7C15U + 1;
  const auto mix = [&state](std::uint64_t more) {
    state = (state ^ more) * 0xBF58476D1CE4E5B9U;
    state ^= state >> 29;
    state = state * 0x94D049BB133111EBU + 0x632BE59BD9B4E019U;
    state ^= state >> 32;
  };
  for (const Index word : prefix) mix(static_cast<std::uint64_t>(word) + 7);
  Numbers out;
  for (Index i = 0; i < count; ++i) {
    mix(static_cast<std::uint64_t>(i));
    out.push_back(static_cast<double>(state >> 11) / 9007199254740992.0);
  }
  return out;
}

/// Scores of `words` words in [0, sharpness); sources differ in how they like the end mark (3), and
/// in how many of `places` they have.
inline Model random_model(Index words, Index places = 0, double sharpness = 3) {
  Model out;
  out.scores = [=](Index source, const Words& prefix) {
    Numbers x = drawn(source, prefix, words);
    for (double& value : x) value *= sharpness;
    const Index liking = source % 5 * std::ssize(prefix);
    x[3] += sharpness * (0.04 * static_cast<double>(liking) - 0.5);
    return x;
  };
  if (places == 0) return out;
  out.weights = [=](Index source, const Words& prefix) {
    Numbers w = drawn(source + 1000, prefix, std::max<Index>(1, places - source % 3));
    double sum = 0;
    for (double& value : w) sum += value *= value;
    for (double& value : w) value /= sum;
    w.resize(static_cast<std::size_t>(places));
    return w;
  };
  return out;
}

/// The same scores after any words.
inline Model constant_model(const Numbers& scores, const Numbers& weights = {}) {
  Model out{[=](Index, const Words&) { return scores; }};
  if (!weights.empty()) out.weights = [=](Index, const Words&) { return weights; };
  return out;
}

class Prefixes : public nn::Decoding {
 public:
  struct Row {
    Index source;
    Words words;
  };

  Prefixes(Model model, const Words& sources, DType dtype = DType::f64)
      : model_(std::move(model)), dtype_(dtype) {
    for (const Index source : sources) rows_.push_back({source, {}});
  }

  Tensor step(const Tensor& words, Tensor* weights) override {
    EXPECT_FALSE(recording());
    EXPECT_EQ(words.shape(), Shape{std::ssize(rows_)});
    ++steps;
    Numbers scores, looks;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Row& row = rows_[i];
      row.words.push_back(words.array().data<std::int64_t>()[i]);
      for (const double x : model_.scores(row.source, row.words)) scores.push_back(x);
      if (!model_.weights) continue;
      for (const double w : model_.weights(row.source, row.words)) looks.push_back(w);
    }
    if (weights && model_.weights) *weights = block(looks);
    return block(scores);
  }

  void reorder(const Tensor& rows, bool sources) override {
    ++reorders;
    std::vector<Row> next;
    bool same = rows.numel() == std::ssize(rows_);
    for (const Index from : rows.array().to_vector<std::int64_t>()) {
      same = same && from == std::ssize(next);
      next.push_back(rows_.at(static_cast<std::size_t>(from)));
    }
    EXPECT_FALSE(same) << "needless";
    EXPECT_FALSE(next.empty());
    if (!sources) {
      ++within;
      ASSERT_EQ(next.size(), rows_.size());
      for (std::size_t i = 0; i < next.size(); ++i) EXPECT_EQ(next[i].source, rows_[i].source);
    }
    rows_ = next;
  }

  Index steps = 0, reorders = 0, within = 0;

 private:
  Tensor block(const Numbers& values) const {
    const Index rows = std::ssize(rows_);
    return Array::from(values, {rows, std::ssize(values) / rows}).to(dtype_);
  }

  Model model_;
  DType dtype_;
  std::vector<Row> rows_;
};

}  // namespace heed
