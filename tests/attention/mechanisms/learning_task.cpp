#include "learning_task.h"

#include <cstdio>
#include <numeric>
#include <utility>

#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../optim/adam.h"

namespace heed::attention {

Ids Dice::order(Index n) {
  Ids out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  for (Index i = n - 1; i > 0; --i) {
    std::swap(out[static_cast<std::size_t>(i)], out[static_cast<std::size_t>((*this)(i + 1))]);
  }
  return out;
}

Tensor ids(const Ids& numbers, const Shape& shape) {
  return reshape(Tensor(Array::from(numbers)), shape);
}

double learnt(const char* what, nn::Module& module, const Draw& draw, const Model& model, int steps,
              double lr) {
  optim::Adam adam(module.parameters(), {.lr = lr});
  Dice dice(5);
  for (int step = 0; step < steps; ++step) {
    const TaskBatch batch = draw(dice, 32);
    module.zero_grad();
    cross_entropy(model(batch.inputs), batch.answers).backward();
    adam.step();
  }
  const NoGrad off;
  Dice other(6);
  const TaskBatch fresh = draw(other, 1024);
  const Ids guesses = argmax(model(fresh.inputs), -1).array().to_vector<Index>();
  const Ids answers = fresh.answers.array().to_vector<Index>();
  double right = 0, asked = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i] < 0) continue;
    right += guesses[i] == answers[i] ? 1 : 0;
    ++asked;
  }
  std::printf("%-44s %5.1f %% right, %lld parameters\n", what, 100 * right / asked,
              static_cast<long long>(module.parameter_count()));
  return right / asked;
}

Tensor WithoutAttention::operator()(const Tensor& a, const Tensor& b) const {
  return second(tanh(first(concat({mean(a, {1}), mean(b, {1})}, -1))));
}

}  // namespace heed::attention
