#include "plain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace heed::attention::plain {
namespace {

double number(const Numbers& x, Index i) { return x.at(static_cast<std::size_t>(i)); }
Index count(const Numbers& x) { return static_cast<Index>(x.size()); }

Numbers part(const Numbers& x, Index which, Index parts) {
  const Index size = count(x) / parts;
  return Numbers(x.begin() + which * size, x.begin() + (which + 1) * size);
}

}  // namespace

Block::Block(const Tensor& x)
    : numbers(x.array().to(DType::f64).to_vector<double>()),
      sizes(x.shape().begin(), x.shape().end()) {}

double Block::at(const std::vector<Index>& place) const {
  Index offset = 0;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    offset = offset * sizes[axis] + place.at(axis);
  }
  return number(numbers, offset);
}

Numbers Block::row(const std::vector<Index>& place) const {
  Numbers out;
  std::vector<Index> whole = place;
  whole.push_back(0);
  for (Index i = 0; i < sizes.back(); ++i) {
    whole.back() = i;
    out.push_back(at(whole));
  }
  return out;
}

Block parameter(const nn::Module& module, const std::string& name) {
  for (const auto& [own, tensor] : module.named_parameters()) {
    if (own == name) return Block(tensor);
  }
  throw std::runtime_error("no parameter " + name);
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double dot(const Numbers& a, const Numbers& b) {
  double out = 0;
  for (Index i = 0; i < count(a); ++i) out += number(a, i) * number(b, i);
  return out;
}

Numbers add(Numbers a, const Numbers& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b.at(i);
  return a;
}

Numbers tanh(Numbers x) {
  for (double& each : x) each = std::tanh(each);
  return x;
}

Numbers join(const std::vector<Numbers>& parts) {
  Numbers out;
  for (const Numbers& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

Numbers affine(const Block& weight, const Numbers& x, const Block& bias) {
  Numbers out;
  for (Index i = 0; i < weight.sizes[0]; ++i) {
    double sum = bias.numbers.empty() ? 0 : number(bias.numbers, i);
    for (Index j = 0; j < weight.sizes[1]; ++j) sum += weight.at({i, j}) * number(x, j);
    out.push_back(sum);
  }
  return out;
}

Numbers affine(const nn::Module& module, const std::string& name, const Numbers& x) {
  Block bias;
  for (const auto& [own, tensor] : module.named_parameters()) {
    if (own == name + ".bias") bias = Block(tensor);
  }
  return affine(parameter(module, name + ".weight"), x, bias);
}

Numbers softmax(const Numbers& scores, Index length) {
  Numbers out(scores.size(), 0.0);
  double total = 0;
  for (Index j = 0; j < length; ++j) total += std::exp(number(scores, j));
  for (Index j = 0; j < length; ++j) {
    out[static_cast<std::size_t>(j)] = std::exp(number(scores, j)) / total;
  }
  return out;
}

Numbers weighed(const Numbers& weights, const Block& x, Index b) {
  Numbers out(static_cast<std::size_t>(x.sizes.back()), 0.0);
  for (Index j = 0; j < count(weights); ++j) {
    for (Index d = 0; d < count(out); ++d) {
      out[static_cast<std::size_t>(d)] += number(weights, j) * x.at({b, j, d});
    }
  }
  return out;
}

Numbers maxout(const Numbers& x) {
  Numbers out;
  for (Index i = 0; i < count(x); i += 2) out.push_back(std::max(number(x, i), number(x, i + 1)));
  return out;
}

Numbers gru(const nn::Module& module, const std::string& name, const Numbers& x, const Numbers& h) {
  const auto of = [&](const char* which, const Numbers& from) {
    return affine(parameter(module, name + ".weight_" + which), from,
                  parameter(module, name + ".bias_" + which));
  };
  const Numbers a = of("ih", x), b = of("hh", h);
  const Index H = count(h);
  Numbers out;
  for (Index i = 0; i < H; ++i) {
    const double r = sigmoid(number(a, i) + number(b, i));
    const double z = sigmoid(number(a, H + i) + number(b, H + i));
    const double n = std::tanh(number(a, 2 * H + i) + r * number(b, 2 * H + i));
    out.push_back((1 - z) * n + z * number(h, i));
  }
  return out;
}

Lstm lstm(const nn::Module& module, const std::string& name, const Numbers& x, const Lstm& state) {
  const auto of = [&](const char* which, const Numbers& from) {
    return affine(parameter(module, name + ".weight_" + which), from,
                  parameter(module, name + ".bias_" + which));
  };
  const Numbers sums = add(of("ih", x), of("hh", state.h));
  const Numbers i = part(sums, 0, 4), f = part(sums, 1, 4), g = part(sums, 2, 4);
  const Numbers o = part(sums, 3, 4);
  Lstm out;
  for (Index at = 0; at < count(state.h); ++at) {
    const double c = sigmoid(number(f, at)) * number(state.c, at) +
                     sigmoid(number(i, at)) * std::tanh(number(g, at));
    out.c.push_back(c);
    out.h.push_back(sigmoid(number(o, at)) * std::tanh(c));
  }
  return out;
}

double difference(const Tensor& x, const Numbers& y) {
  const Numbers own = x.array().to(DType::f64).to_vector<double>();
  if (own.size() != y.size()) return std::numeric_limits<double>::infinity();
  double most = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (own[i] == y[i]) continue;  // infinities too
    const double apart = std::abs(own[i] - y[i]);
    if (std::isnan(apart)) return std::numeric_limits<double>::infinity();
    most = std::max(most, apart);
  }
  return most;
}

double difference(const Tensor& x, const Tensor& y) {
  if (x.shape() != y.shape()) return std::numeric_limits<double>::infinity();
  return difference(x, y.array().to(DType::f64).to_vector<double>());
}

}  // namespace heed::attention::plain
