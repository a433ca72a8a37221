// Which explanation of a hierarchical document classifier can be believed: generated reviews, whose
// class follows from one or two sentences that are known.
#include <gtest/gtest.h>

#include <numeric>

#include "../../attention/mechanisms/pooling/hierarchical.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/generator.h"
#include "../../data/batches.h"
#include "../../data/document_batch.h"
#include "../../data/generated/reviews.h"
#include "../../data/vocabulary.h"
#include "../../nn/embedding.h"
#include "../../nn/gru.h"
#include "../../nn/linear.h"
#include "../../optim/adam.h"
#include "../../train/explanations.h"
#include "explained.h"

namespace heed::train {
namespace {

using attention::Hierarchical, attention::HierarchicalLevel;
using Lengths = std::vector<Index>;

constexpr Index kWidth = 32, kState = 16;

struct Reviews {
  std::vector<data::EncodedDocument> documents;
  std::vector<std::vector<bool>> evidence;
};

class Reader : public nn::Module {
 public:
  explicit Reader(Index words)
      : words_(child<nn::Embedding>("embedding", words, kWidth)),
        out_(child<nn::Linear>("out", 2 * kState, 2)) {}

  struct Read {
    Tensor logits, embedded, states, weights;  // [B, 2], [N, T, E], [B, S, 2 h], [B, S]
  };
  Read operator()(const data::DocumentBatch& batch) const {
    Read out;
    out.embedded = words_(Tensor(batch.words));
    const auto found = attend_(out.embedded, {batch.word_counts, batch.sentence_counts}, true);
    out.logits = out_(found.context);
    out.states = states_;
    out.weights = found.weights[1];
    return out;
  }

 private:
  nn::Embedding& words_;
  nn::GRU& in_sentence_ = child<nn::GRU>(
      "in_sentence", nn::GRUOptions{.input = kWidth, .hidden = kState, .bidirectional = true});
  nn::GRU& in_document_ = child<nn::GRU>(
      "in_document", nn::GRUOptions{.input = 2 * kState, .hidden = kState, .bidirectional = true});
  mutable Tensor states_;
  Hierarchical& attend_ = child<Hierarchical>(
      "attend", std::vector<HierarchicalLevel>{
                    {.width = 2 * kState,
                     .encode = [this](auto& x, auto& n) { return in_sentence_(x, n).output; }},
                    {.width = 2 * kState, .encode = [this](auto& x, auto& n) {
                       return states_ = in_document_(x, n).output;
                     }}});
  nn::Linear& out_;
};

class ExplainedDocuments : public testing::Test {
 protected:
  data::Vocabulary vocabulary;
  Reviews train = reviews(1500, 1, true), test = reviews(300, 2, false);

  Reviews reviews(Index count, std::uint64_t seed, bool counts) {
    Generator generator(seed);
    std::vector<data::Document> documents;
    Reviews out;
    data::WordCounts words;
    for (const auto& each : data::generate_documents(count, generator)) {
      std::string text;
      for (const std::string& sentence : each.sentences) text += sentence + "\n";
      documents.push_back(data::make_document(text, {}, each.label == "positive" ? 1 : 0));
      data::count_words(documents.back(), words);
      out.evidence.push_back(each.evidence);
      EXPECT_EQ(documents.back().sentences.size(), each.evidence.size());
    }
    if (counts) vocabulary = data::Vocabulary::from_counts(words);
    for (const auto& each : documents) out.documents.push_back(data::encode(each, vocabulary));
    return out;
  }
};

// f [B, places] of f32 numbers, 0 beyond a document's sentences.
Array padded(const std::vector<double>& sums, const Lengths& counts, Index places) {
  Array out = Array::zeros({static_cast<Index>(counts.size()), places}, DType::f64);
  std::size_t at = 0;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    for (Index s = 0; s < counts[b]; ++s) {
      out.mutable_data<double>()[static_cast<Index>(b) * places + s] = sums[at++];
    }
  }
  return out;
}

TEST_F(ExplainedDocuments, OfAHierarchyOfAttention) {
  manual_seed(3);
  Reader reader(vocabulary.size());
  optim::Adam adam(reader.parameters(), {.lr = 5e-3});
  Generator order(4);
  for (int epoch = 0; epoch < 8; ++epoch) {
    for (const auto& rows : data::batches_by_length(data::lengths_of(train.documents), 32, order)) {
      const data::DocumentBatch batch = data::make_document_batch(train.documents, rows);
      reader.zero_grad();
      cross_entropy(reader(batch).logits, Tensor(batch.labels)).backward();
      adam.step();
    }
  }
  Lengths all(test.documents.size());
  std::iota(all.begin(), all.end(), 0);
  const data::DocumentBatch batch = data::make_document_batch(test.documents, all);
  const Tensor labels(batch.labels);
  const Reader::Read read = reader(batch);
  EXPECT_GT(mean(to(argmax(read.logits, -1) == labels, DType::f32)).item(), 0.9);
  const Index B = read.weights.size(0), S = read.weights.size(1);
  Array evidence = Array::zeros({B, S}, DType::boolean), real = evidence.clone();
  for (Index b = 0; b < B; ++b) {
    const auto& own = test.evidence[static_cast<std::size_t>(b)];
    for (std::size_t s = 0; s < own.size(); ++s) {
      evidence.mutable_data<bool>()[b * S + static_cast<Index>(s)] = own[s];
      real.mutable_data<bool>()[b * S + static_cast<Index>(s)] = true;
    }
  }
  // A sentence that is not there is one unknown word.
  const SeenPart answer = [&](const Array& there) {
    const NoGrad off;
    std::vector<data::EncodedDocument> documents = test.documents;
    const auto kept = there.to_vector<bool>();
    for (std::size_t b = 0; b < documents.size(); ++b) {
      for (std::size_t s = 0; s < documents[b].sentences.size(); ++s) {
        if (!kept[b * static_cast<std::size_t>(S) + s]) documents[b].sentences[s] = {1};
      }
    }
    const Tensor p = softmax(reader(data::make_document_batch(documents, all)).logits, -1);
    return squeeze(take_along(p, unsqueeze(labels, 1), 1), 1)
        .array()
        .to(DType::f64)
        .to_vector<double>();
  };
  const Tensor score = squeeze(take_along(read.logits, unsqueeze(labels, 1), 1), 1);
  BelievedTable table("document classifier");
  const auto row = [&](const std::string& name, const Array& map) {
    table.add(name, map, evidence, answer, &real);
  };
  row("attention", read.weights.detach().array());
  row("gradient-weighted attention", gradient_weighted(read.weights, score).array());
  row("Grad-CAM, states of sentences", grad_cam(read.states, score, 2).array());
  const Tensor words = sum(gradient_by_input(read.embedded, score), {1});
  row("gradient by input",
      padded(to(words, DType::f64).array().to_vector<double>(), batch.sentence_counts, S));
  const std::vector<double> draws =
      Generator(13).uniform({words.size(0)}, 0, 1, DType::f64).to_vector<double>();
  row("at random", padded(draws, batch.sentence_counts, S));
  for (const std::string name : {"attention", "gradient-weighted attention", "gradient by input"}) {
    EXPECT_GT(table[name].pointing, 0.6) << name;
    EXPECT_LT(table[name].deletion, table["at random"].deletion - 0.1) << name;
    EXPECT_GT(table[name].insertion, table["at random"].insertion + 0.05) << name;
  }
  EXPECT_LT(table["at random"].pointing, 0.3);
}

}  // namespace
}  // namespace heed::train
