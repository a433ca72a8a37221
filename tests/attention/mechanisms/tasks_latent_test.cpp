// Where it is open which place is meant, latent alignments explain what soft attention averages.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "../../../attention/mechanisms/hard/variational.h"
#include "../../../attention/scores/additive.h"
#include "../../../autograd/backward.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/stochastic/enumeration.h"
#include "../../../autograd/stochastic/score_estimators.h"
#include "../../../core/generator.h"
#include "../../../core/parallel.h"
#include "../../../nn/linear.h"
#include "../../../optim/adam.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

// Five places hold points of a circle, each of eight kinds; two bear a mark, and the answer is the
// kind of one of them, whichever. Nobody can do better than log 2.
struct Marked {
  static constexpr Index kRows = 64, kPlaces = 5, kKinds = 8;
  Tensor keys, values, answers;  // [B, 5, 3], [B, 5, 2], [B]
  explicit Marked(Dice& dice, Index rows = kRows) {
    std::vector<double> k, v;
    Ids said;
    for (Index b = 0; b < rows; ++b) {
      const Ids order = dice.order(kPlaces), kinds = dice.order(kKinds);
      const Index meant = dice(2);
      for (Index j = 0; j < kPlaces; ++j) {
        const Index rank = order[static_cast<std::size_t>(j)];
        const Index kind = kinds[static_cast<std::size_t>(j)];
        const double angle = 2 * std::numbers::pi * static_cast<double>(kind) / kKinds;
        v.insert(v.end(), {std::cos(angle), std::sin(angle)});
        k.insert(k.end(), {std::cos(angle), std::sin(angle), rank < 2 ? 1.0 : 0.0});
        if (rank == meant) said.push_back(kind);
      }
    }
    keys = tensor(k, {rows, kPlaces, 3});
    values = tensor(v, {rows, kPlaces, 2});
    answers = ids(said, {rows});
  }
};

struct Guesser : nn::Module {
  VariationalAttention& attend = child<VariationalAttention>(
      "attend", VariationalOptions{.prior = std::make_shared<Additive>(1, 3, 16),
                                   .posterior = std::make_shared<Additive>(Marked::kKinds, 3, 16)});
  nn::Linear& out = child<nn::Linear>("out", 2, Marked::kKinds);

  // log p(answer | value) of values [B, n, 2] -> [B, n]
  Tensor log_likelihoods(const Marked& batch, const Tensor& values) const {
    const Tensor hot = unsqueeze(one_hot(batch.answers, Marked::kKinds, DType::f32), 1);
    return sum(log_softmax(out(values), -1) * hot, {-1});
  }
  Tensor query(const Marked& batch) const { return ones({batch.answers.size(0), 1, 1}); }
  VariationalOutput look(const Marked& batch, Choices& choices) const {
    const Tensor knowing = unsqueeze(one_hot(batch.answers, Marked::kKinds, DType::f32), 1);
    return attend(query(batch), knowing, batch.keys, batch.values, {.choices = &choices});
  }
  Tensor soft(const Marked& batch) const {
    ExpectedChoices mean;
    const Tensor context =
        attend.predict(query(batch), batch.keys, batch.values, {.choices = &mean}).context;
    return -squeeze(log_likelihoods(batch, context), 1);
  }
};

// The cost of a new answer, by the marginal over places; of soft attention by its mean.
double cost_of_answers(Estimator* estimator) {
  manual_seed(7);
  set_num_threads(1);
  Guesser model;
  optim::Adam adam(model.parameters(), {.lr = 0.02});
  Dice dice(3);
  Generator draws(11);
  for (int step = 0; step < 1500; ++step) {
    const Marked batch(dice);
    adam.zero_grad();
    if (estimator == nullptr) {
      mean(model.soft(batch)).backward();
    } else {
      (*estimator)(
          [&](Choices& choices) {
            const VariationalOutput seen = model.look(batch, choices);
            // K samples stand in front: [B, 1, 2], or [K, B, 1, 2].
            const Tensor hot = unsqueeze(one_hot(batch.answers, Marked::kKinds, DType::f32), 1);
            const Tensor nll = -sum(log_softmax(model.out(seen.context), -1) * hot, {-1});
            return sum(nll + seen.kl, {-1});
          },
          &draws)
          .backward();
    }
    adam.step();
  }
  const NoGrad off;
  const Marked fresh(dice, 1024);
  if (estimator == nullptr) return mean(model.soft(fresh)).item();
  GreedyChoices any;
  const VariationalOutput seen = model.look(fresh, any);
  const Tensor ll = unsqueeze(model.log_likelihoods(fresh, fresh.values), 1);
  EXPECT_LE(mean(seen.bound(ll)).item(), mean(seen.log_likelihood(ll)).item() + 1e-6);
  return -mean(seen.log_likelihood(ll)).item();
}

TEST(LatentTasks, WhoGuessesThePlaceExplainsTheAnswer) {
  Enumeration exact;
  SoftBaseline sampled;
  LeaveOneOut several(4);
  const double soft = cost_of_answers(nullptr);
  std::printf("cost of an answer: soft attention %.3f, of two at best %.3f\n", soft, std::log(2.0));
  EXPECT_GE(soft, 1.1);
  for (Estimator* each : {static_cast<Estimator*>(&exact), static_cast<Estimator*>(&sampled),
                          static_cast<Estimator*>(&several)}) {
    const double latent = cost_of_answers(each);
    std::printf("  variational, %s: %.3f\n", each->name(), latent);
    EXPECT_LE(latent, 0.85) << each->name();
  }
}

}  // namespace
}  // namespace heed::attention
