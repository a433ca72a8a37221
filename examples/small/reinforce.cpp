// REINFORCE: learning from rewards alone. An agent in a corridor of 7 places walks left or right
// for 10 steps; a reward of 1 lies at one end, and which end it is stands on a sign that it reads.
// What it draws cannot be differentiated; the probability of what it drew can:
//
//   gradient of the mean cost = mean of (cost - baseline) d log p(draws)      (Williams 1992)
//
//   ./reinforce [STEPS]

#include <heed/heed.h>

#include <cstdio>
#include <cstdlib>

using namespace heed;

constexpr Index kPlaces = 7, kMoves = 10, kBatch = 64;

class Agent : public nn::Module {
 public:
  nn::Embedding& places =
      child<nn::Embedding>("places", nn::EmbeddingOptions{.count = 2 * kPlaces, .width = 16});
  nn::Linear& out = child<nn::Linear>("out", 16, 2);

  // Where it stands and what the sign says, i64 [B] each -> scores of left and right, [B, 2].
  Tensor operator()(const Tensor& place, const Tensor& sign) const {
    std::vector<Index> both = place.array().to_vector<Index>();
    const auto says = sign.array().to_vector<Index>();
    for (std::size_t b = 0; b < both.size(); ++b) both[b] += says[b] * kPlaces;
    return out(places(Array::from(both)));
  }
};

// One walk of each of the batch; what was drawn and what it cost goes into `samples`. Returns the
// share of those that found the reward.
double walk(const Agent& agent, Generator& generator, Samples& samples) {
  std::vector<Index> place(kBatch, kPlaces / 2), sign;
  for (Index b = 0; b < kBatch; ++b) sign.push_back(generator.below(2));
  std::vector<double> found(kBatch, 0);
  for (Index t = 0; t < kMoves; ++t) {
    const Tensor scores = agent(Array::from(place), Array::from(sign));
    const auto moves = samples.draw(Categorical::from_logits(scores)).array().to_vector<Index>();
    for (std::size_t b = 0; b < place.size(); ++b) {
      place[b] = std::clamp<Index>(place[b] + (moves[b] == 1 ? 1 : -1), 0, kPlaces - 1);
      if (place[b] == (sign[b] == 1 ? kPlaces - 1 : 0)) found[b] = 1;
    }
  }
  const Tensor reward = Array::from(std::vector<float>(found.begin(), found.end()));  // [B]
  samples.add_reward(reward);
  return mean(reward).item();
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 200;
  manual_seed(1);
  Agent agent;
  optim::Adam adam(agent.parameters(), {.lr = 0.02});
  Generator generator(2);
  double usual =
      0;  // the reward so far: what the baseline foresees. It keeps the gradient's noise low
  for (int step = 1; step <= steps; ++step) {
    Samples samples;
    const double reward = walk(agent, generator, samples);
    adam.zero_grad();
    samples.surrogate(full({1}, -usual)).backward();  // costs are rewards with the other sign
    adam.step();
    usual = 0.9 * usual + 0.1 * reward;
    if (step % std::max(steps / 5, 1) == 0) std::printf("step %3d  reward %.3f\n", step, reward);
  }
  std::printf("reward %.3f\n", usual);
}
