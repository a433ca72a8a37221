// What a Transformer's layers are made of, encoder's and decoder's alike.
#pragma once

#include <functional>
#include <memory>

#include "layer_parts.h"
#include "mixture_of_experts.h"
#include "multi_head.h"
#include "self_attention.h"

namespace heed::attention {

struct TransformerOptions {
  Index width = 512;     ///< E
  Index heads = 8;       ///< a divisor of E
  Index kv_heads = 0;    ///< see MultiHeadOptions
  Index hidden = 2048;   ///< of the feed-forward part
  double dropout = 0.1;  ///< also of the weights
  bool pre_norm = false;
  bool both_norms = false;  ///< pre-norm, and another norm of what each part gives: norm1_after ...
  Norm norm = Norm::layer;
  bool parallel = false;  ///< x + self_attn(norm1(x)) + feed_forward(norm1(x)), encoders only
  Activation activation = Activation::relu;
  bool bias = true;                   ///< of projections, feed-forward parts and layer norms
  bool rotary = false;                ///< rotary positions in self-attention
  RotaryOptions rotary_options = {};  ///< base, layout, width and scaling of these
  double eps = 1e-5;                  ///< of the norms
  DType dtype = DType::f32;
  /// What the heads of self-attention have beside: called for each layer, 0 .., with what the
  /// options above give, so that each layer has a score, a normaliser, positions of its own.
  std::function<MultiHeadOptions(MultiHeadOptions, Index layer)> self_heads = {};
  /// The same of a decoder's attention to the memory.
  std::function<MultiHeadOptions(MultiHeadOptions, Index layer)> memory_heads = {};
  /// Another module in the place of self-attention: without self_heads, in encoders also without
  /// kv_heads.
  std::function<std::shared_ptr<SelfAttention>(Index layer)> self_attention = {};
  /// Experts in the place of the feed-forward part: called for each layer with what the options
  /// above give and 0 experts; a layer for which it says 0 keeps its feed-forward part.
  std::function<MixtureOfExpertsOptions(MixtureOfExpertsOptions, Index layer)> experts = {};
};

/// The options of a layer's attention to its own stack and to another.
MultiHeadOptions self_heads(const TransformerOptions& options, Index layer = 0);
MultiHeadOptions memory_heads(const TransformerOptions& options, Index layer = 0);
/// Of a layer's experts; 0 of them: it has a feed-forward part.
MixtureOfExpertsOptions expert_options(const TransformerOptions& options, Index layer);
/// The module in the place of self-attention. Throws ValueError for self_heads beside another.
std::shared_ptr<SelfAttention> make_self_attention(const TransformerOptions& options, Index layer);

}  // namespace heed::attention
