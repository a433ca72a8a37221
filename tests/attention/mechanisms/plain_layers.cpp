#include "plain_layers.h"

#include <cmath>
#include <numbers>

namespace heed::attention::plain {

Numbers linear(const Leaves& w, const std::string& name, const Numbers& x) {
  return affine(w[name + ".weight"], x, w[name + ".bias"]);
}

Rows linear(const Leaves& w, const std::string& name, const Rows& x) {
  Rows out;
  for (const Numbers& row : x) out.push_back(linear(w, name, row));
  return out;
}

Numbers layer_norm(const Leaves& w, const std::string& name, const Numbers& x) {
  double mean = 0, variance = 0;
  for (const double each : x) mean += each / static_cast<double>(x.size());
  for (const double each : x) variance += std::pow(each - mean, 2) / static_cast<double>(x.size());
  Numbers out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    out.push_back((x[i] - mean) / std::sqrt(variance + 1e-5) * w[name + ".weight"](i) +
                  w[name + ".bias"](i));
  }
  return out;
}

Rows heads(const Leaves& w, const std::string& name, Index count, const Rows& from,
           const Rows& to) {
  const Block in = w[name + ".in_proj_weight"], bias = w[name + ".in_proj_bias"];
  const Index E = in.size(1), D = E / count;
  const auto projected = [&](const Rows& x, Index which, Index h) {
    Rows out;
    for (const Numbers& row : x) {
      const Numbers all = affine(in, row, bias);
      const auto begin = all.begin() + which * E + h * D;
      out.emplace_back(begin, begin + D);
    }
    return out;
  };
  Rows joined(from.size());
  for (Index h = 0; h < count; ++h) {
    const Rows q = projected(from, 0, h), k = projected(to, 1, h), v = projected(to, 2, h);
    for (std::size_t i = 0; i < from.size(); ++i) {
      Numbers scores;
      for (const Numbers& key : k) {
        scores.push_back(dot(q[i], key) / std::sqrt(static_cast<double>(D)));
      }
      const Numbers weights = softmax(scores, static_cast<Index>(scores.size()));
      Numbers seen(static_cast<std::size_t>(D), 0.0);
      for (std::size_t j = 0; j < v.size(); ++j) {
        for (std::size_t d = 0; d < seen.size(); ++d) seen[d] += weights[j] * v[j][d];
      }
      joined[i].insert(joined[i].end(), seen.begin(), seen.end());
    }
  }
  return linear(w, name + ".out_proj", joined);
}

Numbers gelu(Numbers x) {
  for (double& each : x) each *= (1 + std::erf(each / std::numbers::sqrt2)) / 2;
  return x;
}

}  // namespace heed::attention::plain
