// Steps whose optimizer has other parameters than the model, and what a batch weighs.
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/methods.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../data/loader.h"
#include "../../nn/linear.h"
#include "../../optim/clip.h"
#include "../../optim/sgd.h"
#include "../../train/run.h"
#include "../support/throws.h"

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

TEST(RunStep, RefusesWhatOneThatStepsByItselfWouldIgnore) {
  Net net;
  optim::SGD sgd(net.parameters(), {.lr = 0.1});
  const std::vector<Index> set(5);
  data::Loader batches(set, {.size = 1});
  Index calls = 0;
  const auto body = [&](const auto&) {
    ++calls;
    return Stepped{};
  };
  train::Run clipped(net, sgd, {.epochs = 1, .clip = 5, .quiet = true});
  EXPECT_ERROR_WITH(ValueError, "run: clip 5 is of gradients", clipped(batches, body));
  train::Run several(net, sgd, {.epochs = 1, .accumulate = 3, .quiet = true});
  EXPECT_ERROR_WITH(ValueError, "run: accumulate 3 is not for", several(batches, body));
  EXPECT_EQ(calls, 0);
  train::Run run(net, sgd, {.epochs = 1, .quiet = true});
  EXPECT_EQ(run(batches, body).rounds[0].step, 5);
}

TEST(RunStep, WeighsByFiniteNumbersThatAreNotNegative) {
  const auto trained = [](const std::vector<double>& weights) {
    Net net;
    optim::SGD sgd(net.parameters(), {.lr = 0.1});
    data::Loader batches(weights, {.size = 1, .shuffle = false});
    train::Run run(net, sgd, {.epochs = 1, .quiet = true});
    return run(batches, [&](const std::vector<double>& weight) {
      const double value = weight[0] == 0 ? std::nan("") : 10 * weight[0];
      return Loss{.tensor = net.loss(inputs()),
                  .shown = weight[0] == 0 ? HUGE_VAL : value,
                  .weight = weight[0],
                  .also = {{"value", value}}};
    });
  };
  const Training training = trained({2, 0, 3});  // what weighs nothing counts nothing
  EXPECT_NEAR(training.curve("train loss")[0], (2 * 20 + 3 * 30) / 5.0, 1e-12);
  EXPECT_NEAR(training.curve("value")[0], (2 * 20 + 3 * 30) / 5.0, 1e-12);
  EXPECT_ERROR(ValueError, "run: a loss weighs -1, which must be finite and not negative",
               trained({2, -1}));
  EXPECT_ERROR_WITH(ValueError, "run: a loss weighs inf", trained({HUGE_VAL}));
  EXPECT_ERROR_WITH(ValueError, "run: a loss weighs nan", trained({std::nan("")}));
}

}  // namespace
}  // namespace heed::train
