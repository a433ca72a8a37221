// Mechanisms beside their formulas over single numbers, of a row that is full and of one with fewer
// steps.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../plain.h"

namespace heed::attention::formula {

using plain::Leaves;
using Rows = std::vector<Numbers>;

inline constexpr Index kB = 2, kT = 5, kE = 6, kH = 2, kD = 3;
inline const std::vector<Index> kLengths = {kT, 3};
inline constexpr DType kDType = DType::f64;

inline std::size_t z(Index i) { return static_cast<std::size_t>(i); }

inline Rows product(const Rows& a, const Rows& b) {
  Rows out(a.size(), Numbers(b.empty() ? 0 : b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b[k].size(); ++j) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}
inline Rows turned(const Rows& a) {
  Rows out(a[0].size(), Numbers(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) out[j][i] = a[i][j];
  }
  return out;
}
// softmax(a b^T / sqrt(D)), a row after the other.
inline Rows weights(const Rows& a, const Rows& b) {
  Rows out = product(a, turned(b));
  for (Numbers& row : out) {
    for (double& e : row) e /= std::sqrt(double{kD});
    row = plain::softmax(row, std::ssize(row));
  }
  return out;
}

// Of one row of the batch: x [T][E] of which the first n steps are real; the others are zeros.
struct Row {
  const Leaves& w;
  Rows x;
  Index n;
  Rows projected(const std::string& name, Index steps) const {
    Rows out;
    for (Index t = 0; t < steps; ++t) {
      out.push_back(plain::affine(w[name + ".weight"], x[z(t)], w[name + ".bias"]));
    }
    return out;
  }
  // Head h of the first `steps`.
  Rows head(const std::string& name, Index h, Index steps) const {
    Rows out;
    for (const Numbers& all : projected(name, steps)) {
      out.emplace_back(all.begin() + h * kD, all.begin() + (h + 1) * kD);
    }
    return out;
  }
};

using OfRow = std::function<Rows(const Row&)>;
// The heads [T][D] of each h, joined.
inline Rows joined(const std::function<Rows(Index h)>& head) {
  Rows out(kT);
  for (Index h = 0; h < kH; ++h) {
    const Rows own = head(h);
    for (std::size_t t = 0; t < out.size(); ++t) {
      out[t].insert(out[t].end(), own[t].begin(), own[t].end());
    }
  }
  return out;
}
inline Rows out_projected(const Row& row, Rows heads) {
  for (Numbers& each : heads) {
    each = plain::affine(row.w["out_proj.weight"], each, row.w["out_proj.bias"]);
  }
  return heads;
}

template <class Made>
void expect_formula(Made& made, const OfRow& formula, bool causal = false, Index compared = kT) {
  for (const Tensor& parameter : made.parameters()) nn::normal_(parameter, 0, 0.5);
  const Tensor x = randn({kB, kT, kE}, kDType);
  const Mask lengths = Mask::lengths(kLengths, kT);
  const Mask mask = causal ? lengths & Mask::causal() : lengths;
  const auto rows = [&](Index b) { return compared < 0 ? kLengths[z(b)] : compared; };
  plain::expect_same(
      plain::leaves_of(made, {{"x", x}}),
      [&] {
        const Tensor y = made(x, {.mask = mask}).context;
        std::vector<Tensor> out;
        for (Index b = 0; b < kB; ++b) out.push_back(narrow(select(y, 0, b), 0, 0, rows(b)));
        return out;
      },
      [&](const Leaves& w) {
        Numbers all;
        for (Index b = 0; b < kB; ++b) {
          Row row{w, plain::rows_of(w["x"], z(b), kT), kLengths[z(b)]};
          for (Index t = row.n; t < kT; ++t) row.x[z(t)].assign(kE, 0.0);
          const Rows y = formula(row);
          for (Index t = 0; t < rows(b); ++t) all.insert(all.end(), y[z(t)].begin(), y[z(t)].end());
        }
        return all;
      },
      1e-4);
}

}  // namespace heed::attention::formula
