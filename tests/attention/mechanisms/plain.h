// References for decoders: the papers' formulas over single numbers, in double, which share no code
// with the library.
#pragma once

#include <string>
#include <vector>

#include "../../../nn/module.h"

namespace heed::attention::plain {

using Numbers = std::vector<double>;

/// Any tensor's numbers in row-major order.
struct Block {
  Block() = default;
  explicit Block(const Tensor& x);
  double at(const std::vector<Index>& place) const;
  /// The last axis at the place of the others.
  Numbers row(const std::vector<Index>& place) const;
  Numbers numbers;
  std::vector<Index> sizes;
};

/// The module's parameter of this name.
Block parameter(const nn::Module& module, const std::string& name);

double sigmoid(double x);
double dot(const Numbers& a, const Numbers& b);
Numbers add(Numbers a, const Numbers& b);
Numbers tanh(Numbers x);
Numbers join(const std::vector<Numbers>& parts);
/// weight x + bias; a bias without numbers is none.
Numbers affine(const Block& weight, const Numbers& x, const Block& bias = Block());
/// module's `name`.weight, and `name`.bias if there is one.
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

/// The largest difference; infinite where counts differ.
double difference(const Tensor& x, const Numbers& y);
double difference(const Tensor& x, const Tensor& y);

}  // namespace heed::attention::plain
