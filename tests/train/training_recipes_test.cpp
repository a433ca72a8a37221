// The code of docs/training.md, run; the last test compares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../heed.h"
#include "../../train/train.h"
#include "../io/temporary_folder.h"
#include "../structure/shown_code.h"
#include "../support/gzip.h"
#include "../support/zstd.h"

namespace {

// [docs: model]
using namespace heed;

struct Options {
  Index words = 50, width = 16;
  double dropout = 0.1;
  void fields(io::Fields& f) {
    f.size("words", words, 2, 1 << 20, "of the vocabulary");
    f.size("width", width, 1, 1024, "of the model");
    f.number("dropout", dropout, 0, 0.99, "probability");
  }
};

class Classifier : public nn::Module {
 public:
  explicit Classifier(const Options& given) : options(given) {}
  Options options;
  nn::Embedding& words = child<nn::Embedding>(
      "words", nn::EmbeddingOptions{.count = options.words, .width = options.width});
  nn::Dropout& dropout = child<nn::Dropout>("dropout", options.dropout);
  nn::Linear& out = child<nn::Linear>("out", options.width, 2);

  Tensor operator()(const Packed& texts) const {  // i64 [N] -> [B, 2]
    const Packed seen{dropout(words(texts.tokens)), texts.offsets};
    return out(attention::average_pooling(seen));
  }
};
// [end]

// [docs: batch]
struct Review {
  std::vector<Index> words;
  Index label;
  Index length() const { return static_cast<Index>(words.size()); }
};

struct Batch {
  Packed texts;
  Tensor labels;
};

Batch batch_of(const std::vector<Review>& some) {
  std::vector<Index> words, lengths, labels;
  for (const Review& text : some) {
    words.insert(words.end(), text.words.begin(), text.words.end());
    lengths.push_back(text.length());
    labels.push_back(text.label);
  }
  return {{Array::from(words), offsets_of(lengths)}, Array::from(labels)};
}
// [end]

// A word below 25 speaks for one class, the others for the other.
std::vector<Review> some_texts(Index count, std::uint64_t seed) {
  Generator generator(seed);
  std::vector<Review> out;
  for (Index i = 0; i < count; ++i) {
    Review text{{}, generator.below(2)};
    for (Index t = 3 + generator.below(7); t > 0; --t) {
      const bool own = generator.uniform() < 0.8;
      text.words.push_back(generator.below(25) + ((text.label == 1) == own ? 25 : 0));
    }
    out.push_back(text);
  }
  return out;
}

double accuracy_of(const Classifier& model, const std::vector<Review>& texts) {
  const Batch all = batch_of(texts);
  return mean(to(argmax(model(all.texts), 1) == all.labels, DType::f64)).item();
}

TEST(TrainingRecipes, TheLoop) {
  const TemporaryFolder scratch;
  const std::string folder = scratch / "model";
  const std::vector<Review> texts = some_texts(200, 1), unseen = some_texts(100, 2);
  manual_seed(1);
  Classifier model(Options{});
  {
    // [docs: loop]
    optim::Adam adam(model.parameters(), {.lr = 1e-2});
    data::Loader batches(texts, {.size = 16, .by = &Review::length, .prefetch = 2, .seed = 1});

    train::Run run(model, adam, {.out = folder, .epochs = 4, .clip = 5, .keep = {"accuracy"}});
    run.validate([&] { return train::Figures{{"accuracy", accuracy_of(model, unseen)}}; });

    const train::Training training = run(batches, [&](const std::vector<Review>& some) {
      const Batch batch = batch_of(some);
      return cross_entropy(model(batch.texts), batch.labels);
    });
    // [end]
    EXPECT_GT(training.curve("accuracy").back(), 0.8);
  }
  {
    const train::RunOptions flags{.out = folder, .epochs = 6, .resume = true};
    optim::Adam adam(model.parameters(), {.lr = 1e-2});
    data::Loader batches(texts, {.size = 16, .by = &Review::length, .prefetch = 2, .seed = 1});
    // [docs: more]
    train::Run run(model, adam,
                   {.out = flags.out,
                    .epochs = flags.epochs,
                    .clip = 5,
                    .keep = {"accuracy"},
                    .patience = 3,           // rounds without a better one
                    .resume = flags.resume,  // from what `out` holds, to the same bits
                    .report = flags.out + "/report.html"});
    run.schedule(optim::rate::cosine(flags.epochs), train::Per::epoch)
        .log(std::make_shared<train::TensorBoard>(flags.out + "/logs"))
        .files([&] { return io::ModelFiles("texts").options(model.options).weights(model); })
        .validate([&] {
          return train::Figures{{"accuracy", accuracy_of(model, unseen)}};
        });
    // [end]
    const auto training = run(batches, [&](const std::vector<Review>& some) {
      const Batch batch = batch_of(some);
      return cross_entropy(model(batch.texts), batch.labels);
    });
    EXPECT_EQ(training.rounds.size(), 6u);
  }
  // [docs: again]
  const io::ModelFolder saved(folder, "texts");
  const auto again = saved.make<Classifier>(saved.options<Options>());
  // [end]
  EXPECT_EQ(accuracy_of(*again, unseen), accuracy_of(model, unseen));
  const std::string path = scratch / "weights.safetensors";
  // [docs: weights]
  io::save(path, model);
  io::load(path, *again);
  // [end]
}

TEST(TrainingRecipes, OtherSources) {
  Classifier model(Options{});
  optim::Adam adam(model.parameters(), {.lr = 1e-2});
  // [docs: drawn]
  auto batches = data::drawn([](Generator& generator) {
    return batch_of(some_texts(16, generator.next()));  // whatever is drawn, from this generator
  });
  train::Run run(model, adam, {.steps = 40, .every = 20});
  const auto training = run(
      batches, [&](const Batch& batch) { return cross_entropy(model(batch.texts), batch.labels); });
  // [end]
  EXPECT_EQ(training.rounds.size(), 2u);
}

// Shards of one line in "label TAB words", and of plain lines.
void write_shards(const std::string& folder) {
  for (int shard = 0; shard < 3; ++shard) {
    std::string labelled, plain;
    for (const Review& text : some_texts(40, static_cast<std::uint64_t>(shard))) {
      std::string line;
      for (const Index word : text.words) line += " w" + std::to_string(word);
      labelled += (text.label == 1 ? "pos\t" : "neg\t") + line.substr(1) + "\n";
      plain += line.substr(1) + "\n";
    }
    const std::string number = std::to_string(shard);
    TemporaryFolder::put(folder + "/reviews-" + number + ".tsv.zst", zstd(labelled));
    TemporaryFolder::put(folder + "/books-" + number + ".txt", plain);
    TemporaryFolder::put(folder + "/news-" + number + ".txt.gz", gzip(plain));
  }
}

TEST(TrainingRecipes, DataLargerThanMemory) {
  const TemporaryFolder scratch;
  const std::string folder = scratch.path().string();
  write_shards(folder);
  std::vector<std::string> known;
  for (int i = 2; i < 50; ++i) known.push_back("w" + std::to_string(i));
  const data::Vocabulary words(known);
  manual_seed(1);
  Classifier model(Options{});
  optim::Adam adam(model.parameters(), {.lr = 1e-2});
  {
    // [docs: streamed]
    const auto reviews =
        data::labelled_shards(folder + "/reviews-*.tsv.zst", {.label = "1", .text = "2"});
    auto batches = data::streamed(
        reviews,
        [&](const std::vector<data::LabelledText>& some) {
          std::vector<Review> texts;
          for (const data::LabelledText& one : some) {
            texts.push_back({words.ids(data::tokenize(one.text)), one.label == "pos" ? 1 : 0});
          }
          return batch_of(texts);
        },
        {.size = 16, .buffer = 100, .prefetch = 2, .seed = 1});

    train::Run run(model, adam, {.out = folder + "/model", .steps = 20, .every = 10});
    const auto training = run(batches, [&](const Batch& batch) {
      return cross_entropy(model(batch.texts), batch.labels);
    });
    // [end]
    EXPECT_EQ(training.rounds.size(), 2u);
    EXPECT_EQ(batches.pass(), 2);
    EXPECT_EQ(batches.index(), 4);  // of 8 in a pass
  }
  const auto coder = data::learn_words({}, {});
  // [docs: mixed]
  const data::Mix<std::string> lines({{data::text_shards(folder + "/books-*.txt"), 3},
                                      {data::text_shards(folder + "/news-*.txt.gz"), 1}},
                                     data::MixEnds::with_all);
  const auto ids = [&](const std::string& line) { return coder.encode(line); };
  auto windows = data::streamed_windows(lines, ids, {.rows = 8, .length = 32});
  auto documents = data::streamed_documents(lines, ids, {.tokens = 256});
  // [end]
  EXPECT_EQ(windows.next()->inputs.shape(), (Shape{8, 32}));
  EXPECT_LE(documents.next()->inputs.numel(), 256);
}

TEST(TrainingRecipes, TwoOptimizers) {
  manual_seed(1);
  nn::Linear maker(4, 2), judge(2, 1);
  const auto real = [] { return randn({16, 2}) + 3.0; };
  const auto costs = [](const Tensor& scores, double truth) {
    return binary_cross_entropy_with_logits(scores, full({16, 1}, truth));
  };
  // [docs: two]
  optim::Adam makes(maker.parameters(), {.lr = 1e-3}), judges(judge.parameters(), {.lr = 1e-3});
  auto noise = data::drawn([](Generator& generator) {
    return Tensor(generator.normal({16, 4}, 0, 1));
  });
  train::Run run(maker, makes, {.steps = 30, .every = 15});
  run.carry("judge", judge).carry("judges", judges);  // what resuming needs besides
  const auto training = run(noise, [&](const Tensor& z) {
    judges.zero_grad();
    (costs(judge(real()), 1) + costs(judge(maker(z).detach()), 0)).backward();
    judges.step();
    makes.zero_grad();
    const Tensor loss = costs(judge(maker(z)), 1);
    loss.backward();
    makes.step();
    return train::Stepped{.shown = loss.item()};
  });
  // [end]
  EXPECT_EQ(training.rounds.size(), 2u);
}

TEST(TrainingRecipes, StandInTheGuideWordForWord) {
  expect_shown("tests/train/training_recipes_test.cpp", "docs/training.md", 80);
}

}  // namespace
