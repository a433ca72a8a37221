// A mechanism beside a plain reference: the paper's formulas over single numbers, which share no
// code with the library. Values must agree to 1e-10, gradients with central differences of the
// reference.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../../../autograd/gradcheck.h"
#include "../../../nn/module.h"

namespace heed::attention {

/// Numbers in row-major order: x(b, t, d).
class PlainTensor {
 public:
  PlainTensor(std::string name, const Tensor& x);

  template <class... Indices>
  double operator()(Indices... indices) const {
    return numbers_[place({static_cast<Index>(indices)...})];
  }

 private:
  friend class PlainLeaves;
  std::size_t place(std::initializer_list<Index> indices) const;
  std::string name_;
  Shape shape_;
  std::vector<double> numbers_;
};

class PlainLeaves {
 public:
  explicit PlainLeaves(const std::vector<NamedLeaf>& leaves);
  const PlainTensor& operator[](const std::string& name) const;
  double& number(std::size_t leaf, Index element);

 private:
  std::vector<PlainTensor> leaves_;
};

/// The module's parameters and these inputs, which then require gradients.
std::vector<NamedLeaf> leaves_of(const nn::Module& module,
                                 const std::vector<std::pair<std::string, Tensor>>& inputs);

using Plain = std::function<std::vector<double>(const PlainLeaves&)>;

/// `ours` gives tensors whose numbers, one after the other, are what `plain` returns.
void expect_plain(const std::vector<NamedLeaf>& leaves,
                  const std::function<std::vector<Tensor>()>& ours, const Plain& plain);

/// Gradients of first and second order by the library's own checks; of the second, `elements` of
/// each leaf.
void expect_gradients(const std::vector<NamedLeaf>& leaves,
                      const std::function<std::vector<Tensor>()>& ours, Index elements = 6);

/// All numbers of what `ours` gives, and of the gradients of their squares' sum.
std::vector<std::vector<double>> bits_of(const std::vector<NamedLeaf>& leaves,
                                         const std::function<std::vector<Tensor>()>& ours);

/// A copy of x [B, n, d] with `value` in the places from lengths[b] on.
Tensor spoiled(const Tensor& x, const std::vector<Index>& lengths, double value);

/// e becomes softmax of its first `count`, 0 beyond; none of 0.
void plain_softmax(std::vector<double>& e, Index count);

}  // namespace heed::attention
