#include "../../nn/set_loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../autograd/gradcheck.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/boxes.h"
#include "../../nn/linear.h"
#include "../../optim/adam.h"
#include "../support/block.h"
#include "../support/numbers.h"
#include "../support/seeded_test.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

Tensor boxes(const std::vector<double>& numbers) {
  return tensor(numbers, {static_cast<Index>(numbers.size()) / 4, 4}, DType::f64);
}
Tensor classes(const std::vector<Index>& numbers) { return Tensor(Array::from(numbers)); }

TEST(Boxes, OverlapAsTheDefinition) {
  const Tensor a = boxes({0, 0, 2, 2, 0, 0, 1, 1, 0, 0, 2, 1, 1, 1, 1, 1});
  const Tensor b = boxes({1, 1, 3, 3, 2, 2, 3, 3, 0, 0, 2, 1, 1, 1, 1, 1});
  EXPECT_THAT(numbers(box_iou(a, b)), Pointwise(DoubleNear(1e-12), {1.0 / 7, 0.0, 1.0, 0.0}));
  EXPECT_THAT(numbers(generalized_box_iou(a, b)),
              Pointwise(DoubleNear(1e-12), {1.0 / 7 - 2.0 / 9, -7.0 / 9, 1.0, 0.0}));
  const Tensor there = boxes({0.5, 0.25, 0.5, 0.5});
  EXPECT_THAT(numbers(corners_of(there)), ElementsAre(0.25, 0, 0.75, 0.5));
  EXPECT_EQ(difference(centres_of(corners_of(there)), there), 0);
}

TEST(Boxes, HaveGradientsOfBothOrdersAndRefuse) {
  manual_seed(3);
  const Tensor a = rand({5, 1, 4}, DType::f64).set_requires_grad();
  const Tensor b = rand({3, 4}, DType::f64).set_requires_grad();
  const auto overlap = [&] {
    return std::vector{generalized_box_iou(corners_of(a), corners_of(b)),
                       box_iou(corners_of(a), corners_of(b))};
  };
  const std::vector<NamedLeaf> leaves = {{"a", a}, {"b", b}};
  const auto first = gradcheck(overlap, leaves, {.step = 1e-5});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(overlap, leaves, {.step = 1e-5});
  EXPECT_TRUE(second) << second.text();
  EXPECT_ERROR(ShapeError, "box_iou: b must be [.., 4], not f32[3]",
               box_iou(zeros({4}), zeros({3})));
  EXPECT_ERROR(ShapeError, "box_iou: a must be [.., 4], not f32[]",
               box_iou(tensor(1.0), zeros({4})));
  EXPECT_ERROR(ShapeError, "centres_of: corners must be [.., 4], not f32[2, 5]",
               centres_of(zeros({2, 5})));
  EXPECT_ERROR(ShapeError, "corners_of: centres must be [.., 4], not f32[3]",
               corners_of(zeros({3})));
  EXPECT_ERROR(GradError, "generalized_box_iou: a is undefined",
               generalized_box_iou(Tensor(), zeros({4})));
  EXPECT_ERROR(DTypeError, "corners_of: takes f32 or f64, not i64",
               corners_of(zeros({4}, DType::i64)));
}

class SetLosses : public SeededTest<5> {
 protected:
  Tensor logits = randn({2, 5, 4}, DType::f64).set_requires_grad();
  Tensor found = (rand({2, 5, 4}, DType::f64) * 0.4 + 0.3).detach().set_requires_grad();
  const std::vector<Things> things = {
      {classes({2, 0, 1}), boxes({.2, .3, .2, .4, .7, .6, .3, .2, .5, .5, .9, .8})},
      {classes({1}), boxes({.4, .8, .3, .1})}};
};

double giou(const std::vector<double>& a, const std::vector<double>& b) {
  double shared = 1, hull = 1;
  for (int axis = 0; axis < 2; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    const double a0 = a[i] - a[i + 2] / 2, a1 = a[i] + a[i + 2] / 2;
    const double b0 = b[i] - b[i + 2] / 2, b1 = b[i] + b[i + 2] / 2;
    shared *= std::max(0.0, std::min(a1, b1) - std::max(a0, b0));
    hull *= std::max(a1, b1) - std::min(a0, b0);
  }
  const double united = a[2] * a[3] + b[2] * b[3] - shared;
  return shared / united - (hull - united) / hull;
}

