#include "../../../examples/document_classifier/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../core/allocator.h"
#include "../../../core/generator.h"
#include "../../../core/parallel.h"
#include "../../../nn/gradcheck.h"
#include "../../../optim/adam.h"
#include "../../../optim/clip.h"

namespace document_classifier {
namespace {

constexpr Index kWords = 23, kClasses = 3;

ModelOptions small(const std::string& pooling = "attention") {
  ModelOptions options;
  options.vocabulary = kWords;
  options.classes = kClasses;
  options.embedding = 5;
  options.hidden = 3;
  options.dropout = 0;
  options.pooling = pooling;
  return options;
}

// Documents of 3, 1 and 2 sentences, one of them a single word.
data::DocumentBatch batch_of_three() {
  const std::vector<data::EncodedDocument> documents = {
      {{{2, 3, 4, 5, 6}, {7, 8}, {9, 10, 11}}, 0},
      {{{12}}, 1},
      {{{13, 2, 14, 15}, {16, 17, 18, 3, 3, 1, 22}}, 2}};
  return data::make_document_batch(documents, {0, 1, 2});
}

TEST(Model, GradientsOfTheWholeNetworkInF64) {
  manual_seed(2);
  HierarchicalAttention model(small());
  model.to(DType::f64);
  const auto batch = batch_of_three();
  const auto loss = [&] { return cross_entropy(model(batch).logits, batch.labels); };
  const auto first = nn::gradcheck(model, loss);
  EXPECT_TRUE(first) << first.text();
  EXPECT_EQ(first.checked, model.parameter_count());
  GradcheckOptions some;
  some.max_elements = 12;
  const auto second = nn::gradgradcheck(model, loss, some);
  EXPECT_TRUE(second) << second.text();
}

TEST(Model, ADocumentOfOneWordAlone) {
  manual_seed(3);
  HierarchicalAttention model(small());
  model.to(DType::f64);
  const auto batch = data::make_document_batch({{{{5}}, 1}}, {0});
  const auto report =
      nn::gradcheck(model, [&] { return cross_entropy(model(batch).logits, batch.labels); });
  EXPECT_TRUE(report) << report.text();
}

TEST(Model, ABatchEqualsEachDocumentAlone) {
  for (const char* pooling : {"attention", "average", "maximum"}) {
    manual_seed(4);
    HierarchicalAttention model(small(pooling));
    model.to(DType::f64);
    const std::vector<data::EncodedDocument> documents = {
        {{{2, 3, 4, 5, 6}, {7, 8}, {9, 10, 11}}, 0},
        {{{12}}, 1},
        {{{13, 2, 14, 15}, {16, 17, 18}}, 2}};
    const auto together =
        model(data::make_document_batch(documents, {2, 0, 1})).logits.array().to_vector<double>();
    std::vector<double> alone;
    for (const Index i : {2, 0, 1}) {
      const auto one =
          model(data::make_document_batch(documents, {i})).logits.array().to_vector<double>();
      alone.insert(alone.end(), one.begin(), one.end());
    }
    EXPECT_THAT(together, testing::Pointwise(testing::DoubleNear(1e-12), alone));
  }
}

TEST(Model, WeightsSumToOneOverRealPlaces) {
  HierarchicalAttention model(small());
  const Reading reading = model(batch_of_three(), true);
  ASSERT_EQ(reading.words.size(), 6u);
  ASSERT_EQ(reading.sentences.size(), 3u);
  EXPECT_EQ(reading.words[3], std::vector<double>{1});
  const auto expect_one = [](const std::vector<double>& weights) {
    double sum = 0;
    for (const double weight : weights) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-6);
  };
  for (const auto& sentence : reading.words) expect_one(sentence);
  for (const auto& document : reading.sentences) expect_one(document);
  EXPECT_EQ(reading.words[5].size(), 7u);
  EXPECT_TRUE(model(batch_of_three()).words.empty());
}

void step(HierarchicalAttention& model, optim::Adam& adam) {
  const auto batch = batch_of_three();
  adam.zero_grad();
  const Tensor loss = cross_entropy(model(batch).logits, batch.labels);
  loss.backward();
  optim::clip_grad_norm(model.parameters(), 5);
  adam.step();
  adam.zero_grad();
}

TEST(Model, NothingStaysBehindAfterATrainingStep) {
  HierarchicalAttention model(small());
  optim::Adam adam(model.parameters());
  step(model, adam);
  const MemoryStats before = memory_stats();
  for (int i = 0; i < 1000; ++i) {
    step(model, adam);
    const MemoryStats after = memory_stats();
    ASSERT_EQ(after.live_bytes, before.live_bytes) << "step " << i;
    ASSERT_EQ(after.live_tensors, before.live_tensors);
    ASSERT_EQ(after.live_storages, before.live_storages);
    ASSERT_EQ(after.live_nodes, before.live_nodes);
  }
  EXPECT_EQ(before.live_nodes, 0);
}

TEST(Model, AsksTheSystemForNoMemoryOnceItIsWarm) {
  HierarchicalAttention model(small());
  optim::Adam adam(model.parameters());
  for (int i = 0; i < 3; ++i) step(model, adam);
  const std::int64_t before = memory_stats().system_allocations;
  for (int i = 0; i < 50; ++i) step(model, adam);
  EXPECT_EQ(memory_stats().system_allocations, before);
}

TEST(Model, TheSameBitsForAnyNumberOfThreads) {
  const int before = num_threads();
  const auto train = [](int threads) {
    set_num_threads(threads);
    manual_seed(6);
    ModelOptions options = small();
    options.dropout = 0.3;
    options.embedding = 67;
    options.hidden = 29;
    HierarchicalAttention model(options);
    optim::Adam adam(model.parameters());
    for (int i = 0; i < 200; ++i) step(model, adam);
    std::vector<float> all;
    for (const Tensor& parameter : model.parameters()) {
      const auto numbers = parameter.array().to_vector<float>();
      all.insert(all.end(), numbers.begin(), numbers.end());
    }
    return all;
  };
  const auto one = train(1);
  for (const int threads : {2, 3, 4}) EXPECT_EQ(train(threads), one) << threads << " threads";
  set_num_threads(before);
}

}  // namespace
}  // namespace document_classifier
