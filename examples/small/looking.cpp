// Attention, and a picture of it. A row of pairs, a letter and a digit each, and one of the letters
// once more: which digit stood beside it? The only way to know is to look at the right place.
//
//   ./looking [STEPS [PICTURE.png]]

#include <heed/heed.h>
#include <heed/train.h>

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace heed;

constexpr Index kPairs = 6, kLetters = 10, kDigits = 10, kWidth = 24;

struct Batch {
  Tensor letters, digits;  // i64 [B, pairs]: what stands in the row
  Tensor asked, answer;    // i64 [B]: a letter of the row, and its digit
};

Batch draw(Index rows, Generator& generator) {
  std::vector<Index> letters, digits, asked, answer;
  for (Index b = 0; b < rows; ++b) {
    const std::vector<Index> order = generator.permutation(kLetters);  // so that all differ
    letters.insert(letters.end(), order.begin(), order.begin() + kPairs);
    for (Index i = 0; i < kPairs; ++i) digits.push_back(generator.below(kDigits));
    const auto place = static_cast<std::size_t>(b * kPairs + generator.below(kPairs));
    asked.push_back(letters[place]);
    answer.push_back(digits[place]);
  }
  return {Array::from(letters, {rows, kPairs}), Array::from(digits, {rows, kPairs}),
          Array::from(asked), Array::from(answer)};
}

class Asker : public nn::Module {
 public:
  nn::Embedding& letters =
      child<nn::Embedding>("letters", nn::EmbeddingOptions{.count = kLetters, .width = kWidth});
  nn::Embedding& digits =
      child<nn::Embedding>("digits", nn::EmbeddingOptions{.count = kDigits, .width = kWidth});
  nn::Linear& query = child<nn::Linear>("query", kWidth, kWidth);
  nn::Linear& out = child<nn::Linear>("out", kWidth, kDigits);

  // The query is the letter that is asked for, the keys are the row's letters, the values its
  // digits:  weights = softmax(q k' / sqrt(E)),  context = weights v. All of attention is this.
  attention::Attended look(const Batch& batch, bool need_weights = false) const {
    const Tensor q = unsqueeze(query(letters(batch.asked)), 1);  // [B, 1, E]
    return attention::attend(q, letters(batch.letters), digits(batch.digits),
                             {.need_weights = need_weights});
  }
  Tensor operator()(const Batch& batch) const {
    return out(squeeze(look(batch).context, 1));  // [B, 1, E] -> [B, digits]
  }
};

int main(int argc, char** argv) {
  const Index steps = argc > 1 ? std::atoi(argv[1]) : 600;
  manual_seed(1);
  Asker model;
  optim::Adam adam(model.parameters(), {.lr = 5e-3});
  auto batches = data::drawn([](Generator& generator) { return draw(64, generator); });
  Generator other(99);
  const Batch test = draw(500, other);
  const auto right = [&] {
    return mean(to(argmax(model(test), 1) == test.answer, DType::f64)).item();
  };

  train::Run run(model, adam,
                 {.steps = steps, .every = std::max<Index>(steps / 4, 1), .keep = {"right"}});
  run.validate([&]() -> train::Figures { return {{"right", right(), 3}}; });
  run(batches, [&](const Batch& batch) { return cross_entropy(model(batch), batch.answer); });

  // Where it looked, for the first rows of the test: a line each, dark where the weight is large.
  const NoGrad scope;
  const Tensor weights = squeeze(model.look(test, true).weights, 1);  // [B, pairs]
  const auto letters = test.letters.array().to_vector<Index>();
  const auto digits = test.digits.array().to_vector<Index>();
  const auto asked = test.asked.array().to_vector<Index>();
  std::vector<train::Picture> rows;
  for (Index b = 0; b < 6; ++b) {
    train::Alignment seen{
        "",
        {},
        {std::string(1, static_cast<char>('a' + asked[static_cast<std::size_t>(b)])) + "?"},
        narrow(weights, 0, b, 1).array()};
    for (Index i = 0; i < kPairs; ++i) {
      const auto at = static_cast<std::size_t>(b * kPairs + i);
      seen.columns.push_back(std::string(1, static_cast<char>('a' + letters[at])) + " " +
                             std::to_string(digits[at]));
    }
    std::printf("%s\n", train::alignment_text(seen, train::detect_shade_style(stdout)).c_str());
    rows.push_back(train::alignment_picture(seen));
  }
  const std::string picture = argc > 2 ? argv[2] : "looking.png";
  train::write_png(picture, train::stack(rows));
  std::printf("right %.3f  picture %s\n", right(), picture.c_str());
}
