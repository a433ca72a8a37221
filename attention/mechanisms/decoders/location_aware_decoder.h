// The decoder of Chorowski et al. 2015: it looks where the last look leads,
//
//   s_i = GRU([E y_{i-1}; c_{i-1}], s_{i-1})
//   e_ij = v^T tanh(W s_i + V h_j + U f_ij + b),  f_i = F * alpha_{i-1}      (scores/location.h)
//   alpha_i = normalise(e_i) within the window,  c_i = sum_j alpha_ij h_j
//   out_i = max over pairs of W_o [s_i; c_i] + b_o
//
// s_0 and c_0 are 0. With windowing only the places p_i - w .. p_i + w - 1 are looked at, p_i the
// median of alpha_{i-1}, at first 0: a step then costs O(w + kernel), however long the source is.
// Sharpening and smoothing are normalisers: Temperature, TopK, NormalisedSigmoid. Our s_i is the
// paper's s_{i-1}, which has read y_{i-1} too.
//
// What it is compared with differs in the attention alone: another score in the place of e_ij, as
// Additive, which looks by content only, or MonotonicEnergy under a normaliser that goes on from
// query to query, Monotonic or Mocha.
//
// Words (E y_{i-1}) [B, T, E], annotations (h) [B, K, dk] -> out [B, T, readout], weights (alpha)
// [B, T, K].
#pragma once

#include "../../../nn/cells.h"
#include "../../../nn/maxout.h"
#include "../../detail/decoder_checks.h"
#include "../../scores/location.h"
#include "decoder.h"

namespace heed::attention {

struct LocationAwareDecoderOptions {
  Index word_width = 0;        ///< E
  Index annotation_width = 0;  ///< dk
  Index state_width = 0;       ///< H
  Index hidden = 0;            ///< of the score; 0: H
  Index readout = 0;           ///< 0: H
  Index filters = 10;
  Index kernel = 201;                           ///< of the location's convolution; odd
  Index window = 0;                             ///< w; 0: everything is looked at
  std::shared_ptr<Normaliser> normaliser = {};  ///< none: Softmax
  /// Of queries of width H and annotations; none: the paper's, of `hidden`, `filters`, `kernel`.
  /// With a window a LocationAware, whose own kernel counts.
  std::shared_ptr<Score> score = {};
  DType dtype = DType::f32;
};

class LocationAwareDecoder : public nn::Module {
 public:
  /// Throws ValueError for sizes that make no sense, scores for each feature, and a window over
  /// scores that are no LocationAware or under normalisers that go on.
  explicit LocationAwareDecoder(const LocationAwareDecoderOptions& options);

 private:
  LocationAwareDecoderOptions options_;

 public:
  Score& score;
  nn::GRUCell& cell;    ///< of [E y; c]
  nn::Maxout& readout;  ///< of [s; c]

  struct State {
    Tensor hidden, context;  ///< s, [B, H], and c, [B, dk]
    Past past;               ///< alpha; with windowing of the window's places, from first[b] on
    Tensor first;            ///< i64 [B], with windowing
    Memory memory;
    void reorder(const Tensor& rows, bool sources = true);
  };
  /// The mask is that of keys, whatever the query. Throws ShapeError, DTypeError.
  State start(const Tensor& annotations, const Mask& mask = Mask()) const;
  /// output (out) [B, readout], weights [B, K]. Throws ShapeError, DTypeError; ValueError for terms
  /// that a window does not take, and a state of a decoder with a window where this has none.
  StackOutput step(const Tensor& word, State& state, const Terms& terms = {}) const;
  StackOutput run(const Tensor& words, State& state, const Terms& terms = {},
                  const std::vector<Index>& lengths = {}) const;
  StackOutput operator()(const Tensor& words, const Tensor& annotations, const Mask& mask = Mask(),
                         const Terms& terms = {}, const std::vector<Index>& lengths = {}) const;

 private:
  Attended advance(const Tensor& from_word, const Tensor& of_context, State& state,
                   const Terms& terms) const;
  Attended look_around(State& state, const Terms& terms) const;
};

}  // namespace heed::attention
