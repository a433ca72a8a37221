#include "plain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "../../../autograd/backward.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"

namespace heed::attention::plain {
namespace {

double number(const Numbers& x, Index i) { return x.at(static_cast<std::size_t>(i)); }
Index count(const Numbers& x) { return static_cast<Index>(x.size()); }

Numbers part(const Numbers& x, Index which, Index parts) {
  const Index size = count(x) / parts;
  return Numbers(x.begin() + which * size, x.begin() + (which + 1) * size);
}

}  // namespace

Block parameter(const nn::Module& module, const std::string& name) {
  for (const auto& [own, tensor] : module.named_parameters()) {
    if (own == name) return Block(tensor);
  }
  throw std::runtime_error("no parameter " + name);
}

Block weight(const nn::Module& module, const std::string& name) {
  for (const auto& [own, tensor] : module.named_parameters()) {
    if (own == name + ".weight") return Block(tensor);
  }
  const Block g = parameter(module, name + ".weight_g");
  Block v = parameter(module, name + ".weight_v");
  const std::size_t outputs = g.values().size(), each = v.values().size() / outputs;
  for (std::size_t o = 0; o < outputs; ++o) {
    double squares = 0;
    for (std::size_t i = 0; i < each; ++i) squares += std::pow(v.values()[o * each + i], 2);
    for (std::size_t i = 0; i < each; ++i) {
      v.values()[o * each + i] *= g.values()[o] / std::sqrt(squares);
    }
  }
  return v;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double dot(const Numbers& a, const Numbers& b) {
  double out = 0;
  for (Index i = 0; i < count(a); ++i) out += number(a, i) * number(b, i);
  return out;
}

std::vector<Numbers> rows_of(const Block& x, std::size_t b, Index count) {
  std::vector<Numbers> out;
  for (std::size_t t = 0; static_cast<Index>(t) < count; ++t) {
    out.emplace_back();
    for (std::size_t c = 0; static_cast<Index>(c) < x.size(-1); ++c) {
      out.back().push_back(x(b, t, c));
    }
  }
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
  for (Index i = 0; i < weight.size(0); ++i) {
    double sum = bias.values().empty() ? 0 : number(bias.values(), i);
    for (Index j = 0; j < weight.size(1); ++j) sum += weight(i, j) * number(x, j);
    out.push_back(sum);
  }
  return out;
}

Numbers affine(const nn::Module& module, const std::string& name, const Numbers& x) {
  Block bias;
  for (const auto& [own, tensor] : module.named_parameters()) {
    if (own == name + ".bias") bias = Block(tensor);
  }
  return affine(weight(module, name), x, bias);
}

Numbers softmax(const Numbers& scores, Index length) {
  Numbers out(scores.size(), 0.0);
  if (length == 0) return out;
  const double top = *std::max_element(scores.begin(), scores.begin() + length);
  double total = 0;
  for (Index j = 0; j < length; ++j) total += std::exp(number(scores, j) - top);
  for (Index j = 0; j < length; ++j) {
    out[static_cast<std::size_t>(j)] = std::exp(number(scores, j) - top) / total;
  }
  return out;
}

Numbers weighed(const Numbers& weights, const Block& x, Index b) {
  Numbers out(static_cast<std::size_t>(x.size(-1)), 0.0);
  for (Index j = 0; j < count(weights); ++j) {
    for (Index d = 0; d < count(out); ++d) {
      out[static_cast<std::size_t>(d)] += number(weights, j) * x(b, j, d);
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

Leaves::Leaves(const std::vector<NamedLeaf>& leaves) {
  for (const auto& [name, leaf] : leaves) leaves_.emplace_back(name, leaf);
}

const Block& Leaves::operator[](const std::string& name) const {
  for (const auto& [own, block] : leaves_) {
    if (own == name) return block;
  }
  throw std::logic_error("no leaf is called " + name);
}

double& Leaves::number(std::size_t leaf, Index element) {
  return leaves_[leaf].second.values()[static_cast<std::size_t>(element)];
}

std::vector<NamedLeaf> leaves_of(const nn::Module& module,
                                 const std::vector<std::pair<std::string, Tensor>>& inputs) {
  std::vector<NamedLeaf> out;
  for (const auto& [name, tensor] : module.named_parameters()) out.push_back({name, tensor});
  for (auto [name, tensor] : inputs) out.push_back({name, tensor.set_requires_grad()});
  return out;
}

void expect_same(const std::vector<NamedLeaf>& leaves, const Ours& ours, const Reference& reference,
                 double step) {
  Leaves moved(leaves);
  const Numbers wanted = reference(moved);
  Numbers cotangents;
  Tensor loss = tensor(0, DType::f64);
  std::size_t at = 0;
  for (const Tensor& x : ours()) {
    const Tensor cotangent = randn(x.shape(), DType::f64);
    loss = loss + sum(x * cotangent);
    for (const double c : cotangent.array().to_vector<double>()) cotangents.push_back(c);
    for (const double have : x.array().to_vector<double>()) {
      ASSERT_LT(at, wanted.size());
      EXPECT_NEAR(have, wanted[at], 1e-10) << "number " << at;
      ++at;
    }
  }
  ASSERT_EQ(at, wanted.size());
  for (auto [name, leaf] : leaves) leaf.zero_grad();
  loss.backward();
  const auto at_element = [&](double x, std::size_t leaf, Index i) {
    moved.number(leaf, i) = x;
    const Numbers y = reference(moved);
    double out = 0;
    for (std::size_t j = 0; j < y.size(); ++j) out += y[j] * cotangents[j];
    return out;
  };
  double largest = 0;
  for (std::size_t l = 0; l < leaves.size(); ++l) {
    const Tensor& leaf = leaves[l].leaf;
    const Numbers have = leaf.grad().defined()
                             ? leaf.grad().array().to_vector<double>()
                             : Numbers(static_cast<std::size_t>(leaf.numel()), 0.0);
    for (Index i = 0; i < leaf.numel(); ++i) {
      const double x = moved.number(l, i);
      const double near = at_element(x + step, l, i) - at_element(x - step, l, i);
      const double far = at_element(x + 2 * step, l, i) - at_element(x - 2 * step, l, i);
      moved.number(l, i) = x;
      const double numeric = (8 * near - far) / (12 * step);
      largest = std::max(largest, std::abs(numeric));
      EXPECT_NEAR(have[static_cast<std::size_t>(i)], numeric, 1e-8 * (1 + std::abs(numeric)))
          << leaves[l].name << " element " << i;
    }
  }
  EXPECT_GT(largest, 1e-3);
}

void expect_gradients(const std::vector<NamedLeaf>& leaves, const Ours& ours, Index elements) {
  const auto first = gradcheck(ours, leaves, {.step = 1e-4});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(ours, leaves, {.step = 1e-4, .max_elements = elements});
  EXPECT_TRUE(second) << second.text();
}

std::vector<Numbers> bits_of(const std::vector<NamedLeaf>& leaves, const Ours& ours) {
  for (auto [name, leaf] : leaves) leaf.zero_grad();
  std::vector<Numbers> out;
  Tensor loss = tensor(0, DType::f64);
  for (const Tensor& x : ours()) {
    out.push_back(x.array().to_vector<double>());
    loss = loss + sum(x * x);
  }
  loss.backward();
  for (const auto& [name, leaf] : leaves) {
    if (leaf.grad().defined()) out.push_back(leaf.grad().array().to_vector<double>());
  }
  return out;
}

Tensor spoiled(const Tensor& x, const std::vector<Index>& lengths, double value) {
  Array out = x.array().clone();
  const Index n = x.size(1), d = x.size(2);
  for (Index b = 0; b < x.size(0); ++b) {
    const Index length = lengths[static_cast<std::size_t>(b)];
    double* const first = out.mutable_data<double>() + (b * n + length) * d;
    std::fill(first, first + (n - length) * d, value);
  }
  return Tensor(out);
}

void expect_hidden(const std::function<std::vector<Numbers>(double)>& bits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto clean = bits(0);
  for (const double value : {std::nan(""), kInfinity, -kInfinity, 1e9}) {
    EXPECT_TRUE(bits(value) == clean) << value;
  }
}

}  // namespace heed::attention::plain
