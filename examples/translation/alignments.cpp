#include "alignments.h"

#include <algorithm>
#include <limits>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../data/words.h"
#include "../../train/alignment_error.h"
#include "evaluation.h"
#include "translate.h"

namespace translation {
namespace {

constexpr Index kAtOnce = 100;  // sentences
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> with_end(std::vector<std::string> parts) {
  parts.push_back("</s>");
  return parts;
}

Index words_in(const std::string& line) { return static_cast<Index>(data::words_of(line).size()); }

// The weights of every step, each [B, K]; none where the model does not attend.
std::vector<Tensor> forced_weights(const Translator& model, const Batch& batch) {
  const std::unique_ptr<nn::Decoding> decoding = model.start(batch.source);
  std::vector<Tensor> out;
  for (Index t = 0; t < batch.before.ids.size(1); ++t) {
    Tensor weights;
    decoding->step(select(batch.before.ids, 1, t), &weights);
    if (!weights.defined()) return {};
    out.push_back(unsqueeze(weights, 1));
  }
  return out;
}

}  // namespace

train::AlignedSentence align(const Language& language, const std::string& source,
                             const std::string& target) {
  const NoGrad scope;
  language.model->eval();
  const Batch batch =
      batch_of({{read_line(*language.source, source), language.target->encode(target)}}, {0});
  std::vector<Look> looks;
  language.model->features(batch.source, batch.before, &looks);
  if (looks.empty()) {
    throw ValueError("align: a model " + language.model->options.model +
                     " has no attention to look at");
  }
  train::AlignedSentence out{
      with_end(language.source->parts(source)), with_end(language.target->parts(target)), {}};
  for (const Look& look : looks) {
    out.matrices.push_back({look.name, squeeze(look.weights, 0).array()});
  }
  return out;
}

train::SelfAttended self_attended(const Language& language, const std::string& source) {
  const NoGrad scope;
  language.model->eval();
  const Batch batch = batch_of({{read_line(*language.source, source), {}}}, {0});
  return {with_end(language.source->parts(source)), language.model->self_looks(batch.source)};
}

double alignment_error(const Language& language, const Part& part) {
  const NoGrad scope;
  language.model->eval();
  train::AlignmentError error;
  const std::vector<Example> examples = encode(language, part);
  for (std::size_t begin = 0; begin < part.links.size(); begin += kAtOnce) {
    std::vector<Index> chosen;
    for (std::size_t i = begin; i < std::min(begin + kAtOnce, part.links.size()); ++i) {
      chosen.push_back(static_cast<Index>(i));
    }
    const Batch batch = batch_of(examples, chosen);
    const std::vector<Tensor> steps = forced_weights(*language.model, batch);
    if (steps.empty()) return kNone;
    const Tensor weights = concat(steps, 1);  // [B, T, K]
    for (std::size_t b = 0; b < chosen.size(); ++b) {
      const auto row = static_cast<Index>(b);
      const Index targets = batch.before.lengths[b] - 1, sources = batch.source.lengths[b] - 1;
      if (targets != words_in(part.target[begin + b]) ||
          sources != words_in(part.source[begin + b])) {
        return kNone;
      }
      error.add(train::strongest_links(select(weights, 0, row), targets, sources),
                part.links[begin + b]);
    }
  }
  return error.rate();
}

}  // namespace translation
