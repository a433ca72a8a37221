#include "sparse_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "active_set.h"
#include "chain_over_keys.h"

namespace heed::attention {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check(const Tensor& u, const Tensor& transitions) {
  check_defined("sparse_chain", u, "u", transitions, "transitions");
  check_floating("sparse_chain", u.dtype());
  if (u.rank() < 2 || u.size(-1) == 0) {
    throw ShapeError(fmt::format("sparse_chain: u must be [.., T, S], not {}", describe(u)));
  }
  const Index S = u.size(-1);
  if (transitions.shape() != Shape{S, S}) {
    throw ShapeError(fmt::format("sparse_chain: transitions must be [{}, {}], not {}", S, S,
                                 describe(transitions)));
  }
  if (transitions.dtype() != u.dtype()) {
    throw DTypeError(fmt::format("sparse_chain: dtypes differ: u is {}, transitions are {}",
                                 describe(u), describe(transitions)));
  }
}

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

// mu = by_u u + by_A A + constant, of one row [T S] and [S S].
struct Linear {
  double* by_u;
  double* by_A;
  double* constant;
};

// `places`: those of the row that are in the chain.
void write_linear(const detail::ActiveSet& set, const std::vector<Index>& places, Index T, Index S,
                  const Linear& out) {
  const std::size_t n = set.sequences.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t at = 0; at < places.size(); ++at) {
      const Index row = places[at] * S + set.sequences[i][at];
      out.constant[row] += set.constant[i];
      for (std::size_t j = 0; j < n; ++j) {
        const double slope = set.slope[i * n + j];
        const detail::Sequence& states = set.sequences[j];
        for (std::size_t t = 0; t < places.size(); ++t) {
          out.by_u[row * T * S + places[t] * S + states[t]] += slope;
          if (t > 0) out.by_A[row * S * S + states[t - 1] * S + states[t]] += slope;
        }
      }
    }
  }
}

}  // namespace

SparseChain sparse_chain(const Tensor& given, const Tensor& transitions, const Tensor& allowed) {
  check(given, transitions);
  const Index T = given.size(-2), S = given.size(-1);
  const Shape places = given.shape().without(given.rank() - 1);
  const Shape rows = places.without(places.rank() - 1);
  const Tensor may = allowed.defined() ? expand(allowed, places) : allowed;
  const Tensor u = may.defined() ? where(unsqueeze(may, -1), given, 0) : given;
  Array count = Array::zeros(rows, DType::i64);
  if (u.numel() == 0) return {u * 1, Tensor(count)};

  const auto numbers = u.array().to(DType::f64).to_vector<double>();
  const auto A = transitions.array().to(DType::f64).to_vector<double>();
  const auto in = may.defined() ? may.array().to_vector<bool>() : std::vector<bool>();
  const bool finite = std::all_of(A.begin(), A.end(), [](double x) { return std::isfinite(x); });
  const Index N = rows.numel(), TS = T * S;
  Array by_u = Array::zeros(Shape{N, TS, TS}, DType::f64);
  Array by_A = Array::zeros(Shape{N, TS, S * S}, DType::f64);
  Array constant = Array::zeros(Shape{N, TS}, DType::f64);
  for (Index row = 0; row < N; ++row) {
    std::vector<Index> there;
    detail::ChainScores scores{0, S, {}, A};
    for (Index t = 0; t < T; ++t) {
      if (!in.empty() && !in[z(row * T + t)]) continue;
      there.push_back(t);
      const auto begin = numbers.begin() + row * TS + t * S;
      scores.u.insert(scores.u.end(), begin, begin + S);
    }
    scores.T = std::ssize(there);
    if (there.empty()) continue;
    double* const rest = constant.mutable_data<double>() + row * TS;
    if (!finite ||
        !std::all_of(scores.u.begin(), scores.u.end(), [](double x) { return std::isfinite(x); })) {
      for (const Index t : there) std::fill_n(rest + t * S, S, kNaN);
      continue;
    }
    const detail::ActiveSet set = detail::active_set(scores);
    count.mutable_data<std::int64_t>()[row] = std::ssize(set.sequences);
    write_linear(set, there, T, S,
                 {by_u.mutable_data<double>() + row * TS * TS,
                  by_A.mutable_data<double>() + row * TS * S * S, rest});
  }
  const auto constant_of = [&](const Array& x) { return Tensor(x.to(u.dtype())); };
  const Tensor flat = reshape(u, Shape{N, TS, 1});
  const Tensor finite_u = where(isfinite(flat), flat, 0);
  Tensor mu = squeeze(matmul(constant_of(by_u), finite_u), -1) + constant_of(constant);
  if (finite) mu = mu + matmul(constant_of(by_A), reshape(transitions, Shape{S * S}));
  return {reshape(mu, u.shape()), Tensor(count)};
}

SparseLinearChain::SparseLinearChain(DType dtype)
    : transitions(parameter("transitions", zeros({2, 2}, dtype))) {}

Tensor SparseLinearChain::operator()(const Tensor& scores, const Tensor& allowed, Index axis,
                                     Tensor*) const {
  const Scope scope(*this);
  return forwarded(chain_over_keys(scores, allowed, axis, [&](const Tensor& u, const Tensor& may) {
    return sparse_chain(u, transitions, may).nodes;
  }));
}

}  // namespace heed::attention
