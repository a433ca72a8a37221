// Chapter 8, memory: six facts in any order, and a question that needs two of them: Mary has the
// ball, the ball is in the hall; where is Mary? A memory network looks once or twice.
//
//   ./memory [PICTURE.png]

#include <heed/heed.h>
#include <heed/train.h>

#include <cstdio>
#include <string>
#include <vector>

using namespace heed;

const std::vector<std::string> kWords = {"mary", "john",    "sue",    "ball", "cup",  "book",
                                         "hall", "kitchen", "garden", "has",  "is_in"};

struct Stories {
  Tensor story, question, answer;  // i64 [B, 6, 3], [B, 1], [B]
};

Stories tell(Index rows, Generator& generator) {
  std::vector<Index> told, asked, answers;
  for (Index row = 0; row < rows; ++row) {
    const std::vector<Index> thing_of = generator.permutation(3);
    std::vector<Index> place_of;
    for (int i = 0; i < 3; ++i) place_of.push_back(generator.below(3));
    for (const Index fact : generator.permutation(6)) {
      const auto i = static_cast<std::size_t>(fact % 3);
      const std::vector<Index> words = fact < 3 ? std::vector<Index>{fact, 9, 3 + thing_of[i]}
                                                : std::vector<Index>{fact, 10, 6 + place_of[i]};
      told.insert(told.end(), words.begin(), words.end());
    }
    asked.push_back(generator.below(3));
    const auto thing = static_cast<std::size_t>(thing_of[static_cast<std::size_t>(asked.back())]);
    answers.push_back(6 + place_of[thing]);
  }
  return {Array::from(told, {rows, 6, 3}), Array::from(asked, {rows, 1}), Array::from(answers)};
}

void learn(attention::MemoryNetwork& network, int steps) {
  optim::Adam adam(network.parameters(), {.lr = 1e-2});
  Generator generator(5);
  for (int step = 0; step < steps; ++step) {
    const Stories now = tell(32, generator);
    adam.zero_grad();
    cross_entropy(network(now.story, now.question).logits, now.answer).backward();
    optim::clip_grad_norm(network.parameters(), 10);
    adam.step();
  }
}

// [docs: learn]
double taught(attention::MemoryNetwork& network, bool linear_start) {
  network.set_linear(linear_start);  // weights without their softmax, at first
  learn(network, 600);
  network.set_linear(false);
  learn(network, 1000);
  network.eval();
  const NoGrad scope;
  Generator other(99);
  const Stories test = tell(1000, other);
  const Tensor said = argmax(network(test.story, test.question).logits, 1);
  return mean(to(said == test.answer, DType::f64)).item();
}
// [end]

// [docs: network]
attention::MemoryNetwork network(Index hops) {
  return attention::MemoryNetwork(
      {.vocabulary = std::ssize(kWords), .width = 20, .hops = hops, .slots = 0});
}
// [end]

int main(int argc, char** argv) {
  std::puts("questions answered rightly");
  manual_seed(3);
  attention::MemoryNetwork once = network(1), twice = network(2);
  std::printf("one hop   %.3f\n", taught(once, true));
  std::printf("two hops  %.3f\n", taught(twice, true));

  {
    const NoGrad scope;
    Generator other(5);
    const Stories one = tell(1, other);
    const auto weights = twice(one.story, one.question, {}, true).weights;
    train::Alignment seen{"", {}, {"hop 1", "hop 2"}, concat({weights[0], weights[1]}, 0).array()};
    const auto ids = one.story.array().to_vector<Index>();
    for (std::size_t i = 0; i < ids.size(); i += 3) {
      std::string fact;
      for (std::size_t j = 0; j < 3; ++j) {
        fact += (j ? " " : "") + kWords[static_cast<std::size_t>(ids[i + j])];
      }
      seen.columns.push_back(fact);
    }
    std::printf("where is %s? %s\n",
                kWords[static_cast<std::size_t>(one.question.item<Index>())].c_str(),
                kWords[static_cast<std::size_t>(one.answer.item<Index>())].c_str());
    for (std::size_t i = 0; i < seen.columns.size(); ++i) {
      const auto at = static_cast<Index>(i);
      std::printf("%-18s %.2f  %.2f\n", seen.columns[i].c_str(), weights[0][0][at].item(),
                  weights[1][0][at].item());
    }
    if (argc > 1) train::write_png(argv[1], train::alignment_picture(seen));
  }

  std::puts("exercise 1: without the linear start");
  manual_seed(3);
  attention::MemoryNetwork steep = network(2);
  std::printf("two hops  %.3f\n", taught(steep, false));

  std::puts("exercise 2: three hops for two facts");
  manual_seed(3);
  attention::MemoryNetwork thrice = network(3);
  std::printf("three hops  %.3f\n", taught(thrice, true));

  std::puts("exercise 3: a Turing machine's address: content, then a shift by one");
  const NoGrad scope;
  const Tensor memory = tensor({1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {1, 3, 3});
  const Tensor last = tensor({1.0, 0.0, 0.0}, {1, 1, 3});
  attention::HeadSignals head{.key = tensor({0.0, 1.0, 0.0}, {1, 1, 3}),
                              .strength = full({1, 1, 1}, 20.0),
                              .gate = ones({1, 1, 1}),
                              .shift = tensor({0.0, 1.0, 0.0}, {1, 1, 3}),
                              .sharpen = ones({1, 1, 1})};
  std::printf("by content       %s\n",
              to_string(attention::address_memory(memory, last, head)[0][0]).c_str());
  head.shift = tensor({0.0, 0.0, 1.0}, {1, 1, 3});
  std::printf("and one further  %s\n",
              to_string(attention::address_memory(memory, last, head)[0][0]).c_str());
  head.gate = zeros({1, 1, 1});
  std::printf("from where it was, one further  %s\n",
              to_string(attention::address_memory(memory, last, head)[0][0]).c_str());
}
