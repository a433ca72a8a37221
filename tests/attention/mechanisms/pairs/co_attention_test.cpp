#include "../../../../attention/mechanisms/pairs/co_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::expect_gradients;
using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 3, kT = 5, kN = 7, kDq = 3, kDv = 2, kHidden = 4;
const std::vector<Index> kWords = {kT, 2, 0}, kPlaces = {4, kN, 3};
const CoAttentionOptions kOptions{
    .question_width = kDq, .image_width = kDv, .hidden = kHidden, .dtype = DType::f64};

Index length(const std::vector<Index>& lengths, Index b) {
  return lengths[static_cast<std::size_t>(b)];
}
Mask words() { return Mask::lengths(kWords, kT); }
Mask places() { return Mask::lengths(kPlaces, kN); }

std::vector<Tensor> all_of(const CoAttentionOutput& seen) {
  std::vector<Tensor> out = {seen.image.context, seen.image.weights, seen.question.context,
                             seen.question.weights};
  if (seen.summary.context.defined()) {
    out.push_back(seen.summary.context);
    out.push_back(seen.summary.weights);
  }
  return out;
}

// sum over the row `r` of a weight [rows, d] and x[b, i, :].
double dot(const Block& w, Index r, Index d, const Block& x, Index b, Index i) {
  double out = 0;
  for (Index c = 0; c < d; ++c) out += w(r, c) * x(b, i, c);
  return out;
}

// The context of x[b] under weights a, and it behind them in `out`.
Numbers context(const Block& x, Index b, const Numbers& a, Index d) {
  Numbers out(static_cast<std::size_t>(d), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) continue;
    for (Index c = 0; c < d; ++c)
      out[static_cast<std::size_t>(c)] += a[i] * x(b, static_cast<Index>(i), c);
  }
  return out;
}

void append(Numbers& to, const Numbers& from) { to.insert(to.end(), from.begin(), from.end()); }

Numbers plain_parallel(const Leaves& p) {
  const auto &Q = p["question"], &V = p["image"], &Wb = p["affinity"];
  const auto &Wq = p["question_projection.weight"], &Wv = p["image_projection.weight"];
  const auto &wq = p["question_vector"], &wv = p["image_vector"];
  Numbers images, image_weights, questions, question_weights;
  for (Index b = 0; b < kB; ++b) {
    const Index T = length(kWords, b), N = length(kPlaces, b);
    const auto affinity = [&](Index t, Index n) {
      double out = 0;
      for (Index i = 0; i < kDq; ++i) {
        for (Index j = 0; j < kDv; ++j) out += Q(b, t, i) * Wb(i, j) * V(b, n, j);
      }
      return std::tanh(out);
    };
    Numbers av(kN, 0.0), aq(kT, 0.0);
    for (Index n = 0; n < N; ++n) {
      for (Index h = 0; h < kHidden; ++h) {
        double unit = dot(Wv, h, kDv, V, b, n);
        for (Index t = 0; t < T; ++t) unit += dot(Wq, h, kDq, Q, b, t) * affinity(t, n);
        av[static_cast<std::size_t>(n)] += wv(h) * std::tanh(unit);
      }
    }
    for (Index t = 0; t < T; ++t) {
      for (Index h = 0; h < kHidden; ++h) {
        double unit = dot(Wq, h, kDq, Q, b, t);
        for (Index n = 0; n < N; ++n) unit += dot(Wv, h, kDv, V, b, n) * affinity(t, n);
        aq[static_cast<std::size_t>(t)] += wq(h) * std::tanh(unit);
      }
    }
    av = plain::softmax(av, N);
    aq = plain::softmax(aq, T);
    append(images, context(V, b, av, kDv));
    append(image_weights, av);
    append(questions, context(Q, b, aq, kDq));
    append(question_weights, aq);
  }
  for (const Numbers& more : {image_weights, questions, question_weights}) append(images, more);
  return images;
}

Numbers plain_alternating(const Leaves& p) {
  Numbers parts[6];
  for (Index b = 0; b < kB; ++b) {
    // A(X; g) of the step so called; `guide` may be empty.
    const auto guided = [&](const std::string& step, const Block& X, Index count, Index size,
                            Index d, const Numbers& guide, Numbers* a) {
      const auto &Wx = p[step + ".projection.weight"], &w = p[step + ".score_vector"];
      a->assign(static_cast<std::size_t>(size), 0.0);
      for (Index i = 0; i < count; ++i) {
        for (Index h = 0; h < kHidden; ++h) {
          double unit = dot(Wx, h, d, X, b, i);
          for (std::size_t c = 0; c < guide.size(); ++c) {
            unit += p[step + ".guide_projection"](h, c) * guide[c];
          }
          (*a)[static_cast<std::size_t>(i)] += w(h) * std::tanh(unit);
        }
      }
      *a = plain::softmax(*a, count);
      return context(X, b, *a, d);
    };
    const Index T = length(kWords, b), N = length(kPlaces, b);
    Numbers as, av, aq;
    const Numbers s = guided("summarise", p["question"], T, kT, kDq, {}, &as);
    const Numbers v = guided("to_image", p["image"], N, kN, kDv, s, &av);
    const Numbers q = guided("to_question", p["question"], T, kT, kDq, v, &aq);
    const Numbers* const found[] = {&v, &av, &q, &aq, &s, &as};
    for (int i = 0; i < 6; ++i) append(parts[i], *found[i]);
  }
  for (int i = 1; i < 6; ++i) append(parts[0], parts[i]);
  return parts[0];
}

