// Reformer's attention (Kitaev et al. 2020, "Reformer: the efficient Transformer"): queries are
// keys, and each attends to those of its own bucket alone, which locality-sensitive hashing finds,
// in one of several rounds:
//
//   q = x W^QK,  k_j = q_j / |q_j|,  h_r(q) = argmax([q R_r; -q R_r]),  R_r [D, b / 2] drawn
//   P_i = {j: h_r(q_i) = h_r(q_j) in any round r}
//   head_i = softmax over P_i of (q_i . k_j / sqrt(D)) v_j
//
// A place attends to itself only where there is nothing else. x [B, T, E] -> context [B, T, E],
// weights [B, H, T, T]. Each round sorts by bucket and skips what lies in others; pairs that an
// earlier round has seen are left out, and rounds are merged by the logs of their sums, so that the
// result is that of the union. About O(rounds T^2 D / b), memory O(T). The paper cuts buckets into
// pieces of equal size, which lets what comes later decide what is seen; here nothing is cut, and
// causal is causal.
#pragma once

#include "../../../core/generator.h"
#include "../../../nn/linear.h"
#include "../transformer/self_attention.h"

namespace heed::attention {

struct ReformerOptions {
  Index width = 0;    ///< E
  Index heads = 1;    ///< H, a divisor of E
  Index buckets = 8;  ///< b, even
  Index rounds = 2;
  DType dtype = DType::f32;
};

class Reformer : public SelfAttention {
 public:
  /// Draws from the default generator. Throws ValueError unless sizes are positive, the heads
  /// divide the width, and the buckets are even.
  explicit Reformer(const ReformerOptions& options);

 private:
  ReformerOptions options_;

 public:
  nn::Linear &qk_proj, &v_proj, &out_proj;
  Tensor& rotations;  ///< R [rounds, D, b / 2], a buffer

  void redraw(Generator& generator = default_generator());
  /// Masks are causal ones and those of keys; a masked place sees nothing itself. Throws
  /// ShapeError, DTypeError, ValueError for a cache, and as LinearCall.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
};

}  // namespace heed::attention
