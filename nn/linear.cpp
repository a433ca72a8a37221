#include "linear.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "../autograd/ops/linalg/int8.h"
#include "../autograd/ops/linalg/matmul.h"
#include "../core/error.h"
#include "../core/generator.h"

namespace heed::nn {
namespace {

// PyTorch's kaiming_uniform(a = sqrt 5) of the weight comes to the same bound as its bias'.
Tensor begin(const Shape& shape, Index in, Index out, DType dtype) {
  if (in <= 0 || out <= 0) {
    throw ValueError(fmt::format("Linear: widths must be positive: in {}, out {}", in, out));
  }
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  return default_generator().uniform(shape, -bound, bound, dtype);
}

}  // namespace

Linear::Linear(Index in, Index out, bool with_bias, DType dtype)
    : weight(parameter("weight", begin({out, in}, in, out, dtype))),
      bias(parameter("bias", with_bias ? begin({out}, in, out, dtype) : Tensor())) {}

Tensor Linear::operator()(const Tensor& x) const {
  const Scope scope(*this);
  const Tensor y =
      int8_ ? linear_int8(x, *int8_, bias) : linear(x, bf16_.defined() ? bf16_ : weight, bias);
  return forwarded(lora_ != nullptr ? (*lora_)(y, x) : y);
}

std::function<void()> Linear::prepare_int8() {
  if (int8_) return [] {};
  if (bf16_.defined() || !weight.defined()) return {};
  auto matrix = std::make_shared<const kernels::Int8Matrix>(weight.array());
  return [this, matrix = std::move(matrix), nothing = nothing_like(weight)] {
    int8_ = matrix;
    give_up(weight, nothing, "8 bits");
  };
}

void Linear::to_int8() {
  if (const auto change = prepare_int8()) change();
}

std::function<void()> Linear::prepare_bf16() {
  if (bf16_.defined()) return [] {};
  if (int8_ || !weight.defined()) return {};
  return [this, narrow = detail::in_bf16("Linear", weight), nothing = nothing_like(weight)] {
    bf16_ = narrow;
    give_up(weight, nothing, "bf16");
  };
}

std::vector<std::pair<std::string, Tensor>> Linear::adaptable() const {
  if (!weight.defined()) return {};
  return {{"lora", weight}};
}

void Linear::adapt(const LowRankOptions& options) {
  lora_ = &child<LowRank>("lora", weight.size(1), weight.size(0), options, weight.dtype());
}

std::vector<std::pair<Tensor, LowRank*>> Linear::adapters() const {
  if (lora_ == nullptr) return {};
  return {{int8_ || bf16_.defined() ? Tensor() : weight, lora_}};
}

}  // namespace heed::nn
