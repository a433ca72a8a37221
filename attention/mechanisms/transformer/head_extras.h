// Keys and values beside those of the sequence, which every query may attend to:
//
//   slots      learned keys and values of each head, persistent memory (Sukhbaatar et al. 2019)
//   bias_kv    one learned key and one value: PyTorch's add_bias_kv
//   zero       a key and a value of zeros: PyTorch's add_zero_attn; with dot scores, whose
//              score it then is, the 1 of softmax-plus-one
//
// They stand behind the sequence, in this order; what terms say of the sequence (masks, biases, a
// score map) holds for it alone.
#pragma once

#include "../../memory.h"

namespace heed::attention {

struct HeadExtrasOptions {
  Index slots = 0;
  bool bias_kv = false;
  bool zero = false;
  bool any() const { return slots > 0 || bias_kv || zero; }
};

/// Of `heads` heads, on whose parameters it looks.
class HeadExtras {
 public:
  /// slot_keys [slots, heads D], slot_values [slots, heads Dv], bias_k [1, 1, heads D], bias_v
  /// [1, 1, heads Dv]; each undefined without.
  struct Learned {
    Tensor slot_keys, slot_values, bias_k, bias_v;
  };
  /// `width` is D.
  HeadExtras(const Learned& learned, bool zero, Index heads, Index width)
      : learned_(learned), zero_(zero), heads_(heads), width_(width) {}

  Index count() const;
  /// keys [B, heads, K, any], as prepared, values [B, heads, K, Dv] -> with the extra ones behind
  /// them, keys prepared as those are unless by place, and within the score's reach(); of the
  /// sequence's widened() hides those that are not.
  Memory behind(const Memory& memory) const;
  /// The extra ones by themselves, for as many rows.
  Memory alone(const Memory& memory) const;
  /// Terms of the memory's scores [.., Q, K] as those of [.., Q, K + count()].
  Terms widened(const Terms& terms, const Memory& memory, const Shape& scores) const;
  /// Terms for the extra ones by themselves, to be merged with the sequence by its own: the sink is
  /// left to these. Throws ValueError for weights that cannot be merged, which are not softmax's.
  Terms alone(const Terms& terms) const;

 private:
  Tensor rows(Index width, DType dtype, const Tensor& slots, const Tensor& bias) const;
  Tensor keys(const Memory& memory) const;
  Tensor values(const Memory& memory) const;
  Learned learned_;
  bool zero_;
  Index heads_, width_;
};

}  // namespace heed::attention
