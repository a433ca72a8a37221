#include "dynamic_memory.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "dynamic_memory";

DynamicMemoryOptions checked(DynamicMemoryOptions o) {
  if (o.width <= 0 || o.hops <= 0 || o.hidden < 0) {
    throw ValueError(
        fmt::format("{}: width {} and hops {} must be positive, hidden {} not negative", kOp,
                    o.width, o.hops, o.hidden));
  }
  if (o.hidden == 0) o.hidden = o.width;
  return o;
}

Tensor begin(Index hidden, DType dtype) {
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  return default_generator().uniform({hidden}, -bound, bound, dtype);
}

}  // namespace

AttentionGRU::AttentionGRU(Index input, Index hidden, DType dtype)
    : input_projection(
          child<nn::Linear>("input_projection", input, 2 * Checked(kOp, hidden), true, dtype)),
      state_projection(
          child<nn::Linear>("state_projection", hidden, 2 * Checked(kOp, hidden), false, dtype)) {}

// All inputs meet their weights at once; only the states wait for each other.
Tensor AttentionGRU::operator()(const Tensor& x, const Tensor& weights) const {
  const Scope scope(*this);
  const Index H = state_projection.weight.size(1);
  check_batch(kOp, "facts", x);
  check_rows(kOp, "facts", x, input_projection.weight.size(1), input_projection.weight.dtype());
  if (weights.shape() != Shape{x.size(0), x.size(1)}) {
    throw ShapeError(fmt::format("{}: weights must be [{}, {}], not {}", kOp, x.size(0), x.size(1),
                                 describe(weights)));
  }
  const Tensor inputs = input_projection(x);  // [B, N, 2 H]
  Tensor h = zeros({x.size(0), H}, x.dtype());
  for (Index i = 0; i < x.size(1); ++i) {
    const std::vector<Tensor> from = split(select(inputs, 1, i), {H, H}, -1);
    const std::vector<Tensor> back = split(state_projection(h), {H, H}, -1);
    const Tensor r = sigmoid(from[0] + back[0]);
    const Tensor next = tanh(from[1] + r * back[1]);
    const Tensor g = narrow(weights, 1, i, 1);  // [B, 1]
    h = g * next + (1 - g) * h;
  }
  return forwarded(h);
}

DynamicMemory::DynamicMemory(const DynamicMemoryOptions& given)
    : score_projection(child<nn::Linear>("score_projection", 4 * Checked(kOp, checked(given).width),
                                         checked(given).hidden, true, given.dtype)),
      score_vector(parameter("score_vector", begin(checked(given).hidden, given.dtype))),
      read(child<AttentionGRU>("read", given.width, given.width, given.dtype)),
      updates(child<nn::ModuleListOf<nn::Linear>>("updates")) {
  for (Index hop = 0; hop < given.hops; ++hop) {
    updates.add(3 * Checked(kOp, given.width), given.width, true, given.dtype);
  }
}

DynamicMemoryOutput DynamicMemory::operator()(const Tensor& facts, const Tensor& question,
                                              const Mask& mask, bool need_weights) const {
  const Scope scope(*this);
  const Index width = updates[0].weight.size(0);
  const auto [f, real] = masked_sequence(kOp, "facts", facts, width, score_vector.dtype(), mask);
  check_rows(kOp, "question", question, width, score_vector.dtype());
  if (question.rank() != 2 || question.size(0) != f.size(0)) {
    throw ShapeError(fmt::format("{}: question must be [{}, {}], not {}", kOp, f.size(0), width,
                                 describe(question)));
  }
  const Tensor q = unsqueeze(question, 1);
  DynamicMemoryOutput out{question};
  for (const nn::Linear& update : updates) {
    const Tensor m = unsqueeze(out.memory, 1);
    const Tensor z = concat({f * q, f * m, abs(f - q), abs(f - m)}, -1);  // [B, N, 4 d]
    const Tensor g = softmax(matmul(tanh(score_projection(z)), score_vector), 1, real);
    const Tensor c = read(f, g);
    out.memory = relu(update(concat({out.memory, c, question}, -1)));
    if (need_weights) out.weights.push_back(g);
  }
  out.memory = forwarded(out.memory);
  return out;
}

}  // namespace heed::attention
