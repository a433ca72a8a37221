#include "evaluation.h"

#include <algorithm>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../train/metrics.h"

namespace language_model {

Tensor loss_of(const Tensor& scores, const Tensor& targets) {
  return cross_entropy(reshape(scores, {-1, scores.size(2)}), reshape(targets, {-1}));
}

Tensor loss_of(const LanguageModel& model, const data::Windows& batch) {
  return loss_of(model(batch.inputs), batch.targets);
}

Tensor loss_of(const LanguageModel& model, const data::PackedDocuments& batch) {
  return cross_entropy(model(Packed{batch.inputs, batch.offsets}), batch.targets);
}

std::vector<data::LinePlaces> cut_lines(const Language& language, const std::vector<Index>& text) {
  const Index end_mark = encode("\n", language.level, language.vocabulary).front();
  auto lines = data::lines_of(text, end_mark, language.model->options.context);
  if (lines.empty()) throw ValueError("lines: the text has no line behind its first");
  return lines;
}

double evaluate(const Language& language, const std::vector<Index>& text, Index batch,
                bool packed) {
  LanguageModel& model = *language.model;
  const NoGrad scope;
  model.eval();
  train::RunningMean mean;
  const auto add = [&](const Tensor& loss, const Array& targets) {
    mean.add(loss.item(), static_cast<double>(targets.numel()));
  };
  if (packed) {
    const std::vector<data::LinePlaces> lines = cut_lines(language, text);
    for (Index i = 0; i < std::ssize(lines); i += batch) {
      const auto first = lines.begin() + i, last = first + std::min(batch, lines.end() - first);
      const data::PackedDocuments part = data::packed_lines(text, {first, last});
      add(loss_of(model, part), part.targets);
    }
  } else if (model.reader) {  // it goes on from batch to batch
    const data::Streams streams = data::side_by_side(
        text, std::min<Index>(batch, std::ssize(text) - 1), model.options.context);
    for (const auto* parts : {&streams.batches, &streams.rest}) {
      Past past;
      for (const data::Windows& part : *parts)
        add(loss_of(model.go_on(part.inputs, past), part.targets), part.targets);
    }
  } else {
    for (const data::Windows& part : data::all_windows(text, batch, model.options.context))
      add(loss_of(model, part), part.targets);
  }
  return mean.mean();
}

}  // namespace language_model
