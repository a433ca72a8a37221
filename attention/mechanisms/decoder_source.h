// What the decoders of this folder have in common: a source whose keys are prepared once, looked at
// step by step or by all steps at once, and whose rows a beam search may carry on with.
//
// keys [B, K, dk], values [B, K, dv]; query [B, Q, dq] -> context [B, Q, dv], weights [B, Q, K].
// The mask is that of keys, whatever the query.
#pragma once

#include "../attend.h"

namespace heed::attention {

/// A source as a decoder keeps it. Rows of keys that are not finite are NaN, and no parameter has
/// met them.
struct DecoderSource {
  Tensor keys, values;  ///< keys as prepared
  Mask mask;

  /// Carries on with these rows of the batch, i64 [R].
  void reorder(const Tensor& rows);
};

/// Throws ShapeError, DTypeError, both in the name of `op`.
DecoderSource prepare_source(const char* op, const Score& score, const Tensor& keys,
                             const Tensor& values, const Mask& mask);

/// What one look may add.
struct Look {
  Tensor last = {};  ///< [B, 1, K], for scores that look back
  Mask mask = {};    ///< beside the source's
  const Normaliser* normaliser = nullptr;
  bool need_weights = false;
};
Attended look_at(const char* op, const Score& score, const DecoderSource& source,
                 const Tensor& query, const Look& look = {});

/// The embedded words of a target, [B, T, width]: zeros beyond the lengths, if there are any, so
/// that what stands there meets no parameter. Throws ShapeError, DTypeError in the name of `op`.
Tensor checked_words(const char* op, const Tensor& words, Index rows, Index width, DType dtype,
                     const std::vector<Index>& lengths);
/// What whole targets [B, T, width] give to a cell's gates, of which nothing waits for the step
/// before: x W^T + b, [B, G H] for each step, from the first `width` columns of `weight_ih`.
std::vector<Tensor> shares_of(const Tensor& words, const Tensor& weight_ih, const Tensor& bias);
/// One step's, [B, width].
void check_word(const char* op, const Tensor& word, Index rows, Index width, DType dtype);
/// x [B, T, ..] with zeros beyond the lengths, if there are any.
Tensor zero_padding(const char* op, const Tensor& x, const std::vector<Index>& lengths);
/// Throws ShapeError unless x is `shape`, DTypeError.
void check_state(const char* op, const char* what, const Tensor& x, const Shape& shape,
                 DType dtype);

}  // namespace heed::attention
