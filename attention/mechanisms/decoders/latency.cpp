#include "latency.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"

namespace heed::attention {
namespace {

// Of each row of the batch: which words count, 1 / |y|, 1 / gamma.
struct Words {
  Tensor real;     // bool [B, Q]
  Tensor share;    // [B], 0 without a word
  Tensor advance;  // [B], 0 without a word
};

Words words_of(const char* op, const Tensor& delays, Index rank, const char* shape,
               const std::vector<Index>& sources, const std::vector<Index>& targets) {
  check_defined(op, delays, "delays");
  check_floating(op, delays.dtype());
  const auto fits = [&](const std::vector<Index>& x) {
    return static_cast<Index>(x.size()) == delays.size(0);
  };
  if (delays.rank() != rank || !fits(sources) || (!targets.empty() && !fits(targets))) {
    throw ShapeError(
        fmt::format("{}: delays must be {}, with as many lengths, not {} with {} sources and {} "
                    "targets",
                    op, shape, describe(delays), sources.size(), targets.size()));
  }
  const Index B = delays.size(0), Q = delays.size(-1);
  Array real = Array::zeros(Shape{B, Q}, DType::boolean);
  std::vector<double> share, advance;
  for (Index b = 0; b < B; ++b) {
    const Index source = sources[static_cast<std::size_t>(b)];
    const Index target = targets.empty() ? Q : targets[static_cast<std::size_t>(b)];
    if (source <= 0) {
      throw ValueError(fmt::format("{}: source {} of row {} must be positive", op, source, b));
    }
    if (target < 0 || target > Q) {
      throw ShapeError(fmt::format("{}: target {} of row {} is not in [0, {}]", op, target, b, Q));
    }
    std::fill_n(real.mutable_data<bool>() + b * Q, target, true);
    const auto y = static_cast<double>(target);
    share.push_back(target == 0 ? 0 : 1 / y);
    advance.push_back(target == 0 ? 0 : static_cast<double>(source) / y);
  }
  const auto constant = [&](const std::vector<double>& x) {
    return Tensor(Array::from(x).to(delays.dtype()));
  };
  return {Tensor(real), constant(share), constant(advance)};
}

// g'_i - (i - 1) / gamma is the largest g_l - (l - 1) / gamma so far.
Tensor lagging_of(const Tensor& delays, const Words& words) {
  const Index Q = delays.size(1);
  Tensor total = zeros(Shape{delays.size(0)}, delays.dtype()), most;
  for (Index i = 0; i < Q; ++i) {
    const Tensor behind = select(delays, 1, i) - words.advance * static_cast<double>(i);
    most = most.defined() ? maximum(most, behind) : behind;
    total = total + where(select(words.real, 1, i), most, 0);
  }
  return total * words.share;
}

}  // namespace

Tensor expected_delays(const Tensor& alignment) {
  check_defined("expected_delays", alignment, "alignment");
  check_floating("expected_delays", alignment.dtype());
  if (alignment.rank() < 2) {
    throw ShapeError("expected_delays: alignment must be [.., Q, K], not " + describe(alignment));
  }
  return matmul(alignment, to(arange(alignment.size(-1)) + 1, alignment.dtype()));
}

Tensor differentiable_average_lagging(const Tensor& delays, const std::vector<Index>& sources,
                                      const std::vector<Index>& targets) {
  return lagging_of(
      delays, words_of("differentiable_average_lagging", delays, 2, "[B, Q]", sources, targets));
}

MonotonicLatency monotonic_latency(const Tensor& delays, const std::vector<Index>& sources,
                                   const std::vector<Index>& targets) {
  const Words words = words_of("monotonic_latency", delays, 3, "[B, H, Q]", sources, targets);
  const Tensor slowest = sum(softmax(delays, 1) * delays, {1});  // [B, Q]
  const Tensor apart = mean(square(delays - mean(delays, {1}, true)), {1});
  return {lagging_of(slowest, words), sum(where(words.real, apart, 0), {1}) * words.share};
}

}  // namespace heed::attention
