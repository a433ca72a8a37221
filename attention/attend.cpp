#include "attend.h"

#include <fmt/format.h>

#include "../autograd/check_defined.h"
#include "../autograd/ops/dropout.h"
#include "../autograd/ops/elementwise.h"
#include "../autograd/ops/matmul.h"
#include "../autograd/ops/reduce.h"
#include "../autograd/ops/shape.h"
#include "../core/error.h"
#include "finite.h"
#include "relative.h"

namespace heed::attention {
namespace {

const Score& score_of(const AttendOptions& options) {
  static const ScaledDot scaled_dot;
  return options.score != nullptr ? *options.score : scaled_dot;
}

const Normaliser& normaliser_of(const AttendOptions& options) {
  static const Softmax softmax;
  return options.normaliser != nullptr ? *options.normaliser : softmax;
}

Tensor sum_of(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  return b.defined() ? a + b : a;
}

void check_sources(const Tensor& keys, const Tensor& values, const AttendOptions& options) {
  check_defined("attend", keys, "keys", values, "values");
  check_floating("attend", keys.dtype());
  if (keys.rank() < 2 || values.rank() < 2 || keys.size(-2) != values.size(-2)) {
    throw ShapeError(
        fmt::format("attend: keys must be [.., K, dk] and values [.., K, dv], not {} "
                    "and {}",
                    describe(keys), describe(values)));
  }
  if (values.dtype() != keys.dtype()) {
    throw DTypeError(fmt::format("attend: keys and values differ in dtype: {} and {}",
                                 describe(keys), describe(values)));
  }
  if (!(options.dropout >= 0 && options.dropout <= 1)) {
    throw ValueError(fmt::format("attend: dropout {} is not in [0, 1]", options.dropout));
  }
}

// Before anything is computed: what the parts themselves cannot see.
// A bias of scores, broadcasting to `shape`.
void check_added(const char* what, const Tensor& bias, const Tensor& query, const Shape& shape,
                 const Shape& scores) {
  if (!bias.defined()) return;
  if (bias.dtype() != query.dtype()) {
    throw DTypeError(
        fmt::format("attend: {} must be {}, not {}", what, name(query.dtype()), describe(bias)));
  }
  bool fits = bias.rank() <= shape.rank();
  for (Index axis = 1; fits && axis <= bias.rank(); ++axis) {
    fits = bias.size(-axis) == 1 || bias.size(-axis) == shape[shape.rank() - axis];
  }
  if (fits) return;
  throw ShapeError(fmt::format("attend: {} {} does not broadcast to scores {}", what,
                               describe(bias), heed::to_string(scores)));
}

void check_call(const Tensor& query, const Tensor& keys, const Tensor& values, const Added& added,
                const Shape& shape) {
  if (query.dtype() != keys.dtype()) {
    throw DTypeError(fmt::format("attend: query and keys differ in dtype: {} and {}",
                                 describe(query), describe(keys)));
  }
  scores_shape("attend", query, values);
  check_added("bias", added.bias, query, shape, shape);
  if (!added.diagonals.defined()) return;
  const Index rank = shape.rank();
  const Index count = std::max<Index>(shape[rank - 2] + shape[rank - 1] - 1, 0);
  if (added.diagonals.rank() == 0 || added.diagonals.size(-1) != count) {
    throw ShapeError(fmt::format("attend: diagonals must be [.., {}] for scores {}, not {}", count,
                                 heed::to_string(shape), describe(added.diagonals)));
  }
  Shape diagonals(shape.begin(), rank - 2);
  diagonals.push_back(count);
  check_added("diagonals", added.diagonals, query, diagonals, shape);
}

}  // namespace

Attended attend(const Tensor& query, const Tensor& keys, const Tensor& values,
                const AttendOptions& options) {
  return Memory(keys, values, options).attend(query);
}

Memory::Memory(const Tensor& keys, const Tensor& values, const AttendOptions& options)
    : options_(options), keys_(keys), values_(values) {
  check_sources(keys, values, options);
  const Score& score = score_of(options);
  if (!score.prepares()) return;
  if (!options.mask.all()) {
    FinitePart finite = finite_part(keys);
    keys_ = finite.x;
    bad_keys_ = finite.bad;
  }
  keys_ = score.prepare(keys_);
}

Attended Memory::attend(const Tensor& query, const Tensor& bias) const {
  Past past;
  return run(query, bias, past);
}

Attended Memory::step(const Tensor& query, const Tensor& bias) {
  check_defined("attend", query, "query");
  if (query.rank() < 1) {
    throw ShapeError("attend: a step's query must be [.., dq], not " + describe(query));
  }
  Attended out = run(unsqueeze(query, -2), bias.defined() ? unsqueeze(bias, -2) : bias, past_);
  out.context = squeeze(out.context, -2);
  if (out.weights.defined()) {
    out.weights = squeeze(out.weights, score_of(options_).per_feature() ? -3 : -2);
  }
  return out;
}

void Memory::restart() { past_ = {}; }

Attended Memory::run(const Tensor& query, const Tensor& bias, Past& past) const {
  const Score& score = score_of(options_);
  const Normaliser& normaliser = normaliser_of(options_);
  const bool masked = !options_.mask.all();
  const Shape shape = scores_shape("attend", query, keys_);  // [.., Q, K]
  const Added added{sum_of(options_.bias, bias), options_.diagonals};
  check_call(query, keys_, values_, added, shape);

  FinitePart q{query, Tensor()}, k{keys_, bad_keys_}, v{values_, Tensor()};
  const auto clean = [&] {
    if (!masked) return;
    if (!score.prepares()) k = finite_part(keys_);
    v = finite_part(values_);
  };
  if (masked) q = finite_part(query);
  Attended out;
  if (normaliser.is_softmax() && !options_.need_weights && options_.dropout == 0 &&
      options_.relative == nullptr) {
    // A single query shares its keys with none, and the kernel passes over those that are masked:
    // decoding need not read them twice.
    if (shape[shape.rank() - 2] > 1) clean();
    AttentionCall call;
    out.context =
        score.context(q.x, k.x, v.x, options_.mask, added, options_.inspect ? &call : nullptr);
    if (options_.inspect && out.context.defined()) out.inspection = Inspection(std::move(call));
  }
  if (!out.context.defined()) {
    clean();
    const Tensor allowed = options_.mask.tensor(shape, "attend");
    Tensor biases = added.bias;
    if (added.diagonals.defined()) {
      biases = sum_of(biases, along_diagonals(added.diagonals, query.size(-2), keys_.size(-2)));
    }
    out.weights = weigh(q.x, k.x, biases, allowed, past);
    if (score.per_feature() && out.weights.size(-1) != v.x.size(-1)) {
      throw ShapeError(fmt::format("attend: {} features have scores, values are {}",
                                   out.weights.size(-1), describe(v.x)));
    }
    out.context = sum_up(out.weights, v.x);
    if (options_.inspect) out.inspection = Inspection(out.weights);
  }
  const NotFinite bad{q.bad, k.bad, v.bad};
  Onward onward{score.looks_back(), normaliser.goes_on(), past.spoiled};
  if (bad.any() || past.spoiled.defined()) {
    out.context = spread_not_finite(out.context, bad, options_.mask, shape, &out.weights, &onward);
    past.spoiled = onward.spoiled;
  }
  if (!options_.need_weights) out.weights = Tensor();
  return out;
}

Tensor Memory::weigh(const Tensor& query, const Tensor& keys, Tensor bias, const Tensor& allowed,
                     Past& past) const {
  const Score& score = score_of(options_);
  const Normaliser& normaliser = normaliser_of(options_);
  if (options_.relative != nullptr) {
    bias = sum_of(bias, options_.relative->scores(query, keys.size(-2)));
  }
  const auto rows = [&](const Tensor& q, const Tensor& b, const Tensor& may, const Tensor& before) {
    const Tensor scores = score(q, keys, before);
    if (!score.per_feature()) return normaliser(sum_of(scores, b), may, -1, &past.state);
    const auto by_feature = [](const Tensor& x) { return x.defined() ? unsqueeze(x, -1) : x; };
    return normaliser(sum_of(scores, by_feature(b)), by_feature(may), -2, &past.state);
  };
  if (!score.looks_back()) return rows(query, bias, allowed, Tensor());
  // Each query needs the weights of the one before.
  std::vector<Tensor> weights;
  const auto row = [](const Tensor& x, Index i) {
    return x.defined() && x.rank() >= 2 && x.size(-2) > 1 ? narrow(x, -2, i, 1) : x;
  };
  for (Index i = 0; i < query.size(-2); ++i) {
    past.weights = rows(narrow(query, -2, i, 1), row(bias, i), row(allowed, i), past.weights);
    weights.push_back(past.weights);
  }
  return weights.empty() ? rows(query, bias, allowed, Tensor()) : concat(weights, -2);
}

Tensor Memory::sum_up(Tensor weights, const Tensor& values) const {
  if (options_.dropout > 0) {
    weights = dropout(weights, options_.dropout,
                      options_.generator != nullptr ? *options_.generator : default_generator());
  }
  if (score_of(options_).per_feature()) return sum(weights * unsqueeze(values, -3), {-2});
  const Tensor context = matmul(weights, values);
  return options_.relative != nullptr ? context + options_.relative->context(weights) : context;
}

}  // namespace heed::attention
