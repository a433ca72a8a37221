// pack() and unpack() beside what the gradient table asks of them: other dtypes, padding that is no
// number, losses.
#include "../../../../autograd/ops/packed/packed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/losses/cross_entropy.h"
#include "../../../../autograd/ops/packed/segment.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"

namespace heed {
namespace {

const std::vector<Index> kLengths = {2, 0, 5, 3};
constexpr Index kB = 4, kT = 7, kN = 10;

std::vector<double> numbers(const Tensor& x) {
  return x.array().contiguous().to(DType::f64).to_vector<double>();
}

// x [B, T, ..] with `value` in the padding.
Tensor with_padding(const Tensor& x, double value) {
  Array real = Array::zeros(Shape{kB, kT, 1}, DType::boolean);
  for (Index b = 0; b < kB; ++b) {
    for (Index t = 0; t < kLengths[static_cast<std::size_t>(b)]; ++t) {
      real.mutable_data<bool>()[b * kT + t] = true;
    }
  }
  return where(Tensor(real), x, tensor(value, x.dtype()));
}

TEST(Packed, HoldsRowsOfNumbers) {
  const Packed packed = pack({{3, 5}, {}, {7, 11, 13}});
  EXPECT_EQ(packed.offsets, (std::vector<Index>{0, 2, 2, 5}));
  EXPECT_EQ(packed.tokens.array().to_vector<Index>(), (std::vector<Index>{3, 5, 7, 11, 13}));
  EXPECT_EQ(pack(std::vector<std::vector<Index>>{}).tokens.shape(), Shape{0});
}

TEST(Packed, KnowsItsSequences) {
  const Packed packed = pack(randn({kB, kT, 3}), kLengths);
  EXPECT_EQ(packed.tokens.shape(), (Shape{kN, 3}));
  EXPECT_EQ(packed.offsets, (std::vector<Index>{0, 2, 2, 7, 10}));
  EXPECT_EQ(packed.sequences(), kB);
  EXPECT_EQ(packed.length(2), 5);
  EXPECT_EQ(packed.lengths(), kLengths);
  EXPECT_EQ(packed.places(), (std::vector<Index>{0, 1, 0, 1, 2, 3, 4, 0, 1, 2}));
  const Packed none{Tensor(), {0}};
  EXPECT_EQ(none.places(), std::vector<Index>{});
  EXPECT_ERROR(IndexError, "Packed: sequence 4 is not in [0, 4)", (void)packed.length(4));
  EXPECT_ERROR(IndexError, "Packed: sequence -1 is not in [0, 4)", (void)packed.length(-1));
  EXPECT_THROW((void)Packed().length(0), IndexError);
}

TEST(Packed, TakesEveryDType) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    const Tensor x((randn({kB, kT, 3}) * 5).array().to(dtype));
    const Packed packed = pack(x, kLengths);
    EXPECT_EQ(packed.tokens.dtype(), dtype);
    EXPECT_EQ(numbers(select(packed.tokens, 0, 6)), numbers(select(select(x, 0, 2), 0, 4)));
    const Tensor back = unpack(packed, kT);
    EXPECT_EQ(back.dtype(), dtype);
    EXPECT_EQ(numbers(back), numbers(with_padding(x, 0)));
  }
}

TEST(Packed, DoesNotShareItsNumbers) {
  for (const std::vector<Index>& lengths : {std::vector<Index>{5, 5}, std::vector<Index>{}}) {
    const Tensor x = randn({2, 5, 3});
    const Packed packed = pack(x, lengths);
    EXPECT_FALSE(packed.tokens.array().shares_storage(x.array()));
    EXPECT_FALSE(unpack(packed).array().shares_storage(packed.tokens.array()));
  }
}

TEST(Packed, PaddingIsNotReadAndGetsNoGradient) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  manual_seed(5);
  const Tensor values = randn({kB, kT, 3}, DType::f64), cotangent = randn({kN, 3}, DType::f64);
  const auto run = [&](double padding) {
    Tensor x = with_padding(values, padding).detach();
    x.set_requires_grad();
    const Packed packed = pack(x, kLengths);
    const Tensor g = grad({packed.tokens * packed.tokens}, {x}, {cotangent})[0];
    EXPECT_EQ(numbers(g), numbers(with_padding(g, 0)));
    std::vector<double> all = numbers(packed.tokens);
    const std::vector<double> gradient = numbers(g);
    all.insert(all.end(), gradient.begin(), gradient.end());
    return all;
  };
  EXPECT_EQ(run(kNaN), run(0));
  // Gradients of the padding that unpack() made are not read either.
  Tensor tokens = randn({kN, 3}, DType::f64);
  tokens.set_requires_grad();
  const Tensor g = with_padding(randn({kB, kT, 3}, DType::f64), kNaN);
  const Tensor back = grad({unpack({tokens, offsets_of(kLengths)}, kT)}, {tokens}, {g})[0];
  EXPECT_EQ(numbers(back), numbers(pack(g, kLengths).tokens));
}

