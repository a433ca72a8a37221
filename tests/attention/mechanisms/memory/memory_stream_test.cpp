#include "../../../../attention/mechanisms/memory/memory_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/methods.h"
#include "../../../../autograd/ops/shape/join.h"
#include "../../../../autograd/ops/shape/slicing.h"
#include "../../../../core/error.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

constexpr Index kB = 2, kT = 7, kD = 5, kSpan = 3, kHops = 2;

class Streams : public testing::Test {
 protected:
  Streams() {
    for (const Tensor& weight : stream.parameters()) nn::normal_(weight, 0, 0.7);
  }
  MemoryStream stream{{.width = kD, .hops = kHops, .span = kSpan, .dtype = DType::f64}};
  Tensor keys = randn({kB, kT, kD}, DType::f64), values = randn({kB, kT, kD}, DType::f64);
};

// The formula, number by number.
Numbers in_loops(const MemoryStream& stream, const Numbers& m, const Numbers& c) {
  const Numbers ta = numbers(stream.places.keys), tc = numbers(stream.places.values),
                h = numbers(stream.turn.weight);
  Numbers out;
  for (Index b = 0; b < kB; ++b) {
    for (Index t = 0; t < kT; ++t) {
      Numbers u(kD, 0.1);
      for (Index hop = 0; hop < kHops; ++hop) {
        Numbers p, next(kD, 0.0);
        double total = 0;
        const Index first = std::max<Index>(0, t - kSpan + 1);
        for (Index i = first; i <= t; ++i) {
          double score = 0;
          for (Index k = 0; k < kD; ++k) {
            score +=
                at(u, k) * (at(m, (b * kT + i) * kD + k) + at(ta, (kSpan - 1 + i - t) * kD + k));
          }
          p.push_back(std::exp(score));
          total += p.back();
        }
        for (Index k = 0; k < kD; ++k) {
          for (Index i = first; i <= t; ++i) {
            at(next, k) += at(p, i - first) / total *
                           (at(c, (b * kT + i) * kD + k) + at(tc, (kSpan - 1 + i - t) * kD + k));
          }
          for (Index j = 0; j < kD; ++j) at(next, k) += at(h, k * kD + j) * at(u, j);
          if (k >= kD / 2) at(next, k) = std::max(0.0, at(next, k));
        }
        u = next;
      }
      out.insert(out.end(), u.begin(), u.end());
    }
  }
  return out;
}

TEST_F(Streams, AreTheFormula) {
  const NoGrad scope;
  const StackOutput out = stream(keys, values, true);
  EXPECT_THAT(numbers(out.output),
              Pointwise(DoubleNear(1e-12), in_loops(stream, numbers(keys), numbers(values))));
  ASSERT_EQ(out.weights.size(), static_cast<std::size_t>(kHops));
  EXPECT_EQ(out.weights[0].shape(), (Shape{kB, kT, kT}));
  EXPECT_TRUE(stream(keys, values).weights.empty());
}

TEST_F(Streams, GoOnInPieces) {
  const NoGrad scope;
  MemoryStreamState state;
  std::vector<Tensor> parts;
  for (const auto& [first, count] : {std::pair{0, 1}, {1, 4}, {5, 2}}) {
    parts.push_back(
        stream(narrow(keys, 1, first, count), narrow(values, 1, first, count), state).output);
    EXPECT_LT(state.keys.size(1), kSpan);
  }
  EXPECT_THAT(numbers(concat(parts, 1)),
              Pointwise(DoubleNear(1e-12), numbers(stream(keys, values).output)));
  const Tensor swapped = Array::from(std::vector<Index>{1, 0});
  const Tensor before = state.keys;
  state.reorder(swapped);
  EXPECT_EQ(numbers(select(state.keys, 0, 0)), numbers(select(before, 0, 1)));
}

TEST_F(Streams, Gradients) {
  keys.set_requires_grad();
  values.set_requires_grad();
  const Tensor cotangent = randn({kB, kT, kD}, DType::f64);
  const auto report =
      nn::gradcheck(stream, [&] { return stream(keys, values).output * cotangent; });
  EXPECT_TRUE(report) << report.text();
}

TEST_F(Streams, ForgetWhatIsOutOfReach) {
  const NoGrad scope;
  const Tensor other = concat({randn({kB, 1, kD}, DType::f64), narrow(keys, 1, 1, kT - 1)}, 1);
  const Numbers a = numbers(narrow(stream(keys, values).output, 1, kSpan, kT - kSpan));
  EXPECT_EQ(a, numbers(narrow(stream(other, values).output, 1, kSpan, kT - kSpan)));
}

TEST_F(Streams, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ValueError, "memory_stream: width 3, hops 0 and span 100 must be positive",
               MemoryStream({.width = 3, .hops = 0}));
  EXPECT_ERROR_WITH(ShapeError, "memory_stream: keys must be [B, T, 5]",
                    stream(zeros({kB, kT}, DType::f64), values));
  EXPECT_ERROR_WITH(ShapeError, "memory_stream: values must be [B, T, 5], as the keys are",
                    stream(keys, narrow(values, 1, 0, 3)));
  EXPECT_ERROR_WITH(DTypeError, "memory_stream: keys must be f64",
                    stream(keys.to(DType::f32), values));
  EXPECT_ERROR_WITH(GradError, "memory_stream: values is undefined", stream(keys, Tensor()));
}

}  // namespace
}  // namespace heed::attention
