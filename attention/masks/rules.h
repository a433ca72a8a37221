// Rules with names. Places count from 0; query i of Q stands at the place i + K - Q of the keys.
// They combine with each other and with other masks: masks::documents(ids) & Mask::causal().
#pragma once

#include "mask.h"

namespace heed::attention::masks {

/// All see the first `prefix` places, and each what stands before it: a prefix language model
/// (Raffel et al. 2020). Throws ValueError for a negative number.
Mask prefix_lm(Index prefix);
/// The same with a prefix of each row's own, i64 [B]. Throws DTypeError, ShapeError.
Mask prefix_lm(const Tensor& prefixes);
/// Within the same document: numbers of the documents, i64 [K] or [B, K]. Throws DTypeError,
/// ShapeError.
Mask documents(const Tensor& ids);
/// The first `count` places see all and are seen by all (Beltagy et al. 2020, Longformer). To be
/// or-ed with what the others see. Throws ValueError for a negative number.
Mask global_tokens(Index count);
/// Every `dilation`-th place, `window` of them to either side (Beltagy et al. 2020). Throws
/// ValueError for a negative window, or unless the dilation is positive.
Mask dilated(Index window, Index dilation);
/// The last `stride` places, and before them every `stride`-th (Child et al. 2019, Sparse
/// Transformer). Throws ValueError unless positive.
Mask strided(Index stride);
/// The last `window` places and the first `sinks` (Xiao et al. 2024, StreamingLLM). Throws
/// ValueError for a negative number.
Mask window_with_sinks(Index window, Index sinks);
/// Of pictures, row by row `width` places: those at most `radius` rows and columns away (Hassani et
/// al. 2023, but for its windows at the edges, which are cut off here). Throws ValueError unless
/// the width is positive and the radius not negative.
Mask neighbourhood(Index width, Index radius);
/// By blocks of `size` places: bool [blocks of queries, blocks of keys], or [B, ..]. Queries that
/// are fewer than the keys begin further down. Throws DTypeError, ShapeError, ValueError.
Mask block_sparse(const Tensor& layout, Index size);

struct LongformerOptions {
  Index window = 0;     ///< places to either side that are seen
  Index globals = 0;    ///< first places that see all and are seen by all
  Index dilation = 1;   ///< of the window
  bool causal = false;  ///< and of all these only what stands before
};
/// Longformer's (Beltagy et al. 2020): a window, dilated or not, and global places. The paper
/// projects global places by weights of their own; a mask does not. Throws ValueError as dilated()
/// and global_tokens().
Mask longformer(const LongformerOptions& options);

struct BigBirdOptions {
  Index block = 64;     ///< places in a block
  Index window = 1;     ///< blocks to either side that are seen
  Index globals = 1;    ///< first blocks that see all and are seen by all
  Index randoms = 1;    ///< blocks more that each block sees, drawn
  bool causal = false;  ///< and of all these only what stands before
};
/// BigBird's (Zaheer et al. 2020) for sequences of `steps` places. Throws ValueError for sizes that
/// make no sense.
Mask bigbird(Index steps, const BigBirdOptions& options, Generator& generator);

}  // namespace heed::attention::masks
