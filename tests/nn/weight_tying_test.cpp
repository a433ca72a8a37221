// One matrix as the table of words and as the weight of the output (Press & Wolf 2017).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/embedding.h"
#include "../../nn/linear.h"
#include "../../optim/sgd.h"

namespace heed {
namespace {

class Tied : public nn::Module {
 public:
  Tied() { decoder.weight = words.weight; }
  nn::Embedding& words = child<nn::Embedding>("words", 7, 3);
  nn::Linear& decoder = child<nn::Linear>("decoder", 3, 7, false);
  Tensor operator()(const Tensor& ids) { return decoder(words(ids)); }
};

TEST(WeightTying, OneParameterUnderTwoNames) {
  manual_seed(5);
  Tied model;
  EXPECT_EQ(model.parameters().size(), 1U);
  EXPECT_EQ(model.state_dict().size(), 2U);
  EXPECT_EQ(model.parameter_count(), 21);

  const Tensor ids = Array::from(std::vector<std::int64_t>{1, 4, 2});
  const Tensor next = Array::from(std::vector<std::int64_t>{4, 2, 6});
  optim::SGD sgd(model.parameters(), {.lr = 0.5});
  const double before = cross_entropy(model(ids), next).item();
  for (int step = 0; step < 20; ++step) {
    sgd.zero_grad();
    cross_entropy(model(ids), next).backward();
    sgd.step();
  }
  EXPECT_LT(cross_entropy(model(ids), next).item(), before / 2);
  EXPECT_TRUE(model.decoder.weight.is_same(model.words.weight));
}

TEST(WeightTying, StaysWhenAStateIsLoaded) {
  manual_seed(6);
  Tied from, to;
  to.load_state_dict(from.state_dict());
  EXPECT_TRUE(to.decoder.weight.is_same(to.words.weight));
  EXPECT_EQ(to.decoder.weight.array().to_vector<float>(),
            from.words.weight.array().to_vector<float>());
}

}  // namespace
}  // namespace heed
