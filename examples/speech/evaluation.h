// How many digits a listener gets right, and whether it listened where they were said.
#pragma once

#include "../../train/edits.h"
#include "../../train/heard_picture.h"
#include "model.h"

namespace speech {

struct Evaluation {
  train::ErrorRate errors;
  Index right = 0;      ///< digits that were heard right
  double in_place = 0;  ///< of the right digits, those whose middle lies within the recording
};

/// Throws ValueError without an utterance.
Evaluation evaluate(const Listener& model, const std::vector<Utterance>& some, Index beam);

/// One below the other: the spectrogram, where it listened above it.
train::Picture picture_of(const Listener& model, const std::vector<Utterance>& some, Index beam);

}  // namespace speech
