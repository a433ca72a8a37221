// A model of text, one character after the other: a GRU reads, and says what comes next. It shows
// recurrent layers, batches without end (data::drawn) and drawing from what a model expects.
//
//   ./characters [STEPS]

#include <heed/heed.h>
#include <heed/train.h>

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace heed;

// Sentences of a small grammar, so that there is something to learn in seconds.
std::string text(Index sentences) {
  const std::vector<std::string> who = {"the cat", "the dog", "a bird", "my sister", "the old man"};
  const std::vector<std::string> what = {"sees", "likes", "follows", "hears"};
  Generator generator(1);
  const auto one = [&](const std::vector<std::string>& words) {
    return words[static_cast<std::size_t>(generator.below(static_cast<Index>(words.size())))];
  };
  std::string out;
  for (Index i = 0; i < sentences; ++i) out += one(who) + " " + one(what) + " " + one(who) + ".\n";
  return out;
}

const std::string kCharacters = "\n abcdefghijklmnopqrstuvwxyz.";
const auto kCount = static_cast<Index>(kCharacters.size());

Index id_of(char c) { return static_cast<Index>(kCharacters.find(c)); }

class Reader : public nn::Module {
 public:
  nn::Embedding& letters =
      child<nn::Embedding>("letters", nn::EmbeddingOptions{.count = kCount, .width = 16});
  nn::GRU& gru = child<nn::GRU>("gru", nn::GRUOptions{.input = 16, .hidden = 64});
  nn::Linear& out = child<nn::Linear>("out", 64, kCount);

  // ids [B, T] after what `state` holds -> scores [B, T, characters] of what comes next; the state
  // goes on from there. An undefined one begins with zeros.
  Tensor operator()(const Tensor& ids, Tensor* state = nullptr) const {
    const RnnResult read = gru(letters(ids), {}, state ? *state : Tensor());
    if (state) *state = read.h_n;
    return out(read.output);
  }
};

int main(int argc, char** argv) {
  constexpr Index kBatch = 16, kSteps = 40;
  manual_seed(1);
  const std::string corpus = text(500);
  std::vector<Index> ids;
  for (const char c : corpus) ids.push_back(id_of(c));

  Reader model;
  optim::Adam adam(model.parameters(), {.lr = 5e-3});
  const Index steps = argc > 1 ? std::atoi(argv[1]) : 300;

  // Windows of 41 characters from anywhere in the text: [B, 41].
  auto windows = data::drawn([&](Generator& generator) {
    std::vector<Index> rows;
    for (Index b = 0; b < kBatch; ++b) {
      const Index from = generator.below(static_cast<Index>(ids.size()) - kSteps);
      rows.insert(rows.end(), ids.begin() + from, ids.begin() + from + kSteps + 1);
    }
    return Tensor(Array::from(rows, {kBatch, kSteps + 1}));
  });

  train::Run run(model, adam, {.steps = steps, .every = std::max<Index>(steps / 3, 1), .clip = 1});
  run(windows, [&](const Tensor& window) {
    const Tensor scores = model(narrow(window, 1, 0, kSteps));  // of characters 1, 2, ..
    const Tensor right = narrow(window, 1, 1, kSteps);
    return cross_entropy(reshape(scores, {-1, kCount}), reshape(right, {-1}));
  });

  // It writes: what it has written is what it reads next.
  const NoGrad scope;
  Tensor state;
  Index last = id_of('\n');
  std::string written;
  for (int i = 0; i < 200; ++i) {
    const Tensor scores = model(Array::from(std::vector<Index>{last}, {1, 1}), &state);
    last =
        Categorical::from_logits(reshape(scores, {kCount})).sample().array().to_vector<Index>()[0];
    written += kCharacters[static_cast<std::size_t>(last)];
  }
  std::printf("%s\n", written.c_str());
}
