// Memory runs out within a training step: whatever allocation it is, weights and optimizer are as
// before, and the same step, once it can be done, gives the bits of one that was never disturbed.
#include <gtest/gtest.h>

#include <type_traits>

#include "../../attention/mechanisms/transformer/multi_head.h"
#include "../../attention/mechanisms/transformer/transformer_encoder.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/generator.h"
#include "../../core/parallel.h"
#include "../../nn/batch_norm.h"
#include "../../nn/conv.h"
#include "../../nn/embedding.h"
#include "../../nn/gru.h"
#include "../../nn/linear.h"
#include "../../nn/lstm.h"
#include "../../optim/adam.h"
#include "../../optim/clip.h"
#include "../../optim/ema.h"
#include "../../optim/lbfgs.h"
#include "../../optim/rmsprop.h"
#include "../../optim/sgd.h"
#include "every_allocation.h"

namespace heed {
namespace {

using Then = FailingAllocation::Then;

template <class... Sizes>
Tensor numbers(Sizes... sizes) {
  Generator generator(11);
  Shape shape;
  (shape.push_back(sizes), ...);
  return generator.normal(shape, 0, 1);
}

Tensor some_ids() {
  const std::vector<std::int64_t> ids = {3, 16, 3, 0, 5, 7};
  return Array::from(ids);
}

struct Dense : nn::Module {
  nn::Linear& in = child<nn::Linear>("in", 7, 5);
  nn::Linear& out = child<nn::Linear>("out", 5, 3);
  Tensor loss() { return mean(square(out(tanh(in(x))))); }
  Tensor x = numbers(11, 7);
};

struct Recurrent : nn::Module {
  nn::GRU& gru = child<nn::GRU>("gru", nn::GRUOptions{.input = 7, .hidden = 5});
  nn::LSTM& lstm =
      child<nn::LSTM>("lstm", nn::LSTMOptions{.input = 5, .hidden = 3, .bidirectional = true});
  Tensor loss() { return mean(square(lstm(gru(x, {13, 2, 5}).output).output)); }
  Tensor x = numbers(3, 13, 7);
};

struct Attending : nn::Module {
  attention::MultiHead& attend = child<attention::MultiHead>(
      "attend", attention::MultiHeadOptions{.width = 6, .heads = 2, .dropout = 0.1});
  Tensor loss() { return mean(square(attend(x, {.mask = attention::Mask::causal()}).context)); }
  Tensor x = numbers(3, 5, 6);
};

struct Transforming : nn::Module {
  attention::TransformerEncoderLayer& layer = child<attention::TransformerEncoderLayer>(
      "layer", attention::TransformerOptions{.width = 6, .heads = 2, .hidden = 11, .dropout = 0.1});
  Tensor loss() { return mean(square(layer(x).context)); }
  Tensor x = numbers(3, 5, 6);
};

// Gradients of rows only, and buffers that the step writes.
struct Sparse : nn::Module {
  nn::Embedding& words = child<nn::Embedding>("words", 17, 5);
  Tensor loss() { return mean(square(words(ids))) + mean(words(ids)); }
  Tensor ids = some_ids();
};

struct Convolving : nn::Module {
  nn::Conv1d& conv = child<nn::Conv1d>("conv", 3, 5, 2);
  nn::BatchNorm1d& norm = child<nn::BatchNorm1d>("norm", 5);
  Tensor loss() { return mean(square(relu(norm(conv(x))))); }
  Tensor x = numbers(2, 3, 7);
};

std::string bytes_of(const nn::Module& model, const optim::Optimizer& optimizer) {
  std::string out;
  const auto add = [&](const std::string& name, const Array& array) {
    out += name;
    const Array dense = array.contiguous();
    out.append(reinterpret_cast<const char*>(dense.raw()),
               static_cast<std::size_t>(dense.numel()) * size_of(dense.dtype()));
  };
  for (const auto& [name, tensor] : model.named_parameters()) add(name, tensor.array());
  for (const auto& [name, array] : optimizer.state_dict()) add(name, array);
  return out;
}

template <class Optimizer>
Optimizer made(const std::vector<Tensor>& parameters) {
  if constexpr (std::is_same_v<Optimizer, optim::LBFGS>) {
    return Optimizer(parameters, {.max_iter = 5,
                                  .max_eval = 11,
                                  .history_size = 2,
                                  .line_search = optim::LineSearch::strong_wolfe});
  } else {
    return Optimizer(parameters);
  }
}

template <class Model, class Optimizer>
struct Training {
  Training() : optimizer(made<Optimizer>(model.parameters())) {}
  Tensor loss() {
    optimizer.zero_grad();
    const Tensor loss = model.loss();
    loss.backward();
    optim::clip_grad_norm(model.parameters(), 1);
    return loss;
  }
  void step() {
    if constexpr (std::is_same_v<Optimizer, optim::LBFGS>) {
      optimizer.step([this] { return loss(); });
    } else {
      static_cast<void>(loss());
      optimizer.step();
    }
  }
  std::string state() const { return bytes_of(model, optimizer); }
  std::function<void()> back_to_now() {
    nn::NamedTensors weights;
    for (const auto& [name, tensor] : model.state_dict()) {
      weights.emplace_back(name, tensor.array().clone());
    }
    optim::NamedArrays gathered;
    for (const auto& [name, array] : optimizer.state_dict()) {
      gathered.emplace_back(name, array.clone());
    }
    return [this, weights, gathered] {
      model.load_state_dict(weights);
      optimizer.load_state_dict(gathered);
    };
  }

