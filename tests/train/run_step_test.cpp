// Steps whose optimizer has other parameters than the model.
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/methods.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/generator.h"
#include "../../data/loader.h"
#include "../../nn/linear.h"
#include "../../optim/clip.h"
#include "../../optim/sgd.h"
#include "../../train/run.h"

namespace heed::train {
namespace {

class Net : public nn::Module {
 public:
  nn::Linear& body = child<nn::Linear>("body", 3, 5, true, DType::f64);
  nn::Linear& head = child<nn::Linear>("head", 5, 2, true, DType::f64);
  Tensor loss(const Tensor& x) { return mean(square(head(tanh(body(x))) - 1.0)); }
};

Tensor inputs() {
  Generator generator(9);
  return Tensor(generator.normal({7, 3}, 0, 1, DType::f64));
}

std::vector<double> numbers(const Net& net) {
  std::vector<double> out;
  for (const Tensor& each : net.parameters()) {
    for (const double x : each.array().to_vector<double>()) out.push_back(x);
  }
  return out;
}

// What the optimizer leaves alone gets gradients, too: of this step, not of all before it.
TEST(RunStep, ClipsTheGradientOfOneStepWhereAPartIsTrained) {
  const Tensor x = inputs();
  const auto trained = [&](bool by_run) {
    manual_seed(3);
    Net net;
    optim::SGD sgd(net.head.parameters(), {.lr = 0.1});
    if (by_run) {
      const std::vector<Index> set(1);
      data::Loader batches(set, {.size = 1});
      train::Run run(net, sgd, {.epochs = 9, .clip = 0.05, .quiet = true});
      run(batches, [&](const auto&) { return net.loss(x); });
    } else {
      for (int step = 0; step < 9; ++step) {
        net.zero_grad();
        net.loss(x).backward();
        optim::clip_grad_norm(net.parameters(), 0.05);
        sgd.step();
      }
    }
    return numbers(net);
  };
  EXPECT_EQ(trained(true), trained(false));
}

// And what the model does not know belongs to the gradient.
TEST(RunStep, ClipsWhatTheOptimizerHasBesidesTheModel) {
  manual_seed(3);
  Net net;
  Tensor scale = tensor(2.0, DType::f64).set_requires_grad();
  std::vector<Tensor> all = net.parameters();
  all.push_back(scale);
  optim::SGD sgd(all, {.lr = 1});
  const Tensor x = inputs();
  const std::vector<Index> set(1);
  data::Loader batches(set, {.size = 1});
  const std::vector<double> before = numbers(net);
  train::Run run(net, sgd, {.epochs = 1, .clip = 0.01, .quiet = true});
  run(batches, [&](const auto&) { return net.loss(x) * scale * 1000.0; });
  const std::vector<double> after = numbers(net);
  double square_of_step = std::pow(scale.item() - 2.0, 2);
  EXPECT_GT(square_of_step, 0);
  for (std::size_t i = 0; i < after.size(); ++i)
    square_of_step += std::pow(after[i] - before[i], 2);
  EXPECT_NEAR(std::sqrt(square_of_step), 0.01, 1e-8);
}

}  // namespace
}  // namespace heed::train
