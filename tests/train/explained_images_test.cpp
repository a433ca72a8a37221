// Which explanation of a vision transformer and of a convolutional network can be believed: images
// of 4 x 4 cells, where a glyph in one of them says the class.
#include <gtest/gtest.h>

#include <functional>

#include "../../attention/mechanisms/vision/vision_transformer.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/conv/pool.h"
#include "../../autograd/ops/elementwise/activation.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/arrange.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/generator.h"
#include "../../nn/conv.h"
#include "../../nn/linear.h"
#include "../../optim/adam.h"
#include "../../train/explanations.h"
#include "explained.h"

namespace heed::train {
namespace {

using attention::VisionTransformer;

constexpr Index kCells = 4, kCell = 3, kSide = kCells * kCell, kPlaces = kCells * kCells;
constexpr Index kClasses = 4, kGlyphs = 8, kOthers = 5;
// 3 x 3 dots each; the first four are classes, the others mean nothing.
constexpr int kDots[kGlyphs] = {0b111101111, 0b010111010, 0b101010101, 0b100110111,
                                0b111000111, 0b110011110, 0b001010100, 0b011110011};

struct Images {
  Tensor pixels;   // f32 [B, 1, side, side]
  Tensor classes;  // i64 [B]
  Array evidence;  // bool [B, places]
};

Images draw(Index count, Generator& generator) {
  Array pixels = Array::zeros({count, 1, kSide, kSide}, DType::f32);
  Array classes = Array::zeros({count}, DType::i64);
  Array evidence = Array::zeros({count, kPlaces}, DType::boolean);
  for (Index b = 0; b < count; ++b) {
    float* image = pixels.mutable_data<float>() + b * kSide * kSide;
    for (Index i = 0; i < kSide * kSide; ++i) {
      image[i] = static_cast<float>(0.2 * generator.uniform());
    }
    const auto order = generator.permutation(kPlaces);
    for (Index i = 0; i <= kOthers; ++i) {
      const Index glyph =
          i == 0 ? generator.below(kClasses) : kClasses + generator.below(kGlyphs - kClasses);
      const Index place = order[static_cast<std::size_t>(i)];
      for (Index dot = 0; dot < kCell * kCell; ++dot) {
        const Index row = place / kCells * kCell + dot / kCell;
        const Index column = place % kCells * kCell + dot % kCell;
        if (kDots[glyph] >> dot & 1) image[row * kSide + column] += 0.8F;
      }
      if (i > 0) continue;
      classes.mutable_data<Index>()[b] = glyph;
      evidence.mutable_data<bool>()[b * kPlaces + place] = true;
    }
  }
  return {Tensor(pixels), Tensor(classes), evidence};
}

using Model = std::function<Tensor(const Tensor&)>;

// The right class's probability, where cells that are not there are dark.
SeenPart seen_by(const Model& model, const Images& images) {
  return [&model, &images](const Array& there) {
    const NoGrad off;
    const Tensor cells = reshape(to(Tensor(there), DType::f32), {-1, 1, kCells, kCells});
    const Tensor dots = repeat_interleave(repeat_interleave(cells, kCell, 2), kCell, 3);
    const Tensor p = softmax(model(images.pixels * dots), -1);
    return squeeze(take_along(p, unsqueeze(images.classes, 1), 1), 1)
        .array()
        .to(DType::f64)
        .to_vector<double>();
  };
}

double train_on(nn::Module& module, const Model& model, int steps) {
  optim::Adam adam(module.parameters(), {.lr = 3e-3});
  Generator generator(7);
  for (int step = 0; step < steps; ++step) {
    const Images batch = draw(32, generator);
    module.zero_grad();
    cross_entropy(model(batch.pixels), batch.classes).backward();
    adam.step();
  }
  const NoGrad off;
  const Images fresh = draw(500, generator);
  return mean(to(argmax(model(fresh.pixels), -1) == fresh.classes, DType::f32)).item();
}

// Each example's own class.
Tensor scores(const Tensor& logits, const Tensor& classes) {
  return squeeze(take_along(logits, unsqueeze(classes, 1), 1), 1);
}

// [B, side, side] -> [B, places]: the mean of each cell.
Array by_cell(const Tensor& map) {
  return reshape(avg_pool2d(unsqueeze(map, 1), kCell), {-1, kPlaces}).array();
}

Array random_map(Index count) { return Generator(13).uniform({count, kPlaces}, 0, 1); }

// What the class token has of the patches.
Array from_class_token(const Tensor& map) {
  return narrow(select(map, 1, 0), 1, 1, kPlaces).detach().array();
}

Array by_gradient(const Model& model, const Images& images) {
  const Tensor x = images.pixels.array().clone();
  Tensor dots = reshape(x, {-1, kSide, kSide, 1}).detach().set_requires_grad();
  const Tensor y = model(reshape(dots, {-1, 1, kSide, kSide}));
  return by_cell(gradient_by_input(dots, scores(y, images.classes)));
}

constexpr std::uint64_t kSeeds[] = {11, 12, 13};

TEST(ExplainedImages, OfVisionTransformers) {
  BelievedTable table("vision transformer");
  Generator generator(9);
  const Images images = draw(200, generator);
  for (const std::uint64_t seed : kSeeds) {
    manual_seed(seed);
    VisionTransformer vit({.height = kSide,
                           .width = kSide,
                           .channels = 1,
                           .patch = kCell,
                           .classes = kClasses,
                           .layers = 2,
                           .embedding = 32,
                           .heads = 2,
                           .hidden = 64});
    const Model model = [&](const Tensor& x) { return vit(x).logits; };
    EXPECT_GT(train_on(vit, model, 400), 0.95);
    Tensor tokens;  // after the first layer, before the class token looks at them for the last time
    vit.encoder.layers[0].register_forward_hook(
        [&](const nn::Module&, const Tensor& out) { return tokens = out; });
    const auto out = vit(images.pixels, {.need_weights = true});
    const Tensor score = scores(out.logits, images.classes);
    const Tensor seen = tokens;
    const SeenPart answer = seen_by(model, images);
    const auto row = [&](const std::string& name, const Array& map) {
      table.add(name, map, images.evidence, answer);
    };
    row("attention, last layer", from_class_token(mean(out.weights.back(), {1})));
    row("attention rollout", from_class_token(attention_rollout(out.weights)));
    row("relevance, of the logit", from_class_token(attention_relevance(out.weights, score)));
    const Tensor log_p = scores(log_softmax(out.logits, -1), images.classes);
    row("relevance, of the log probability",
        from_class_token(attention_relevance(out.weights, log_p)));
    row("Grad-CAM, tokens", narrow(grad_cam(seen, score, 2), 1, 1, kPlaces).detach().array());
    row("gradient by input", by_gradient(model, images));
    row("at random", random_map(200));
  }
  for (const std::string name : {"attention rollout", "gradient by input"}) {
    EXPECT_GT(table[name].pointing, 0.6) << name;
    EXPECT_LT(table[name].deletion, table["at random"].deletion - 0.1) << name;
    EXPECT_GT(table[name].insertion, table["at random"].insertion + 0.1) << name;
  }
  // Better than nothing, and worse than the two.
  EXPECT_GT(table["relevance, of the logit"].pointing, table["at random"].pointing + 0.2);
  EXPECT_LT(table["relevance, of the logit"].pointing, table["attention rollout"].pointing);
  EXPECT_LT(table["at random"].pointing, 0.2);
}

class Convolutional : public nn::Module {
 public:
  nn::Conv2d& first = child<nn::Conv2d>("first", 1, 16, 3, 1, 1);
  nn::Conv2d& second = child<nn::Conv2d>("second", 16, 32, 3, 1, 1);
  nn::Linear& out = child<nn::Linear>("out", 32, kClasses);
  mutable Tensor last;  // [B, 32, side, side]
  Tensor operator()(const Tensor& x) const {
    last = relu(second(relu(first(x))));
    return out(amax(last, {2, 3}));
  }
};

TEST(ExplainedImages, OfConvolutionalNetworks) {
  BelievedTable table("convolutional network");
  Generator generator(9);
  const Images images = draw(200, generator);
  for (const std::uint64_t seed : kSeeds) {
    manual_seed(seed);
    Convolutional net;
    const Model model = [&](const Tensor& x) { return net(x); };
    EXPECT_GT(train_on(net, model, 400), 0.9);
    const SeenPart answer = seen_by(model, images);
    const Tensor score = scores(net(images.pixels), images.classes);
    const Tensor last = net.last;
    const auto row = [&](const std::string& name, const Array& map) {
      table.add(name, map, images.evidence, answer);
    };
    row("Grad-CAM", by_cell(grad_cam(last, score)));
    row("gradient by input", by_gradient(model, images));
    row("at random", random_map(200));
  }
  for (const std::string name : {"Grad-CAM", "gradient by input"}) {
    EXPECT_GT(table[name].pointing, 0.8) << name;
    EXPECT_LT(table[name].deletion, table["at random"].deletion - 0.1) << name;
    EXPECT_GT(table[name].insertion, table["at random"].insertion + 0.1) << name;
  }
}

}  // namespace
}  // namespace heed::train
