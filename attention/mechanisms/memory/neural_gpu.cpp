#include "neural_gpu.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/clamp.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "neural_gpu";

const NeuralGPUOptions& checked(const NeuralGPUOptions& o) {
  if (o.width > 0 && o.columns > 0 && o.layers > 0 && o.kernel > 0) return o;
  throw ValueError(fmt::format("{}: width {}, columns {}, layers {} and kernel {} must be positive",
                               kOp, o.width, o.columns, o.layers, o.kernel));
}

}  // namespace

CGRU::CGRU(const NeuralGPUOptions& o)
    : cutoff_(o.cutoff),
      gates(child<nn::Conv2d>("gates", checked(o).width, 2 * Checked(kOp, o.width), o.kernel,
                              Conv2dOptions{.same = true}, true, o.dtype)),
      candidate(child<nn::Conv2d>("candidate", o.width, o.width, o.kernel,
                                  Conv2dOptions{.same = true}, true, o.dtype)) {
  nn::constant_(gates.bias, 1);
}

Tensor CGRU::operator()(const Tensor& image) const {
  const Scope scope(*this);
  Tensor open = sigmoid(gates(image));
  if (cutoff_) open = clamp(1.2 * open - 0.1, 0, 1);
  const auto both = chunk(open, 2, 1);
  const Tensor &u = both[0], &r = both[1];
  return forwarded(u * image + (1 - u) * tanh(candidate(r * image)));
}

NeuralGPU::NeuralGPU(const NeuralGPUOptions& o)
    : options_(checked(o)), layers(child<nn::ModuleListOf<CGRU>>("layers")) {
  for (Index i = 0; i < o.layers; ++i) layers.add(o);
}

NeuralGPUOutput NeuralGPU::operator()(const Tensor& x, const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  const Index m = options_.width;
  const DType dtype = layers[0].gates.weight.dtype();
  check_batch(kOp, "x", x);
  const auto read = masked_sequence(kOp, "x", x, m, dtype, first_places(kOp, "x", x, lengths));
  const Index B = x.size(0), T = x.size(1);
  Tensor real = read.real;
  if (real.defined()) real = reshape(real, {B, 1, T, 1});
  Tensor image = unsqueeze(transpose(read.x, 1, 2), -1);
  if (options_.columns > 1) {
    image = concat({image, zeros({B, m, T, options_.columns - 1}, dtype)}, -1);
  }
  for (Index t = 0; t < T; ++t) {
    Tensor next = image;
    for (const CGRU& layer : layers) {
      next = layer(next);
      if (real.defined()) next = where(real, next, 0);  // as beyond an image of its own
    }
    image = real.defined() ? where(narrow(real, 2, t, 1), next, image) : next;
  }
  return {forwarded(transpose(select(image, -1, 0), 1, 2)), image};
}

}  // namespace heed::attention
