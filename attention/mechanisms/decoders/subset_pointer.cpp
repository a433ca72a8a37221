#include "subset_pointer.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/packed/packed.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "subset_pointer";

void check_wanted(const std::vector<Index>& wanted, Index length) {
  std::vector<bool> seen(static_cast<std::size_t>(length), false);
  for (const Index place : wanted) {
    if (place < 0 || place >= length) {
      throw IndexError(fmt::format("{}: place {} is not among {}", kOp, place, length));
    }
    if (seen[static_cast<std::size_t>(place)]) {
      throw ValueError(fmt::format("{}: place {} is wanted twice", kOp, place));
    }
    seen[static_cast<std::size_t>(place)] = true;
  }
}

}  // namespace

SubsetPointer::SubsetPointer(Index width, Index state_width, DType dtype)
    : end(parameter("end", zeros(Shape{std::max<Index>(width, 0)}, dtype))),
      point(child<PointerNetwork>("point", PointerNetworkOptions{.input_width = width,
                                                                 .key_width = width,
                                                                 .state_width = state_width,
                                                                 .once = true,
                                                                 .dtype = dtype})) {
  nn::normal_(end, 0, 0.1);
}

// The end stands behind each row's last place.
PointerNetwork::State SubsetPointer::start(const Tensor& keys,
                                           const std::vector<Index>& lengths) const {
  check_batch(kOp, "keys", keys);
  check_rows(kOp, "keys", keys, end.size(0), end.dtype());
  check_lengths(kOp, lengths, keys);
  const Index B = keys.size(0), K = keys.size(1);
  if (lengths.size() != static_cast<std::size_t>(B)) {
    throw ShapeError(fmt::format("{}: {} lengths for {} rows", kOp, lengths.size(), B));
  }
  Array ends = Array::zeros(Shape{B, K + 1, 1}, DType::boolean);
  std::vector<Index> places;
  for (const Index length : lengths) {
    const auto row = static_cast<Index>(places.size());
    ends.mutable_data<bool>()[row * (K + 1) + length] = true;
    places.push_back(length + 1);
  }
  const Tensor all = where(Tensor(ends), end, pad(keys, {0, 0, 0, 1}));
  return named(kOp, [&] { return point.start(all, all, Mask::lengths(places, K + 1)); });
}

Tensor SubsetPointer::loss(const Tensor& keys, const std::vector<Index>& lengths,
                           const std::vector<std::vector<Index>>& wanted) const {
  const Scope scope(*this);
  auto state = start(keys, lengths);
  if (wanted.size() != lengths.size()) {
    throw ShapeError(
        fmt::format("{}: {} rows are wanted of {}", kOp, wanted.size(), lengths.size()));
  }
  std::size_t most = 0;
  for (std::size_t b = 0; b < wanted.size(); ++b) {
    check_wanted(wanted[b], lengths[b]);
    most = std::max(most, wanted[b].size());
  }
  const auto B = static_cast<Index>(wanted.size()), T = static_cast<Index>(most) + 1;
  const Index places = state.inputs.size(1);
  Array targets = Array::full(Shape{B, T}, -1, DType::i64);
  Array right = Array::zeros(Shape{B, T, places}, DType::boolean);
  for (Index b = 0; b < B; ++b) {
    const std::vector<Index>& own = wanted[static_cast<std::size_t>(b)];
    const auto steps = static_cast<Index>(own.size());
    for (Index t = 0; t <= steps; ++t) {
      bool* row = right.mutable_data<bool>() + (b * T + t) * places;
      for (Index i = t; i < steps; ++i) row[own[static_cast<std::size_t>(i)]] = true;
      const Index after = lengths[static_cast<std::size_t>(b)];
      if (t == steps) row[after] = true;
      targets.mutable_data<Index>()[b * T + t] =
          t < steps ? own[static_cast<std::size_t>(t)] : after;
    }
  }
  const Tensor log_p = point.run(targets, state), counts = Tensor(targets) >= 0;
  // What is wrong has no share; a step behind a row's end has none that is right, and costs
  // nothing.
  const Tensor of_right = where(Tensor(right), log_p, -1e30);
  const Tensor each = logsumexp(where(unsqueeze(counts, -1), of_right, 0), {-1});
  return -sum(where(counts, each, 0), {1});
}

std::vector<std::vector<Index>> SubsetPointer::pick(const Tensor& keys,
                                                    const std::vector<Index>& lengths,
                                                    Index count) const {
  if (count < 0) throw ValueError(fmt::format("{}: {} places are below 0", kOp, count));
  const NoGrad off;
  auto state = start(keys, lengths);
  const Index places = state.inputs.size(1);
  std::vector<std::vector<Index>> out(lengths.size());
  std::vector<Index> last(lengths.size(), -1), most;
  for (const Index length : lengths) most.push_back(count > 0 ? std::min(count, length) : length);
  Tensor before;
  const Index steps = most.empty() ? 0 : *std::max_element(most.begin(), most.end());
  for (Index t = 0; t < steps; ++t) {
    const auto log_p = point.step(before, state).array().to(DType::f64).to_vector<double>();
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      if (t >= most[b]) continue;
      const auto begin = log_p.begin() + static_cast<std::ptrdiff_t>(b) * places;
      // The end only where the number is its own, and not at first.
      const Index may = lengths[b] + (count == 0 && t > 0 ? 1 : 0);
      last[b] = std::max_element(begin, begin + may) - begin;
      if (last[b] == lengths[b]) {
        most[b] = t;
      } else {
        out[b].push_back(last[b]);
      }
    }
    before = Array::from(last);
  }
  return out;
}

}  // namespace heed::attention