// The paper's sums over the cheapest of all matchings, found by trying each.
TEST_F(SetLosses, AreTheDefinition) {
  const Block logit(logits), box(found);
  double cross = 0, weight = 0, l1 = 0, overlap = 0, count = 0;
  const SetLoss ours = set_loss(logits, found, things);
  for (Index b = 0; b < 2; ++b) {
    const auto& truth = things[static_cast<std::size_t>(b)];
    const Block wanted(truth.boxes);
    const auto labels = truth.classes.array().to_vector<std::int64_t>();
    const auto M = static_cast<Index>(labels.size());
    const auto log_p = [&](Index i, Index c) {
      double total = 0;
      for (Index k = 0; k < 4; ++k) total += std::exp(logit(b, i, k));
      return logit(b, i, c) - std::log(total);
    };
    const auto distance = [&](Index i, Index j) {
      double sum = 0;
      for (Index k = 0; k < 4; ++k) sum += std::fabs(box(b, i, k) - wanted(j, k));
      return sum;
    };
    const auto label = [&](Index j) { return labels[static_cast<std::size_t>(j)]; };
    std::vector<Index> order = {0, 1, 2, 3, 4}, best;
    double least = 1e9;
    do {
      double cost = 0;
      for (Index j = 0; j < M; ++j) {
        const Index i = order[static_cast<std::size_t>(j)];
        cost += -std::exp(log_p(i, label(j))) + 5 * distance(i, j) -
                2 * giou(box.row({b, i}), wanted.row({j}));
      }
      if (cost < least - 1e-12) least = cost, best = order;
    } while (std::next_permutation(order.begin(), order.end()));
    for (Index place = 0; place < 5; ++place) {
      const Index i = best[static_cast<std::size_t>(place)];
      const double own = place < M ? 1 : 0.1;
      cross -= own * log_p(i, place < M ? label(place) : 3);
      weight += own;
      if (place >= M) continue;
      l1 += distance(i, place);
      overlap += 1 - giou(box.row({b, i}), wanted.row({place}));
      ++count;
    }
    EXPECT_NEAR(ours.matches[static_cast<std::size_t>(b)].cost, least, 1e-10);
  }
  EXPECT_NEAR(ours.classes.item(), cross / weight, 1e-10);
  EXPECT_NEAR(ours.corners.item(), l1 / count, 1e-10);
  EXPECT_NEAR(ours.overlap.item(), overlap / count, 1e-10);
  EXPECT_NEAR(ours.total.item(), cross / weight + (5 * l1 + 2 * overlap) / count, 1e-10);
}

TEST_F(SetLosses, HaveGradientsOfBothOrders) {
  const std::vector<NamedLeaf> leaves = {{"logits", logits}, {"boxes", found}};
  const auto ours = [&] { return std::vector{set_loss(logits, found, things).total}; };
  const auto first = gradcheck(ours, leaves, {.step = 1e-5});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(ours, leaves, {.step = 1e-5});
  EXPECT_TRUE(second) << second.text();
}

TEST_F(SetLosses, KnowNoOrder) {
  const std::vector<Things> turned = {
      {classes({1, 2, 0}), boxes({.5, .5, .9, .8, .2, .3, .2, .4, .7, .6, .3, .2})}, things[1]};
  EXPECT_NEAR(set_loss(logits, found, turned).total.item(),
              set_loss(logits, found, things).total.item(), 1e-12);
}

TEST_F(SetLosses, OfAsManyThingsAsPredictionsAndOfOneClass) {
  const Tensor few = narrow(found, 1, 0, 3).detach();
  const SetLoss loss = set_loss(narrow(logits, 1, 0, 3), few, things);
  EXPECT_EQ(loss.matches[0].rows.size(), 3U);
  const Tensor one = narrow(narrow(logits, 0, 1, 1), 2, 0, 2);
  const SetLoss only = set_loss(one, narrow(found, 0, 1, 1), {{classes({0}), things[1].boxes}});
  EXPECT_EQ(only.matches[0].rows.size(), 1U);
}

TEST_F(SetLosses, OfImagesWithNothingInThem) {
  const std::vector<Things> none(2, {classes({}), boxes({})});
  const SetLoss loss = set_loss(logits, found, none);
  EXPECT_EQ(loss.corners.item(), 0);
  EXPECT_GT(loss.total.item(), 0);
  EXPECT_TRUE(loss.matches[1].rows.empty());
}

