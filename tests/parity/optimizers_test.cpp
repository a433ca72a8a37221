// Optimizers, a schedule and clipping, over 100 steps of one small problem in f64. Those that
// libtorch's C++ front end lacks: Adadelta, ReduceLROnPlateau and every schedule but StepLR.
#include <gtest/gtest.h>

#include <map>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/losses/regression_losses.h"
#include "../../core/generator.h"
#include "../../optim/optim.h"
#include "parity.h"

namespace heed::parity {
namespace {

constexpr double kTolerance = 1e-9;
constexpr int kSteps = 100;

// tanh(x w + b) to be made y, by either side.
class Problem {
 public:
  Problem() {
    for (const Tensor& parameter : ours()) theirs_.push_back(to_torch(parameter).requires_grad_());
    for (Tensor& parameter : ours_) parameter.set_requires_grad();
  }
  const std::vector<Tensor>& ours() const { return ours_; }
  const std::vector<torch::Tensor>& theirs() const { return theirs_; }

  Tensor our_loss() const { return mse_loss(tanh(matmul(x_, ours_[0]) + ours_[1]), y_); }
  torch::Tensor their_loss() const {
    const auto out = torch::tanh(torch::matmul(to_torch(x_), theirs_[0]) + theirs_[1]);
    return torch::mse_loss(out, to_torch(y_));
  }
  void backward() {
    our_loss().backward();
    their_loss().backward();
  }
  void expect_agreement(int step, double tolerance = kTolerance) const {
    for (std::size_t i = 0; i < ours_.size(); ++i) {
      expect_close(ours_[i], theirs_[i], tolerance,
                   "parameter " + std::to_string(i) + " after step " + std::to_string(step));
    }
  }

