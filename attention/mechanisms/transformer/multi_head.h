// Multi-head attention (Vaswani et al. 2017, section 3.2.2):
//
//   head_h = attend(query W_h^Q, keys W_h^K, values W_h^V),  context = [head_1 .. head_H] W^O
//
// query [B, Q, E], keys [B, K, Ek], values [B, K, Ev] -> context [B, Q, E], weights [B, H, Q, K].
// With fewer heads of keys and values than of queries, G = H / kv_heads queries share each:
// grouped-query attention (Ainslie et al. 2023), and multi-query (Shazeer 2019) for one.
//
// Any score, scale, normaliser and relative positions serve the heads; a few keys and values more
// may be learned (head_extras.h), queries and keys normalised, and heads gated or scaled:
//
//   qk_norm      norm(q_h) and norm(k_h) in the place of q_h and k_h       Dehghani et al. 2023
//   gate         head_h o sigmoid(query W_h^G + b_h) before W^O            Qiu et al. 2025
//   head_scale   gamma_h head_h                                            Shleifer et al. 2021
//   sinks        weights that sum up to less than 1: see Terms::sinks
//
// Parameters have the names and layouts of PyTorch's nn.MultiheadAttention: in_proj_weight
// [H D + kv_heads (D + Dv), E], or q_proj_weight, k_proj_weight, v_proj_weight where keys or values
// have widths of their own; in_proj_bias; out_proj.weight, out_proj.bias; bias_k, bias_v. PyTorch's
// masks say what must NOT be attended to, ours what may. Beside weights in f32 what is held in bf16
// is read as f32.
#pragma once

#include <concepts>
#include <memory>
#include <optional>

#include "../../../autograd/ops/packed/packed.h"
#include "../../../nn/layer_norm.h"
#include "../../../nn/linear.h"
#include "../../attend.h"
#include "../../biases/offset_bias.h"
#include "../../positions/relative.h"
#include "../../positions/rotary.h"
#include "head_extras.h"
#include "self_attention.h"

namespace heed::attention {

enum class QkNorm : std::uint8_t { none, layer, rms };

struct MultiHeadOptions {
  Index width = 0;             ///< E, of queries and contexts
  Index heads = 1;             ///< H
  Index kv_heads = 0;          ///< of keys and values, a divisor of H; 0: H
  Index key_width = 0;         ///< Ek; 0: E
  Index value_width = 0;       ///< Ev; 0: E
  Index head_width = 0;        ///< D, of a head's queries and keys; 0: E / H, which H must divide
  Index value_head_width = 0;  ///< Dv, of a head's values; 0: D
  double dropout = 0;          ///< of the weights, in training
  bool bias = true;
  std::optional<bool> out_bias = {};  ///< of out_proj; none: `bias`
  bool rotary = false;                ///< positions by rotary(), for self-attention
  RotaryOptions rotary_options = {};
  std::optional<double> scale = {};                  ///< of the dot product; none: 1 / sqrt(D)
  std::shared_ptr<Score> score = {};                 ///< of heads of width D; none: the dot product
  std::shared_ptr<Normaliser> normaliser = {};       ///< none: Softmax
  std::shared_ptr<RelativePositions> relative = {};  ///< of widths D and Dv
  QkNorm qk_norm = QkNorm::none;
  bool gate = false;
  bool head_scale = false;
  bool sinks = false;  ///< a learned logit a head, of a key that gives nothing
  HeadExtrasOptions extras = {};
  DType dtype = DType::f32;
};

/// Masks by PyTorch's names, which say who must not be attended to.
struct OtherMasks {
  const Tensor& key_padding_mask;
};

class MultiHead : public SelfAttention, public nn::Adaptable, public nn::Narrowable {
 public:
  using Options = MultiHeadOptions;
  /// Throws ValueError for sizes that are not positive, heads that do not divide, an odd D with
  /// rotary, and a scale beside a score of its own.
  explicit MultiHead(const MultiHeadOptions& options);
  MultiHead(Index width, Index heads)
      : MultiHead(MultiHeadOptions{.width = width, .heads = heads}) {}
  /// Both sizes, and what `others` says beside them.
  MultiHead(Index width, Index heads, const MultiHeadOptions& others)
      : MultiHead(of_sizes(others, width, heads)) {}
  template <std::floating_point T>
  MultiHead(Index width, Index heads, T dropout, bool bias = true)
      : MultiHead(
            MultiHeadOptions{.width = width, .heads = heads, .dropout = dropout, .bias = bias}) {}

