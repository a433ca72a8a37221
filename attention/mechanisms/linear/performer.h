// Performer (Choromanski et al. 2021, "Rethinking attention with Performers"): linear attention
// whose features make softmax attention in expectation (FAVOR+). For x = q, k over K^(1/4), with m
// rows w_i that are each normal and orthogonal to each other, drawn,
//
//   positive    phi(x)_i = exp(w_i . x - |x|^2 / 2) / sqrt(m)
//   hyperbolic  phi(x) = [exp(w_i . x), exp(-w_i . x)] exp(-|x|^2 / 2) / sqrt(2 m): less variance
//   E[phi(q) . phi(k)] = exp(q . k)
//   y_i = phi(q_i)^T sum_j phi(k_j) v_j^T / (phi(q_i) . sum_j phi(k_j))
//
// over all j, or j <= i under a causal mask. x [B, T, E] -> context [B, T, E], weights [B, H, T,
// T]. O(T E m), memory O(T m). The rows are a buffer, saved with the weights; redraw() draws
// others, as the paper does every so many steps of training: a state that was kept is of the old
// ones. A key's exponent is at most |w|^2 / 2, about K / 2, which f32 holds up to K = 128; where
// keys are so long that a step's would all vanish, sums are of exp(e - m_t), m_t the largest so far.
#pragma once

#include "../../../core/generator.h"
#include "fast_weights_attention.h"

namespace heed::attention {

enum class PerformerFeatures : std::uint8_t { positive, hyperbolic };

struct PerformerOptions {
  Index features = 128;  ///< m
  PerformerFeatures kind = PerformerFeatures::positive;
};

class Performer : public FastWeightsAttention {
 public:
  /// Draws from the default generator. Throws ValueError as FastWeightsAttention, and unless there
  /// are features.
  explicit Performer(const LinearOptions& options, const PerformerOptions& features = {});

  nn::Linear &q_proj, &k_proj, &v_proj, &out_proj;
  Tensor& rows;  ///< w [m, K]

  void redraw(Generator& generator = default_generator());

 private:
  Tensor products(const Tensor& x) const;
  Tensor shift(const Tensor& e, PastSteps& past, Tensor* log_decay) const;
  // |k|^2 / 2 of keys whose exponentials may leave their range.
  double long_keys() const { return rows.dtype() == DType::f32 ? 40 : 500; }
  Steps steps(const Tensor& x, PastSteps& past) const override;
  Tensor output(const Tensor& y, const Tensor& x, const Tensor& beside) const override;
  PerformerFeatures features_;
};

}  // namespace heed::attention
