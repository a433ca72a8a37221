// How many pairs a judge gets right, and where it looked.
#pragma once

#include <string>
#include <vector>

#include "../../train/alignment.h"
#include "../../train/attended_text.h"
#include "../../train/classified.h"
#include "model.h"

namespace entailment {

struct Judgement {
  std::vector<double> probabilities;     ///< of data::Relation's values
  Index label = 0;                       ///< the likeliest
  std::vector<train::Alignment> looked;  ///< hypothesis over premise, and back, if there is such
  train::AttendedText text;              ///< both sentences, by how much the other looked at them
};

/// Throws ValueError without a pair.
train::Classified evaluate(const Judge& judge, const std::vector<Pair>& pairs);

/// With where it looked.
Judgement judge_pair(const Judge& judge, const Pair& pair);

/// The matrices side by side, below each other those of several. Throws ValueError where there are
/// none, as for a model without attention.
train::Picture picture_of(const std::vector<Judgement>& judgements);

}  // namespace entailment
