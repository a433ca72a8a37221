// A mechanism beside a plain reference: the paper's formulas over single numbers, in double, which
// share no code with the library. Values must agree to 1e-10; gradients, where they are compared,
// with central differences of the reference.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../../../autograd/gradcheck.h"
#include "../../../nn/module.h"
#include "../../support/block.h"
#include "../../support/numbers.h"
#include "../numbers.h"

namespace heed::attention::plain {

/// The module's parameter of this name.
Block parameter(const nn::Module& module, const std::string& name);
/// module's `name`.weight, or what `name`.weight_g and `name`.weight_v make of it.
Block weight(const nn::Module& module, const std::string& name);

double sigmoid(double x);
double dot(const Numbers& a, const Numbers& b);
Numbers add(Numbers a, const Numbers& b);
/// x[b, t, :] of the first `count` places t.
std::vector<Numbers> rows_of(const Block& x, std::size_t b, Index count);
Numbers tanh(Numbers x);
Numbers join(const std::vector<Numbers>& parts);
/// weight x + bias; a bias without numbers is none.
Numbers affine(const Block& weight, const Numbers& x, const Block& bias = Block());
/// weight(module, name), and `name`.bias if there is one.
Numbers affine(const nn::Module& module, const std::string& name, const Numbers& x);
/// Over the places below `length`; the others are 0.
Numbers softmax(const Numbers& scores, Index length);
/// sum_j weights_j rows_j of x [B, K, d].
Numbers weighed(const Numbers& weights, const Block& x, Index b);
/// The larger of each pair.
Numbers maxout(const Numbers& x);
/// One step with the module's `name`.weight_ih, ...
Numbers gru(const nn::Module& module, const std::string& name, const Numbers& x, const Numbers& h);
struct Lstm {
  Numbers h, c;
};
Lstm lstm(const nn::Module& module, const std::string& name, const Numbers& x, const Lstm& state);

/// The numbers of leaves by name, as a reference reads them while they are moved.
class Leaves {
 public:
  explicit Leaves(const std::vector<NamedLeaf>& leaves);
  const Block& operator[](const std::string& name) const;
  double& number(std::size_t leaf, Index element);

 private:
  std::vector<std::pair<std::string, Block>> leaves_;
};

/// The module's parameters and these inputs, which then require gradients.
std::vector<NamedLeaf> leaves_of(const nn::Module& module,
                                 const std::vector<std::pair<std::string, Tensor>>& inputs);

using Ours = std::function<std::vector<Tensor>()>;
using Reference = std::function<Numbers(const Leaves&)>;

/// `ours` gives tensors whose numbers, one after the other, are what `reference` returns. `step`:
/// of the differences, short where the reference is steep.
void expect_same(const std::vector<NamedLeaf>& leaves, const Ours& ours, const Reference& reference,
                 double step = 1e-3);

/// Gradients of first and second order by the library's own checks; of the second, `elements` of
/// each leaf.
void expect_gradients(const std::vector<NamedLeaf>& leaves, const Ours& ours, Index elements = 6);

/// All numbers of what `ours` gives, and of the gradients of their squares' sum.
std::vector<Numbers> bits_of(const std::vector<NamedLeaf>& leaves, const Ours& ours);

/// A copy of x [B, n, d] with `value` in the places from lengths[b] on.
Tensor spoiled(const Tensor& x, const std::vector<Index>& lengths, double value);
/// bits(value), of a call with `value` in all hidden places, are the same for whatever stands
/// there: 0, NaN, infinities, 1e9.
void expect_hidden(const std::function<std::vector<Numbers>(double value)>& bits);

}  // namespace heed::attention::plain
