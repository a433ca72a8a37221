// What a call of attention adds to a query and a memory: one struct, from a Transformer's stack
// down to attend(). What is pointed to must live as long as the call. Bias, offset_bias and sinks
// are of the scores' dtype; beside f32 they may be held in bf16.
#pragma once

#include <vector>

#include "../autograd/ops/attention/score_map.h"
#include "masks/mask.h"
#include "normaliser.h"
#include "statistics.h"

namespace heed {
class Generator;
}

namespace heed::attention {

class OffsetBias;
class RelativePositions;

struct Terms {
  const Normaliser* normaliser = nullptr;  ///< null: Softmax
  Mask mask = {};                          ///< beside the memory's own
  Tensor bias = {};                        ///< added to the scores, broadcasting to [.., Q, K]
  /// Added too, [.., Q + K - 1]: a bias by offset alone, of which no block is made in tiles.
  Tensor offset_bias = {};
  /// The same, made for the call's Q and K: Alibi, T5Bias.
  const OffsetBias* position_bias = nullptr;
  const RelativePositions* relative = nullptr;  ///< Shaw's keys and values: see relative.h
  /// Of the scores, before the biases: any function of a score and its place.
  ScoreMap map = {};
  /// A logit of a key that gives nothing: broadcasts to the leading axes, [H] for one a head.
  Tensor sinks = {};
  /// Of each weight, to be dropped; 0 in evaluation. The weights returned are those before.
  double dropout = 0;
  Generator* generator = nullptr;  ///< of the dropout; null: the default one
  bool need_weights = false;
  /// Rows and sums of the weights, without the block; of one score a place.
  bool need_statistics = false;
  bool need_log_sums = false;  ///< for merge(); of softmax alone
  bool tiles_only = false;     ///< throws ValueError where a block of scores would be made
  /// What a layer further down the stack left for this one, Attended::for_above: ValueResidualHeads
  /// and Luna look at it, all others do not.
  Tensor from_below = {};
};

/// A context, and its weights where they were asked for, whole or to be looked at in parts.
struct Attended {
  Tensor context;
  Tensor weights = {};                  ///< undefined unless asked for
  AttentionStatistics statistics = {};  ///< of nothing unless asked for
  /// [.., Q]: the log of each query's sum of exp(score), -infinity where it may attend to nothing;
  /// undefined unless asked for. Differentiable.
  Tensor log_sums = {};
  /// Of a layer that has something for those above it: the stack hands it on, to all of them unless
  /// one has something else. Undefined in most.
  Tensor for_above = {};
};

/// What a stack of layers or a decoder gives: of a step [B, width], of all steps [B, T, width].
struct StackOutput {
  Tensor output;
  /// Of each look at what is attended to, in the order of the layers, where the terms ask for them.
  std::vector<Tensor> weights = {};
};

}  // namespace heed::attention
