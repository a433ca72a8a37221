// How an expert learns, how many questions it answers rightly, and where it looked.
#pragma once

#include <string>
#include <vector>

#include "../../train/classified.h"
#include "../../train/fit_options.h"
#include "../../train/picture.h"
#include "../../train/training.h"
#include "model.h"

namespace vqa {

/// AdamW on the cross entropy of batches of images with all their questions; the best model on the
/// validation questions is kept. Throws what train::Run throws.
train::Training train_expert(Expert& expert, const Corpus& corpus,
                             const train::FitOptions& options);

/// Throws ValueError without a question.
train::Classified evaluate(const Expert& expert, const VisualQuestions& questions);

struct Answered {
  std::string answer;
  double probability = 0;
  std::vector<Array> looked;  ///< of each look, f32 [cells down, cells across]
};
/// One of the questions.
Answered answer(const Expert& expert, const VisualQuestions& questions, Index number);

/// The image over the question, then, for each who answered, under the heat of each look, their
/// name and answer below the last.
train::Picture looks_of(const VisualQuestions& questions, Index number,
                        const std::vector<std::pair<std::string, Answered>>& answered);

}  // namespace vqa
