// Our side of the row babi.

#include <algorithm>

#include "../attention/mechanisms/memory/memory_network.h"
#include "../autograd/ops/losses/cross_entropy.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/parallel.h"
#include "../optim/clip.h"
#include "../optim/sgd.h"
#include "babi.h"
#include "filled.h"
#include "protocol.h"

int main(int argc, char** argv) {
  using namespace heed;
  using namespace bench::babi;
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  attention::MemoryNetwork network(
      {.vocabulary = kVocabulary, .width = kWidth, .hops = kHops, .slots = kMemory, .noise = 0});
  const nn::NamedTensors weights = {
      {"words", bench::numbers({kTables, kVocabulary, kWidth}, fill_words)},
      {"times", bench::numbers({kTables, kMemory, kWidth}, fill_times)}};
  const Tensor stories = bench::ids({kQuestions, kMemory, kWords}, fill_stories);
  const Tensor questions = bench::ids({kQuestions, kAsked}, fill_questions);
  const Tensor answers = bench::ids({kQuestions}, fill_answers);
  optim::SGD sgd(network.parameters(), {.lr = kLearningRate});
  return bench::serve(options, [&] {
    network.load_state_dict(weights);
    double sum = 0;
    for (Index from = 0; from < kQuestions; from += kBatch) {
      const Index count = std::min(kBatch, kQuestions - from);
      const Tensor logits =
          network(narrow(stories, 0, from, count), narrow(questions, 0, from, count)).logits;
      sgd.zero_grad();
      const Tensor loss =
          cross_entropy(logits, narrow(answers, 0, from, count), {.reduction = Reduction::sum});
      loss.backward();
      optim::clip_grad_norm(network.parameters(), kClip);
      sgd.step();
      sum += loss.item();
    }
    return sum;
  });
}
