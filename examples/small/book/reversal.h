// The task of several chapters: say a sequence of symbols backwards. All of it has to be kept, and
// each word said is found at one place.
#pragma once

#include <heed/heed.h>

#include <vector>

namespace book {

using namespace heed;

constexpr Index kBegin = 1, kSymbols = 20;  // symbols are 2 .. kSymbols - 1

struct Reversal {
  Tensor source, read, due;  // i64 [B, T]: what comes, what the decoder reads, what it is to say
};

inline Reversal draw_reversal(Index rows, Index length, Generator& generator) {
  std::vector<Index> source, read, due;
  for (Index row = 0; row < rows; ++row) {
    std::vector<Index> symbols;
    for (Index t = 0; t < length; ++t) symbols.push_back(2 + generator.below(kSymbols - 2));
    source.insert(source.end(), symbols.begin(), symbols.end());
    due.insert(due.end(), symbols.rbegin(), symbols.rend());
    read.push_back(kBegin);
    read.insert(read.end(), symbols.rbegin(), symbols.rend() - 1);
  }
  const Shape shape{rows, length};
  return {Array::from(source, shape), Array::from(read, shape), Array::from(due, shape)};
}

/// The share of words that a model says rightly, given the right ones before.
template <class Model>
double share_right(const Model& model, Index length) {
  const NoGrad scope;
  Generator generator(99);
  const Reversal test = draw_reversal(200, length, generator);
  return mean(to(argmax(model(test.source, test.read), -1) == test.due, DType::f64)).item();
}

/// Batches of one length each, 2 to `longest`.
template <class Model>
void learn_reversal(Model& model, int steps, Index longest = 12, double rate = 5e-3) {
  optim::Adam adam(model.parameters(), {.lr = rate});
  Generator generator(7);
  for (int step = 0; step < steps; ++step) {
    const Reversal batch = draw_reversal(64, 2 + generator.below(longest - 1), generator);
    adam.zero_grad();
    const Tensor logits = model(batch.source, batch.read);  // [B, T, symbols]
    cross_entropy(transpose(logits, 1, 2), batch.due).backward();
    optim::clip_grad_norm(model.parameters(), 1);
    adam.step();
  }
}

}  // namespace book
