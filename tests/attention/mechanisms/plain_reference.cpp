#include "plain_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "../../../autograd/backward.h"
#include "../../../autograd/ops/elementwise.h"
#include "../../../autograd/ops/reduce.h"

namespace heed::attention {

PlainTensor::PlainTensor(std::string name, const Tensor& x)
    : name_(std::move(name)), shape_(x.shape()), numbers_(x.array().to_vector<double>()) {}

std::size_t PlainTensor::place(std::initializer_list<Index> indices) const {
  if (static_cast<Index>(indices.size()) != shape_.rank()) throw std::logic_error(name_);
  Index at = 0, axis = 0;
  for (const Index i : indices) {
    if (i < 0 || i >= shape_[axis]) throw std::logic_error(name_);
    at = at * shape_[axis++] + i;
  }
  return static_cast<std::size_t>(at);
}

PlainLeaves::PlainLeaves(const std::vector<NamedLeaf>& leaves) {
  for (const auto& [name, leaf] : leaves) leaves_.emplace_back(name, leaf);
}

const PlainTensor& PlainLeaves::operator[](const std::string& name) const {
  for (const PlainTensor& leaf : leaves_) {
    if (leaf.name_ == name) return leaf;
  }
  throw std::logic_error("no leaf is called " + name);
}

double& PlainLeaves::number(std::size_t leaf, Index element) {
  return leaves_[leaf].numbers_[static_cast<std::size_t>(element)];
}

std::vector<NamedLeaf> leaves_of(const nn::Module& module,
                                 const std::vector<std::pair<std::string, Tensor>>& inputs) {
  std::vector<NamedLeaf> out;
  for (const auto& [name, tensor] : module.named_parameters()) out.push_back({name, tensor});
  for (auto [name, tensor] : inputs) out.push_back({name, tensor.set_requires_grad()});
  return out;
}

void expect_plain(const std::vector<NamedLeaf>& leaves,
                  const std::function<std::vector<Tensor>()>& ours, const Plain& plain) {
  PlainLeaves moved(leaves);
  const std::vector<double> wanted = plain(moved);
  std::vector<double> cotangents;
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
    const std::vector<double> y = plain(moved);
    double out = 0;
    for (std::size_t j = 0; j < y.size(); ++j) out += y[j] * cotangents[j];
    return out;
  };
  double largest = 0;
  for (std::size_t l = 0; l < leaves.size(); ++l) {
    const Tensor& leaf = leaves[l].leaf;
    const std::vector<double> have =
        leaf.grad().defined() ? leaf.grad().array().to_vector<double>()
                              : std::vector<double>(static_cast<std::size_t>(leaf.numel()), 0.0);
    for (Index i = 0; i < leaf.numel(); ++i) {
      constexpr double kStep = 1e-3;
      const double x = moved.number(l, i);
      const double near = at_element(x + kStep, l, i) - at_element(x - kStep, l, i);
      const double far = at_element(x + 2 * kStep, l, i) - at_element(x - 2 * kStep, l, i);
      moved.number(l, i) = x;
      const double numeric = (8 * near - far) / (12 * kStep);
      largest = std::max(largest, std::abs(numeric));
      EXPECT_NEAR(have[static_cast<std::size_t>(i)], numeric, 1e-8 * (1 + std::abs(numeric)))
          << leaves[l].name << " element " << i;
    }
  }
  EXPECT_GT(largest, 1e-3);
}

void expect_gradients(const std::vector<NamedLeaf>& leaves,
                      const std::function<std::vector<Tensor>()>& ours, Index elements) {
  const auto first = gradcheck(ours, leaves, {.step = 1e-4});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(ours, leaves, {.step = 1e-4, .max_elements = elements});
  EXPECT_TRUE(second) << second.text();
}

std::vector<std::vector<double>> bits_of(const std::vector<NamedLeaf>& leaves,
                                         const std::function<std::vector<Tensor>()>& ours) {
  for (auto [name, leaf] : leaves) leaf.zero_grad();
  std::vector<std::vector<double>> out;
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

void plain_softmax(std::vector<double>& e, Index count) {
  const auto end = e.begin() + count;
  const double top = count > 0 ? *std::max_element(e.begin(), end) : 0;
  double total = 0;
  for (auto x = e.begin(); x != end; ++x) total += * x = std::exp(*x - top);
  for (auto x = e.begin(); x != end; ++x) *x /= total;
  std::fill(end, e.end(), 0.0);
}

}  // namespace heed::attention
