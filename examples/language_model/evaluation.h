// What a language model makes of a text.
#pragma once

#include <vector>

#include "../../autograd/ops/packed/packed.h"
#include "../../data/windows.h"
#include "model.h"

namespace language_model {

/// Lines of different lengths, one behind the other.
struct PackedLines {
  Packed inputs;   ///< i64 [N]
  Tensor targets;  ///< i64 [N]
};
/// The inputs of each line are the mark before it and its tokens but the last.
PackedLines packed_lines(const std::vector<Index>& text,
                         const std::vector<data::LinePlaces>& lines);
std::vector<data::LinePlaces> cut_lines(const Language& language, const std::vector<Index>& text);

/// Nats a token, of scores [B, T, V] or of what the model gives a batch.
Tensor loss_of(const Tensor& scores, const Tensor& targets);
Tensor loss_of(const LanguageModel& model, const data::Windows& batch);
Tensor loss_of(const LanguageModel& model, const PackedLines& batch);

/// Mean loss over the whole text in nats a token, without dropout; in windows, or line by line.
double evaluate(const Language& language, const std::vector<Index>& text, Index batch, bool packed);

}  // namespace language_model
