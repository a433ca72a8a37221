// A stack's self-attention by one name, as a command line or a configuration has it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "transformer/self_attention.h"

namespace heed::attention {

struct SelfAttentionSizes {
  Index width = 0, heads = 1;
  Index max_length = 0;  ///< of the longest text, for kinds that are made by it
  double dropout = 0;    ///< of the weights, where there are any
  DType dtype = DType::f32;
  bool rotary = false;  ///< positions of queries and keys
};

/// What can be done with a kind.
struct SelfAttentionKind {
  std::string name;
  bool rotary = false;     ///< its queries and keys can be turned
  bool steps = false;      ///< goes on step by step, with a cache
  bool packed = false;     ///< takes texts one behind the other, by a mask of segments
  bool sums_up = false;    ///< in linear time: linear_kinds()
  bool by_length = false;  ///< its windows, tables or best keys are made by max_length
};

/// The causal kinds: "dot", which is MultiHead, its heads gated, shared, normed, with other
/// positions, masks and normalisers, other heads, buckets, linear_kinds(), and the plain ones of
/// synthesizer_kinds().
const std::vector<SelfAttentionKind>& self_attention_kinds();
/// One of them, or a mixture of synthesizer_kinds(). Throws ValueError for other names.
SelfAttentionKind self_attention_kind(const std::string& name);

/// For TransformerOptions::self_attention; for "dot" none. Throws ValueError for other names, for
/// rotary positions of what cannot be turned, without a max_length for what is made by it, and when
/// called as what it makes.
std::function<std::shared_ptr<SelfAttention>(Index layer)> self_attention_maker(
    const std::string& name, const SelfAttentionSizes& sizes);

}  // namespace heed::attention
