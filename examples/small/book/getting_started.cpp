// docs/getting_started.md as a program: from a tensor to a classifier that says what it looked at.
//
//   ./getting_started [FOLDER]

#include <heed/heed.h>
#include <heed/train.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

using namespace heed;

// 1. Tensors
void tensors() {
  // [docs: tensors]
  const Tensor x = tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});  // [2, 3]
  const Tensor y = x * x + 1;
  std::puts(to_string(y).c_str());
  std::puts(to_string(matmul(x, transpose(y, 0, 1))).c_str());  // [2, 2]
  std::printf("sum %.0f, mean of each row %s\n", sum(y).item(), to_string(mean(y, {1})).c_str());
  // [end]
}

// 2. A gradient
void gradients() {
  // [docs: gradients]
  Tensor w = tensor({0.5, -1.0, 2.0}).set_requires_grad();
  const Tensor loss = sum(square(w) * 3);  // 3 w^2
  loss.backward();
  std::puts(to_string(w.grad()).c_str());  // 6 w
  // [end]
}

// 3. Data: a film is called good or bad once, somewhere among words that say nothing of it.
// [docs: words]
struct Batch {
  Tensor words, labels;  // i64 [B, T], [B]
};

const std::vector<std::string> kGood = {"great", "moving", "brilliant"};
const std::vector<std::string> kBad = {"dull", "awful", "boring"};
const std::vector<std::string> kOthers = {"we",  "saw",  "it", "on",  "monday", "the", "film",
                                          "was", "with", "my", "old", "aunt",   "in",  "town"};
// [end]

// [docs: vocabulary]
data::Vocabulary vocabulary() {
  std::vector<std::string> words = kOthers;
  words.insert(words.end(), kGood.begin(), kGood.end());
  words.insert(words.end(), kBad.begin(), kBad.end());
  return data::Vocabulary(words);
}
// [end]

// [docs: draw]
Batch draw(Index rows, const data::Vocabulary& words, Generator& generator) {
  constexpr Index length = 9;
  const auto any = [&](const std::vector<std::string>& some) {
    return words.id(some[static_cast<std::size_t>(generator.below(std::ssize(some)))]);
  };
  std::vector<Index> ids, labels;
  for (Index row = 0; row < rows; ++row) {
    const Index good = generator.below(2), place = generator.below(length);
    labels.push_back(good);
    for (Index t = 0; t < length; ++t) {
      ids.push_back(t != place ? any(kOthers) : any(good ? kGood : kBad));
    }
  }
  return {Array::from(ids, {rows, length}), Array::from(labels)};
}
// [end]

// 4. A module
// [docs: model]
class Classifier : public nn::Module {
 public:
  explicit Classifier(Index vocabulary_size) : count(vocabulary_size) {}
  Index count;
  nn::Embedding& words =
      child<nn::Embedding>("words", nn::EmbeddingOptions{.count = count, .width = 16});
  attention::AttentionPooling& look = child<attention::AttentionPooling>("look", 16);
  nn::Linear& out = child<nn::Linear>("out", 16, 2);
  nn::Dropout& dropout = child<nn::Dropout>("dropout", 0.1);

  Tensor operator()(const Tensor& ids) const {      // i64 [B, T] -> [B, 2]
    return out(look(dropout(words(ids))).context);  // [B, T, 16] -> [B, 16] -> [B, 2]
  }
};
// [end]

int main(int argc, char** argv) {
  tensors();
  gradients();

  // [docs: loop]
  const data::Vocabulary words = vocabulary();
  manual_seed(1);
  Classifier model(words.size());
  std::printf("%lld parameters\n", static_cast<long long>(model.parameter_count()));

  // 5. A training loop by hand
  optim::Adam adam(model.parameters(), {.lr = 1e-2});
  Generator generator(7);
  for (int step = 1; step <= 20; ++step) {
    const Batch batch = draw(32, words, generator);
    adam.zero_grad();
    const Tensor loss = cross_entropy(model(batch.words), batch.labels);
    loss.backward();
    adam.step();
    if (step % 10 == 0) std::printf("step %d  loss %.3f\n", step, loss.item());
  }
  // [end]

  // 6. And the library's, which validates, keeps the best, and can be resumed
  // [docs: run]
  const std::string folder = argc > 1 ? argv[1] : "getting_started";
  Generator other(99);
  const Batch unseen = draw(200, words, other);
  const auto accuracy = [&](const Classifier& judged) {
    return mean(to(argmax(judged(unseen.words), 1) == unseen.labels, DType::f64)).item();
  };
  auto batches = data::drawn([&](Generator& drawing) { return draw(32, words, drawing); });
  train::Run run(model, adam, {.out = folder, .steps = 200, .every = 50, .keep = {"accuracy"}});
  run.validate([&] { return train::Figures{{"accuracy", accuracy(model)}}; });
  run(batches, [&](const Batch& batch) { return cross_entropy(model(batch.words), batch.labels); });
  // [end]

  // 7. Saving and loading
  // [docs: saved]
  const std::string weights = (std::filesystem::path(folder) / "weights.safetensors").string();
  io::save(weights, model);
  Classifier again(words.size());
  io::load(weights, again);
  again.eval();
  std::printf("accuracy %.3f, loaded %.3f\n", accuracy(model), accuracy(again));
  // [end]

  // 8. Looking at attention
  // [docs: look]
  const std::vector<std::string> text = {"on",  "monday", "we",  "saw",
                                         "the", "boring", "old", "film"};
  const NoGrad scope;
  const Tensor ids = unsqueeze(Tensor(Array::from(words.ids(text))), 0);  // [1, T]
  const Tensor seen = again.look(again.words(ids), {}, true).weights;     // [1, T]
  const Tensor chances = softmax(again(ids), 1);
  const std::string says = chances[0][1].item() > 0.5 ? "good" : "bad";
  const train::Alignment alignment{"", text, {says}, seen.array()};
  std::puts(train::alignment_text(alignment, train::detect_shade_style(stdout)).c_str());
  const std::string picture = (std::filesystem::path(folder) / "looked.png").string();
  train::write_png(picture, train::alignment_picture(alignment));
  std::printf("%s with %.3f, picture %s\n", says.c_str(), amax(chances).item(), picture.c_str());
  // [end]
}
