// A stack's self-attention by one name, as a command line or a configuration has it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "../transformer/self_attention.h"

namespace heed::attention {

struct SelfAttentionSizes {
  Index width = 0, heads = 1;
  Index max_length = 0;  ///< of a Synthesizer and cosFormer
  double dropout = 0;    ///< of a Synthesizer's weights
  DType dtype = DType::f32;
};

/// For TransformerOptions::self_attention: of linear_kinds() and synthesizer_kinds(); for "dot"
/// none, which is MultiHead. Throws ValueError for other names, and when called as what it makes.
std::function<std::shared_ptr<SelfAttention>(Index layer)> self_attention_maker(
    const std::string& name, const SelfAttentionSizes& sizes);

}  // namespace heed::attention
