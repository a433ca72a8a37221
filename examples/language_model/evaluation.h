// What a language model makes of a text.
#pragma once

#include <vector>

#include "saved_model.h"
#include "windows.h"

namespace language_model {

/// Nats a token.
Tensor loss_of(const LanguageModel& model, const Batch& batch);
Tensor loss_of(const LanguageModel& model, const PackedBatch& batch);

std::vector<Line> cut_lines(const Language& language, const std::vector<Index>& text);

/// Mean loss over the whole text in nats a token, without dropout; in windows, or line by line.
double evaluate(const Language& language, const std::vector<Index>& text, Index batch, bool packed);

}  // namespace language_model
