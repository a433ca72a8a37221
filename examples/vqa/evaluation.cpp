#include "evaluation.h"

#include <algorithm>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../data/loader.h"

namespace vqa {
train::Classified evaluate(const Expert& expert, const VisualQuestions& questions) {
  const NoGrad scope;
  expert.model->eval();
  data::Loader batches(questions.questions,
                       [&](const std::vector<Index>& rows) {
                         return batch_of(questions, rows, expert.words, expert.answers);
                       },
                       {.size = 100, .shuffle = false});
  train::Classified out(expert.answers.size());
  while (const auto each = batches.next()) out.add((*expert.model)(*each).logits, each->answers);
  return out;
}

Answered answer(const Expert& expert, const VisualQuestions& questions, Index number) {
  const NoGrad scope;
  expert.model->eval();
  const Answer found = (*expert.model)(batch_of(questions, {number}, expert.words, expert.answers));
  const auto probabilities = softmax(found.logits, -1).array().to(DType::f64).to_vector<double>();
  const auto most = std::max_element(probabilities.begin(), probabilities.end());
  Answered out{expert.answers.word(most - probabilities.begin()), *most, {}};
  for (const Tensor& look : found.looked) out.looked.push_back(select(look, 0, 0).array());
  return out;
}

train::Picture looks_of(const VisualQuestions& questions, Index number,
                        const std::vector<std::pair<std::string, Answered>>& answered) {
  const VisualQuestion& asked = questions.questions[static_cast<std::size_t>(number)];
  const Array dots = data::image_batch(questions, {asked.image}).select(0, 0);
  const auto image = train::Picture::from(dots).scaled(std::max<Index>(1, 128 / questions.width));
  std::vector<train::CaptionedPicture> row = {{image, asked.text}};
  for (const auto& [name, found] : answered) {
    for (const Array& look : found.looked) {
      row.push_back({image, ""});
      row.back().picture.heat(look);
    }
    if (!found.looked.empty()) row.back().caption = name + " " + found.answer;
  }
  return train::strip(row);
}

}  // namespace vqa
