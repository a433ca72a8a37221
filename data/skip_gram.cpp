#include "skip_gram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/checked.h"
#include "../core/error.h"

namespace heed::data {
namespace {

constexpr double kPower = 0.75;
constexpr std::size_t kLanes = 8;  // rows are cut in parts of so many, for the compiler's vectors

void check(const SkipGramOptions& o) {
  const bool positive = o.width > 0 && o.window > 0 && o.negatives > 0 && o.epochs > 0;
  if (positive && o.lr > 0 && std::isfinite(o.lr) && o.subsample > 0 && std::isfinite(o.subsample))
    return;
  throw ValueError(fmt::format(
      "skip_gram: width {}, window {}, negatives {}, epochs {}, lr {} and subsample {} must be "
      "positive",
      o.width, o.window, o.negatives, o.epochs, o.lr, o.subsample));
}

float dot(const float* a, const float* b, std::size_t n) {
  float part[kLanes] = {};
  for (std::size_t i = 0; i < n; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) part[l] += a[i + l] * b[i + l];
  }
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

// y += share x
void add(float share, const float* x, float* y, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) y[i + l] += share * x[i + l];
  }
}

class Learner {
 public:
  Learner(const std::vector<std::vector<Index>>& sentences, Index vocabulary,
          const SkipGramOptions& options, Generator& generator)
      : options_(options), generator_(generator) {
    const Checked rows("skip_gram", vocabulary);
    const auto count = static_cast<std::size_t>(static_cast<Index>(rows));
    stride_ = (static_cast<std::size_t>(options.width) + kLanes - 1) / kLanes * kLanes;
    const Index numbers = rows * static_cast<Index>(stride_);
    count_words(sentences, count);  // throws before anything is drawn
    inner_.assign(static_cast<std::size_t>(numbers), 0);
    outer_.assign(static_cast<std::size_t>(numbers), 0);
    gradient_.assign(stride_, 0);
    const double half = 0.5 / static_cast<double>(options.width);
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(options.width); ++i) {
        inner_[row * stride_ + i] = static_cast<float>((2 * generator.uniform() - 1) * half);
      }
    }
  }

  void learn(const std::vector<std::vector<Index>>& sentences) {
    const double all = static_cast<double>(words_) * static_cast<double>(options_.epochs);
    double done = 0;
    std::vector<std::size_t> kept;
    for (Index epoch = 0; epoch < options_.epochs; ++epoch) {
      for (const Index i : generator_.permutation(static_cast<Index>(sentences.size()))) {
        const std::vector<Index>& sentence = sentences[static_cast<std::size_t>(i)];
        rate_ = static_cast<float>(options_.lr * (1 - done / all));
        done += static_cast<double>(sentence.size());
        kept.clear();
        for (const Index word : sentence) {
          const auto w = static_cast<std::size_t>(word);
          if (generator_.uniform() < keep_[w]) kept.push_back(w);
        }
        for (std::size_t at = 0; at < kept.size(); ++at) look_around(kept, at);
      }
    }
  }

  Array vectors(Index vocabulary) const {
    Array out = Array::empty({vocabulary, options_.width}, DType::f32);
    const auto width = static_cast<std::size_t>(options_.width);
    for (std::size_t row = 0; row * stride_ < inner_.size(); ++row) {
      std::copy_n(inner_.data() + row * stride_, width, out.mutable_data<float>() + row * width);
    }
    return out;
  }

 private:
  void count_words(const std::vector<std::vector<Index>>& sentences, std::size_t vocabulary) {
    std::vector<double> counts(vocabulary, 0);
    for (const std::vector<Index>& sentence : sentences) {
      for (const Index word : sentence) {
        if (word < 0 || static_cast<std::size_t>(word) >= vocabulary) {
          throw IndexError(
              fmt::format("skip_gram: word {} is not within 0 to {}", word, vocabulary - 1));
        }
        ++counts[static_cast<std::size_t>(word)];
        ++words_;
      }
    }
    if (words_ == 0) throw ValueError("skip_gram: the sentences have no words");
    double total = 0;
    for (const double count : counts) {
      const double share = count / static_cast<double>(words_);
      keep_.push_back(share > 0 ? std::sqrt(options_.subsample / share) : 0);
      drawn_.push_back(total += std::pow(count, kPower));
    }
  }

  // Of probability count^0.75.
  std::size_t draw() {
    const double place = generator_.uniform() * drawn_.back();
    const auto found = std::upper_bound(drawn_.begin(), drawn_.end(), place);
    return static_cast<std::size_t>(std::min(found, drawn_.end() - 1) - drawn_.begin());
  }

  void look_around(const std::vector<std::size_t>& words, std::size_t at) {
    const auto reach = static_cast<std::size_t>(generator_.below(options_.window) + 1);
    const std::size_t end = std::min(words.size(), at + reach + 1);
    for (std::size_t i = at > reach ? at - reach : 0; i < end; ++i) {
      if (i != at) pair(words[at], words[i]);
    }
  }

  void pair(std::size_t word, std::size_t near) {
    float* v = inner_.data() + word * stride_;
    std::fill(gradient_.begin(), gradient_.end(), 0.0F);
    tell(v, near, 1);
    for (Index k = 0; k < options_.negatives; ++k) {
      const std::size_t other = draw();
      if (other != near) tell(v, other, 0);
    }
    add(1, gradient_.data(), v, stride_);
  }
  void tell(const float* v, std::size_t other, float truth) {
    float* o = outer_.data() + other * stride_;
    const float step = rate_ * (truth - 1 / (1 + std::exp(-dot(v, o, stride_))));
    add(step, o, gradient_.data(), stride_);
    add(step, v, o, stride_);
  }

  const SkipGramOptions& options_;
  Generator& generator_;
  std::size_t stride_ = 0;
  std::vector<float> inner_, outer_, gradient_;
  std::vector<double> keep_;   // probability of each word
  std::vector<double> drawn_;  // sums of counts^0.75
  std::uint64_t words_ = 0;
  float rate_ = 0;
};

}  // namespace

Array skip_gram(const std::vector<std::vector<Index>>& sentences, Index vocabulary,
                const SkipGramOptions& options, Generator& generator) {
  check(options);
  if (vocabulary <= 0) {
    throw ValueError(fmt::format("skip_gram: a vocabulary of {} words", vocabulary));
  }
  Learner learner(sentences, vocabulary, options, generator);
  learner.learn(sentences);
  return learner.vectors(vocabulary);
}

}  // namespace heed::data
