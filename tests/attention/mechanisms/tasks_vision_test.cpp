// Each mechanism of vision learns a task that needs it, and that a model without it, after the same
// steps, does not learn.
#include <gtest/gtest.h>

#include "../../../attention/mechanisms/vision/augmented_convolution.h"
#include "../../../attention/mechanisms/vision/cbam.h"
#include "../../../attention/mechanisms/vision/coord_conv.h"
#include "../../../attention/mechanisms/vision/deformable.h"
#include "../../../attention/mechanisms/vision/draw.h"
#include "../../../attention/mechanisms/vision/efficient_channel.h"
#include "../../../attention/mechanisms/vision/non_local.h"
#include "../../../attention/mechanisms/vision/spatial_transformer.h"
#include "../../../attention/mechanisms/vision/squeeze_excitation.h"
#include "../../../attention/mechanisms/vision/swin.h"
#include "../../../attention/mechanisms/vision/vision_transformer.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/slicing.h"
#include "../../../core/generator.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

constexpr Index kColours = 4;

// Images of `side` x `side` places to be written into.
struct Canvas {
  Array pixels;
  Index channels, side;
  Canvas(Index count, Index planes, Index places)
      : pixels(Array::zeros({count, planes, places, places}, DType::f32)),
        channels(planes),
        side(places) {}
  float& at(Index image, Index channel, Index place) {
    return pixels.mutable_data<float>()[(image * channels + channel) * side * side + place];
  }
};

// [B, C, H, W] -> [B, C], of a map times a plane.
Tensor summed(const Tensor& map) { return sum(map, {2, 3}); }

// A sum over places, and a linear layer.
class Head : public nn::Module {
 public:
  Head(Index in, Index out) : out_(child<nn::Linear>("out", in, out)) {}
  Tensor operator()(const Tensor& map) const { return out_(summed(map)); }

 private:
  nn::Linear& out_;
};

template <class Gate>
class Gated : public nn::Module {
 public:
  template <class... Options>
  explicit Gated(Index channels, const Options&... options)
      : gate(child<Gate>("gate", options...)), head(child<Head>("head", channels, kColours)) {}
  Gate& gate;
  Head& head;
};

// Two colours somewhere, of four planes each, and a plane between them that says which one counts.
TaskBatch one_of_two(Dice& dice, Index count) {
  Canvas canvas(count, 2 * kColours + 1, 3);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    const Index colours[] = {dice(kColours), dice(kColours)}, which = dice(2);
    canvas.at(b, colours[0], dice(9)) = 9;
    canvas.at(b, kColours + 1 + colours[1], dice(9)) = 9;
    canvas.at(b, kColours, dice(9)) = which == 0 ? 36.0F : -36.0F;
    answers.push_back(colours[which]);
  }
  return {{Tensor(canvas.pixels)}, ids(answers, {count})};
}

TEST(TasksOfVision, GatesOfChannelsChooseThem) {
  manual_seed(1);
  constexpr Index kChannels = 2 * kColours + 1;
  Gated<SqueezeExcitation> excited(kChannels, kChannels, Index{1});
  Gated<EfficientChannelAttention> efficient(kChannels, kChannels, Index{9});
  Head plain(kChannels, kColours);
  const auto gated = [](auto& model) {
    return [&model](const auto& x) { return model.head(model.gate(x[0]).context); };
  };
  EXPECT_GT(learnt("squeeze and excitation", excited, one_of_two, gated(excited), 600, 0.02), 0.9);
  EXPECT_GT(
      learnt("efficient channel attention", efficient, one_of_two, gated(efficient), 600, 0.02),
      0.9);
  EXPECT_LT(learnt(
                "  without: a linear layer", plain, one_of_two,
                [&](const auto& x) { return plain(x[0]); }, 600, 0.02),
            0.75);
}

// A colour at every place, and a mark at one: which colour stands there?
TaskBatch marked(Dice& dice, Index count) {
  Canvas canvas(count, kColours + 1, 4);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    const Index mark = dice(16);
    for (Index place = 0; place < 16; ++place) {
      const Index colour = dice(kColours);
      canvas.at(b, colour, place) = 1;
      if (place == mark) answers.push_back(colour);
    }
    canvas.at(b, kColours, mark) = 4;
  }
  return {{Tensor(canvas.pixels)}, ids(answers, {count})};
}

TEST(TasksOfVision, CbamLooksWhereTheMarkIs) {
  manual_seed(2);
  Gated<CBAM> with(kColours + 1, kColours + 1, Index{1}, Index{3});
  Head plain(kColours + 1, kColours);
  EXPECT_GT(learnt(
                "cbam", with, marked,
                [&](const auto& x) { return with.head(with.gate(x[0]).context); }, 600, 0.02),
            0.9);
  EXPECT_LT(learnt(
                "  without: a linear layer", plain, marked,
                [&](const auto& x) { return plain(x[0]); }, 600, 0.02),
            0.6);
}

