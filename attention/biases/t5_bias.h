// T5's relative positions (Raffel et al. 2020): a learned number for each head and bucket of j -
// p_i.
#pragma once

#include "offset_bias.h"

namespace heed::attention {

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

}  // namespace heed::attention
