// Linear: y = x W^T + b. x [.., in] -> [.., out].
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>

#include "bf16.h"
#include "layer.h"
#include "low_rank.h"

namespace heed::kernels {
class Int8Matrix;
}

namespace heed::nn {

struct LinearOptions {
  Index in = 0, out = 0;
  bool bias = true;
  DType dtype = DType::f32;
};

class Linear : public Layer<Linear>, public Adaptable, public Narrowable {
 public:
  using Options = LinearOptions;
  /// Both parameters begin uniform in (-1/sqrt(in), 1/sqrt(in)), as PyTorch's. Throws ValueError
  /// unless both widths are positive.
  Linear(Index in, Index out, bool with_bias = true, DType dtype = DType::f32);
  explicit Linear(const LinearOptions& options)
      : Linear(options.in, options.out, options.bias, options.dtype) {}
  /// Both widths, and what `others` says beside them.
  Linear(Index in, Index out, const LinearOptions& others)
      : Linear(in, out, others.bias, others.dtype) {}

  template <std::same_as<std::nullptr_t> T>
  explicit Linear(T, Say<"nn::Linear& name = child<nn::Linear>(\"name\", 3, 4)"> = {}) = delete;

  Tensor& weight;  ///< [out, in]
  Tensor& bias;    ///< [out]; undefined without bias

  Tensor operator()(const Tensor& x) const;

  void clone(Say<"nn::Linear copy(...); copy.load_state_dict(l.state_dict())"> = {}) const = delete;

  /// The weight in 8 bits from here on: see int8.h, which does it for all of a model. Throws
  /// DTypeError unless it is f32, ValueError for what is not finite.
  void to_int8();
  /// The same in two steps, so that all of a model is in 8 bits or nothing: what comes back does
  /// it, and cannot fail. Until it is called nothing has changed. It is empty where the layer stays
  /// as it is: in the other form, or without a weight of its own.
  std::function<void()> prepare_int8();
  std::function<void()> prepare_bf16() override;

  std::vector<std::pair<std::string, Tensor>> adaptable() const override;
  void adapt(const LowRankOptions& options) override;
  std::vector<std::pair<Tensor, LowRank*>> adapters() const override;

 private:
  friend class Sequential;
  Linear(Linear&&) = default;
  std::shared_ptr<const kernels::Int8Matrix> int8_;  // in the weight's stead
  Tensor bf16_;                                      // the same
  LowRank* lora_ = nullptr;
};

}  // namespace heed::nn