template <class Kind>
class CoAttentions : public testing::Test {
 protected:
  static constexpr bool kParallel = std::is_same_v<Kind, ParallelCoAttention>;
  CoAttentions() {
    manual_seed(11);
    question = randn({kB, kT, kDq}, DType::f64);
    image = randn({kB, kN, kDv}, DType::f64);
  }
  Tensor question, image;
  const Kind made{kOptions};
};

using Kinds = testing::Types<ParallelCoAttention, AlternatingCoAttention>;
TYPED_TEST_SUITE(CoAttentions, Kinds, );

TYPED_TEST(CoAttentions, AreTheDefinition) {
  const auto leaves = leaves_of(this->made, {{"question", this->question}, {"image", this->image}});
  const auto ours = [&] {
    return all_of(this->made(this->question, this->image, words(), places(), true));
  };
  plain::expect_same(leaves, ours, TestFixture::kParallel ? plain_parallel : plain_alternating);
  expect_gradients(leaves, ours);
}

TYPED_TEST(CoAttentions, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    Tensor q = plain::spoiled(this->question, kWords, value),
           v = plain::spoiled(this->image, kPlaces, value);
    return plain::bits_of(leaves_of(this->made, {{"question", q}, {"image", v}}),
                          [&] { return all_of(this->made(q, v, words(), places(), true)); });
  });
}

TYPED_TEST(CoAttentions, PaddedBatchesEqualEachExampleAlone) {
  const CoAttentionOutput all = this->made(this->question, this->image, words(), places(), true);
  for (Index b = 0; b < kB; ++b) {
    const Index T = length(kWords, b), N = length(kPlaces, b);
    const CoAttentionOutput alone =
        this->made(narrow(narrow(this->question, 0, b, 1), 1, 0, T),
                   narrow(narrow(this->image, 0, b, 1), 1, 0, N), Mask(), Mask(), true);
    const auto expect_own = [&](const Tensor& x, const Tensor& y, Index axis_length) {
      Tensor own = narrow(y, 0, b, 1);
      if (axis_length >= 0) own = narrow(own, 1, 0, axis_length);
      EXPECT_THAT(numbers(x), near(own));
    };
    expect_own(alone.image.context, all.image.context, -1);
    expect_own(alone.question.context, all.question.context, -1);
    expect_own(alone.image.weights, all.image.weights, N);
    expect_own(alone.question.weights, all.question.weights, T);
  }
}

TYPED_TEST(CoAttentions, GiveZerosForWhatIsEmpty) {
  for (const bool no_image : {false, true}) {
    Tensor q = this->question.detach(), v = this->image.detach();
    q.set_requires_grad();
    v.set_requires_grad();
    const Mask nowhere = Mask::lengths({0, 0, 0}, no_image ? kN : kT);
    const CoAttentionOutput seen = no_image ? this->made(q, v, words(), nowhere, true)
                                            : this->made(q, v, nowhere, places(), true);
    const Attended& empty = no_image ? seen.image : seen.question;
    EXPECT_EQ(sum(abs(empty.context)).item() + sum(abs(empty.weights)).item(), 0);
    (sum(empty.context * 1e9) + sum(empty.weights)).backward();
    for (const Tensor& x : {q, v}) {
      if (x.grad().defined()) {
        EXPECT_EQ(sum(abs(x.grad())).item(), 0);
      }
    }
  }
}

TYPED_TEST(CoAttentions, GoWithTheOrderOfPlaces) {
  const Tensor order(Array::from(std::vector<Index>{4, 2, 0, 6, 1, 3, 5}));
  const CoAttentionOutput before = this->made(this->question, this->image, Mask(), Mask(), true);
  const CoAttentionOutput after =
      this->made(this->question, index_select(this->image, 1, order), Mask(), Mask(), true);
  EXPECT_LT(amax(abs(after.question.context - before.question.context)).item(), 1e-12);
  EXPECT_LT(amax(abs(after.image.context - before.image.context)).item(), 1e-12);
  EXPECT_LT(amax(abs(after.image.weights - index_select(before.image.weights, 1, order))).item(),
            1e-12);
}

TYPED_TEST(CoAttentions, RefuseWhatDoesNotFit) {
  const auto& co = this->made;
  const Tensor &q = this->question, &v = this->image;
  CoAttentionOptions bad = kOptions;
  bad.hidden = 0;
  EXPECT_ERROR_WITH(ValueError,
                    "co_attention: question_width 3, image_width 2 and hidden 0 must be positive",
                    TypeParam none(bad));
  EXPECT_ERROR_WITH(ShapeError, "co_attention: question must be [.., n, 3], not f64[3, 7, 2]",
                    co(v, v));
  EXPECT_ERROR_WITH(ShapeError, "co_attention: image must be [.., n, 2], not f64[3, 5, 3]",
                    co(q, q));
  EXPECT_ERROR_WITH(ShapeError, "co_attention: image must be [B, n, width]",
                    co(q, select(v, 1, 0)));
  EXPECT_ERROR_WITH(ShapeError, "co_attention: image must have 3 rows, not 2: f64[2, 7, 2]",
                    co(q, narrow(v, 0, 0, 2)));
  EXPECT_ERROR_WITH(DTypeError, "co_attention: image must be f64, not f32[3, 7, 2]",
                    co(q, to(v, DType::f32)));
  EXPECT_ERROR_WITH(ShapeError, "co_attention: ", co(q, v, places()));
  EXPECT_ERROR_WITH(ShapeError,
                    "co_attention: the mask of question is one of places: no window, no block",
                    co(q, v, Mask::causal()));
  EXPECT_ERROR_WITH(GradError, "co_attention: question is undefined", co(Tensor(), v));
}

}  // namespace
}  // namespace heed::attention
