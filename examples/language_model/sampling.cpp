#include "sampling.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "../../data/vocabulary.h"

namespace language_model {

std::vector<Index> sample(const LanguageModel& model, const std::vector<Index>& prompt,
                          const SamplingOptions& options, Generator& generator) {
  if (prompt.empty()) throw ValueError("sample: the prompt has no token");
  if (options.length < 0) {
    throw ValueError(fmt::format("sample: length {} must not be negative", options.length));
  }
  const NoGrad scope;
  nn::SamplingOptions choice = options.choice;
  choice.forbidden.push_back(data::Vocabulary::kPadding);
  const auto context = static_cast<std::size_t>(model.options.context);
  // What the model sees, and how much of it the cache holds.
  std::vector<Index> window(prompt.end() - static_cast<Index>(std::min(context, prompt.size())),
                            prompt.end());
  const bool cache = options.cache && (model.reader || model.kind.steps);
  Past past;
  std::vector<Index> out;
  for (Index i = 0; i < options.length; ++i) {
    if (window.size() > context && !model.reader) {
      window.erase(window.begin(), window.end() - static_cast<Index>((context + 1) / 2));
      past = Past();
    }
    const std::vector<Index> fresh(window.begin() + past.length, window.end());
    const Tensor ids = Array::from(fresh, Shape{1, static_cast<Index>(fresh.size())});
    const Tensor scores = cache ? model.step(ids, past) : select(model(ids), 1, -1);
    out.push_back(nn::sample(scores.array().to(DType::f64).to_vector<double>(), choice, generator));
    window.push_back(out.back());
  }
  return out;
}

}  // namespace language_model