TEST(Packed, LossesOfTokensAreThoseOfThePaddedBatch) {
  manual_seed(7);
  constexpr Index kC = 11, kIgnored = -100;
  const Tensor values = randn({kB, kT, kC}, DType::f64);
  Generator draw(3);
  const Tensor ids = Tensor(draw.uniform({kB, kT}, 0, kC).to(DType::i64));
  const Tensor padded_ids(squeeze(with_padding(unsqueeze(ids, 2), kIgnored), 2));
  for (const double smoothing : {0.0, 0.1}) {
    for (const Reduction reduction : {Reduction::mean, Reduction::sum}) {
      const CrossEntropyOptions options{
          .ignore_index = kIgnored, .label_smoothing = smoothing, .reduction = reduction};
      Tensor x = values.detach();
      x.set_requires_grad();
      const Tensor padded =
          cross_entropy(reshape(x, {kB * kT, kC}), reshape(padded_ids, {kB * kT}), options);
      const Tensor packed =
          cross_entropy(pack(x, kLengths).tokens, pack(ids, kLengths).tokens, options);
      EXPECT_NEAR(packed.item(), padded.item(), 1e-12);
      const auto of_padded = numbers(grad({padded}, {x})[0]);
      const auto of_packed = numbers(grad({packed}, {x})[0]);
      EXPECT_THAT(of_packed, testing::Pointwise(testing::DoubleNear(1e-14), of_padded));
    }
  }
}

TEST(Packed, AMeanOverSequencesOfTheirMeans) {
  manual_seed(11);
  constexpr Index kC = 5;
  const Packed logits = pack(randn({kB, kT, kC}, DType::f64), kLengths);
  Generator draw(13);
  const Tensor ids = Tensor(draw.uniform({kN}, 0, kC).to(DType::i64));
  const Tensor losses = cross_entropy(logits.tokens, ids, {.reduction = Reduction::none});
  const Tensor means = segment_mean({losses, logits.offsets});  // [B]
  for (Index b = 0; b < kB; ++b) {
    const Index first = logits.offsets[static_cast<std::size_t>(b)], count = logits.length(b);
    const double expected = count == 0 ? 0
                                       : cross_entropy(narrow(logits.tokens, 0, first, count),
                                                       narrow(ids, 0, first, count))
                                             .item();
    EXPECT_NEAR(select(means, 0, b).item(), expected, 1e-12) << b;
  }
}

TEST(Packed, SoftmaxOfASequenceDoesNotOverflowOrLookAtOthers) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Tensor x(Array::from(std::vector<double>{1e300, 1e300, -kInfinity, 2, NAN, 7}));
  const auto y = numbers(segment_softmax({x, {0, 2, 4, 5, 5, 6}}));
  EXPECT_EQ(std::vector<double>(y.begin(), y.begin() + 4), (std::vector<double>{0.5, 0.5, 0, 1}));
  EXPECT_TRUE(std::isnan(y[4]));
  EXPECT_EQ(y[5], 1);
}

TEST(Packed, EqualLargestOnesShareTheGradient) {
  Tensor x(Array::from(std::vector<double>{3, 3, 1, -2, -2, -2}));
  x.set_requires_grad();
  const Tensor top = segment_max({x, {0, 3, 3, 6}});
  EXPECT_EQ(numbers(top), (std::vector<double>{3, 0, -2}));
  const Tensor g(Array::from(std::vector<double>{1, 5, 6}));
  EXPECT_EQ(numbers(grad({top}, {x}, {g})[0]), (std::vector<double>{0.5, 0.5, 0, 2, 2, 2}));
}

TEST(Packed, SoftmaxOfWhatIsImpossibleHasNoGradient) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Tensor x(Array::from(std::vector<double>{-kInfinity, 0, 0, 7}));
  x.set_requires_grad();
  const Tensor y = segment_softmax({x, {0, 3, 4}});
  for (const double back : {1.0, kInfinity, std::nan("")}) {
    const Tensor g(Array::from(std::vector<double>{back, 1, 3, 5}));
    for (const bool again : {true, false}) {
      const std::vector<Tensor> gx =
          grad({y}, {x}, {g}, {.retain_graph = true, .create_graph = again});
      EXPECT_EQ(numbers(gx[0]), (std::vector<double>{0, -0.5, 0.5, 0})) << back << again;
    }
  }
}

}  // namespace
}  // namespace heed
