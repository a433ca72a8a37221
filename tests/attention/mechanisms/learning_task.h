// Small tasks that a mechanism learns and a model without it does not: how they are trained and
// counted, and a model without any attention.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "../../../nn/linear.h"

namespace heed::attention {

using Ids = std::vector<Index>;

/// The same draws on every machine.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  /// In [0, n).
  Index operator()(Index n) { return static_cast<Index>(engine_() % static_cast<unsigned>(n)); }
  /// 0 .. n - 1 in any order.
  Ids order(Index n);

 private:
  std::mt19937 engine_;
};

Tensor ids(const Ids& numbers, const Shape& shape);

/// What goes in, as the model takes it, and the answers i64 [n], -100 where none is asked for.
struct TaskBatch {
  std::vector<Tensor> inputs;
  Tensor answers;
};

using Draw = std::function<TaskBatch(Dice& dice, Index count)>;
using Model = std::function<Tensor(const std::vector<Tensor>& inputs)>;  ///< logits [n, classes]

/// The share of right answers to 1,024 new examples, after so many steps of Adam on 32; printed as
/// `what`.
double learnt(const char* what, nn::Module& module, const Draw& draw, const Model& model, int steps,
              double lr);

/// The means of two sequences beside each other, and two layers.
class WithoutAttention : public nn::Module {
 public:
  WithoutAttention(Index in, Index hidden, Index out)
      : first(child<nn::Linear>("first", in, hidden)),
        second(child<nn::Linear>("second", hidden, out)) {}

  nn::Linear& first;
  nn::Linear& second;

  Tensor operator()(const Tensor& a, const Tensor& b) const;
};

}  // namespace heed::attention
