// Chapter 4, soft and hard: a row of letters with a digit each, and one letter again: which digit
// stood beside it? Soft attention looks everywhere in parts, hard attention draws one place.

#include <heed/heed.h>

#include <cstdio>
#include <memory>
#include <vector>

using namespace heed;

constexpr Index kPairs = 6, kLetters = 10, kDigits = 10, kWidth = 24;

struct Batch {
  Tensor letters, digits, asked, answer;  // i64 [B, pairs] twice, [B] twice
};

Batch draw(Index rows, Generator& generator) {
  std::vector<Index> letters, digits, asked, answer;
  for (Index row = 0; row < rows; ++row) {
    const std::vector<Index> order = generator.permutation(kLetters);
    letters.insert(letters.end(), order.begin(), order.begin() + kPairs);
    for (Index i = 0; i < kPairs; ++i) digits.push_back(generator.below(kDigits));
    const auto place = static_cast<std::size_t>(row * kPairs + generator.below(kPairs));
    asked.push_back(letters[place]);
    answer.push_back(digits[place]);
  }
  return {Array::from(letters, {rows, kPairs}), Array::from(digits, {rows, kPairs}),
          Array::from(asked), Array::from(answer)};
}

// [docs: model]
class Asker : public nn::Module {
 public:
  nn::Embedding& letters = child<nn::Embedding>("letters", kLetters, kWidth);
  nn::Embedding& digits = child<nn::Embedding>("digits", kDigits, kWidth);
  nn::Linear& query = child<nn::Linear>("query", kWidth, kWidth);
  nn::Linear& out = child<nn::Linear>("out", kWidth, kDigits);

  Tensor logits(const Batch& batch) const {  // [B, pairs]
    const Tensor q = unsqueeze(query(letters(batch.asked)), 2);
    return squeeze(matmul(letters(batch.letters), q), 2) / std::sqrt(double{kWidth});
  }
  // What it says, by whoever chooses where to look: [B, digits], of K draws [K, B, digits].
  Tensor says(const Batch& batch, Choices& choices) const {
    const Choice where = choices.choose(logits(batch));
    return log_softmax(out(where.pick(digits(batch.digits))), -1);
  }
  Tensor cost(const Batch& batch, Choices& choices) const {  // [B] or [K, B]
    const Tensor right = one_hot(batch.answer, kDigits, DType::f32);
    return -sum(says(batch, choices) * right, {-1});
  }
};
// [end]

double right(const Asker& model, Choices& choices) {
  const NoGrad scope;
  Generator other(99);
  const Batch test = draw(500, other);
  return mean(to(argmax(model.says(test, choices), -1) == test.answer, DType::f64)).item();
}

// [docs: learn]
// How its loss is made: soft attention is exact, hard attention needs an estimator.
using Loss = std::function<Tensor(const ChoiceCost& cost)>;

void learn(Asker& model, const Loss& loss, int steps) {
  optim::Adam adam(model.parameters(), {.lr = 5e-3});
  Generator generator(7);
  for (int step = 0; step < steps; ++step) {
    const Batch batch = draw(64, generator);
    adam.zero_grad();
    loss([&](Choices& choices) { return model.cost(batch, choices); }).backward();
    adam.step();
  }
}

Tensor soft(const ChoiceCost& cost) {
  ExpectedChoices everywhere;
  return mean(cost(everywhere));
}
// [end]

Loss by(Estimator& estimator) {
  return [&](const ChoiceCost& cost) { return estimator(cost); };
}

// Mean and variance of an estimate of the query layer's bias gradient.
std::pair<Tensor, double> spread(const Asker& model, const Batch& batch, Estimator& estimator,
                                 int draws) {
  const ChoiceCost cost = [&](Choices& choices) { return model.cost(batch, choices); };
  Tensor total = zeros({kWidth}), squares = zeros({kWidth});
  for (int i = 0; i < draws; ++i) {
    const Tensor g = grad({estimator(cost)}, {model.query.bias})[0];
    total = total + g;
    squares = squares + square(g);
  }
  const Tensor middle = total / draws;
  return {middle, sum(squares / draws - square(middle)).item()};
}

int main() {
  constexpr int steps = 60;
  GreedyChoices one_place;
  ExpectedChoices everywhere;
  const auto show = [&](const char* name, const Loss& loss) {
    manual_seed(1);
    Asker model;
    learn(model, loss, steps);
    std::printf("%-24s %.3f  %.3f\n", name, right(model, everywhere), right(model, one_place));
  };
  std::puts("learned by              soft   one place");
  Reinforce reinforce;
  LeaveOneOut leave_one_out(4);
  Relaxed gumbel(Relaxation::gumbel, 1);
  show("soft attention", soft);
  show("REINFORCE", by(reinforce));
  show("leave one out, 4 draws", by(leave_one_out));
  show("Gumbel-softmax", by(gumbel));

  manual_seed(1);
  Asker model;
  Generator generator(5);
  const Batch batch = draw(64, generator);
  std::puts("exercise 1: the variance of one estimate, before learning");
  MovingAverageReinforce average;
  spread(model, batch, average, 20);  // its average settles
  std::printf("REINFORCE %.2e, moving average %.2e, leave one out %.2e\n",
              spread(model, batch, reinforce, 300).second,
              spread(model, batch, average, 300).second,
              spread(model, batch, leave_one_out, 300).second);

  std::puts("exercise 2: the mean of many estimates and the exact gradient");
  Enumeration exact;
  const Tensor truth = spread(model, batch, exact, 1).first;
  const auto off = [&](const Tensor& g) {
    return std::sqrt(sum(square(g - truth)).item() / sum(square(truth)).item());
  };
  for (const int draws : {10, 100, 1000}) {
    std::printf("%4d estimates: off by %.3f of its norm\n", draws,
                off(spread(model, batch, leave_one_out, draws).first));
  }

  std::puts("exercise 3: Gumbel-softmax at three temperatures: off, variance");
  for (const double tau : {0.1, 1.0, 5.0}) {
    Relaxed relaxed(Relaxation::gumbel, tau);
    const auto [middle, variance] = spread(model, batch, relaxed, 300);
    std::printf("tau %.1f: %.3f  %.2e\n", tau, off(middle), variance);
  }
}
