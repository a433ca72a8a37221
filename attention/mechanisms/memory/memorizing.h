// Memorizing attention (Wu et al. 2022, "Memorizing Transformers", section 3): beside its own
// segment a layer looks at the k nearest of all keys it has ever seen, which get no gradient.
//
//   V_m = attend over the k keys of the store with the largest q . k,  V_c = attend over the segment
//   V = g o V_m + (1 - g) o V_c,  g = sigmoid(b_g), one a head;   y = W_O [V_1 .. V_H]
//
// x [B, T, E] -> [B, T, E]; a store holds keys and values [B, H, n, D] of the segments before, the
// oldest of which go. The nearest are found exactly, at O(T n D): TopK over the store's scores
// (k-NN attention). Keys and queries are normed (Henry et al. 2020), as the paper does, so that old
// keys stay comparable, times a learned scale. In rows of which the store holds nothing V is V_c.
#pragma once

#include "../../../nn/linear.h"
#include "../../attend.h"
#include "../../normalisers/sparse.h"

namespace heed::attention {

struct MemorizingOptions {
  Index width = 0;     ///< E
  Index heads = 1;     ///< H, a divisor of E
  Index nearest = 32;  ///< k
  Index capacity = 0;  ///< tokens that a store holds; 0: all
  DType dtype = DType::f32;
};

class Memorizing : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive, heads that do not divide.
  explicit Memorizing(const MemorizingOptions& options);

 private:
  MemorizingOptions options_;

 public:
  nn::Linear &q_proj, &k_proj, &v_proj, &out_proj;  ///< without biases
  Tensor& scale;                                    ///< [H], of the scores; at first sqrt(D)
  Tensor& gate;                                     ///< b_g [H], at first 0
  TopK& nearest;

  /// Keys and values of all segments so far.
  struct Store {
    Tensor keys, values;  ///< [B, H, n, D]; undefined while empty
    Tensor real;          ///< bool [B, n]: which may be found
    Index length() const { return keys.defined() ? keys.size(2) : 0; }
    /// Carries on with these rows of the batch, i64 [R].
    void reorder(const Tensor& rows);
  };

  /// Causal. Terms are of the segment, whose keys and values go into the store afterwards; tokens
  /// where `real` (bool [B, T]; undefined: all are) is false are seen and found by nobody, whatever
  /// stands there. Weights [B, H, T, T] of the segment. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& x, Store& store, const Terms& terms = {},
                      const Tensor& real = Tensor()) const;
};

}  // namespace heed::attention
