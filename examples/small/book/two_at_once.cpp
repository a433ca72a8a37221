// Chapter 7, two at once: two lists of symbols. Have they one in common? Each list looks at the
// other; beside it a model that makes a vector of each.
//
//   ./two_at_once [PICTURE.png]

#include <heed/heed.h>
#include <heed/train.h>

#include <cstdio>
#include <string>
#include <vector>

using namespace heed;

constexpr Index kLength = 6, kSymbols = 40, kWidth = 16;

struct Pairs {
  Tensor first, second, common;  // i64 [B, T] twice, [B]: whether a symbol stands in both
};

Pairs draw(Index rows, Generator& generator) {
  std::vector<Index> first, second, common;
  for (Index row = 0; row < rows; ++row) {
    std::vector<Index> symbols = generator.permutation(kSymbols);
    common.push_back(generator.below(2));
    if (common.back() == 1) {
      symbols[static_cast<std::size_t>(kLength + generator.below(kLength))] =
          symbols[static_cast<std::size_t>(generator.below(kLength))];
    }
    first.insert(first.end(), symbols.begin(), symbols.begin() + kLength);
    second.insert(second.end(), symbols.begin() + kLength, symbols.begin() + 2 * kLength);
  }
  return {Array::from(first, {rows, kLength}), Array::from(second, {rows, kLength}),
          Array::from(common)};
}

// [docs: model]
class Aligned : public nn::Module {
 public:
  nn::Embedding& words = child<nn::Embedding>("words", kSymbols, kWidth);
  attention::DecomposableAttention& look = child<attention::DecomposableAttention>(
      "look", attention::DecomposableOptions{.width = kWidth, .hidden = 32, .differences = true});
  nn::Linear& out = child<nn::Linear>("out", 64, 2);

  Tensor operator()(const Tensor& first, const Tensor& second) const {
    return out(look(words(first), words(second)).pair);
  }
};

class Apart : public nn::Module {
 public:
  nn::Embedding& words = child<nn::Embedding>("words", kSymbols, kWidth);
  nn::Sequential& hidden = child<nn::Sequential>("hidden", nn::Linear(2 * kWidth, 64), nn::ReLU());
  nn::Linear& out = child<nn::Linear>("out", 64, 2);

  Tensor operator()(const Tensor& first, const Tensor& second) const {
    return out(hidden(concat({mean(words(first), {1}), mean(words(second), {1})}, -1)));
  }
};
// [end]

template <class Model>
double learn(Model& model, int steps) {
  optim::Adam adam(model.parameters(), {.lr = 5e-3});
  Generator generator(7);
  for (int step = 0; step < steps; ++step) {
    const Pairs batch = draw(64, generator);
    adam.zero_grad();
    cross_entropy(model(batch.first, batch.second), batch.common).backward();
    adam.step();
  }
  const NoGrad scope;
  const Pairs test = draw(1000, generator);
  return mean(to(argmax(model(test.first, test.second), 1) == test.common, DType::f64)).item();
}

int main(int argc, char** argv) {
  manual_seed(1);
  Aligned aligned;
  Apart apart;
  std::puts("one in common or not, of 1,000 pairs");
  std::printf("each looks at the other  %.3f\n", learn(aligned, 400));
  std::printf("a vector of each         %.3f\n", learn(apart, 400));

  const NoGrad scope;
  Generator other(4);
  Pairs one = draw(1, other);
  while (one.common[0].item() == 0) one = draw(1, other);
  const auto seen = aligned.look(aligned.words(one.first), aligned.words(one.second), {}, {}, true);
  train::Alignment picture{"", {}, {}, seen.premise_weights[0].array()};
  for (const Index symbol : one.second.array().to_vector<Index>()) {
    picture.columns.push_back(std::to_string(symbol));
  }
  for (const Index symbol : one.first.array().to_vector<Index>()) {
    picture.rows.push_back(std::to_string(symbol));
  }
  std::puts(train::alignment_text(picture, train::ShadeStyle::marks).c_str());
  if (argc > 1) train::write_png(argv[1], train::alignment_picture(picture));

  std::puts("exercise 1: attention over attention, from its formula");
  manual_seed(5);
  // [docs: over]
  const Tensor document = randn({1, 7, 5}), query = randn({1, 3, 5});
  const Tensor M = matmul(document, transpose(query, 1, 2));  // [1, 7, 3]
  const Tensor alpha = softmax(M, 1);                         // a query's word over the document
  const Tensor beta = mean(softmax(M, 2), {1});               // [1, 3]: how much each counts
  const Tensor s = squeeze(matmul(alpha, unsqueeze(beta, 2)), 2);  // [1, 7]
  // [end]
  const attention::AttentionOverAttention reader;
  std::printf(
      "%s, its sum %.3f\n",
      allclose(s, reader(document, query).weights, 1e-4, 1e-5) ? "the same" : "not the same",
      sum(s).item());

  std::puts("exercise 2: the pair the other way round");
  const Pairs test = draw(1000, other);
  const Tensor there = argmax(aligned(test.first, test.second), 1);
  const Tensor back = argmax(aligned(test.second, test.first), 1);
  std::printf("the same answer for %.3f of the pairs\n",
              mean(to(there == back, DType::f64)).item());

  std::puts(
      "exercise 3: co-attention: the image looked at by a question, the question by the image");
  const attention::ParallelCoAttention look({.question_width = 5, .image_width = 5, .hidden = 11});
  const auto both = look(query, document, {}, {}, true);
  std::printf("image %s, question %s, sums %.3f and %.3f\n",
              to_string(both.image.weights.shape()).c_str(),
              to_string(both.question.weights.shape()).c_str(), sum(both.image.weights).item(),
              sum(both.question.weights).item());
}
