#include "plain.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed::pretrained::plain {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

Row Weights::vector(const std::string& name) const {
  return arrays.at(name).to(DType::f64).to_vector<double>();
}

Rows Weights::matrix(const std::string& name) const {
  const Row flat = vector(name);
  const Index width = arrays.at(name).size(1);
  Rows out;
  for (Index i = 0; i < arrays.at(name).size(0); ++i) {
    out.emplace_back(flat.begin() + i * width, flat.begin() + (i + 1) * width);
  }
  return out;
}

Rows linear(const Weights& weights, const std::string& name, const Rows& x) {
  const Rows w = weights.matrix(name + ".weight");
  const Row b = weights.has(name + ".bias") ? weights.vector(name + ".bias") : Row(w.size(), 0);
  Rows out;
  for (const Row& row : x) {
    Row y = b;
    for (std::size_t o = 0; o < w.size(); ++o) {
      for (std::size_t i = 0; i < row.size(); ++i) y[o] += w[o][i] * row[i];
    }
    out.push_back(y);
  }
  return out;
}

Rows conv1d(const Weights& weights, const std::string& name, const Rows& x) {
  const Rows w = weights.matrix(name + ".weight");
  Rows out;
  for (const Row& row : x) {
    Row y = weights.vector(name + ".bias");
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (std::size_t o = 0; o < y.size(); ++o) y[o] += row[i] * w[i][o];
    }
    out.push_back(y);
  }
  return out;
}

Rows layer_norm(const Weights& weights, const std::string& name, const Rows& x, double eps) {
  const Row w = weights.vector(name + ".weight"), b = weights.vector(name + ".bias");
  Rows out = x;
  for (Row& row : out) {
    const auto n = static_cast<double>(row.size());
    double mean = 0, variance = 0;
    for (const double each : row) mean += each / n;
    for (const double each : row) variance += (each - mean) * (each - mean) / n;
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = (row[i] - mean) / std::sqrt(variance + eps) * w[i] + b[i];
    }
  }
  return out;
}

Rows rms_norm(const Weights& weights, const std::string& name, const Rows& x, double eps) {
  const Row w = weights.vector(name + ".weight");
  Rows out = x;
  for (Row& row : out) {
    double square = 0;
    for (const double each : row) square += each * each / static_cast<double>(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) row[i] *= w[i] / std::sqrt(square + eps);
  }
  return out;
}

Rows times(const Rows& x, double by) {
  Rows out = x;
  for (Row& row : out) {
    for (double& each : row) each *= by;
  }
  return out;
}

Rows plus(const Rows& x, const Rows& y) {
  Rows out = x;
  for (std::size_t t = 0; t < out.size(); ++t) {
    for (std::size_t i = 0; i < out[t].size(); ++i) out[t][i] += y[t][i];
  }
  return out;
}

Rows products(const Rows& x, const Rows& y) {
  Rows out = x;
  for (std::size_t t = 0; t < out.size(); ++t) {
    for (std::size_t i = 0; i < out[t].size(); ++i) out[t][i] *= y[t][i];
  }
  return out;
}

Rows map(const Rows& x, double (*f)(double)) {
  Rows out = x;
  for (Row& row : out) std::transform(row.begin(), row.end(), row.begin(), f);
  return out;
}

Rows rows(const Rows& table, const std::vector<Index>& ids) {
  Rows out;
  for (const Index id : ids) out.push_back(table.at(at(id)));
  return out;
}

Rows columns(const Rows& x, Index first, Index count) {
  Rows out;
  for (const Row& row : x) out.emplace_back(row.begin() + first, row.begin() + first + count);
  return out;
}

double relu(double x) { return std::max(x, 0.0); }
double gelu(double x) { return x * std::erfc(-x / std::numbers::sqrt2) / 2; }
double gelu_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double silu(double x) { return x / (1 + std::exp(-x)); }

Rows attend(const Rows& q, const Rows& k, const Rows& v, const Heads& heads) {
  const Index width = std::ssize(q[0]) / heads.heads, shared = heads.heads / heads.kv_heads;
  Rows out(q.size(), Row(q[0].size(), 0));
  for (Index h = 0; h < heads.heads; ++h) {
    const Index own = h * width, theirs = h / shared * width;
    for (Index i = 0; i < std::ssize(q); ++i) {
      Row weights(k.size(), 0);
      double sum = 0;
      for (Index j = 0; j < std::ssize(k); ++j) {
        if (!heads.allowed(i, j)) continue;
        double score = 0;
        for (Index d = 0; d < width; ++d) score += q[at(i)][at(own + d)] * k[at(j)][at(theirs + d)];
        weights[at(j)] = std::exp(score * heads.scale + heads.bias(h, i, j));
        sum += weights[at(j)];
      }
      for (Index j = 0; j < std::ssize(k); ++j) {
        for (Index d = 0; d < width; ++d) {
          out[at(i)][at(own + d)] += weights[at(j)] / sum * v[at(j)][at(theirs + d)];
        }
      }
    }
  }
  return out;
}

Rows turned(const Rows& x, Index heads, const Row& frequencies) {
  Rows out = x;
  const std::size_t half = frequencies.size();
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t h = 0; h < at(heads); ++h) {
      for (std::size_t i = 0; i < half; ++i) {
        const double angle = static_cast<double>(t) * frequencies[i];
        const double a = x[t][2 * h * half + i], b = x[t][(2 * h + 1) * half + i];
        out[t][2 * h * half + i] = a * std::cos(angle) - b * std::sin(angle);
        out[t][(2 * h + 1) * half + i] = b * std::cos(angle) + a * std::sin(angle);
      }
    }
  }
  return out;
}

Row frequencies(Index width, double base) {
  Row out;
  for (Index i = 0; i < width / 2; ++i) {
    out.push_back(std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width)));
  }
  return out;
}

Rows sinusoids(Index count, Index width) {
  Rows out(at(count), Row(at(width), 0));
  for (Index t = 0; t < count; ++t) {
    for (Index i = 0; i < width / 2; ++i) {
      const double angle =
          static_cast<double>(t) /
          std::pow(10000.0, 2.0 * static_cast<double>(i) / static_cast<double>(width));
      out[at(t)][at(i)] = std::sin(angle);
      out[at(t)][at(width / 2 + i)] = std::cos(angle);
    }
  }
  return out;
}

Index t5_bucket(Index distance, bool bidirectional, Index buckets, Index max_distance) {
  Index out = 0, n = -distance;
  if (bidirectional) {
    buckets /= 2;
    if (distance > 0) out = buckets;
    n = std::abs(distance);
  } else {
    n = std::max<Index>(n, 0);
  }
  const Index exact = buckets / 2;
  if (n < exact) return out + n;
  const double places = std::log(static_cast<double>(n) / static_cast<double>(exact)) /
                        std::log(static_cast<double>(max_distance) / static_cast<double>(exact)) *
                        static_cast<double>(buckets - exact);
  return out + std::min(exact + static_cast<Index>(places), buckets - 1);
}

}  // namespace heed::pretrained::plain
