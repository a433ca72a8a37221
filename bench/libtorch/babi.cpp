// An end-to-end memory network as a user of libtorch writes it.
#include "../babi.h"

#include <torch/torch.h>

#include <algorithm>

#include "../protocol.h"
#include "filled.h"

namespace {

using namespace bench::babi;  // the sizes
using torch::Tensor;

// l_kj = (1 - j/J) - (k/d)(1 - 2j/J), [J, d]
Tensor position_encoding(std::int64_t J) {
  const Tensor j = torch::arange(1, J + 1, torch::kFloat).unsqueeze(1) / J;
  const Tensor k = torch::arange(1, kWidth + 1, torch::kFloat) / kWidth;
  return (1 - j) - k * (1 - 2 * j);
}

struct Network : torch::nn::Module {
  Network() {
    for (std::int64_t i = 0; i < kTables; ++i) {
      words->push_back(torch::nn::Embedding(kVocabulary, kWidth));
      times.push_back(
          register_parameter("times" + std::to_string(i), torch::empty({kMemory, kWidth})));
    }
    register_module("words", words);
  }
  torch::nn::EmbeddingImpl& table(std::int64_t i) {
    return *words->ptr<torch::nn::EmbeddingImpl>(static_cast<std::size_t>(i));
  }
  // story [B, N, J] -> [B, N, d]
  Tensor memories(std::int64_t i, const Tensor& story) {
    return (table(i).forward(story) * of_sentence).sum(2) + times[static_cast<std::size_t>(i)];
  }
  // and question [B, L] -> [B, V]
  Tensor forward(const Tensor& story, const Tensor& question) {
    Tensor u = (table(0).forward(question) * of_question).sum(1);
    Tensor m = memories(0, story);
    for (std::int64_t hop = 0; hop < kHops; ++hop) {
      const Tensor c = memories(hop + 1, story);
      const Tensor p = torch::softmax(torch::bmm(m, u.unsqueeze(2)).squeeze(2), 1);  // [B, N]
      u = u + torch::bmm(p.unsqueeze(1), c).squeeze(1);
      m = c;
    }
    return torch::linear(u, table(kHops).weight);
  }
  torch::nn::ModuleList words;
  std::vector<Tensor> times;
  Tensor of_sentence = position_encoding(kWords), of_question = position_encoding(kAsked);
};

// The row's weights; time is counted from the last sentence in them, from the first here.
void fill(Network& network) {
  const torch::NoGradGuard guard;
  const Tensor words = bench::numbers({kTables, kVocabulary, kWidth}, fill_words);
  const Tensor times = bench::numbers({kTables, kMemory, kWidth}, fill_times).flip(1);
  for (std::int64_t i = 0; i < kTables; ++i) {
    network.table(i).weight.copy_(words[i]);
    network.times[static_cast<std::size_t>(i)].copy_(times[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  torch::set_num_threads(options.threads);
  Network network;
  const Tensor stories = bench::ids({kQuestions, kMemory, kWords}, fill_stories);
  const Tensor questions = bench::ids({kQuestions, kAsked}, fill_questions);
  const Tensor answers = bench::ids({kQuestions}, fill_answers);
  torch::optim::SGD sgd(network.parameters(), torch::optim::SGDOptions(kLearningRate));
  return bench::serve(options, [&] {
    fill(network);
    double sum = 0;
    for (std::int64_t from = 0; from < kQuestions; from += kBatch) {
      const std::int64_t count = std::min(kBatch, kQuestions - from);
      const Tensor logits =
          network.forward(stories.narrow(0, from, count), questions.narrow(0, from, count));
      sgd.zero_grad();
      const Tensor loss =
          torch::cross_entropy_loss(logits, answers.narrow(0, from, count), {}, at::Reduction::Sum);
      loss.backward();
      torch::nn::utils::clip_grad_norm_(network.parameters(), kClip);
      sgd.step();
      sum += loss.item<double>();
    }
    return sum;
  });
}