  /// Terms are of scores [B, H, Q, K]; a position_bias is of H heads or 1. What they name wins over
  /// the options'. A `cache` holds the keys and values of the steps before, and takes in those of
  /// this call; what throws leaves it as it was. Of one that rolls this holds for masks, biases,
  /// sinks and dropout that do not fit; what else attending refuses comes after it has changed.
  /// With RotaryScalingKind::dynamic_ntk keys stay in it as they were turned when they came: beyond
  /// its original_length steps are not what the whole gives at once. Throws ShapeError, DTypeError;
  /// ValueError for a cache beside a score or a normaliser that goes on from query to query.
  Attended operator()(const Tensor& query, const Tensor& keys, const Tensor& values,
                      const Terms& terms = {}, KeyValueCache* cache = nullptr) const;
  Attended operator()(const Tensor&, const Tensor&, const Tensor&, const OtherMasks&,
                      Say<"{.mask = attention::Mask::key_padding(~pad)}: true may be attended to"> =
                          {}) const = delete;
  /// Self-attention.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override {
    return (*this)(x, x, x, terms, cache);
  }
  /// Self-attention of a packed batch, tokens [N, E] -> context [N, E], weights [1, H, N, N] where
  /// asked for: each sequence sees itself alone. Throws as check_offsets().
  Attended operator()(const Packed& x, const Terms& terms = {}) const;

  /// operator() by PyTorch's name for it.
  template <class... Args>
  Attended forward(const Args&... args) const {
    return (*this)(args...);
  }

  /// Keys and values projected to their heads, [B, kv_heads, K, D], once for many calls of
  /// attend_to(): what a decoder does with its source. The mask is that of the keys.
  Memory project(const Tensor& keys, const Tensor& values, const Mask& mask = Mask()) const;
  /// Throws ShapeError, DTypeError, ValueError for rotary positions.
  Attended attend_to(const Tensor& query, const Memory& memory, const Terms& terms = {}) const;

  /// Adapters of the projections to heads; out_proj is a layer of its own.
  std::vector<std::pair<std::string, Tensor>> adaptable() const override;
  void adapt(const nn::LowRankOptions& options) override;
  std::vector<std::pair<Tensor, nn::LowRank*>> adapters() const override;
  std::function<void()> prepare_bf16() override;

  const MultiHeadOptions& options() const { return options_; }

 private:
  static MultiHeadOptions of_sizes(MultiHeadOptions options, Index width, Index heads) {
    options.width = width;
    options.heads = heads;
    return options;
  }
  MultiHeadOptions options_;
  Index D_, Dv_, groups_;
  bool packed_;  // one in_proj_weight
  ScaledDot dot_;
  /// With the names of the adapters beside them.
  std::vector<std::pair<std::string, const Tensor*>> own_matrices() const;
  std::vector<std::pair<const Tensor*, nn::LowRank*>> lora_;

 public:
  Tensor& in_proj_weight;
  Tensor& q_proj_weight;
  Tensor& k_proj_weight;
  Tensor& v_proj_weight;
  Tensor& in_proj_bias;
  nn::Linear& out_proj;
  Score& score;
  Normaliser* normaliser;                             ///< null: Softmax
  RelativePositions* relative;                        ///< null: none
  Tensor &q_norm, &k_norm;                            ///< [D]; undefined without qk_norm
  nn::Linear* gate;                                   ///< null without
  Tensor& head_scale;                                 ///< [H]; undefined without
  Tensor& sinks;                                      ///< [H], at first 0; undefined without
  Tensor &slot_keys, &slot_values, &bias_k, &bias_v;  ///< see head_extras.h; undefined without

 private:
  struct Heads {
    Tensor keys, values;  // [B, kv_heads, K, D]
  };
  Tensor split_heads(const Tensor& x, Index heads, Index width) const;
  Tensor normed(const Tensor& x, const Tensor& weight, bool masked) const;
  Tensor projected(const Tensor& x, Index first, Index count, bool masked,
                   const Tensor& weight = Tensor()) const;
  Tensor project_query(const Tensor& query, bool masked) const;
  Heads project_heads(const Tensor& keys, const Tensor& values, bool masked) const;
  Terms terms_of_heads(const Terms& given, const Mask& mask, Index queries, Index keys) const;
  Attended join(const Tensor& query, const Tensor& q, const Memory& memory,
                const Terms& terms) const;
};

}  // namespace heed::attention
