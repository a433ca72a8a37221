// attend() joins the parts of the algebra: any score, normaliser, mask and bias.
//
//   weights = normalise(score(query, keys) + bias, mask),   context = weights values
//   query [.., Q, dq], keys [.., K, dk], values [.., K, dv]
//   -> context [.., Q, dv], weights [.., Q, K]; leading axes (batch, heads) broadcast
//
// A query that may attend to nothing gets zeros, with zero gradients. What stands in a masked
// place, NaN included, changes no bit of result or gradient. Softmax over a score that has a tiled
// form never makes the [Q, K] block, unless weights or dropout are asked for.
#pragma once

#include "inspection.h"
#include "mask.h"
#include "normaliser.h"
#include "score.h"

namespace heed {
class Generator;
}

namespace heed::attention {

class RelativePositions;

/// A context, and its weights where they were asked for, whole or to be looked at in parts.
struct Attended {
  Tensor context;
  Tensor weights = {};         ///< undefined unless asked for
  Inspection inspection = {};  ///< of nothing unless asked for
};

/// What is pointed to must live as long as the call (or the Memory).
struct AttendOptions {
  const Score* score = nullptr;            ///< null: ScaledDot
  const Normaliser* normaliser = nullptr;  ///< null: Softmax
  Mask mask = {};
  Tensor bias = {};  ///< added to the scores, broadcasting to [.., Q, K]: see bias.h
  /// Added too, [.., Q + K - 1]: a bias by place alone, of which no block is made on the tiled
  /// path.
  Tensor diagonals = {};
  const RelativePositions* relative = nullptr;  ///< Shaw's keys and values: see relative.h
  /// Of each weight, to be dropped; 0 in evaluation. The weights returned are those before.
  double dropout = 0;
  Generator* generator = nullptr;  ///< of the dropout; null: the default one
  bool need_weights = false;
  bool inspect = false;  ///< Attended::inspection: rows and sums of the weights, without the block
};

/// Throws ShapeError, DTypeError, ValueError.
Attended attend(const Tensor& query, const Tensor& keys, const Tensor& values,
                const AttendOptions& options = {});

/// Keys and values that are attended to many times, as by a decoder: the keys are prepared once.
class Memory {
 public:
  /// The mask is that of all keys, whatever the query; causal and window masks align each call's
  /// last query with the last key. Throws ShapeError, DTypeError, ValueError.
  Memory(const Tensor& keys, const Tensor& values, const AttendOptions& options = {});

  /// A whole sequence of queries from its beginning, as attend(): query [.., Q, dq]. `bias` is
  /// added to that of the options.
  Attended attend(const Tensor& query, const Tensor& bias = Tensor()) const;
  /// One step of a sequence: query [.., dq] -> context [.., dv], weights [.., K]. The weights of
  /// the last step go to scores that look back, its state to normalisers that have one. `bias`
  /// broadcasts to [.., K].
  Attended step(const Tensor& query, const Tensor& bias = Tensor());
  /// Begins another sequence.
  void restart();

 private:
  // What a query leaves to the next.
  struct Past {
    Tensor weights;  // for scores that look back
    Tensor state;    // of the normaliser
    Tensor spoiled;  // bool [.., 1, 1]: these should be NaN
  };
  Attended run(const Tensor& query, const Tensor& bias, Past& past) const;
  Tensor weigh(const Tensor& query, const Tensor& keys, Tensor bias, const Tensor& allowed,
               Past& past) const;
  Tensor sum_up(Tensor weights, const Tensor& values) const;

  AttendOptions options_;
  Tensor keys_, values_;  // keys as prepared
  Tensor bad_keys_;       // bool [.., K]: those that were not finite; undefined: none
  Past past_;             // of the last step
};

}  // namespace heed::attention
