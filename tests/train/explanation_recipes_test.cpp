// The code of docs/explanations.md, run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../heed.h"
#include "../../train/train.h"
#include "../structure/shown_code.h"

namespace {

using namespace heed;

TEST(ExplanationRecipes, OfAVisionTransformer) {
  manual_seed(3);
  const attention::VisionTransformer vit({.height = 12,
                                          .width = 12,
                                          .channels = 1,
                                          .patch = 3,
                                          .classes = 5,
                                          .layers = 2,
                                          .embedding = 8,
                                          .heads = 2});
  const Tensor images = randn({2, 1, 12, 12});
  // [docs: relevance]
  const auto out = vit(images, {.need_weights = true});               // recorded: not under NoGrad
  const Tensor score = select(out.logits, 1, 3);                      // [B]: why class 3?
  const Tensor map = train::attention_relevance(out.weights, score);  // [B, T, T]
  const Tensor patches = narrow(select(map, 1, 0), 1, 1, 16);  // the class token's share of each
  // [end]
  EXPECT_EQ(patches.shape(), (Shape{2, 16}));
}

class Reader : public nn::Module {
 public:
  nn::Embedding& words = child<nn::Embedding>("words", 29, 8);
  attention::AttentionPooling& look = child<attention::AttentionPooling>("look", 8);
  nn::Linear& out = child<nn::Linear>("out", 8, 2);
};

TEST(ExplanationRecipes, OfAClassifierOfTexts) {
  manual_seed(4);
  const Reader model;
  const Tensor ids = randint(29, {3, 7});
  const std::vector<Index> lengths = {7, 2, 5};
  // [docs: texts]
  const Tensor x = model.words(ids);  // [B, T, E]: the vectors, not the ids
  const auto seen = model.look(x, attention::Mask::lengths(lengths, 7), true);
  const Tensor score = select(log_softmax(model.out(seen.context), 1), 1, 0);  // [B]: why class 0?
  const Tensor by_input = train::gradient_by_input(x, score);                  // [B, T]
  const Tensor by_weights = train::gradient_weighted(seen.weights, score);     // [B, T]
  // [end]
  EXPECT_EQ(by_input.shape(), (Shape{3, 7}));
  EXPECT_EQ(by_weights.shape(), (Shape{3, 7}));
  EXPECT_EQ(sum(slice(by_input, 1, 5, 7), {1})[1].item(), 0);  // in the padding
}

TEST(ExplanationRecipes, OfAConvolutionalNetwork) {
  manual_seed(5);
  nn::Sequential net(nn::Conv2d(1, 4, 3, 1, 1), nn::ReLU(), nn::Flatten(), nn::Linear(4 * 36, 5));
  const Tensor images = randn({2, 1, 6, 6});
  // [docs: cam]
  Tensor features;  // what a hook sees of the last convolution
  net[1].register_forward_hook(
      [&](const nn::Module&, const Tensor& seen) { return features = seen; });
  const Tensor logits = net(images);
  const Tensor heat = train::grad_cam(features, select(logits, 1, 3));  // [B, H, W]
  // [end]
  EXPECT_EQ(heat.shape(), (Shape{2, 6, 6}));
  Array evidence = Array::zeros({2, 36}, DType::boolean);
  evidence.mutable_data<bool>()[3] = true;
  // [docs: believed]
  const double found = train::pointing_game(flatten(heat, 1).array(), evidence);
  const auto answer = [&](const Array& there) {  // bool [B, N]: what may be seen
    const NoGrad off;
    const Tensor seen = images * reshape(to(Tensor(there), DType::f32), images.shape());
    return select(softmax(net(seen), -1), 1, 3).array().to(DType::f64).to_vector<double>();
  };
  const double left = train::area_under(train::deletion_curve(flatten(heat, 1).array(), answer, 6));
  // [end]
  EXPECT_GE(found, 0);
  EXPECT_GT(left, 0);
}

TEST(ExplanationRecipes, StandInTheGuide) {
  expect_shown("tests/train/explanation_recipes_test.cpp", "docs/explanations.md", 12);
}

}  // namespace
