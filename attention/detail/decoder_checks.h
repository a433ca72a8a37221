// What decoders have in common: a source whose keys are prepared once, looked at
// step by step or by all steps at once, and whose rows a beam search may carry on with.
//
// keys [B, K, dk], values [B, K, dv]; query [B, Q, dq] -> context [B, Q, dv], weights [B, Q, K].
// The mask is that of keys, whatever the query.
#pragma once

#include "../attend.h"
#include "masked_sequence.h"

namespace heed::attention {

/// The memory of a decoder's source. Throws ShapeError, DTypeError, both in the name of `op`.
Memory decoder_memory(const char* op, const Score& score, const Tensor& keys, const Tensor& values,
                      const Mask& mask);
/// The weights of one look, if they were made.
std::vector<Tensor> weights_of(const Attended& seen);
/// Those of one look at each of several steps, side by side: concat along `axis`, or a new axis 1.
std::vector<Tensor> joined(const std::vector<Tensor>& steps, Index axis);
std::vector<Tensor> stacked(const std::vector<Tensor>& steps);
/// The terms of step `t` of a run of `steps` that looks at the source step by step: of a bias
/// [.., steps, K] that step's row.
Terms of_step(const Terms& terms, Index t, Index steps);
/// Of no steps: `output` [B, 0, width], weights [B, 0, K] where the terms ask for them.
StackOutput nothing_decoded(const Tensor& output, const Memory& memory, const Terms& terms);

/// The embedded words of a target, [B, T, width]: zeros beyond the lengths, if there are any, so
/// that what stands there meets no parameter. Throws ShapeError, DTypeError in the name of `op`.
Tensor checked_words(const char* op, const Tensor& words, Index rows, Index width, DType dtype,
                     const std::vector<Index>& lengths);
/// What whole targets [B, T, width] give to a cell's gates, of which nothing waits for the step
/// before: x W^T + b, [B, G H] for each step, from the first `width` columns of `weight_ih`.
std::vector<Tensor> shares_of(const Tensor& words, const Tensor& weight_ih, const Tensor& bias);
/// One step's, [B, width].
void check_word(const char* op, const Tensor& word, Index rows, Index width, DType dtype);
/// Within a window that moves, terms may name a normaliser, dropout and whether weights are wanted.
/// What they say of whole rows of keys throws ValueError, as a normaliser that is stateful.
void check_window_terms(const char* op, const Terms& terms);
/// Where each step looks at the source anew: a score that looks back at weights and a normaliser
/// that goes on from query to query, which would begin again at each, throw ValueError.
void check_looks_anew(const char* op, const Score& score, const Normaliser* normaliser);
/// Throws ValueError unless a state has as many layers as the decoder that takes it.
void check_layers(const char* op, std::size_t of_state, std::size_t of_decoder);
/// Throws ShapeError unless x is `shape`, DTypeError.
void check_state(const char* op, const char* what, const Tensor& x, const Shape& shape,
                 DType dtype);

}  // namespace heed::attention
