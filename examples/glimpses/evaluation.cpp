#include "evaluation.h"

#include <algorithm>
#include <numeric>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/ops/shape.h"
#include "../../autograd/ops/softmax.h"

namespace glimpses {

Tensor probabilities_of(const Episode& episode) {
  const Shape& runs = episode.places.back().shape();  // [B, M, 2]
  const Tensor rows = softmax(episode.logits.back(), -1);
  return mean(reshape(rows, {runs[0], runs[1], rows.size(1)}), {1});
}

train::Confusion evaluate(GlimpseModel& model, const Digits& digits,
                          const EvaluationOptions& options) {
  const NoGrad scope;
  model.eval();
  Generator of_digits(options.seed + 41), of_glimpses(options.seed + 43);
  train::Confusion out(kClasses);
  for (Index begin = 0; begin < digits.count(); begin += options.batch_size) {
    std::vector<Index> which(
        static_cast<std::size_t>(std::min(options.batch_size, digits.count() - begin)));
    std::iota(which.begin(), which.end(), begin);
    const Batch batch = batch_of(digits, which, model.options.size, of_digits);
    const Looking looking = options.runs > 0 ? Looking::sample : Looking::mean;
    const Episode episode =
        model(batch.images, std::max<Index>(options.runs, 1), looking, &of_glimpses);
    const auto guesses = argmax(probabilities_of(episode), -1).array().to_vector<Index>();
    for (std::size_t i = 0; i < which.size(); ++i) {
      out.add(digits.labels[static_cast<std::size_t>(which[i])], guesses[i]);
    }
  }
  return out;
}

}  // namespace glimpses
