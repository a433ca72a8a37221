// The parts of a Transformer's layer beside its attention.
#pragma once

#include "../../../nn/dropout.h"
#include "../../../nn/linear.h"

namespace heed::attention {

struct TransformerOptions;

enum class Norm : std::uint8_t { layer, rms };

/// LayerNorm or RMSNorm over the last axis, with PyTorch's names: weight, bias.
class TransformerNorm : public nn::Module {
 public:
  explicit TransformerNorm(const TransformerOptions& options);

  Tensor& weight;  ///< [width]
  Tensor& bias;    ///< [width]; undefined of RMSNorm, and without biases

  Tensor operator()(const Tensor& x) const;

 private:
  Norm kind_;
  double eps_;
};

/// norm(x), which rows that are not finite do not meet where some are masked: see guarded(). Null:
/// x.
Tensor normed(const TransformerNorm* norm, bool masked, const Tensor& x);

/// relu, gelu: linear2(act(linear1(x))); gelu_tanh is GELU's approximation, as GPT-2 has it.
/// swiglu, geglu (Shazeer 2020): linear2(act(linear1(x)) o linear_gate(x)), act silu or gelu;
/// geglu_tanh has the approximation.
enum class Activation : std::uint8_t { relu, gelu, gelu_tanh, silu, swiglu, geglu, geglu_tanh };

inline bool is_gated(Activation activation) { return activation >= Activation::swiglu; }

/// The function itself, of a gated one that of its gate.
Tensor activated(Activation activation, const Tensor& x);

/// With dropout before linear2; `linear_gate` is null unless the activation is gated.
Tensor feed_forward(const Tensor& x, const nn::Linear& linear1, const nn::Linear* linear_gate,
                    Activation activation, const nn::Dropout& dropout, const nn::Linear& linear2);

}  // namespace heed::attention