  bool seeded = (manual_seed(5), true);  // first of all
  Model model;
  Optimizer optimizer;
};

template <class Model, class Optimizer>
void expect_whole_steps(Then then) {
  const int threads = num_threads();
  set_num_threads(1);
  const Generator::State draws = default_generator().state();
  Training<Model, Optimizer> undisturbed, training;
  std::int64_t failed = 0;
  for (int step = 0; step < 2; ++step) {  // the first one makes the optimizer's state
    manual_seed(9);
    undisturbed.step();
    const Work work{.run =
                        [&] {
                          manual_seed(9);
                          training.step();
                        },
                    .reset = [&] { training.optimizer.zero_grad(); },
                    .undo = training.back_to_now(),
                    .state = [&] { return training.state(); }};
    failed += fail_every_allocation(work, then);
    EXPECT_EQ(training.state(), undisturbed.state()) << "step " << step;
    training.optimizer.zero_grad();
  }
  EXPECT_GT(failed, 50);
  testing::Test::RecordProperty("failed", std::to_string(failed));
  default_generator().set_state(draws);
  set_num_threads(threads);
}

template <class Types>
class TrainingStep : public Faults {};

template <class Model, class Optimizer>
struct Case {
  static void expect_whole(Then then) { expect_whole_steps<Model, Optimizer>(then); }
};
using Cases =
    testing::Types<Case<Dense, optim::SGD>, Case<Dense, optim::Adam>, Case<Dense, optim::RMSprop>,
                   Case<Dense, optim::LBFGS>, Case<Recurrent, optim::Adam>,
                   Case<Attending, optim::Adam>, Case<Transforming, optim::AdamW>,
                   Case<Sparse, optim::Adam>, Case<Convolving, optim::SGD>>;
TYPED_TEST_SUITE(TrainingStep, Cases);

TYPED_TEST(TrainingStep, IsDoneOrNotBegunWhereOneAllocationFails) {
  TypeParam::expect_whole(Then::recover);
}

TYPED_TEST(TrainingStep, IsDoneOrNotBegunWhereMemoryIsOut) {
  TypeParam::expect_whole(Then::stay_out);
}

TEST_F(Faults, AveragesAreTakenWholeOrNotAtAll) {
  manual_seed(3);
  Dense model;
  optim::EMA average(model.parameters(), 0.5, true);
  const auto state = [&] {
    std::string out;
    for (const Array& array : average.averages()) out += to_string(array);
    for (const Tensor& parameter : model.parameters()) out += to_string(parameter);
    return out + (average.swapped() ? "swapped" : "");
  };
  EXPECT_GT(
      fail_every_allocation({.run = [&] { average.update(); }, .state = state}, Then::recover), 0);
  EXPECT_GT(fail_every_allocation({.run = [&] { average.swap(); }, .state = state}, Then::recover),
            0);
  EXPECT_TRUE(average.swapped());
}

}  // namespace
}  // namespace heed
