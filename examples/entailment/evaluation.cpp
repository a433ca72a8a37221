#include "evaluation.h"

#include <algorithm>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../data/loader.h"
#include "../../train/alignment_mean.h"

namespace entailment {

train::Classified evaluate(const Judge& judge, const std::vector<Pair>& pairs) {
  const NoGrad scope;
  judge.model->eval();
  data::Loader batches(
      pairs,
      [&](const std::vector<Index>& rows) { return batch_of(pairs, rows, judge.vocabulary); },
      {.size = 100, .shuffle = false});
  train::Classified out(3);
  while (const auto batch = batches.next()) out.add((*judge.model)(*batch).logits, batch->labels);
  return out;
}

Judgement judge_pair(const Judge& judge, const Pair& pair) {
  const NoGrad scope;
  judge.model->eval();
  const Reading found = (*judge.model)(batch_of({pair}, {0}, judge.vocabulary), true);
  Judgement out;
  out.probabilities = softmax(found.logits, -1).array().to(DType::f64).to_vector<double>();
  out.label = std::max_element(out.probabilities.begin(), out.probabilities.end()) -
              out.probabilities.begin();
  const auto look = [&](const Tensor& weights, const std::string& title,
                        const std::vector<std::string>& at, std::vector<std::string> who) {
    if (!weights.defined()) {
      out.text.push_back(train::looked_at(at, nullptr));
      return;
    }
    const Array own = select(weights, 0, 0).array();
    if (own.size(0) == 1) who = {who.back()};  // one shot looks once, at the end
    out.text.push_back(train::looked_at(at, &own));
    out.looked.push_back({title, at, who, own});
  };
  look(found.weights, "hypothesis over premise", pair.premise.words, pair.hypothesis.words);
  look(found.premise_weights, "premise over hypothesis", pair.hypothesis.words, pair.premise.words);
  return out;
}

train::Picture picture_of(const std::vector<Judgement>& judgements) {
  std::vector<train::Picture> rows;
  for (const Judgement& judgement : judgements) {
    std::vector<train::CaptionedPicture> row;
    for (const train::Alignment& each : judgement.looked) {
      row.push_back({train::alignment_picture(each), ""});
    }
    if (row.empty()) throw ValueError("a model without attention has not looked anywhere");
    row[0].caption = data::kRelations[static_cast<std::size_t>(judgement.label)];
    rows.push_back(train::strip(row));
  }
  return train::stack(rows);
}

}  // namespace entailment
