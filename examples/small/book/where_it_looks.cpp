// Chapter 6, where it looks: hierarchical attention. Documents of ten sentences; one is about the
// film, and what it says decides. The others say the same things of the popcorn and the seats.
//
//   ./where_it_looks [PICTURE.png]

#include <heed/heed.h>
#include <heed/train.h>

#include <cstdio>
#include <string>
#include <vector>

using namespace heed;

constexpr Index kSentences = 10, kWords = 5;

const std::vector<std::string> kThings = {"film", "popcorn", "seat", "sound", "crowd"};
const std::vector<std::string> kGood = {"great", "lovely", "superb"};
const std::vector<std::string> kBad = {"awful", "dull", "bad"};
const std::vector<std::string> kAll = {"<pad>",   "<unk>", "the",   "really", "was",   "film",
                                       "popcorn", "seat",  "sound", "crowd",  "great", "lovely",
                                       "superb",  "awful", "dull",  "bad"};

struct Documents {
  Packed words;                           // i64 [B * 10 * 5]
  std::vector<std::vector<Index>> above;  // sentences a document
  Tensor labels, evidence;                // i64 [B]; which sentence decides
};

Documents draw(Index rows, Generator& generator) {
  const auto id = [](const std::string& word) {
    return std::find(kAll.begin(), kAll.end(), word) - kAll.begin();
  };
  const auto any = [&](const std::vector<std::string>& some) {
    return some[static_cast<std::size_t>(generator.below(std::ssize(some)))];
  };
  Documents out;
  std::vector<Index> ids, labels, evidence;
  for (Index row = 0; row < rows; ++row) {
    evidence.push_back(generator.below(kSentences));
    for (Index s = 0; s < kSentences; ++s) {
      const bool film = s == evidence.back();
      const bool good = generator.below(2) == 1;
      if (film) labels.push_back(good);
      const std::string thing =
          film ? "film" : kThings[static_cast<std::size_t>(1 + generator.below(4))];
      for (const std::string& word : {std::string("the"), thing, std::string("was"),
                                      std::string("really"), any(good ? kGood : kBad)}) {
        ids.push_back(id(word));
      }
    }
  }
  out.words = {Array::from(ids),
               offsets_of(std::vector<Index>(static_cast<std::size_t>(rows * kSentences), kWords))};
  out.above = {std::vector<Index>(static_cast<std::size_t>(rows), kSentences)};
  out.labels = Array::from(labels);
  out.evidence = Array::from(evidence);
  return out;
}

enum class Pool { attention, average, maximum };

// [docs: model]
class Reader : public nn::Module {
 public:
  explicit Reader(Pool pool = Pool::attention) : pool_(pool) {}

 private:
  Pool pool_;

 public:
  nn::Embedding& words = child<nn::Embedding>("words", std::ssize(kAll), 16);
  nn::GRU& of_words =
      child<nn::GRU>("of_words", nn::GRUOptions{.input = 16, .hidden = 8, .bidirectional = true});
  nn::GRU& of_sentences = child<nn::GRU>(
      "of_sentences", nn::GRUOptions{.input = 16, .hidden = 8, .bidirectional = true});
  attention::Hierarchical& look = child<attention::Hierarchical>(
      "look", std::vector<attention::HierarchicalLevel>{level(of_words), level(of_sentences)});
  nn::Linear& out = child<nn::Linear>("out", 16, 2);

  attention::HierarchicalOutput read(const Documents& some, bool need_weights = false) const {
    return look(Packed{words(some.words.tokens), some.words.offsets}, some.above, need_weights);
  }
  Tensor operator()(const Documents& some) const { return out(read(some).context); }

 private:
  attention::HierarchicalLevel level(const nn::GRU& gru) const {
    attention::HierarchicalLevel made{.width = 16};
    made.encode_packed = [&gru](const Packed& x) { return gru(x).output; };
    if (pool_ == Pool::average) {
      made.pool = [](const Packed& x) { return attention::average_pooling(x); };
    } else if (pool_ == Pool::maximum) {
      made.pool = [](const Packed& x) { return attention::max_pooling(x); };
    }
    return made;
  }
};
// [end]

double learn(Reader& model, int steps) {
  optim::Adam adam(model.parameters(), {.lr = 1e-2});
  Generator generator(7);
  for (int step = 0; step < steps; ++step) {
    const Documents batch = draw(32, generator);
    adam.zero_grad();
    cross_entropy(model(batch), batch.labels).backward();
    adam.step();
  }
  const NoGrad scope;
  const Documents test = draw(500, generator);
  return mean(to(argmax(model(test), 1) == test.labels, DType::f64)).item();
}

int main(int argc, char** argv) {
  manual_seed(1);
  Reader model;
  std::printf("accuracy %.3f\n", learn(model, 100));

  Generator other(99);
  const Documents one = draw(1, other), many = draw(500, other);
  const Tensor weights = [&] {
    const NoGrad scope;
    const auto seen = model.read(one, true).weights;  // of words [50], of sentences [10]
    return reshape(seen[0], {kSentences, kWords}) * unsqueeze(seen[1], 1);
  }();
  train::Alignment picture{"", train::numbered("word", kWords), {}, weights.array()};
  const auto ids = one.words.tokens.array().to_vector<Index>();
  for (Index s = 0; s < kSentences; ++s) {
    std::string line;
    for (Index t = 0; t < kWords; ++t) {
      const std::string& word =
          kAll[static_cast<std::size_t>(ids[static_cast<std::size_t>(s * kWords + t)])];
      std::printf("%s %.2f  ", word.c_str(), weights[s][t].item());
      line += (t ? " " : "") + word;
    }
    std::printf("\n");
    picture.rows.push_back(line);
  }
  if (argc > 1) train::write_png(argv[1], train::alignment_picture(picture));

  std::puts("exercise 1: what stands in the place of attention, after 50 and 100 steps");
  for (const auto& [name, pool] : {std::pair{"attention", Pool::attention},
                                   {"average", Pool::average},
                                   {"maximum", Pool::maximum}}) {
    manual_seed(1);
    Reader early(pool);
    const double first = learn(early, 50);
    manual_seed(1);
    Reader late(pool);
    std::printf("%-10s %.3f  %.3f\n", name, first, learn(late, 100));
  }

  std::puts("exercise 2: the share of attention on the sentence that decides");
  const NoGrad scope;
  const auto seen = model.read(many, true).weights;
  const Tensor of_sentences = reshape(seen[1], {500, kSentences});
  std::printf("%.3f of 500 documents; 0.10 would be chance\n",
              mean(gather(of_sentences, 1, unsqueeze(many.evidence, 1))).item());

  std::puts("exercise 3: the share on its last word, which says good or bad");
  const Tensor of_words = reshape(seen[0], {500, kSentences, kWords});
  const Tensor index = expand(reshape(many.evidence, {500, 1, 1}), {500, 1, kWords});
  std::printf("%s\n", to_string(mean(squeeze(gather(of_words, 1, index), 1), {0})).c_str());
}
