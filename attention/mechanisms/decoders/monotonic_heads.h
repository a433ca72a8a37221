// Monotonic multi-head attention (Ma et al. 2020), for translation while the source still comes in:
// each head has a place in the source and goes on from it.
//
//   p_ij^h = sigmoid(q_i W_h^Q . k_j W_h^K / sqrt(D) + r_h)      stop at j?
//   alpha_ij^h = p_ij q_ij,  q_ij = (1 - p_{i,j-1}) q_{i,j-1} + alpha_{i-1,j}   the expected place
//   MMA-H   head_h = sum_j alpha_ij v_j
//   MMA-IL  head_h = sum_j beta_ij v_j,   u_ij = q_i U_h^Q . k_j U_h^K / sqrt(D)
//           beta_ij = sum over k = j .. K of alpha_ik exp(u_ij) / sum over l = 1 .. k of exp(u_il)
//   context = [head_1 .. head_H] W^O
//
// query [B, Q, E] over keys [B, K, Ek] -> context [B, Q, E], weights [B, H, Q, K]. O(Q K E), query
// after query. beta comes from two scans, without a division by a sum that may be 0. Where the
// paper's heads walk past the end ours stop at the last place, so that weights sum up to 1 and a
// text can be written to its end.
//
// In training alpha is expected, with `noise` on the scores; `alignment.hard` stops at the first
// p > 0.5, which is what MonotonicStream does with a source that comes in word by word. How long
// heads wait is measured, and paid for, by latency.h.
#pragma once

#include <optional>

#include "../../../nn/linear.h"
#include "../../attend.h"
#include "../../normalisers/monotonic.h"

namespace heed::attention {

struct MonotonicHeadsOptions {
  Index width = 0;         ///< E, a multiple of the heads
  Index heads = 1;         ///< H
  Index key_width = 0;     ///< Ek; 0: E
  bool look_back = false;  ///< MMA-IL: heads see all before their place; else MMA-H
  double noise = 0;        ///< deviation, in training
  double offset = -2;      ///< what r begins with: below 0, so that far places are tried
  DType dtype = DType::f32;
};

/// `alignment`, alpha [B, H, Q, K], is always there: the latency comes from it.
struct MonotonicAttended : Attended {
  Tensor alignment = {};
};

class MonotonicStream;

class MonotonicHeads : public nn::Module {
 public:
  /// Throws ValueError unless sizes are positive, the heads divide the width, the noise is not
  /// negative and the offset finite.
  explicit MonotonicHeads(const MonotonicHeadsOptions& options);

  nn::Linear &query_projection, &key_projection;  ///< W^Q [E, E], W^K [E, Ek], without biases
  Tensor& offset;                                 ///< r [H]
  nn::Linear *soft_query, *soft_key;              ///< U^Q, U^K; null without look_back
  nn::Linear& value_projection;                   ///< [E, Ek]
  nn::Linear& out_proj;                           ///< W^O [E, E]
  Monotonic& alignment;

  /// `mask` is that of the keys. Throws ShapeError, DTypeError.
  MonotonicAttended operator()(const Tensor& query, const Tensor& keys, const Mask& mask = Mask(),
                               bool need_weights = false) const;

  /// A sentence that comes in while it is translated. This module must live as long.
  MonotonicStream stream() const;

 private:
  friend class MonotonicStream;
  Tensor split(const Tensor& x) const;  // [B, T, E] -> [B, H, T, D]
  Tensor energies(const Tensor& query, const Tensor& prepared_keys) const;
  Index heads_;
};

/// beta of MMA-IL: alignment alpha and scores u, [.., K], of which row by row the places before
/// each are seen. `allowed` broadcasts. Throws ShapeError.
Tensor infinite_lookback(const Tensor& alignment, const Tensor& u,
                         const Tensor& allowed = Tensor());

/// What a stream gave to a query.
struct MonotonicStep {
  Tensor context;             ///< [E]
  std::vector<Index> places;  ///< where each head stopped; -1: there was no source
};

/// Reads and writes one sentence:
///
///   MonotonicStream stream = heads.stream();
///   while (..) {
///     const auto step = stream.write(query);       // none: some head wants to read on
///     if (!step) { more() ? stream.read(keys) : stream.end(); continue; }
///     use(step->context);
///   }
///
/// It gives what all queries at once do with `alignment.hard`. Made under NoGrad.
class MonotonicStream {
 public:
  /// The next places of the source, [n, Ek]. Throws ShapeError, DTypeError, ValueError after end().
  void read(const Tensor& keys);
  /// The source is at its end: who finds no place now stops at the last one.
  void end() { ended_ = true; }
  bool ended() const { return ended_; }
  Index places() const { return count_; }  ///< how many were read
  /// query [E]. Only where it gives something do the heads go on. Throws ShapeError, DTypeError;
  /// ValueError for an energy that is NaN.
  std::optional<MonotonicStep> write(const Tensor& query);

 private:
  friend class MonotonicHeads;
  explicit MonotonicStream(const MonotonicHeads& heads);
  const MonotonicHeads* heads_;
  Tensor keys_, soft_keys_, values_;  // [1, H, n, D]; undefined: nothing read
  std::vector<Index> at_;
  Index count_ = 0;
  bool ended_ = false;
};

}  // namespace heed::attention
