// Keys and values beside those of the sequence, which every query may attend to:
//
//   slots      learned keys and values of each head, persistent memory (Sukhbaatar et al. 2019)
//   bias_kv    one learned key and one value: PyTorch's add_bias_kv
//   zero       a key and a value of zeros: PyTorch's add_zero_attn; with the scores of softmax it is
//              the 1 of softmax-plus-one
//
// They stand behind the sequence, in this order; what terms say of the sequence holds for it alone.
#pragma once

#include "../../memory.h"

namespace heed::attention {

struct HeadExtrasOptions {
  Index slots = 0;
  bool bias_kv = false;
  bool zero = false;
  bool any() const { return slots > 0 || bias_kv || zero; }
};

class HeadExtras : public nn::Module {
 public:
  /// Of `heads` heads of keys of width D and values of width Dv. Slots begin as N(0, 1 / D) and
  /// N(0, 1 / slots). Throws ValueError for a negative number of slots.
  HeadExtras(const HeadExtrasOptions& options, Index heads, Index key_width, Index value_width,
             DType dtype);

 private:
  HeadExtrasOptions options_;
  Index heads_, D_, Dv_;

 public:
  Tensor &slot_keys, &slot_values;  ///< [slots, heads D], [slots, heads Dv]; undefined without
  Tensor &bias_k, &bias_v;          ///< [1, 1, heads D], [1, 1, heads Dv]; undefined without

  Index count() const;
  /// keys [B, heads, K, D], values likewise -> with the extra ones behind them.
  Memory behind(const Memory& memory) const;
  /// Terms of scores [.., Q, K] as those of [.., Q, K + count()].
  Terms widened(const Terms& terms, const Shape& scores) const;
};

}  // namespace heed::attention
