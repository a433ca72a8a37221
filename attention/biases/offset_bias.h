// Biases are added to scores [.., Q, K] before they are normalised: any tensor that broadcasts to
// them, sums of several included. Here are those that follow from positions. As with masks, query i
// stands at the place i + K - Q of the keys unless said otherwise.
//
//   Alibi     -m_h |j - p_i|                  Press et al. 2022: m_h = 2^(-8 h / H), h = 1 .. H
//   T5Bias    a learned number for each head and bucket of j - p_i     Raffel et al. 2020
//   gaussian_bias  -(j - c_i)^2 / (2 sigma^2)      Luong et al. 2015, eq. 10, with gradients to c
//
// The first two depend on j - p_i alone: as offsets() they cost O(Q + K), and tiled attention
// makes no block of them.
//
// What needs the queries themselves, Shaw's relative positions, stands in relative.h.
#pragma once

#include "../../nn/module.h"

namespace heed::attention {

class OffsetBias : public nn::Module {
 public:
  /// [.., count]: for keys that stand least, least + 1, .. places after the query (negative:
  /// before).
  virtual Tensor by_offset(Index least, Index count) const = 0;

  /// [.., Q + K - 1], as Terms::offset_bias, for queries aligned with the keys at the end.
  Tensor offsets(Index queries, Index keys) const;
  /// [.., Q, K], as Terms::bias.
  Tensor operator()(Index queries, Index keys) const { return at(queries, keys, keys - queries); }
  /// The same for queries at the places first, first + 1, ...
  Tensor at(Index queries, Index keys, Index first) const;

 private:
  Tensor offsets(Index queries, Index keys, Index first) const;
};

class Alibi : public OffsetBias {
 public:
  /// For a number of heads that is no power of two the slopes are the paper's code's: those of the
  /// next lower power of two, then every other one of its double. Throws ValueError unless heads is
  /// positive.
  explicit Alibi(Index heads, DType dtype = DType::f32);
  /// Any slopes [H], one a head; they may be learned. Throws ShapeError, DTypeError.
  explicit Alibi(Tensor slopes);

  Tensor& slopes;  ///< [H], a buffer, or a parameter if it requires a gradient

  /// [H, count]
  Tensor by_offset(Index least, Index count) const override;
};

struct T5Options {
  Index heads = 1;
  Index buckets = 32;
  Index max_distance = 128;   ///< beyond it all distances share the last bucket
  bool bidirectional = true;  ///< half of the buckets for keys behind the query; else these share 0
  DType dtype = DType::f32;
};

class T5Bias : public OffsetBias {
 public:
  /// The table begins as zeros. Throws ValueError for numbers that leave no room for a bucket.
  explicit T5Bias(const T5Options& options);

  Tensor& weight;  ///< [buckets, H], as T5's relative_attention_bias.weight

  /// [H, count]
  Tensor by_offset(Index least, Index count) const override;
  /// The bucket of a key `distance` places after the query (negative: before).
  Index bucket(Index distance) const;

 private:
  T5Options options_;
};

/// centres [.., Q] (places, not whole numbers only) -> [.., Q, keys]. Throws ValueError unless
/// sigma is positive, ShapeError for rank 0, DTypeError.
Tensor gaussian_bias(const Tensor& centres, Index keys, double sigma);

}  // namespace heed::attention
