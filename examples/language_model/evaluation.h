// What a language model makes of a text, or of its lines: those behind the first, at least one.
#pragma once

#include <vector>

#include "../../data/token_stream.h"
#include "model.h"

namespace language_model {

std::vector<data::LinePlaces> cut_lines(const Language& language, const std::vector<Index>& text);

/// Nats a token, of scores [B, T, V] or of what the model gives a batch.
Tensor loss_of(const Tensor& scores, const Tensor& targets);
Tensor loss_of(const LanguageModel& model, const data::Windows& batch);
Tensor loss_of(const LanguageModel& model, const data::PackedDocuments& batch);

/// Mean loss over the whole text in nats a token, without dropout; in windows, or line by line.
double evaluate(const Language& language, const std::vector<Index>& text, Index batch, bool packed);

}  // namespace language_model
