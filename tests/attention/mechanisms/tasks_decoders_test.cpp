// Each decoder learns a small task that needs it, and that the same model, of the same size and for
// as many steps, does not learn without it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>

#include "../../../attention/attention.h"
#include "../../../autograd/backward.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../autograd/ops/losses/nll_loss.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../core/parallel.h"
#include "../../../nn/embedding.h"
#include "../../../nn/gru.h"
#include "../../../nn/init.h"
#include "../../../optim/adam.h"
#include "../../../optim/clip.h"

namespace heed::attention {
namespace {

using Ids = std::vector<Index>;

// Numbers that are the same on every machine.
struct Draw {
  explicit Draw(unsigned seed) : engine(seed) {}
  Index operator()(Index count) {
    return static_cast<Index>(engine() % static_cast<std::uint32_t>(count));
  }
  std::mt19937 engine;
};

Tensor ids(const Ids& numbers, Index rows) {
  const auto count = static_cast<Index>(numbers.size());
  return Tensor(Array::from(numbers).reshape(Shape{rows, count / rows}));
}

void learn(nn::Module& model, int steps, double lr, const std::function<Tensor()>& loss) {
  set_num_threads(1);  // such small models gain nothing by more
  optim::Adam adam(model.parameters(), {.lr = lr});
  for (int step = 0; step < steps; ++step) {
    adam.zero_grad();
    loss().backward();
    optim::clip_grad_norm(model.parameters(), 1);
    adam.step();
  }
}

// The share of targets that have the largest logit; targets below 0 do not count.
double accuracy(const Tensor& logits, const Tensor& targets) {
  const auto best = argmax(logits, -1).array().to_vector<Index>();
  const auto wanted = targets.array().to_vector<Index>();
  double right = 0, all = 0;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (wanted[i] < 0) continue;
    right += best[i] == wanted[i] ? 1 : 0;
    ++all;
  }
  return right / all;
}

// Of four new batches.
double share(const std::function<double()>& of_batch) {
  const NoGrad off;
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += of_batch() / 4;
  return sum;
}

void expect(const char* what, double with, double at_least, double without, double at_most) {
  std::printf("%s: %.3f, without %.3f\n", what, with, without);
  EXPECT_GE(with, at_least);
  EXPECT_LE(without, at_most);
}

Tensor loss_of(const Tensor& logits, const Tensor& targets) {
  return cross_entropy(reshape(logits, Shape{targets.numel(), logits.size(-1)}),
                       reshape(targets, Shape{targets.numel()}));
}

// Random words, and the same backwards. What is fed are the targets, one place later.
struct Reversal {
  static constexpr Index kRows = 32, kSteps = 12, kWords = 20;  // word 0 begins each target
  Tensor source, fed, targets;
  explicit Reversal(Draw& draw) {
    Ids forth, in, back;
    for (Index b = 0; b < kRows; ++b) {
      Ids row;
      for (Index t = 0; t < kSteps; ++t) row.push_back(1 + draw(kWords - 1));
      forth.insert(forth.end(), row.begin(), row.end());
      std::reverse(row.begin(), row.end());
      back.insert(back.end(), row.begin(), row.end());
      in.push_back(0);
      in.insert(in.end(), row.begin(), row.end() - 1);
    }
    source = ids(forth, kRows);
    fed = ids(in, kRows);
    targets = ids(back, kRows);
  }
};

// After so many steps of training, the share of words that are right among new ones.
template <class Model>
double reversal(bool attends, int steps, double lr) {
  manual_seed(7);
  Model model(attends);
  Draw draw(3);
  learn(model, steps, lr, [&] {
    const Reversal batch(draw);
    return loss_of(model(batch), batch.targets);
  });
  return share([&] {
    const Reversal batch(draw);
    return accuracy(model(batch), batch.targets);
  });
}

constexpr Index kWidth = 24;

struct WithEncoder : nn::Module {
  nn::Embedding& source = child<nn::Embedding>("source", Reversal::kWords, kWidth);
  nn::Embedding& target = child<nn::Embedding>("target", Reversal::kWords, kWidth);
  nn::GRU& encoder = child<nn::GRU>(
      "encoder", nn::GRUOptions{.input = kWidth, .hidden = kWidth / 2, .bidirectional = true});
  nn::Linear& out = child<nn::Linear>("out", kWidth, Reversal::kWords);
};

struct Bahdanau : WithEncoder {
  explicit Bahdanau(bool with) : attends(with) {}
  bool attends;
  BahdanauDecoder& decoder =
      child<BahdanauDecoder>("decoder", BahdanauOptions{.word_width = kWidth,
                                                        .annotation_width = kWidth,
                                                        .state_width = kWidth,
                                                        .start_width = kWidth});
  Tensor operator()(const Reversal& batch) const {
    const RnnResult read = encoder(source(batch.source));
    const Tensor last = concat({select(read.h_n, 0, 0), select(read.h_n, 0, 1)}, -1);
    const Ids lengths(Reversal::kRows, attends ? Reversal::kSteps : 0);
    auto state = decoder.start(read.output, Mask::lengths(lengths, Reversal::kSteps), last);
    return out(decoder.run(target(batch.fed), state).output);
  }
};

template <LuongAttention kAttention, bool kFeeding>
struct Luong : WithEncoder {
  explicit Luong(bool with) : attends(with) {}
  bool attends;
  LuongDecoder& decoder = child<LuongDecoder>(
      "decoder", LuongOptions{.word_width = kWidth,
                              .source_width = kWidth,
                              .state_width = kWidth,
                              .input_feeding = kFeeding,
                              .attention = kAttention,
                              .score = std::make_shared<General>(kWidth, kWidth),
                              .half_width = 2});
  Tensor operator()(const Reversal& batch) const {
    const RnnResult read = encoder(source(batch.source));
    const Tensor last = concat({select(read.h_n, 0, 0), select(read.h_n, 0, 1)}, -1);
    const Ids lengths(Reversal::kRows, attends ? Reversal::kSteps : 0);
    auto state = decoder.start(read.output, lengths, {{last, Tensor()}});
    return out(decoder.run(target(batch.fed), state).output);
  }
};

// Without attention every layer gets the source's mean.
struct Convolutional : nn::Module {
  explicit Convolutional(bool with) : attends(with) {}
  bool attends;
  static ConvSeq2SeqOptions options() { return {.width = kWidth, .layers = 2}; }
  nn::Embedding& source = child<nn::Embedding>("source", Reversal::kWords, kWidth);
  nn::Embedding& target = child<nn::Embedding>("target", Reversal::kWords, kWidth);
  LearnedPositions& places = child<LearnedPositions>("places", Reversal::kSteps, kWidth);
  LearnedPositions& steps = child<LearnedPositions>("steps", Reversal::kSteps, kWidth);
  ConvEncoder& encoder = child<ConvEncoder>("encoder", options());
  ConvDecoder& decoder = child<ConvDecoder>("decoder", options());
  nn::Linear& out = child<nn::Linear>("out", kWidth, Reversal::kWords);
  Tensor operator()(const Reversal& batch) const {
    Memory read = encoder(places(source(batch.source)));
    if (!attends) read = MultiStepAttention::memory(read.keys() * 0, read.values());
    return out(decoder(steps(target(batch.fed)), read).output);
  }
};

template <class Model>
void expect_reversal(int steps, double lr, double with_at_least, double without_at_most) {
  expect("right words", reversal<Model>(true, steps, lr), with_at_least,
         reversal<Model>(false, steps, lr), without_at_most);
}

TEST(DecoderTasks, BahdanauReverses) { expect_reversal<Bahdanau>(900, 0.01, 0.85, 0.65); }
TEST(DecoderTasks, LuongReverses) {
  expect_reversal<Luong<LuongAttention::global, true>>(600, 0.01, 0.85, 0.5);
}
TEST(DecoderTasks, LuongReversesWithinItsOwnWindow) {
  expect_reversal<Luong<LuongAttention::local_p, false>>(600, 0.01, 0.85, 0.5);
}
TEST(DecoderTasks, ConvolutionsReverse) { expect_reversal<Convolutional>(600, 0.01, 0.85, 0.5); }

// Words said again and again, one after the other: what a place holds does not tell which it is.
struct Recitation {
  static constexpr Index kRows = 16, kWords = 4;  // word 0 stands at the beginning
  Tensor source, fed;
  Recitation(Draw& draw, Index steps) {
    Ids words, in;
    for (Index b = 0; b < kRows; ++b) {
      Ids row = {0};
      while (static_cast<Index>(row.size()) < steps) row.push_back(1 + draw(kWords - 1));
      words.insert(words.end(), row.begin(), row.end());
      in.push_back(0);
      in.insert(in.end(), row.begin(), row.end() - 1);
    }
    source = ids(words, kRows);
    fed = ids(in, kRows);
  }
};

struct Reciter : nn::Module {
  nn::Embedding& words = child<nn::Embedding>("words", Recitation::kWords, kWidth);
  LocationAwareDecoder& decoder = child<LocationAwareDecoder>(
      "decoder", LocationAwareDecoderOptions{.word_width = kWidth,
                                             .annotation_width = kWidth,
                                             .state_width = kWidth,
                                             .filters = 4,
                                             .kernel = 5,
                                             .normaliser = std::make_shared<Temperature>(2.0)});
  nn::Linear& out = child<nn::Linear>("out", kWidth, Recitation::kWords);
  Tensor operator()(const Recitation& batch) const {
    return out(decoder(words(batch.fed), words(batch.source)).output);
  }
};

double recitation(bool by_location) {
  manual_seed(7);
  Reciter model;
  if (!by_location) {  // content alone
    nn::Linear& seen = dynamic_cast<LocationAware&>(model.decoder.score).location_projection;
    nn::zeros_(seen.weight);
    seen.requires_grad(false);
  }
  Draw draw(3);
  learn(model, 1200, 0.005, [&] {
    const Recitation batch(draw, 12);
    return loss_of(model(batch), batch.source);
  });
  return share([&] {
    const Recitation longer(draw, 30);
    return accuracy(model(longer), longer.source);
  });
}

TEST(DecoderTasks, LocationLeadsThroughRepetitionsLongerThanInTraining) {
  expect("right words at 2.5 times the length", recitation(true), 0.9, recitation(false), 0.6);
}

// Names that no vocabulary has, to be said again: all look the same to the reader.
struct Names {
  static constexpr Index kRows = 32, kSteps = 6, kWords = 6;  // 0 begins, 1 is any name
  Tensor read, fed, targets;
  explicit Names(Draw& draw) {
    Ids seen, own, in;
    for (Index b = 0; b < kRows; ++b) {
      in.push_back(0);
      for (Index t = 0; t < kSteps; ++t) {
        const bool name = draw(2) == 0;
        const Index word = name ? 1 : 2 + draw(kWords - 2);
        seen.push_back(word);
        own.push_back(name ? kWords + t : word);
        if (t + 1 < kSteps) in.push_back(word);
      }
    }
    read = ids(seen, kRows);
    targets = ids(own, kRows);
    fed = ids(in, kRows);
  }
};

struct Copier : nn::Module {
  nn::Embedding& words = child<nn::Embedding>("words", Names::kWords, kWidth);
  nn::GRU& encoder = child<nn::GRU>(
      "encoder", nn::GRUOptions{.input = kWidth, .hidden = kWidth / 2, .bidirectional = true});
  PointerGenerator& decoder =
      child<PointerGenerator>("decoder", PointerGeneratorOptions{.word_width = kWidth,
                                                                 .annotation_width = kWidth,
                                                                 .state_width = kWidth,
                                                                 .vocabulary = Names::kWords});
  PointerGeneratorOutput operator()(const Names& batch) const {
    return decoder(words(batch.fed), encoder(words(batch.read)).output, batch.targets);
  }
};

// Of names only.
double copying(bool points) {
  manual_seed(7);
  Copier model;
  Draw draw(3);
  learn(model, 300, 0.01, [&] {
    const Names batch(draw);
    const PointerGeneratorOutput out = model(batch);
    if (!points) return loss_of(out.output, batch.read);  // a name is the unknown word
    return -mean(out.log_likelihood(batch.targets)) + 0.1 * mean(out.coverage_loss);
  });
  return share([&] {
    const Names batch(draw);
    const PointerGeneratorOutput out = model(batch);
    Array names = batch.targets.array().clone();
    for (Index n = 0; n < names.numel(); ++n) {
      Index& name = names.mutable_data<Index>()[n];
      if (name < Names::kWords) name = -1;
    }
    const Tensor p =
        points ? out.distribution(Names::kWords + Names::kSteps) : softmax(out.output, -1);
    return accuracy(p, Tensor(names));
  });
}

TEST(DecoderTasks, NamesBeyondTheVocabularyAreCopied) {
  expect("right names", copying(true), 0.9, copying(false), 0);
}

// Numbers, and their places in ascending order.
struct Numbers {
  static constexpr Index kRows = 32, kCount = 8;
  Tensor values, order;
  explicit Numbers(Draw& draw) {
    std::vector<double> all;
    Ids places;
    for (Index b = 0; b < kRows; ++b) {
      std::vector<double> row;
      for (Index i = 0; i < kCount; ++i) row.push_back(static_cast<double>(draw(1000)) / 1000);
      Ids own(kCount);
      std::iota(own.begin(), own.end(), 0);
      std::stable_sort(own.begin(), own.end(), [&](Index i, Index j) {
        return row[static_cast<std::size_t>(i)] < row[static_cast<std::size_t>(j)];
      });
      all.insert(all.end(), row.begin(), row.end());
      places.insert(places.end(), own.begin(), own.end());
    }
    values = tensor(all, Shape{kRows, kCount, 1});
    order = ids(places, kRows);
  }
};

// Without pointing, the decoder says the place's number.
struct Sorter : nn::Module {
  explicit Sorter(bool with) : points(with) {}
  bool points;
  nn::GRU& encoder = child<nn::GRU>("encoder", nn::GRUOptions{.input = 1, .hidden = kWidth});
  PointerNetwork& decoder = child<PointerNetwork>(
      "decoder",
      PointerNetworkOptions{.input_width = 1, .key_width = kWidth, .state_width = kWidth});
  nn::Linear& out = child<nn::Linear>("out", kWidth, Numbers::kCount);
  Tensor operator()(const Numbers& batch) const {
    const RnnResult read = encoder(batch.values);
    const LstmState begin{select(read.h_n, 0, 0), Tensor()};
    if (points) return decoder(read.output, batch.values, batch.order, Mask(), begin);
    auto state = decoder.start(read.output, batch.values, Mask(), begin);
    std::vector<Tensor> logits;
    Tensor last;
    for (Index t = 0; t < Numbers::kCount; ++t) {
      decoder.step(last, state);
      logits.push_back(out(state.lstm.h));
      last = select(batch.order, 1, t);
    }
    return stack(logits, 1);
  }
};

double sorting(bool points) {
  manual_seed(7);
  Sorter model(points);
  Draw draw(3);
  learn(model, 1500, 0.01, [&] {
    const Numbers batch(draw);
    return loss_of(model(batch), batch.order);
  });
  return share([&] {
    const Numbers batch(draw);
    return accuracy(model(batch), batch.order);
  });
}

TEST(DecoderTasks, PointersSort) {
  expect("right places", sorting(true), 0.8, sorting(false), 0.65);
}

}  // namespace
}  // namespace heed::attention