// Two things in any order: told by a set, each prediction learns one of them; told one after the
// other, in an order that nothing of the image says, both learn their mean.
TEST(SetLossTask, ASetIsLearnedWhereAnOrderIsNot) {
  const auto learn = [](bool by_set) {
    manual_seed(7);
    Linear net(2, 2 * 4);
    optim::Adam adam(net.parameters(), {.lr = 0.03});
    Generator generator(9);
    double last = 0;
    for (int step = 0; step < 400; ++step) {
      constexpr Index kB = 16;
      Array image = Array::zeros({kB, 2}, DType::f32), truth = Array::zeros({kB, 2, 4}, DType::f32);
      std::vector<Things> things;
      for (Index b = 0; b < kB; ++b) {
        const Index first = generator.below(2);
        for (Index i = 0; i < 2; ++i) {
          // One box to the left, one to the right, as high as the image says.
          const double y = 0.2 + 0.6 * generator.uniform();
          const Index which = (first + i) % 2;
          image.mutable_data<float>()[b * 2 + which] = static_cast<float>(y);
          const double box[] = {which == 0 ? 0.2 : 0.8, y, 0.2, 0.2};
          for (Index k = 0; k < 4; ++k) {
            truth.mutable_data<float>()[(b * 2 + i) * 4 + k] = static_cast<float>(box[k]);
          }
        }
        things.push_back({classes({0, 0}), Tensor(truth.select(0, b))});
      }
      const Tensor found = reshape(net(Tensor(image)), {kB, 2, 4});
      const Tensor same = zeros({kB, 2, 2});
      net.zero_grad();
      const SetLoss loss = set_loss(same, found, things);
      (by_set ? loss.total : mean(square(found - Tensor(truth)))).backward();
      adam.step();
      last = loss.overlap.item();
    }
    return 1 - last;  // the mean GIoU of what is matched
  };
  const double set = learn(true), order = learn(false);
  std::printf("set loss: GIoU %.2f; one after the other %.2f\n", set, order);
  EXPECT_GT(set, 0.7);
  EXPECT_LT(order, 0.2);
}

TEST_F(SetLosses, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ShapeError, "set_loss: logits must be [B, N, C + 1], not f64[2, 5]",
               set_loss(zeros({2, 5}, DType::f64), found, things));
  EXPECT_ERROR(ShapeError, "set_loss: boxes must be f64[2, 5, 4], not f64[2, 4, 4]",
               set_loss(logits, zeros({2, 4, 4}, DType::f64), things));
  EXPECT_ERROR(ShapeError, "set_loss: the things of 1 images for 2",
               set_loss(logits, found, {things[0]}));
  EXPECT_ERROR(ShapeError,
               "set_loss: things must be classes [M] and boxes f64[M, 4], not i64[2] and f64[1, 4]",
               set_loss(logits, found, {things[0], {classes({1, 1}), boxes({0, 0, 1, 1})}}));
  EXPECT_ERROR(ShapeError, "set_loss: logits must be [B, N, C + 1], not f64[2, 5, 1]",
               set_loss(zeros({2, 5, 1}, DType::f64), found, things));
  EXPECT_ERROR(ShapeError, "set_loss: boxes must be f64[2, 5, 4], not f32[2, 5, 4]",
               set_loss(logits, zeros({2, 5, 4}), things));
  EXPECT_ERROR(DTypeError, "set_loss: takes f32 or f64, not i64",
               set_loss(zeros({2, 5, 4}, DType::i64), found, things));
  EXPECT_ERROR(ShapeError,
               "set_loss: things must be classes [M] and boxes f64[M, 4], not i64[1] and f32[1, 4]",
               set_loss(logits, found, {things[0], {classes({1}), zeros({1, 4})}}));
  EXPECT_ERROR(
      ShapeError,
      "set_loss: things must be classes [M] and boxes f64[M, 4], not i64[1, 1] and f64[1, 4]",
      set_loss(logits, found, {things[0], {zeros({1, 1}, DType::i64), boxes({0, 0, 1, 1})}}));
  EXPECT_ERROR(GradError, "set_loss: classes is undefined",
               set_loss(logits, found, {things[0], {Tensor(), boxes({0, 0, 1, 1})}}));
  EXPECT_ERROR_WITH(IndexError, "set_loss",
                    set_loss(logits, found, {things[0], {classes({3}), boxes({0, 0, 1, 1})}}));
  EXPECT_ERROR(ValueError, "set_loss: 3 things, but 1 predictions",
               set_loss(zeros({1, 1, 4}, DType::f64), zeros({1, 1, 4}, DType::f64), {things[0]}));
  EXPECT_ERROR(GradError, "set_loss: boxes is undefined", set_loss(logits, Tensor(), things));
  EXPECT_ERROR(GradError, "set_loss: logits is undefined", set_loss(Tensor(), found, things));
}

}  // namespace
}  // namespace heed::nn