 private:
  Generator generator_{7};
  Tensor x_ = draw({11, 3}, Domain::any, DType::f64, generator_);
  Tensor y_ = draw({11, 5}, Domain::unit, DType::f64, generator_);
  std::vector<Tensor> ours_ = {draw({3, 5}, Domain::any, DType::f64, generator_),
                               draw({5}, Domain::any, DType::f64, generator_)};
  std::vector<torch::Tensor> theirs_;
};

void train(Problem& problem, optim::Optimizer& ours, torch::optim::Optimizer& theirs) {
  for (int step = 0; step < kSteps && !testing::Test::HasFatalFailure(); ++step) {
    problem.backward();
    ours.step();
    theirs.step();
    problem.expect_agreement(step);
    ours.zero_grad();
    theirs.zero_grad();
  }
}

template <class Ours, class Theirs, class OurOptions, class TheirOptions>
void compare(const OurOptions& our_options, const TheirOptions& their_options) {
  Problem problem;
  Ours ours(problem.ours(), our_options);
  Theirs theirs(problem.theirs(), their_options);
  train(problem, ours, theirs);
}

void sgd() {
  using Theirs = torch::optim::SGDOptions;
  const auto both = compare<optim::SGD, torch::optim::SGD, optim::SGDOptions, Theirs>;
  both({.lr = 0.1}, Theirs(0.1));
  both({.lr = 0.1, .weight_decay = 0.03}, Theirs(0.1).weight_decay(0.03));
  both({.lr = 0.1, .momentum = 0.8, .dampening = 0.3, .weight_decay = 0.03},
       Theirs(0.1).momentum(0.8).dampening(0.3).weight_decay(0.03));
  both({.lr = 0.1, .momentum = 0.8, .weight_decay = 0.03, .nesterov = true},
       Theirs(0.1).momentum(0.8).weight_decay(0.03).nesterov(true));
}

void adam() {
  using Theirs = torch::optim::AdamOptions;
  const auto both = compare<optim::Adam, torch::optim::Adam, optim::AdamOptions, Theirs>;
  both({}, Theirs());
  both({.lr = 0.03, .betas = {0.8, 0.95}, .eps = 1e-4, .weight_decay = 0.02},
       Theirs(0.03).betas({0.8, 0.95}).eps(1e-4).weight_decay(0.02));
}

void adamw() {
  using Theirs = torch::optim::AdamWOptions;
  const auto both = compare<optim::AdamW, torch::optim::AdamW, optim::AdamWOptions, Theirs>;
  both({}, Theirs());
  both({.lr = 0.03, .betas = {0.8, 0.95}, .eps = 1e-4, .weight_decay = 0.2},
       Theirs(0.03).betas({0.8, 0.95}).eps(1e-4).weight_decay(0.2));
}

void adagrad() {
  using Theirs = torch::optim::AdagradOptions;
  const auto both = compare<optim::Adagrad, torch::optim::Adagrad, optim::AdagradOptions, Theirs>;
  both({}, Theirs());
  both({.lr = 0.3,
        .lr_decay = 0.1,
        .weight_decay = 0.02,
        .initial_accumulator_value = 0.5,
        .eps = 1e-4},
       Theirs(0.3).lr_decay(0.1).weight_decay(0.02).initial_accumulator_value(0.5).eps(1e-4));
}

void rmsprop() {
  using Theirs = torch::optim::RMSpropOptions;
  const auto both = compare<optim::RMSprop, torch::optim::RMSprop, optim::RMSpropOptions, Theirs>;
  both({}, Theirs());
  both({.lr = 0.003, .alpha = 0.9, .weight_decay = 0.02, .momentum = 0.7},
       Theirs(0.003).alpha(0.9).weight_decay(0.02).momentum(0.7));
  both({.lr = 0.003, .eps = 1e-3, .centered = true}, Theirs(0.003).eps(1e-3).centered(true));
}

void lbfgs() {
  for (const bool search : {false, true}) {
    Problem problem;
    using Theirs = torch::optim::LBFGSOptions;
    auto options = Theirs(search ? 1 : 0.1).max_iter(4).history_size(3);
    if (search) options = options.line_search_fn("strong_wolfe");
    optim::LBFGS ours(problem.ours(), {.lr = search ? 1 : 0.1,
                                       .max_iter = 4,
                                       .history_size = 3,
                                       .line_search = search ? optim::LineSearch::strong_wolfe
                                                             : optim::LineSearch::none});
    torch::optim::LBFGS theirs(problem.theirs(), options);
    for (int step = 0; step < 8 && !testing::Test::HasFatalFailure(); ++step) {
      const double our_loss = ours.step([&] {
        ours.zero_grad();
        const Tensor loss = problem.our_loss();
        loss.backward();
        return loss;
      });
      const torch::Tensor their_loss = theirs.step([&] {
        theirs.zero_grad();
        const torch::Tensor loss = problem.their_loss();
        loss.backward();
        return loss;
      });
      EXPECT_NEAR(our_loss, their_loss.item<double>(), 1e-6) << step;
      // Rounding grows with each direction that is made from the ones before.
      problem.expect_agreement(step, 1e-6);
    }
  }
}

void step_lr() {
  Problem problem;
  optim::SGD ours(problem.ours(), {.lr = 0.3});
  torch::optim::SGD theirs(problem.theirs(), torch::optim::SGDOptions(0.3));
  optim::StepLR our_schedule(ours, 17, 0.4);
  torch::optim::StepLR their_schedule(theirs, 17, 0.4);
  their_schedule.step();  // the one for step 0, which in Python the constructor makes
  for (int step = 0; step < kSteps && !testing::Test::HasFatalFailure(); ++step) {
    ASSERT_NEAR(ours.lr(), theirs.param_groups()[0].options().get_lr(), kTolerance) << step;
    problem.backward();
    ours.step();
    theirs.step();
    problem.expect_agreement(step);
    ours.zero_grad();
    theirs.zero_grad();
    our_schedule.step();
    their_schedule.step();
  }
}

void expect_same_gradients(const Problem& problem) {
  for (std::size_t i = 0; i < problem.ours().size(); ++i) {
    expect_close(problem.ours()[i].grad(), problem.theirs()[i].grad(), kTolerance, "gradient");
  }
}

void clip_norm() {
  for (const double norm_type : {1.0, 2.0, 3.0, static_cast<double>(INFINITY)}) {
    for (const double max_norm : {0.01, 1e3}) {
      Problem problem;
      problem.backward();
      const double ours = optim::clip_grad_norm(problem.ours(), max_norm, norm_type);
      const double theirs =
          torch::nn::utils::clip_grad_norm_(problem.theirs(), max_norm, norm_type);
      EXPECT_NEAR(ours, theirs, kTolerance);
      expect_same_gradients(problem);
    }
  }
}

void clip_value() {
  Problem problem;
  problem.backward();
  optim::clip_grad_value(problem.ours(), 0.01);
  torch::nn::utils::clip_grad_value_(problem.theirs(), 0.01);
  expect_same_gradients(problem);
}

const std::map<std::string, void (*)()> kComparisons = {{"SGD", sgd},
                                                        {"Adam", adam},
                                                        {"AdamW", adamw},
                                                        {"Adagrad", adagrad},
                                                        {"RMSprop", rmsprop},
                                                        {"LBFGS", lbfgs},
                                                        {"StepLR", step_lr},
                                                        {"clip_grad_norm", clip_norm},
                                                        {"clip_grad_value", clip_value}};

class OptimizerParity : public testing::TestWithParam<std::pair<const std::string, void (*)()>> {};

TEST_P(OptimizerParity, AgreesWithLibtorch) { GetParam().second(); }

INSTANTIATE_TEST_SUITE_P(Optimizers, OptimizerParity, testing::ValuesIn(kComparisons),
                         [](const auto& entry) { return entry.param.first; });

}  // namespace
}  // namespace heed::parity
