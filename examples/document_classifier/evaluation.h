// How well a classifier does on documents whose class is known, and where it looks.
#pragma once

#include <string>
#include <vector>

#include "../../train/attended_text.h"
#include "../../train/classified.h"
#include "corpus.h"

namespace document_classifier {

/// What the classifier makes of one document.
struct Prediction {
  Index label = 0;
  std::vector<double> probabilities;
  train::AttendedText text;  ///< weights are 0 for models without attention
};

struct Evaluation {
  train::Classified classified;
  /// Mean share of the sentence attention that falls on evidence; NaN where no evidence is known.
  double evidence = 0;
  /// The first documents, as many as were asked for.
  std::vector<Prediction> shown;
};

/// Encoded documents, read in batches of like length without dropout. `show`: how many predictions
/// to keep with their attention.
Evaluation evaluate(Classifier& classifier, const std::vector<Example>& examples, Index batch_size,
                    Index show = 0);

/// One document; `words` are its sentences as they should be shown.
Prediction predict(Classifier& classifier, const data::Document& document);
/// A text as it comes, whose words are shown as they were written; subwords as they are read.
Prediction predict(Classifier& classifier, const std::string& text);

}  // namespace document_classifier
