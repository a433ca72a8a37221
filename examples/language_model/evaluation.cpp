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
  const auto add = [&](const auto& part) {
    mean.add(loss_of(model, part).item(), static_cast<double>(part.targets.numel()));
  };
  if (model.reader && !packed) {  // it goes on from batch to batch
    const data::Streams streams = data::side_by_side(
        text, std::min<Index>(batch, std::ssize(text) - 1), model.options.context);
    for (const auto* parts : {&streams.batches, &streams.rest}) {
      Past past;
      for (const data::Windows& part : *parts) {
        const Tensor loss = loss_of(model.go_on(part.inputs, past), part.targets);
        mean.add(loss.item(), static_cast<double>(part.targets.numel()));
      }
    }
    return mean.mean();
  }
  if (!packed) {
    for (const data::Windows& part : data::all_windows(text, batch, model.options.context))
      add(part);
    return mean.mean();
  }
  const std::vector<data::LinePlaces> lines = cut_lines(language, text);
  for (auto first = lines.begin(); first != lines.end();) {
    const auto last = first + std::min<Index>(batch, lines.end() - first);
    add(data::packed_lines(text, {first, last}));
    first = last;
  }
  return mean.mean();
}

}  // namespace language_model