// A dot: in which quarter of the image?
TaskBatch somewhere(Dice& dice, Index count) {
  Canvas canvas(count, 1, 8);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    const Index row = dice(8), column = dice(8);
    canvas.at(b, 0, row * 8 + column) = 1;
    answers.push_back(row / 4 * 2 + column / 4);
  }
  return {{Tensor(canvas.pixels)}, ids(answers, {count})};
}

template <class Convolution>
class Convolved : public nn::Module {
 public:
  Convolution& conv = child<Convolution>("conv", 1, 16, 1);
  Head& head = child<Head>("head", 16, 4);
  Tensor operator()(const Tensor& x) const { return head(relu(conv(x)) * x); }
};

TEST(TasksOfVision, CoordConvKnowsWhereItIs) {
  manual_seed(3);
  Convolved<CoordConv> with;
  Convolved<nn::Conv2d> without;
  EXPECT_GT(learnt(
                "coordconv", with, somewhere, [&](const auto& x) { return with(x[0]); }, 400, 0.02),
            0.9);
  EXPECT_LT(learnt(
                "  without: a convolution", without, somewhere,
                [&](const auto& x) { return without(x[0]); }, 400, 0.02),
            0.35);
}

// Six things at nine places, each of a colour; a marked one without. Which colour has the thing of
// its kind?
constexpr Index kKinds = 6, kPlanes = kKinds + kColours + 1;

TaskBatch same_kind(Dice& dice, Index count) {
  Canvas canvas(count, kPlanes, 3);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    const Ids places = dice.order(9);
    const Index asked = dice(kKinds);
    for (Index kind = 0; kind < kKinds; ++kind) {
      const Index place = places[static_cast<std::size_t>(kind)], colour = dice(kColours);
      canvas.at(b, kind, place) = 1;
      canvas.at(b, kKinds + colour, place) = 1;
      if (kind == asked) answers.push_back(colour);
    }
    canvas.at(b, asked, places.back()) = 1;
    canvas.at(b, kPlanes - 1, places.back()) = 1;
  }
  return {{Tensor(canvas.pixels)}, ids(answers, {count})};
}

// A mechanism over the map, read where the mark is.
template <class Looker>
class AtTheMark : public nn::Module {
 public:
  template <class... Options>
  explicit AtTheMark(Index width, const Options&... options)
      : part(child<Looker>("part", options...)), head(child<Head>("head", width, kColours)) {}
  Looker& part;
  Head& head;
  Tensor operator()(const Tensor& x) const {
    const Tensor mark = narrow(x, 1, kPlanes - 1, 1);
    if constexpr (std::is_same_v<Looker, nn::Conv2d>) {
      return head(relu(part(x)) * mark);
    } else {
      return head(part(x).context * mark);
    }
  }
};

TEST(TasksOfVision, PlacesThatLookAtAllOthersFindTheirKind) {
  manual_seed(4);
  const auto run = [](const char* what, auto& model) {
    return learnt(
        what, model, same_kind, [&](const auto& x) { return model(x[0]); }, 600, 0.02);
  };
  AtTheMark<NonLocal> non_local(kPlanes, NonLocalOptions{.width = kPlanes, .inner = 12});
  AtTheMark<AugmentedConvolution> augmented(
      16,
      AugmentedConvolutionOptions{
          .in = kPlanes, .out = 16, .key_width = 12, .value_width = 8, .height = 3, .width = 3});
  AtTheMark<nn::Conv2d> conv(32, kPlanes, Index{32}, PerAxis(3), Conv2dOptions{.padding = 1});
  EXPECT_GT(run("non-local", non_local), 0.9);
  EXPECT_GT(run("augmented convolution", augmented), 0.9);
  EXPECT_LT(run("  without: a convolution", conv), 0.7);
}

TEST(TasksOfVision, AVisionTransformerFindsTheKind) {
  manual_seed(5);
  VisionTransformer with({.height = 3,
                          .width = 3,
                          .channels = kPlanes,
                          .patch = 1,
                          .classes = kColours,
                          .layers = 2,
                          .embedding = 32,
                          .heads = 2,
                          .hidden = 64});
  AtTheMark<nn::Conv2d> without(128, kPlanes, Index{128}, PerAxis(3), Conv2dOptions{.padding = 1});
  EXPECT_GT(learnt(
                "vision transformer", with, same_kind,
                [&](const auto& x) { return with(x[0]).logits; }, 1000, 0.003),
            0.9);
  EXPECT_LT(learnt(
                "  without: a convolution", without, same_kind,
                [&](const auto& x) { return without(x[0]); }, 1000, 0.003),
            0.7);
}

// The mark stands at the edge of a window, the colour beside it in the next.
TaskBatch beyond_the_window(Dice& dice, Index count) {
  Canvas canvas(count, kColours + 1, 4);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    const Index row = dice(4);
    for (Index place = 0; place < 16; ++place) {
      const Index colour = dice(kColours);
      canvas.at(b, colour, place) = 1;
      if (place == row * 4 + 2) answers.push_back(colour);
    }
    canvas.at(b, kColours, row * 4 + 1) = 1;
  }
  return {{Tensor(canvas.pixels)}, ids(answers, {count})};
}

