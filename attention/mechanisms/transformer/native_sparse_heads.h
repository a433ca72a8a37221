// Native sparse attention (Yuan et al. 2025, "Native Sparse Attention: Hardware-Aligned and
// Natively Trainable Sparse Attention"): each query looks at all that is behind it in a compressed
// form, at the few blocks of it that this look found, and at what is near, and mixes the three.
//
//   o_t = sum over c in {cmp, slc, win} of g_t^c attend(q_t, K_t^c, V_t^c),  g_t = sigmoid(W_g x_t + b_g)
//   K^cmp_t = { phi(k_{id} .. k_{id + l - 1}) : id + l - 1 <= t },  phi an MLP on a block and places in it
//   p^cmp_t = softmax(q_t . K^cmp_t / sqrt(D)),  p^slc_t[j] = sum over i of p^cmp_t[i] |i and j| / d
//   slc: the n blocks of l' places with the largest p^slc, summed over the heads of a group, among
//        them always the first ones and those at the query;  win: the last w places
//
// |i and j| is the number of places that compressed block i and block j share, a multiple of d (the
// paper's equation 9). Each branch has keys and values of its own, shared by H / kv_heads heads of
// queries. x [B, T, E] -> [B, T, E], weights [B, H, T, T] those of slc; always causal. Rotary
// positions turn queries and keys of slc and win; phi has places of its own, within its block.
//
// O(T (T / d + n l' + w) D): blocks that were not chosen are not computed, see selected_blocks.h;
// up to 8 n l' keys (n l' in a step of one query), and where weights are asked for, slc goes under
// a mask. A cache keeps the raw keys and values, and each compressed block behind its last place.
#pragma once

#include "../../../nn/linear.h"
#include "../../positions/rotary.h"
#include "../linear/linear_call.h"
#include "selected_blocks.h"
#include "self_attention.h"

namespace heed::attention {

struct NativeSparseOptions {
  Index width = 0;            ///< E
  Index heads = 1;            ///< H
  Index kv_heads = 0;         ///< a divisor of H; 0: H
  Index head_width = 0;       ///< D; 0: E / H, which must divide
  Index block = 32;           ///< l, of compression
  Index stride = 16;          ///< d, a divisor of l and of l'
  Index hidden = 0;           ///< of phi; 0: 2 D
  Index selected_block = 64;  ///< l'
  Index selected = 16;        ///< n
  Index initial = 1;          ///< blocks at the beginning that are always among the n
  Index local = 2;            ///< and at the query, its own counted
  Index window = 512;         ///< w
  bool rotary = false;
  RotaryOptions rotary_options = {};
  double dropout = 0;  ///< of the weights, in training
  DType dtype = DType::f32;
};

class NativeSparseHeads : public SelfAttention {
 public:
  /// Throws ValueError for sizes that are not positive or do not divide, fewer selected blocks than
  /// initial and local ones, an odd D with rotary, dropout outside [0, 1].
  explicit NativeSparseHeads(const NativeSparseOptions& options);

 private:
  NativeSparseOptions options_;

 public:
  nn::Linear& q_proj;   ///< [H D, E], without biases
  nn::Linear& kv_proj;  ///< keys of cmp, slc, win, then their values, [6 kv_heads D, E]
  nn::Linear& gate;     ///< W_g, b_g [3 H, E], of each head cmp, slc, win
  Tensor &key_places, &value_places;                          ///< [l, D]
  nn::Linear &key_phi1, &key_phi2, &value_phi1, &value_phi2;  ///< phi: l D -> hidden -> D
  nn::Linear& out_proj;                                       ///< [E, H D]

  /// Terms of a mask of keys, and weights. Throws ShapeError, DTypeError, ValueError for other
  /// terms and for a rolling cache.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
  /// The same with slc under a mask: O(T^2 D).
  Attended by_definition(const Tensor& x, const Terms& terms = {}) const;
  /// The blocks that each query chooses, i64 [B, kv_heads, T, at most n], the best first; -1: none.
  Tensor chosen(const Tensor& x, const Terms& terms = {}) const;

 private:
  struct Parts;
  Parts parts_of(const LinearCall& call, KeyValueCache* cache) const;
  Tensor compressed(const Tensor& raw, const Tensor& real, const Tensor& places,
                    const nn::Linear& phi1, const nn::Linear& phi2) const;
  Attended look_at_compressed(const Parts& parts, const Terms& own) const;
  SelectedBlocks choose(const Parts& parts, const Tensor& weights) const;
  Attended run(const Tensor& x, const Terms& terms, KeyValueCache* cache, bool by_mask) const;
  LinearCall call_of(const Tensor& x, const Terms& terms, Index first) const;
};

}  // namespace heed::attention
