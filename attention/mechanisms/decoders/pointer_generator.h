// The pointer-generator network (See et al. 2017, "Get To The Point"): a decoder that writes words
// of its vocabulary or copies those of the source, and with coverage does not look twice:
//
//   s_t = LSTM([x_t; hstar_{t-1}], s_{t-1}),   a^t, hstar_t, covloss_t: see coverage.h
//   P_vocab = softmax(V' (V [s_t; hstar_t] + b) + b')
//   p_gen = sigmoid(w_h . hstar_t + w_s . s_t + w_x . x_t + b)
//   P(w) = p_gen P_vocab(w) + (1 - p_gen) sum_{i: w_i = w} a_i^t
//
// Words of the source beyond the vocabulary have ids V, V + 1, .. of their own in each example: the
// extended vocabulary. Words (x) [B, T, E], annotations (h) [B, K, dk], ids (w) i64 [B, K].
// Where there is nothing to copy from, p_gen is 1.
#pragma once

#include "../../../nn/cells.h"
#include "coverage.h"
#include "decoder.h"

namespace heed::attention {

struct PointerGeneratorOptions {
  Index word_width = 0;        ///< E
  Index annotation_width = 0;  ///< dk
  Index state_width = 0;       ///< H
  Index hidden = 0;            ///< of the score; 0: H
  Index vocabulary = 0;        ///< V
  bool coverage = true;        ///< false: the score does not see what was looked at, covloss is 0
  bool copy = true;            ///< false: p_gen is 1, the words are all written
  DType dtype = DType::f32;
};

/// What all steps give, of a single step the same without T: output is [B, T, V], P_vocab before
/// its softmax, weights are a, [B, T, K], whether asked for or not.
struct PointerGeneratorOutput : StackOutput {
  Tensor gate;           ///< [B, T]: p_gen before its sigmoid
  Tensor coverage_loss;  ///< [B, T]
  Tensor ids;            ///< of the source, i64 [B, K]; 0 in masked places

  /// P, [B, T, extended]. Throws ValueError for less than V, IndexError for ids beyond it.
  Tensor distribution(Index extended) const;
  /// log P(target), [B, T], without ever making P: targets i64 [B, T] of the extended vocabulary.
  /// Negative ones count for nothing: 0. What can be neither written nor copied has -infinity,
  /// without a gradient. Throws ShapeError, DTypeError.
  Tensor log_likelihood(const Tensor& targets) const;
  /// Which words were copied from where: the part of P(target) that each place of the source gives,
  /// [B, T, K]; of targets i64 [B, T] as above. Throws ShapeError, DTypeError.
  Tensor copies(const Tensor& targets) const;
};

class PointerGenerator : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive.
  explicit PointerGenerator(const PointerGeneratorOptions& options);

 private:
  PointerGeneratorOptions options_;

 public:
  nn::LSTMCell& cell;  ///< of [x; hstar]
  Coverage& attend;
  nn::Linear& inner;       ///< V [H, H + dk], b
  nn::Linear& vocabulary;  ///< V' [V, H], b'
  nn::Linear& gate;        ///< w_h, w_s, w_x side by side, [1, dk + H + E], b

  /// What decoding step by step keeps.
  struct State {
    LstmState lstm;  ///< [B, H] each
    Tensor context;  ///< hstar, [B, dk]
    Tensor ids;      ///< i64 [B, K]
    Tensor copies;   ///< bool [B, 1]: there is something to copy; undefined: everywhere
    Memory memory;
    Past past;  ///< the coverage, where there is one
    void reorder(const Tensor& rows, bool sources = true);
  };
  /// `begin`: the first state; undefined: zeros. The mask is that of keys, whatever the query; ids
  /// in masked places may be anything. Throws ShapeError, DTypeError, IndexError for other ids
  /// below 0.
  State start(const Tensor& annotations, const Tensor& ids, const Mask& mask = Mask(),
              const LstmState& begin = {}) const;
  /// word [B, E]. Throws ShapeError, DTypeError.
  PointerGeneratorOutput step(const Tensor& word, State& state, const Terms& terms = {}) const;
  /// The steps of whole targets, whose rows may have lengths: beyond them logits, gates and losses
  /// are 0. The state goes on behind the last step.
  PointerGeneratorOutput run(const Tensor& words, State& state, const Terms& terms = {},
                             const std::vector<Index>& lengths = {}) const;
  PointerGeneratorOutput operator()(const Tensor& words, const Tensor& annotations,
                                    const Tensor& ids, const Mask& mask = Mask(),
                                    const Terms& terms = {},
                                    const std::vector<Index>& lengths = {}) const;

 private:
  CoverageOutput advance(const Tensor& from_word, const Tensor& of_context, State& state,
                         const Terms& terms) const;
  PointerGeneratorOutput write(const Tensor& words, const Tensor& states,
                               const CoverageOutput& seen, const State& state) const;
};

}  // namespace heed::attention
