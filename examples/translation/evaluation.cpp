#include "evaluation.h"

#include <cmath>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../train/bleu.h"
#include "../../train/chrf.h"
#include "../../train/metrics.h"

namespace translation {

Likelihood likelihood(const Translator& model, const std::vector<Example>& examples, Index tokens) {
  const NoGrad scope;
  train::RunningMean loss, accuracy;
  for (const auto& chosen : data::batches_by_tokens(lengths_of(examples), tokens, nullptr)) {
    const Batch batch = batch_of(examples, chosen);
    const Tensor logits = model.logits(features_of(model, batch));
    const auto count = static_cast<double>(batch.targets.numel());
    loss.add(cross_entropy(logits, batch.targets).item(), count);
    const auto likeliest = argmax(logits, -1).array().to_vector<std::int64_t>();
    const auto right = batch.targets.array().to_vector<std::int64_t>();
    for (std::size_t i = 0; i < right.size(); ++i) accuracy.add(likeliest[i] == right[i] ? 1 : 0);
  }
  return {loss.mean(), accuracy.mean(), loss.weight()};
}

Measures measure(const std::vector<std::string>& written, const Part& part) {
  Measures out;
  const train::BleuOptions by{.tokens = part.score_by};
  const train::Bleu bleu = train::corpus_bleu(written, part.target, by);
  out.bleu = bleu.score;
  out.details = bleu.to_string();
  out.chrf = train::corpus_chrf(written, part.target);
  for (std::size_t i = 0; i < written.size(); ++i) out.exact += written[i] == part.target[i];
  out.exact /= static_cast<double>(written.size());
  out.by_length = train::bleu_by_length(written, part.target, part.source, by);
  return out;
}

// BLEU is of all lines together: of some of them there are its counts.
train::Part judge(const Language& language, const Part& part, const std::vector<Index>& lines,
                  Index tokens) {
  Part some;
  some.score_by = part.score_by;
  for (const Index i : lines) {
    some.source.push_back(part.source[static_cast<std::size_t>(i)]);
    some.target.push_back(part.target[static_cast<std::size_t>(i)]);
  }
  const Likelihood found = likelihood(*language.model, encode(language, some), tokens);
  const auto written = best_texts(translate(language, some.source, {.beam = 1}));
  const train::Bleu bleu = train::corpus_bleu(written, some.target, {.tokens = some.score_by});
  train::Part out{{{"validation loss", found.loss, 4, found.words}}};
  const auto add = [&](const std::string& name, Index count) {
    out.figures.push_back({name, static_cast<double>(count)});
  };
  for (std::size_t n = 0; n < train::kBleuOrders; ++n) {
    add("counts" + std::to_string(n), bleu.counts[n]);
    add("totals" + std::to_string(n), bleu.totals[n]);
  }
  add("system", bleu.system_length);
  add("reference", bleu.reference_length);
  return out;
}

train::Figures shown_of(const train::Figures& judged) {
  const auto sum = [&](std::size_t i) {
    return static_cast<Index>(std::llround(judged[i].value * judged[i].weight));
  };
  train::Bleu bleu;
  for (std::size_t n = 0; n < train::kBleuOrders; ++n) {
    bleu.counts[n] = sum(1 + 2 * n);
    bleu.totals[n] = sum(2 + 2 * n);
  }
  bleu.system_length = sum(1 + 2 * train::kBleuOrders);
  bleu.reference_length = sum(2 + 2 * train::kBleuOrders);
  return {judged[0], {"BLEU", train::bleu_of_counts(bleu).score, 2}};
}

std::vector<std::string> best_texts(const std::vector<std::vector<Translation>>& found) {
  std::vector<std::string> out;
  for (const auto& line : found) out.push_back(line.front().text);
  return out;
}

std::vector<Example> encode(const Language& language, const Part& part) {
  std::vector<Example> out;
  for (std::size_t i = 0; i < part.source.size(); ++i) {
    out.push_back(
        {read_line(*language.source, part.source[i]), language.target->encode(part.target[i])});
  }
  return out;
}

}  // namespace translation
