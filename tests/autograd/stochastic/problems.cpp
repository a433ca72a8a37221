#include "problems.h"

#include <cstdlib>

#include "../../../core/generator.h"
#include "../../../optim/adam.h"

namespace heed::stochastic {
namespace {

// A small network from [.., T * L] numbers to one.
struct Network {
  Network(Index width, std::uint64_t seed) {
    Generator generator(seed);
    first = randn({width, 16}, DType::f64, generator).set_requires_grad();
    middle = zeros({16}, DType::f64).set_requires_grad();
    last = zeros({16, 1}, DType::f64).set_requires_grad();
    offset = zeros({1}, DType::f64).set_requires_grad();
  }
  Tensor operator()(const Tensor& x) const {
    return squeeze(matmul(tanh(matmul(x, first) * 0.3 + middle), last) + offset, -1);
  }
  std::vector<Tensor> parameters() const { return {first, middle, last, offset}; }
  Tensor first, middle, last, offset;
};

std::unique_ptr<Estimator> make_relax(const Problem& problem) {
  std::vector<Network> networks;
  std::vector<Tensor> parameters;
  for (Index t = 0; t < problem.steps; ++t) {
    networks.emplace_back(problem.places, 11 + static_cast<std::uint64_t>(t));
    for (const Tensor& p : networks.back().parameters()) parameters.push_back(p);
  }
  return std::make_unique<Relax>(RelaxOptions{
      .control = [networks](const Tensor& z,
                            Index step) { return networks[static_cast<std::size_t>(step)](z); },
      .parameters = parameters});
}

// What the estimator has of its own is trained with theta held fixed.
void train(Candidate& candidate, const Problem& problem) {
  if (candidate.estimator->parameters().empty()) return;
  optim::Adam optimizer(candidate.estimator->parameters(), {.lr = 0.02});
  Generator generator(5);
  const Shape shape = problem.theta.shape().with(0, 128);
  const Tensor rows = clone(broadcast_to(problem.theta, shape)).set_requires_grad();
  if (candidate.see) candidate.see(rows);
  for (int step = 0; step < 300; ++step) {
    if (step == 200) optimizer.set_lr(0.004);
    optimizer.zero_grad();
    (*candidate.estimator)([&](Choices& c) { return problem.cost(c, rows); }, &generator)
        .backward();
    optimizer.step();
  }
}

}  // namespace

Problem::Problem(Index T, Index L) : steps(T), places(L) {
  Generator generator(static_cast<std::uint64_t>(100 * T + L));
  theta = randn({T, L}, DType::f64, generator) * 0.7;
  follow = randn({L, L}, DType::f64, generator) * 0.8;
  for (Index t = 0; t < T; ++t) pay.push_back(randn({L}, DType::f64, generator));
}

Tensor Problem::cost(Choices& choices, const Tensor& rows) const {
  Tensor logits = select(rows, 1, 0), sum_of_pay;
  for (Index t = 0; t < steps; ++t) {
    if (t > 0) logits = select(rows, 1, t) + logits;
    const Choice choice = choices.choose(logits);
    const Tensor paid = choice.pick_number(pay[static_cast<std::size_t>(t)]);
    sum_of_pay = sum_of_pay.defined() ? sum_of_pay * 0.7 + paid : paid;
    logits = choice.pick(follow);
  }
  const Tensor direct = mean(rows, {1, 2});
  return square(sum_of_pay - 0.4) + 0.1 * sin(2 * sum_of_pay) + 2 + 0.3 * direct * sum_of_pay;
}

Tensor Problem::gradient(Index samples) const {
  const Tensor row = clone(unsqueeze(theta, 0)).set_requires_grad();
  const Tensor expected = enumerate([&](Choices& choices) {
    if (samples == 0) return cost(choices, row);
    std::vector<Tensor> costs;
    for (Index k = 0; k < samples; ++k) costs.push_back(cost(choices, row));
    return multi_sample_bound(stack(costs, 0));
  });
  return reshape(grad({sum(expected)}, {row})[0], theta.shape());
}

std::vector<std::string> candidate_ids() {
  return {"Reinforce",       "MovingAverage",         "LearnedBaseline", "LeaveOneOut",
          "SelfCritical",    "SoftBaseline",          "Vimco",           "GumbelSoftmax",
          "StraightThrough", "StraightThroughGumbel", "Rebar",           "Relax"};
}

Candidate candidate(const std::string& id, const Problem& problem) {
  Candidate out{id, nullptr};
  if (id == "Reinforce") out.estimator = std::make_unique<Reinforce>();
  if (id == "MovingAverage") out.estimator = std::make_unique<MovingAverageReinforce>();
  if (id == "LearnedBaseline") {
    auto seen = std::make_shared<Tensor>();
    const Network network(problem.steps * problem.places, 7);
    out.see = [seen](const Tensor& rows) { *seen = rows.detach(); };
    out.estimator = std::make_unique<LearnedBaseline>(
        [network, seen] { return network(flatten(*seen, 1)); }, network.parameters());
  }
  if (id == "LeaveOneOut") out.estimator = std::make_unique<LeaveOneOut>(4);
  if (id == "SelfCritical") out.estimator = std::make_unique<SelfCritical>();
  if (id == "SoftBaseline") out.estimator = std::make_unique<SoftBaseline>();
  if (id == "Vimco") {
    out.bound_samples = problem.steps == 1 ? 3 : 2;  // all of theirs are enumerated
    out.estimator = std::make_unique<Vimco>(out.bound_samples);
  }
  if (id == "GumbelSoftmax") out.estimator = std::make_unique<Relaxed>(Relaxation::gumbel, 1.0);
  if (id == "StraightThrough") {
    out.estimator = std::make_unique<Relaxed>(Relaxation::straight_through);
  }
  if (id == "StraightThroughGumbel") {
    out.estimator = std::make_unique<Relaxed>(Relaxation::straight_through_gumbel, 1.0);
  }
  if (id == "Rebar") out.estimator = std::make_unique<Rebar>();
  if (id == "Relax") out.estimator = make_relax(problem);
  train(out, problem);
  return out;
}

bool full() { return std::getenv("HEED_FULL") != nullptr; }

StochasticGradcheckOptions proof() {
  return {.resolution = 0,
          .first_look = 1 << 15,
          .max_samples = full() ? 1 << 20 : 1 << 16,
          .batch = 1 << 13};
}

}  // namespace heed::stochastic
