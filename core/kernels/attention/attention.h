// Softmax attention in tiles: out_i = sum over j of p_ij v_j, p = softmax(e) over the keys j that
// query i may attend to. No block of queries by keys is ever made: each tile of scores is used up
// where it was made, forward and backward, and only the row's log-sum-exp is kept, with what its
// rounding lost (Dao et al. 2022, FlashAttention; Milakov and Gimelshein 2018 for the running
// softmax).
//
//   dot:       e_ij = map(scale q_i . k_j) + bias_ij + offset_bias_(j - i)
//   additive:  e_ij = map(scale w . tanh(q_i + k_j)) + bias_ij + offset_bias_(j - i)
//
// A sink is a key more, of a score of its own, that gives nothing. Dropout sets weights to 0 after
// the softmax, by random numbers that follow from their places, and are not kept.
//
// q [.., Q, D], k [.., K, D], v [.., K, Dv] -> [.., Q, Dv]; leading axes broadcast without copies.
// Weights that are 0 take no part: what stands in a masked place, NaN included, changes no bit of
// result or gradients; a query that may attend to nothing gets zeros. Results are means of values,
// and finite where these are, up to the largest number; scores must be finite themselves.
#pragma once

#include <memory>
#include <vector>

#include "../../array.h"
#include "../../generator.h"

namespace heed::kernels {

class TileMap;
class TileRule;

/// What the scores are made of: additive ones where `vector` (w, [D]) is defined, else dot ones.
struct AttentionScores {
  Array q, k, vector;
};

/// What else decides the weights. Query i stands at the place p = i + K - Q among the keys: the
/// last query at the last key.
struct AttentionTerms {
  double scale = 1;
  Index left = -1, right = -1;  ///< keys from p - left to p + right only; -1: no bound
  Array lengths = {};           ///< i64, the first of the leading axes ([B]): keys below it only
  Array allowed = {};           ///< bool, broadcasts to [.., Q, K]: true may attend
  Array bias = {};              ///< of q's dtype, broadcasts to [.., Q, K]: added to the scores
  /// Of q's dtype, [.., Q + K - 1], leading axes broadcast: element j - i + Q - 1 is added.
  Array offset_bias = {};
  /// Of each size: keys of p's own block of so many places only, counted from the first key.
  std::vector<Index> blocks = {};
  /// Keys of p's own segment only: segment s is segments[s] .. segments[s + 1] - 1.
  std::vector<Index> segments = {};
  std::shared_ptr<const TileRule> rule = {};  ///< beside all these
  std::shared_ptr<const TileMap> map = {};    ///< of the scores, before the biases
  Array sinks = {};                           ///< of q's dtype, broadcasts to the leading axes
  double dropout = 0;
  /// Where the stream that decides begins: see attention_kept().
  Generator::State draws = {};
};

struct Attended {
  Array out;       ///< [.., Q, Dv], its axes in memory in the order of q's
  Array log_sums;  ///< [.., Q]: log of the sum of exp(e), -infinity where nothing is attended to
  Array rests;     ///< [.., Q]: what rounding left out of them, and large scores have no digits for
};

/// Each of its operand's shape; undefined where there is none, or nobody asked.
struct AttentionGrads {
  Array q, k, v, vector, bias, offset_bias;
  std::vector<Array> captured;  ///< by the map, f64 of one axis; undefined where none is wanted
};

/// What comes back to a result; `log_sums` may be undefined.
struct AttendedGrad {
  Array out, log_sums;
};

/// Throws, in `op`'s name, ShapeError, DTypeError, ValueError for all that does not fit.
Attended attention(const char* op, const AttentionScores& scores, const Array& v,
                   const AttentionTerms& terms);

/// The gradients, given g, those of the result; of sinks see the operator. The bias and the
/// offset_bias get theirs only where asked to, which costs the scores once more.
AttentionGrads attention_grad(const char* op, const AttentionScores& scores, const Array& v,
                              const AttentionTerms& terms, const Attended& result,
                              const AttendedGrad& g, bool with_bias, bool with_offset_bias);

// What the weights were, from the log-sums that were kept.

/// [.., R, K]: the weights of the queries `rows` (i64 [R]). Throws IndexError for one that is none.
Array attention_weights(const char* op, const AttentionScores& scores, const AttentionTerms& terms,
                        const Array& log_sums, const Array& rows);
/// [.., K]: how much each key was attended to, summed over the queries.
Array attention_received(const char* op, const AttentionScores& scores, const AttentionTerms& terms,
                         const Array& log_sums);
/// [.., Q]: -sum over j of p_ij log(p_ij), in nats.
Array attention_entropy(const char* op, const AttentionScores& scores, const AttentionTerms& terms,
                        const Array& log_sums);

/// bool [.., Q, K]: where `terms` allow it; undefined when they allow all. A block of queries by
/// keys, for the plain definition.
Array attention_mask(const char* op, const AttentionScores& scores, const Array& v,
                     const AttentionTerms& terms);

/// bool [.., Q, K], of weights of this shape: what dropout keeps, of which each is scaled by
/// `scale`. They take attention_dropout_blocks() of the stream.
struct Kept {
  Array kept;
  double scale;
};
Kept attention_kept(const Shape& weights, double dropout, const Generator::State& draws);
Index attention_dropout_blocks(const Shape& weights);

}  // namespace heed::kernels
