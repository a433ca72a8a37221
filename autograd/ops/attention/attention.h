// Softmax attention without a block of queries by keys, forward and backward:
//
//   context_i = sum over j of p_ij v_j,   p = softmax over the keys j of e_ij
//   dot_attention:       e_ij = f(scale q_i . k_j) + bias_ij             Luong 2015, Vaswani 2017
//   additive_attention:  e_ij = f(scale w . tanh(q_i + k_j)) + bias_ij   Bahdanau 2014
//
// where f is a ScoreMap, or nothing. A sink is a key more, which has a score of its own and a value
// of 0 (Xiao et al. 2024; gpt-oss): a sink of 0 makes softmax-plus-one (Miller 2023).
//
// q [.., Q, D], k [.., K, D], v [.., K, Dv] -> [.., Q, Dv], f32 or f64. Leading axes broadcast, so
// grouped queries are a view: q [B, G, H / G, Q, D] with k and v [B, G, 1, K, ..]. Additive scores
// take queries and keys as they come from their projections W1 q and W2 k.
//
// A query that may attend to nothing gets zeros, and zero gradients; what stands in a masked place,
// NaN included, changes nothing. The backward pass computes the weights again, tile by tile, and
// keeps two numbers a query; second order goes through the plain definitions.
#pragma once

#include <memory>
#include <vector>

#include "../../../core/generator.h"
#include "../../../core/precision.h"
#include "../../tensor.h"
#include "score_map.h"

namespace heed {

namespace kernels {
class TileRule;
}

/// What else decides who may attend to whom. Queries and keys are aligned at the end: query i
/// stands at the place p = i + K - Q among the keys.
struct AttentionOptions {
  double scale = 1;
  Index left = -1;      ///< window: keys from p - left ...
  Index right = -1;     ///< ... to p + right; -1: without bound; 0 is causal
  Tensor lengths = {};  ///< i64 [B], or more of the first axes: keys below it only
  Tensor allowed = {};  ///< bool, broadcasts to [.., Q, K]: true may attend
  Tensor bias = {};     ///< broadcasts to [.., Q, K]; gets a gradient
  /// A bias by j - p alone, [.., Q + K - 1]: element j - i + Q - 1 is added to e_ij, so that no
  /// block of queries by keys is made of it. Leading axes broadcast; gets a gradient.
  Tensor offset_bias = {};
  /// Of each size: keys of p's own block of so many places only, counted from the first key.
  std::vector<Index> blocks = {};
  /// Keys of p's own segment only, places segments[s] .. segments[s + 1] - 1.
  std::vector<Index> segments = {};
  std::shared_ptr<const kernels::TileRule> rule = {};  ///< beside all these
  ScoreMap map = {};
  Tensor sinks = {};  ///< broadcasts to the leading axes, [H] of [B, H, Q, D]; gets a gradient
  /// Of each weight after the softmax, to be dropped, in steps of 2^-16: as attention_dropout()
  /// does, drawn by place and drawn again for the gradient, so that no block of them is kept.
  double dropout = 0;
  Generator* generator = nullptr;  ///< null: the default one
};

/// Cost O(Q K), or O(Q window); memory O(Q + K). `log_sums` takes the log of each query's sum of
/// exp(e), [.., Q], -infinity where it may attend to nothing: see attention_weights(), and merge()
/// in attention/. It is differentiable. Throws GradError, ShapeError, DTypeError; ValueError also
/// for a map that gives NaN and, while it is traced, for segments and a rule.
Tensor dot_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                     const AttentionOptions& options = {}, Tensor* log_sums = nullptr);
/// `score_vector` is w, [D].
Tensor additive_attention(const Tensor& q, const Tensor& k, const Tensor& score_vector,
                          const Tensor& v, const AttentionOptions& options = {},
                          Tensor* log_sums = nullptr);

/// The definitions, in plain operators.
Tensor dot_attention_plain(const Tensor& q, const Tensor& k, const Tensor& v,
                           const AttentionOptions& options = {}, Tensor* log_sums = nullptr);
Tensor additive_attention_plain(const Tensor& q, const Tensor& k, const Tensor& score_vector,
                                const Tensor& v, const AttentionOptions& options = {},
                                Tensor* log_sums = nullptr);

/// What is left of weights [.., Q, K] of which each is dropped with probability p, scaled: the
/// definition of the options' dropout. Null: the default generator. Throws ShapeError, DTypeError,
/// ValueError.
Tensor attention_dropout(const Tensor& weights, double p, Generator* generator = nullptr);

/// The block [.., Q, K] that an `offset_bias` [.., Q + K - 1] stands for. Throws ShapeError.
Tensor offset_block(const Tensor& offset_bias, Index queries, Index keys);

/// What a call's scores were made of, to look at its weights afterwards, without gradients.
struct AttentionCall {
  Tensor q, k;
  Tensor score_vector;  ///< undefined for dot_attention
  AttentionOptions options;
  Tensor log_sums;
  Precision precision = heed::precision();  ///< that of the call
};

/// [.., R, K]: the weights of the queries `rows`, i64 [R]. Throws IndexError, ShapeError.
Tensor attention_weights(const AttentionCall& call, const Tensor& rows);
/// [.., K]: the weight that each key got, summed over the queries.
Tensor attention_received(const AttentionCall& call);
/// [.., Q]: the entropy of each query's weights, in nats; 0 where there are none.
Tensor attention_entropy(const AttentionCall& call);

}  // namespace heed
