#include "key_value_memory.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "KeyValueMemory";

const KeyValueMemoryOptions& checked(const KeyValueMemoryOptions& o) {
  if (o.features > 0 && o.width > 0 && o.hops > 0) return o;
  throw ValueError(fmt::format("{}: features {}, width {} and hops {} must be positive", kName,
                               o.features, o.width, o.hops));
}

}  // namespace

KeyValueMemory::KeyValueMemory(const KeyValueMemoryOptions& options)
    : embedding(child<nn::Linear>("embedding", checked(options).features, options.width, false,
                                  options.dtype)),
      answers(child<nn::Linear>("answers", options.features, options.width, false, options.dtype)),
      turns(child<nn::ModuleListOf<nn::Linear>>("turns")) {
  for (Index hop = 0; hop < options.hops; ++hop) {
    turns.add(options.width, options.width, false, options.dtype);
  }
}

KeyValueMemoryOutput KeyValueMemory::operator()(const Tensor& query, const Tensor& keys,
                                                const Tensor& values, const Mask& mask,
                                                bool need_weights) const {
  const Scope scope(*this);
  const Index D = embedding.weight.size(1);
  const DType dtype = embedding.weight.dtype();
  const auto check = [&](const char* what, const Tensor& x) {
    check_batch(kName, what, x);
    check_rows(kName, what, x, D, dtype);
    if (x.size(0) == query.size(0)) return;
    throw ShapeError(
        fmt::format("{}: {} rows of queries and {} of {}", kName, query.size(0), x.size(0), what));
  };
  check("query", query);
  check("keys", keys);
  check("values", values);
  // What is not finite leaves the memories here, once: hops that each did so would add up the
  // gradients in another order.
  const auto finite = [&](const Tensor& x) {
    return mask.all() ? FinitePart{x, Tensor()} : finite_part(x);
  };
  const FinitePart of_keys = finite(keys);
  const FinitePart of_values = values.is_same(keys) ? of_keys : finite(values);
  const Tensor k = embedding(of_keys.x), v = values.is_same(keys) ? k : embedding(of_values.x);
  NotFinite bad{Tensor(), of_keys.bad, Tensor()};
  if (of_values.bad.defined()) bad.values = any(of_values.bad, {-1}, true);
  const Shape shape{query.size(0), query.size(1), keys.size(1)};
  static const Dot dot;
  const Terms terms{.mask = mask, .need_weights = need_weights};
  KeyValueMemoryOutput out{embedding(query)};
  for (const nn::Linear& turn : turns) {
    Attended read = named(kName, [&] { return attend(dot, out.query, k, v, terms); });
    if (bad.any()) {
      read.context = spread_not_finite(read.context, bad, mask, shape, &read.weights);
    }
    out.query = turn(out.query + read.context);
    if (need_weights) out.weights.push_back(read.weights);
  }
  out.query = forwarded(out.query);
  return out;
}

Tensor KeyValueMemory::scores(const Tensor& query, const Tensor& candidates) const {
  check_batch(kName, "query", query);
  check_defined(kName, candidates, "candidates");
  check_rows(kName, "query", query, embedding.weight.size(0), embedding.weight.dtype());
  check_rows(kName, "candidates", candidates, answers.weight.size(1), answers.weight.dtype());
  if (candidates.rank() > 3 || (candidates.rank() == 3 && candidates.size(0) != query.size(0))) {
    throw ShapeError(fmt::format("{}: candidates must be [C, D] or [{}, C, D], not {}", kName,
                                 query.size(0), describe(candidates)));
  }
  return matmul(query, transpose(answers(candidates), -2, -1));
}

}  // namespace heed::attention
