#include "sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/slicing.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../data/vocabulary.h"

namespace language_model {
namespace {

void check(const std::vector<Index>& prompt, const SamplingOptions& options) {
  if (prompt.empty()) throw ValueError("sample: the prompt has no token");
  if (options.length < 0 || options.top_k < 0) {
    throw ValueError(fmt::format("sample: length {} and top_k {} must not be negative",
                                 options.length, options.top_k));
  }
  if (!(options.temperature >= 0 && std::isfinite(options.temperature))) {
    throw ValueError(fmt::format("sample: temperature {} must be 0 or more", options.temperature));
  }
}

// One token by its score.
Index draw(std::vector<double> scores, const SamplingOptions& options, Generator& generator) {
  scores[data::Vocabulary::kPadding] = -std::numeric_limits<double>::infinity();
  const auto best = std::max_element(scores.begin(), scores.end());
  if (options.temperature == 0) return best - scores.begin();
  double least = -std::numeric_limits<double>::infinity();
  if (options.top_k > 0 && options.top_k < static_cast<Index>(scores.size())) {
    std::vector<double> sorted = scores;
    const auto place = sorted.begin() + options.top_k - 1;
    std::nth_element(sorted.begin(), place, sorted.end(), std::greater<>());
    least = *place;
  }
  const double top = *best;
  double total = 0;
  for (double& score : scores) {
    score = score < least ? 0 : std::exp((score - top) / options.temperature);
    total += score;
  }
  double left = generator.uniform() * total;
  Index last = 0;  // with a chance: rounding may leave a little over
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] == 0) continue;
    last = static_cast<Index>(i);
    left -= scores[i];
    if (left < 0) break;
  }
  return last;
}

}  // namespace

std::vector<Index> sample(const LanguageModel& model, const std::vector<Index>& prompt,
                          const SamplingOptions& options, Generator& generator) {
  check(prompt, options);
  const NoGrad scope;
  const auto context = static_cast<std::size_t>(model.options.context);
  // What the model sees, and how much of it the cache holds.
  std::vector<Index> window(prompt.end() - static_cast<Index>(std::min(context, prompt.size())),
                            prompt.end());
  const bool cache = options.cache && model.synthesizer.empty();
  Past past;
  std::vector<Index> out;
  for (Index i = 0; i < options.length; ++i) {
    if (window.size() > context) {
      window.erase(window.begin(), window.end() - static_cast<Index>((context + 1) / 2));
      past = Past();
    }
    const std::vector<Index> fresh(window.begin() + past.length(), window.end());
    const Tensor ids = Array::from(fresh, Shape{1, static_cast<Index>(fresh.size())});
    const Tensor scores = cache ? model.step(ids, past) : select(model(ids), 1, -1);
    out.push_back(draw(scores.array().to(DType::f64).to_vector<double>(), options, generator));
    window.push_back(out.back());
  }
  return out;
}

}  // namespace language_model
