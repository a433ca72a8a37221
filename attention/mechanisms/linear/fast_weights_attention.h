// Self-attention over fast weights (fast_weights.h): what its mechanisms share. Each of them says
// what its steps are made of, and what is made of the heads' results:
//
//   x [B, T, E] -> steps() -> q, k [B, H, T, K], v [B, H, T, V], decays, beta, bonus
//               -> y [B, H, T, V] -> output() -> context [B, T, E]
//
// Normalised ones carry a column of ones beside the values, whose result is the sum of weights that
// y is divided by; where it is 0 so is y. Masks are causal ones and those of keys: lengths,
// key_padding. A key that is masked is never written and lets nothing decay; a mechanism that is
// causal by its nature is so under any mask. Weights [B, H, T, T], where asked for, are what the
// values are weighed by (fast_weights_matrix()), and cost O(T^2).
//
// A cache keeps the state S in the place of keys and values: a step costs O(K V), whatever came
// before it; a prompt of many steps goes in chunks.
#pragma once

#include <string>

#include "../../../nn/linear.h"
#include "../transformer/self_attention.h"
#include "fast_weights.h"
#include "heads.h"
#include "linear_call.h"
#include "past_steps.h"

namespace heed::attention {

struct LinearOptions {
  Index width = 0;             ///< E
  Index heads = 1;             ///< H
  Index head_width = 0;        ///< K; 0: E / H, which H must divide
  Index value_head_width = 0;  ///< V; 0: E / H
  bool bias = false;           ///< of the projections
  Index chunk = 64;            ///< steps of a chunk
  DType dtype = DType::f32;
};

class FastWeightsAttention : public SelfAttention {
 public:
  /// Throws ShapeError, DTypeError; ValueError for terms beside a mask and weights, for masks of
  /// other kinds and a rolling cache; GradError for a cache while recording.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;

  const LinearOptions& options() const { return options_; }

 protected:
  struct Kind {
    const char* name;  ///< in errors
    Looks looks = Looks::back;
    bool normalised = false;  ///< by the sums of weights
  };
  /// Throws ValueError for sizes that are not positive, and heads that do not divide the width.
  FastWeightsAttention(const Kind& kind, const LinearOptions& options);

  struct Steps {
    FastWeights f;
    Tensor beside = {};  ///< what output() is told, [B, T, any]
  };
  /// The steps of x, whose rows of masked keys are zeros.
  virtual Steps steps(const Tensor& x, PastSteps& past) const = 0;
  /// [B, T, E], of y, x and what stood beside the steps.
  virtual Tensor output(const Tensor& y, const Tensor& x, const Tensor& beside) const = 0;

  nn::Linear& projection(const char* name, Index in, Index out);
  nn::Linear& projection(const char* name, Index out) { return projection(name, E(), out); }
  /// [B, T, H D] -> [B, H, T, D]
  Tensor split_heads(const Tensor& x) const { return attention::split_heads(x, options_.heads); }

  Index E() const { return options_.width; }
  Index H() const { return options_.heads; }
  Index K() const { return options_.head_width; }
  Index V() const { return options_.value_head_width; }
  DType dtype() const { return options_.dtype; }

 private:
  Attended attend(FastWeights f, const LinearCall& call, bool few, Tensor* state) const;

  Kind kind_;
  LinearOptions options_;
  const nn::Linear* first_ = nullptr;
};

}  // namespace heed::attention
