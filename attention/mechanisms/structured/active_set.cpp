#include "active_set.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed::attention::detail {
namespace {

using Numbers = std::vector<double>;

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

// At how many places two sequences agree: the product of their indicators.
double agreement(const Sequence& a, const Sequence& b) {
  double out = 0;
  for (std::size_t t = 0; t < a.size(); ++t) out += a[t] == b[t] ? 1 : 0;
  return out;
}

// The inverse of a matrix [n, n], by Gauss and Jordan with pivots.
Numbers inverse(Numbers a, std::size_t n) {
  Numbers out(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) out[i * n + i] = 1;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r) {
      if (std::abs(a[r * n + c]) > std::abs(a[pivot * n + c])) pivot = r;
    }
    for (std::size_t k = 0; k < n; ++k) {
      std::swap(a[c * n + k], a[pivot * n + k]);
      std::swap(out[c * n + k], out[pivot * n + k]);
    }
    const double by = 1 / a[c * n + c];
    for (std::size_t k = 0; k < n; ++k) a[c * n + k] *= by, out[c * n + k] *= by;
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = a[r * n + c];
      if (r == c || factor == 0) continue;
      for (std::size_t k = 0; k < n; ++k) {
        a[r * n + k] -= factor * a[c * n + k];
        out[r * n + k] -= factor * out[c * n + k];
      }
    }
  }
  return out;
}

// [M^T M, 1; 1^T, 0] [y; tau] = [scores; 1]
void solve(ActiveSet& set) {
  const std::size_t n = set.sequences.size();
  Numbers system((n + 1) * (n + 1), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      system[i * (n + 1) + j] = agreement(set.sequences[i], set.sequences[j]);
    }
    system[i * (n + 1) + n] = system[n * (n + 1) + i] = 1;
  }
  const Numbers solution = inverse(std::move(system), n + 1);
  set.slope.assign(n * n, 0.0);
  set.constant.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) set.slope[i * n + j] = solution[i * (n + 1) + j];
    set.constant[i] = solution[i * (n + 1) + n];
  }
}

Numbers nodes(const ActiveSet& set, const ChainScores& scores) {
  Numbers out(scores.u.size(), 0.0);
  for (std::size_t i = 0; i < set.sequences.size(); ++i) {
    for (Index t = 0; t < scores.T; ++t) {
      out[z(t * scores.S + set.sequences[i][z(t)])] += set.weights[i];
    }
  }
  return out;
}

}  // namespace

double ChainScores::of(const Sequence& states) const {
  double out = 0;
  for (Index t = 0; t < T; ++t) {
    out += u[z(t * S + states[z(t)])];
    if (t > 0) out += A[z(states[z(t - 1)] * S + states[z(t)])];
  }
  return out;
}

Sequence ChainScores::best(const std::vector<double>& less) const {
  Numbers at(z(S)), next(z(S));
  std::vector<Index> from(z(T * S), 0);
  for (Index j = 0; j < S; ++j) at[z(j)] = u[z(j)] - less[z(j)];
  for (Index t = 1; t < T; ++t) {
    for (Index j = 0; j < S; ++j) {
      Index best = 0;
      for (Index i = 1; i < S; ++i) {
        if (at[z(i)] + A[z(i * S + j)] > at[z(best)] + A[z(best * S + j)]) best = i;
      }
      from[z(t * S + j)] = best;
      next[z(j)] = at[z(best)] + A[z(best * S + j)] + u[z(t * S + j)] - less[z(t * S + j)];
    }
    std::swap(at, next);
  }
  Sequence out(z(T));
  out.back() = std::max_element(at.begin(), at.end()) - at.begin();
  for (Index t = T - 1; t > 0; --t) out[z(t - 1)] = from[z(t * S + out[z(t)])];
  return out;
}

ActiveSet active_set(const ChainScores& scores) {
  ActiveSet set;
  set.sequences = {scores.best(Numbers(scores.u.size(), 0.0))};
  set.weights = {1};
  solve(set);
  double size = 1;
  for (const double x : scores.u) size = std::max(size, std::abs(x));
  for (const double x : scores.A) size = std::max(size, std::abs(x));
  const double enough = 1e-13 * size * static_cast<double>(scores.T);
  // Finitely many sets, each better than the one before; the bound is for what rounding may do.
  for (Index round = 0; round < 100 * (scores.T * scores.S + 10); ++round) {
    const Numbers mu = nodes(set, scores);
    const auto gain = [&](const Sequence& states) {
      double out = scores.of(states);
      for (Index t = 0; t < scores.T; ++t) out -= mu[z(t * scores.S + states[z(t)])];
      return out;
    };
    double have = 0;
    for (std::size_t i = 0; i < set.sequences.size(); ++i) {
      have += set.weights[i] * gain(set.sequences[i]);
    }
    const Sequence found = scores.best(mu);
    const bool in =
        std::find(set.sequences.begin(), set.sequences.end(), found) != set.sequences.end();
    if (in || gain(found) <= have + enough) break;
    set.sequences.push_back(found);
    set.weights.push_back(0);
    for (;;) {
      solve(set);
      const std::size_t n = set.sequences.size();
      Numbers wanted = set.constant;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          wanted[i] += set.slope[i * n + j] * scores.of(set.sequences[j]);
        }
      }
      // As far as all weights stay above 0.
      double step = 1;
      std::size_t out = n;
      for (std::size_t i = 0; i < n; ++i) {
        if (wanted[i] > 0) continue;
        const double here = set.weights[i] / (set.weights[i] - wanted[i]);
        if (out == n || here < step) step = here, out = i;
      }
      if (out == n) {
        set.weights = wanted;
        break;
      }
      for (std::size_t i = 0; i < n; ++i) {
        set.weights[i] += step * (wanted[i] - set.weights[i]);
      }
      set.sequences.erase(set.sequences.begin() + static_cast<std::ptrdiff_t>(out));
      set.weights.erase(set.weights.begin() + static_cast<std::ptrdiff_t>(out));
    }
  }
  return set;
}

}  // namespace heed::attention::detail
