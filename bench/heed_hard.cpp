// Our side of the rows hard and soft.

#include <memory>

#include "../attention/attend.h"
#include "../attention/mechanisms/hard/hard_attention.h"
#include "../attention/scores/additive.h"
#include "../autograd/ops/losses/cross_entropy.h"
#include "../autograd/ops/shape/shape.h"
#include "../autograd/stochastic/score_estimators.h"
#include "../core/generator.h"
#include "../core/parallel.h"
#include "../nn/linear.h"
#include "../optim/adam.h"
#include "filled.h"
#include "hard.h"
#include "protocol.h"

namespace {

using namespace heed;
using namespace bench::hard;  // the sizes

class Network : public nn::Module {
 public:
  attention::Additive& score = child<attention::Additive>("score", kWidth, kWidth, kHidden);
  nn::Linear& classifier = child<nn::Linear>("classifier", kWidth, kClasses);
  // No part of the network, whose score it borrows.
  const std::unique_ptr<attention::HardAttention> look =
      std::make_unique<attention::HardAttention>(attention::HardOptions{
          .score = std::shared_ptr<attention::Score>(std::shared_ptr<void>(), &score)});

  // Costs [samples, B].
  Tensor hard(const Tensor& query, const Tensor& annotations, const Tensor& labels,
              Choices& choices) {
    auto memory = look->begin(annotations, annotations, {.choices = &choices});
    const Tensor logits = classifier(memory.step(query).context);  // [samples, B, classes]
    const Tensor wanted = flatten(expand(labels, {kSamples, kBatch}));
    const Tensor costs =
        cross_entropy(flatten(logits, 0, 1), wanted, {.reduction = Reduction::none});
    return reshape(costs, {kSamples, kBatch});
  }
  Tensor soft(const Tensor& query, const Tensor& annotations, const Tensor& labels) {
    attention::Memory memory(score, annotations, annotations);
    return cross_entropy(classifier(memory.step(query).context), labels);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  manual_seed(1);

  Network network;
  bench::fill_weights(network, kWeights);
  const Tensor annotations = bench::numbers({kBatch, kPlaces, kWidth}, fill_annotations);
  const Tensor query = bench::numbers({kBatch, kWidth}, fill_queries);
  const Tensor labels = bench::ids({kBatch}, fill_labels);
  optim::Adam adam(network.parameters(), {.lr = kLearningRate});
  LeaveOneOut estimator(kSamples);
  return bench::serve(options, [&] {
    adam.zero_grad();
    const Tensor loss = options.row == "soft"
                            ? network.soft(query, annotations, labels)
                            : estimator([&](Choices& choices) {
                                return network.hard(query, annotations, labels, choices);
                              });
    loss.backward();
    adam.step();
    return loss.item();
  });
}
