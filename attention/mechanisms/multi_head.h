// Multi-head attention (Vaswani et al. 2017, section 3.2.2):
//
//   head_h = attend(query W_h^Q, keys W_h^K, values W_h^V),  context = [head_1 .. head_H] W^O
//
// query [B, Q, E], keys [B, K, Ek], values [B, K, Ev] -> context [B, Q, E], weights [B, H, Q, K].
// With fewer heads of keys and values than of queries, G = H / kv_heads queries share each:
// grouped-query attention (Ainslie et al. 2023), and multi-query (Shazeer 2019) for one.
//
// Parameters have the names and layouts of PyTorch's nn.MultiheadAttention: in_proj_weight [E + 2
// kv_heads D, E], or q_proj_weight, k_proj_weight, v_proj_weight where keys or values have widths
// of their own; in_proj_bias; out_proj.weight, out_proj.bias. PyTorch's masks say what must NOT be
// attended to, ours what may.
#pragma once

#include "../../nn/linear.h"
#include "../../nn/module.h"
#include "../attend.h"
#include "../bias.h"
#include "../mask.h"
#include "key_value_cache.h"

namespace heed::attention {

struct MultiHeadOptions {
  Index width = 0;        ///< E, of queries and contexts
  Index heads = 1;        ///< H, a divisor of E; D = E / H
  Index kv_heads = 0;     ///< of keys and values, a divisor of H; 0: H
  Index key_width = 0;    ///< Ek; 0: E
  Index value_width = 0;  ///< Ev; 0: E
  double dropout = 0;     ///< of the weights, in training
  bool bias = true;
  bool rotary = false;  ///< positions by rotary(), for self-attention
  double rotary_base = 10000;
  DType dtype = DType::f32;
};

class MultiHead : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive, heads that do not divide, an odd D with
  /// rotary.
  explicit MultiHead(const MultiHeadOptions& options);

  /// Terms are of scores [B, H, Q, K]; a position_bias is of H heads or 1. A `cache` holds the keys
  /// and values of the steps before, and takes in those of this call. Throws ShapeError,
  /// DTypeError.
  Attended operator()(const Tensor& query, const Tensor& keys, const Tensor& values,
                      const Terms& terms = {}, KeyValueCache* cache = nullptr) const;
  /// Self-attention.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const {
    return (*this)(x, x, x, terms, cache);
  }

  /// Keys and values projected to their heads, [B, kv_heads, K, D], once for many calls of
  /// attend_to(): what a decoder does with its source. The mask is that of the keys.
  Memory project(const Tensor& keys, const Tensor& values, const Mask& mask = Mask()) const;
  /// Throws ShapeError, DTypeError, ValueError for rotary positions.
  Attended attend_to(const Tensor& query, const Memory& memory, const Terms& terms = {}) const;

  const MultiHeadOptions& options() const { return options_; }

 private:
  MultiHeadOptions options_;
  Index D_, groups_;
  bool packed_;  // one in_proj_weight

 public:
  Tensor& in_proj_weight;
  Tensor& q_proj_weight;
  Tensor& k_proj_weight;
  Tensor& v_proj_weight;
  Tensor& in_proj_bias;
  nn::Linear& out_proj;

 private:
  struct Heads {
    Tensor keys, values;  // [B, kv_heads, K, D]
  };
  Tensor split_heads(const Tensor& x, Index heads) const;
  Tensor projected(const Tensor& x, Index first, Index count, bool masked,
                   const Tensor& weight = Tensor()) const;
  Tensor project_query(const Tensor& query, bool masked) const;
  Heads project_heads(const Tensor& keys, const Tensor& values, bool masked) const;
  Tensor head_offsets(const OffsetBias& bias, Index queries, Index keys) const;
  Attended join(const Tensor& q, const Memory& memory, const Terms& terms) const;
};

}  // namespace heed::attention
