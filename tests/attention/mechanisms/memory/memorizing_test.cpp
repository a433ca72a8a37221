#include "../../../../attention/mechanisms/memory/memorizing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kT = 4, kPast = 6, kE = 4, kH = 2, kD = 2, kNearest = 3;
const std::vector<Index> kLengths = {kPast, 4};

// One head's keys and queries, of length 1.
Numbers unit(Numbers x) {
  const double length = std::sqrt(plain::dot(x, x));
  for (double& each : x) each /= length;
  return x;
}

// Past as it stood, which is no leaf.
Numbers plain_memorizing(const Leaves& p, const Block& past_keys, const Block& past_values) {
  Numbers out;
  for (std::size_t b = 0; b < kB; ++b) {
    const auto tokens = plain::rows_of(p["x"], b, kT);
    std::vector<Numbers> joined(kT);
    for (Index h = 0; h < kH; ++h) {
      const auto projected = [&](const char* name, std::size_t t) {
        const Numbers y = plain::affine(p[std::string(name) + ".weight"], tokens[t]);
        return Numbers(y.begin() + h * kD, y.begin() + (h + 1) * kD);
      };
      const double g = plain::sigmoid(p["gate"](h));
      for (std::size_t i = 0; i < kT; ++i) {
        const Numbers q = unit(projected("q_proj", i));
        Numbers e, head(kD, 0.0);
        for (std::size_t j = 0; j < kT; ++j) {
          e.push_back(p["scale"](h) * plain::dot(q, unit(projected("k_proj", j))));
        }
        const Numbers a = plain::softmax(e, static_cast<Index>(i) + 1);
        for (std::size_t j = 0; j < kT; ++j) {
          const Numbers v = projected("v_proj", j);
          for (Index d = 0; d < kD; ++d) at(head, d) += (1 - g) * a[j] * at(v, d);
        }
        // The nearest of the past.
        Numbers s;
        for (Index n = 0; n < kLengths[b]; ++n) {
          s.push_back(p["scale"](h) * plain::dot(q, past_keys.row({static_cast<Index>(b), h, n})));
        }
        std::vector<Index> order(s.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(),
                  [&](Index m, Index n) { return at(s, m) > at(s, n); });
        double total = 0;
        for (Index n = 0; n < kNearest; ++n) total += std::exp(at(s, order[std::size_t(n)]));
        for (Index n = 0; n < kNearest; ++n) {
          const Index place = order[static_cast<std::size_t>(n)];
          const Numbers v = past_values.row({static_cast<Index>(b), h, place});
          for (Index d = 0; d < kD; ++d) {
            at(head, d) += g * std::exp(at(s, place)) / total * at(v, d);
          }
        }
        joined[i] = plain::join({joined[i], head});
      }
    }
    for (const Numbers& heads : joined) {
      out = plain::join({out, plain::affine(p["out_proj.weight"], heads)});
    }
  }
  return out;
}

class Memorizings : public testing::Test {
 protected:
  const bool seeded_ = (manual_seed(64), true);  // before what is drawn below
  Memorizings() {
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.8);
    const NoGrad off;
    made(randn({kB, kPast, kE}, DType::f64), past, {},
         Mask::lengths(kLengths, kPast).tensor(Shape{kB, kPast}));
  }
  const Memorizing made{
      MemorizingOptions{.width = kE, .heads = kH, .nearest = kNearest, .dtype = DType::f64}};
  Memorizing::Store past;
  Tensor x = randn({kB, kT, kE}, DType::f64);
};

TEST_F(Memorizings, AreThePapersSums) {
  const auto leaves = leaves_of(made, {{"x", x}});
  const auto ours = [&] {
    Memorizing::Store store = past;
    return std::vector<Tensor>{made(x, store).context};
  };
  plain::expect_same(leaves, ours, [&](const Leaves& p) {
    return plain_memorizing(p, Block(past.keys), Block(past.values));
  });
  plain::expect_gradients(leaves, ours, 3);
}

// Of a row that has stored nothing real the segment alone counts, whatever others have stored.
TEST_F(Memorizings, ARowWithNothingStoredIsAsItIsAlone) {
  const NoGrad off;
  Memorizing::Store both, none;
  made(randn({kB, kPast, kE}, DType::f64), both, {},
       Mask::lengths({kPast, 0}, kPast).tensor(Shape{kB, kPast}));
  Memorizing::Store alone = both;
  alone.reorder(Tensor(Array::from(std::vector<Index>{1})));
  const Tensor second = narrow(x, 0, 1, 1);
  const Tensor wanted = made(second, none).context;
  EXPECT_LT(difference(narrow(made(x, both).context, 0, 1, 1), wanted), 1e-12);
  EXPECT_LT(difference(made(second, alone).context, wanted), 1e-12);
}

TEST_F(Memorizings, KeepTheLastAndNoGradient) {
  Memorizing::Store store = past;
  Tensor leaf = x.detach();
  made(leaf.set_requires_grad(), store);
  EXPECT_EQ(store.length(), kPast + kT);
  EXPECT_FALSE(store.keys.requires_grad());
  const Memorizing small(
      {.width = kE, .heads = kH, .nearest = 2, .capacity = 5, .dtype = DType::f64});
  Memorizing::Store few;
  const Tensor text = randn({kB, 7, kE}, DType::f64);
  small(text, few);
  EXPECT_EQ(few.length(), 5);
  Memorizing::Store last;
  small(narrow(text, 1, 2, 5), last);
  EXPECT_LT(difference(few.keys, last.keys), 1e-14);
  few.reorder(Tensor(Array::from(std::vector<Index>{1, 1, 0})));
  EXPECT_EQ(few.values.size(0), 3);
  EXPECT_EQ(numbers(select(few.values, 0, 0)), numbers(select(few.values, 0, 1)));
}

TEST_F(Memorizings, RefuseWhatDoesNotFit) {
  Memorizing::Store store = past;
  EXPECT_ERROR(ShapeError, "memorizing: x must be [.., n, 4], not f64[2, 4, 5]",
               made(zeros({kB, kT, 5}, DType::f64), store));
  EXPECT_ERROR(DTypeError, "memorizing: x must be f64, not f32[2, 4, 4]",
               made(zeros({kB, kT, kE}), store));
  EXPECT_ERROR(ShapeError, "memorizing: the store must have 3 rows, not 2: f64[2, 2, 6, 2]",
               made(zeros({3, kT, kE}, DType::f64), store));
  EXPECT_ERROR(ValueError,
               "memorizing: width 4, heads 1 and nearest 0 must be positive, capacity 0 not "
               "negative",
               Memorizing({.width = 4, .nearest = 0}));
  EXPECT_ERROR(ValueError, "memorizing: heads 3 do not divide width 4",
               Memorizing({.width = 4, .heads = 3}));
}

}  // namespace
}  // namespace heed::attention