class Windows : public nn::Module {
 public:
  explicit Windows(Index shift)
      : second(child<SwinBlock>(
            "second", SwinBlockOptions{.width = 16, .heads = 2, .window = 2, .shift = shift})) {}
  nn::Linear& in = child<nn::Linear>("in", kColours + 1, 16);
  SwinBlock& first =
      child<SwinBlock>("first", SwinBlockOptions{.width = 16, .heads = 2, .window = 2});
  SwinBlock& second;
  Head& head = child<Head>("head", 16, kColours);
  Tensor operator()(const Tensor& x) const {
    const Tensor y = second(first(in(permute(x, {0, 2, 3, 1}))).context).context;
    return head(permute(y, {0, 3, 1, 2}) * narrow(x, 1, kColours, 1));
  }
};

TEST(TasksOfVision, ShiftedWindowsSeeBeyondTheirOwn) {
  manual_seed(6);
  Windows shifted(1), not_shifted(0);
  const auto run = [](const char* what, Windows& model) {
    return learnt(
        what, model, beyond_the_window, [&](const auto& x) { return model(x[0]); }, 400, 0.01);
  };
  EXPECT_GT(run("swin, shifted windows", shifted), 0.9);
  EXPECT_LT(run("  windows that are not", not_shifted), 0.45);
}

// A colour at each place, of which one is told, (x, y) from -1 to 1.
template <Index kSide>
TaskBatch told_where(Dice& dice, Index count) {
  Canvas canvas(count, kColours, kSide);
  Array told = Array::zeros({count, 2}, DType::f32);
  Ids answers;
  for (Index b = 0; b < count; ++b) {
    const Index asked = dice(kSide * kSide);
    for (Index place = 0; place < kSide * kSide; ++place) {
      const Index colour = dice(kColours);
      canvas.at(b, colour, place) = 1;
      if (place == asked) answers.push_back(colour);
    }
    told.mutable_data<float>()[2 * b] = 2 * static_cast<float>(asked % kSide) / (kSide - 1) - 1;
    told.mutable_data<float>()[2 * b + 1] = 2 * static_cast<float>(asked / kSide) / (kSide - 1) - 1;
  }
  return {{Tensor(canvas.pixels), Tensor(told)}, ids(answers, {count})};
}

class Transformed : public nn::Module {
 public:
  SpatialTransformer& look = child<SpatialTransformer>(
      "look", SpatialTransformerOptions{.features = 2, .height = 1, .width = 1});
  Head& head = child<Head>("head", kColours, kColours);
};

class Drawn : public nn::Module {
 public:
  DrawAttention& look = child<DrawAttention>(
      "look", DrawOptions{.state_width = 2, .size = 1, .height = 3, .width = 3});
  Head& head = child<Head>("head", kColours, kColours);
};

class Deformed : public nn::Module {
 public:
  nn::Linear& query = child<nn::Linear>("query", 2, kColours);
  DeformableAttention& look = child<DeformableAttention>(
      "look", DeformableOptions{.width = kColours, .heads = 2, .levels = 1, .points = 2});
  nn::Linear& out = child<nn::Linear>("out", kColours, kColours);
};

TEST(TasksOfVision, WindowsGoWhereTheyAreTold) {
  manual_seed(7);
  Drawn drawn;
  Deformed deformed;
  nn::Linear without(kColours + 2, kColours);
  const auto middle = full({1, 1, 2}, 0.5F);
  const auto look_around = [&](const auto& x) {
    const Tensor query = unsqueeze(deformed.query(x[1]), 1);
    const Tensor from = expand(middle, Shape{x[0].size(0), 1, 2});
    return deformed.out(squeeze(deformed.look(query, from, {x[0]}).context, 1));
  };
  const auto guess = [&](const auto& x) { return without(concat({mean(x[0], {2, 3}), x[1]}, 1)); };
  EXPECT_GT(learnt(
                "draw's reading", drawn, told_where<3>,
                [&](const auto& x) { return drawn.head(drawn.look.read(x[0], x[1])); }, 400, 0.02),
            0.9);
  EXPECT_GT(learnt("deformable attention", deformed, told_where<3>, look_around, 400, 0.02), 0.9);
  EXPECT_LT(
      learnt("  without: the mean, and what is told", without, told_where<3>, guess, 400, 0.02),
      0.6);
}

// Whose gradient is that of the pixels around: it sets out from the middle of four.
TEST(TasksOfVision, ASpatialTransformerGoesToTheNextPixel) {
  manual_seed(8);
  Transformed with;
  nn::Linear without(kColours + 2, kColours);
  EXPECT_GT(learnt(
                "spatial transformer", with, told_where<2>,
                [&](const auto& x) { return with.head(with.look(x[0], x[1]).output); }, 400, 0.02),
            0.9);
  EXPECT_LT(learnt(
                "  without: the mean, and what is told", without, told_where<2>,
                [&](const auto& x) {
                  return without(concat({mean(x[0], {2, 3}), x[1]}, 1));
                },
                400, 0.02),
            0.7);
}

}  // namespace
}  // namespace heed::attention
