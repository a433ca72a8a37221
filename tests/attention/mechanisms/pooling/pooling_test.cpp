#include "../../../../attention/mechanisms/pooling/pooling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 3, kT = 5, kE = 7, kHidden = 2;
const std::vector<Index> kLengths = {5, 1, 3};

// A pooling in f64 with random weights.
struct Fixture {
  AttentionPooling pooling{kE, kHidden, DType::f64};
  Tensor values = randn({kB, kT, kE}, DType::f64);
  Fixture() {
    manual_seed(3);
    nn::normal_(pooling.context_vector, 0, 1);
  }
};

// The paper's formulas, element by element.
std::vector<double> reference(const Fixture& f, const std::vector<Index>& lengths,
                              std::vector<double>* weights) {
  const auto w = numbers(f.pooling.projection.weight), b = numbers(f.pooling.projection.bias);
  const auto u = numbers(f.pooling.context_vector), h = numbers(f.values);
  std::vector<double> context(kB * kE, 0.0);
  weights->assign(kB * kT, 0.0);
  for (Index i = 0; i < kB; ++i) {
    double total = 0;
    for (Index t = 0; t < lengths[static_cast<std::size_t>(i)]; ++t) {
      double score = 0;
      for (Index j = 0; j < kHidden; ++j) {
        double sum = b[static_cast<std::size_t>(j)];
        for (Index e = 0; e < kE; ++e) {
          sum += w[static_cast<std::size_t>(j * kE + e)] *
                 h[static_cast<std::size_t>((i * kT + t) * kE + e)];
        }
        score += std::tanh(sum) * u[static_cast<std::size_t>(j)];
      }
      total += (*weights)[static_cast<std::size_t>(i * kT + t)] = std::exp(score);
    }
    for (Index t = 0; t < lengths[static_cast<std::size_t>(i)]; ++t) {
      auto& weight = (*weights)[static_cast<std::size_t>(i * kT + t)];
      weight /= total;
      for (Index e = 0; e < kE; ++e) {
        context[static_cast<std::size_t>(i * kE + e)] +=
            weight * h[static_cast<std::size_t>((i * kT + t) * kE + e)];
      }
    }
  }
  return context;
}

TEST(Pooling, IsThePapersFormula) {
  const Fixture f;
  std::vector<double> weights;
  const auto context = reference(f, kLengths, &weights);
  const Attended out = f.pooling(f.values, Mask::lengths(kLengths, kT), true);
  EXPECT_THAT(numbers(out.context), near(context));
  EXPECT_THAT(numbers(out.weights), near(weights));
  EXPECT_FALSE(f.pooling(f.values, Mask()).weights.defined());
}

TEST(Pooling, GradientsOfFirstAndSecondOrder) {
  Fixture f;
  f.values.set_requires_grad();
  const Mask mask = Mask::lengths(kLengths, kT);
  const auto check = [&](auto gradients) {
    std::vector<NamedLeaf> leaves{{"values", f.values}};
    for (const auto& [name, tensor] : f.pooling.named_parameters())
      leaves.push_back({name, tensor});
    return gradients([&] { return std::vector<Tensor>{f.pooling(f.values, mask).context}; },
                     leaves);
  };
  const auto first = check([](auto fn, auto leaves) {
    return gradcheck(std::function<std::vector<Tensor>()>(fn), leaves);
  });
  const auto second = check([](auto fn, auto leaves) {
    return gradgradcheck(std::function<std::vector<Tensor>()>(fn), leaves);
  });
  EXPECT_TRUE(first) << first.text();
  EXPECT_TRUE(second) << second.text();
}

TEST(Pooling, MaskedPlacesChangeNothing) {
  const Fixture f;
  const Mask mask = Mask::lengths({5, 0, 3}, kT);
  const auto run = [&](double hidden) {
    Tensor values(
        where(unsqueeze(mask.tensor({kB, kT}), 2), f.values, tensor(hidden, DType::f64)).array());
    values.set_requires_grad();
    std::vector<std::vector<double>> out;
    for (const Tensor& pooled : {f.pooling(values, mask).context, average_pooling(values, mask),
                                 max_pooling(values, mask)}) {
      out.push_back(numbers(pooled));
      out.push_back(numbers(grad({pooled}, {values}, {ones(pooled.shape(), DType::f64) * 0.7})[0]));
    }
    return out;
  };
  const auto clean = run(0);
  EXPECT_EQ(run(std::numeric_limits<double>::quiet_NaN()), clean);
  EXPECT_EQ(run(std::numeric_limits<double>::infinity()), clean);
  for (std::size_t kind = 0; kind < clean.size(); kind += 2) {
    for (Index e = 0; e < kE; ++e) {
      EXPECT_EQ(clean[kind][static_cast<std::size_t>(kE + e)], 0) << "an empty row gives zeros";
    }
  }
}

TEST(Pooling, PaddedBatchEqualsEachRowAlone) {
  const Fixture f;
  const Mask mask = Mask::lengths(kLengths, kT);
  const auto all = {numbers(f.pooling(f.values, mask).context),
                    numbers(average_pooling(f.values, mask)), numbers(max_pooling(f.values, mask))};
  for (Index row = 0; row < kB; ++row) {
    const Tensor alone =
        narrow(narrow(f.values, 0, row, 1), 1, 0, kLengths[static_cast<std::size_t>(row)]);
    const auto single = {numbers(f.pooling(alone).context), numbers(average_pooling(alone)),
                         numbers(max_pooling(alone))};
    auto one = single.begin();
    for (const auto& batch : all) {
      const auto begin = batch.begin() + row * kE;
      EXPECT_THAT(*one++, near(std::vector<double>(begin, begin + kE)));
    }
  }
}

TEST(Pooling, AverageAndMaximumHaveTheirGradients) {
  manual_seed(61);  // no two largest ones so near that a step of the check passes the kink
  const Mask mask = Mask::lengths({5, 0, 3}, kT);
  const Tensor values = randn({kB, kT, kE}, DType::f64);
  using Inputs = std::vector<Tensor>;
  const auto average =
      gradcheck([&](const Inputs& x) { return average_pooling(x[0], mask); }, Inputs{values});
  EXPECT_TRUE(average) << average.text();
  const auto maximum =
      gradcheck([&](const Inputs& x) { return max_pooling(x[0], mask); }, Inputs{values});
  EXPECT_TRUE(maximum) << maximum.text();
  EXPECT_EQ(numbers(average_pooling(values)), numbers(mean(values, {1})));
}

TEST(Pooling, NothingToPool) {
  const Fixture f;
  const Tensor none = zeros({kB, 0, kE}, DType::f64);
  EXPECT_EQ(numbers(f.pooling(none).context), std::vector<double>(kB * kE, 0.0));
  EXPECT_EQ(numbers(average_pooling(none)), std::vector<double>(kB * kE, 0.0));
  EXPECT_EQ(numbers(max_pooling(none)), std::vector<double>(kB * kE, 0.0));
  EXPECT_EQ(f.pooling(zeros({0, kT, kE}, DType::f64)).context.shape(), (Shape{0, kE}));
}

TEST(Pooling, RefusesWhatDoesNotFit) {
  const Fixture f;
  EXPECT_ERROR_WITH(ShapeError, "pooling: values must be [B, T, E], not f64[3, 7]",
                    f.pooling(zeros({kB, kE}, DType::f64)));
  EXPECT_ERROR_WITH(ShapeError, "pooling", f.pooling(f.values, Mask::lengths({1, 2}, kT)));
  EXPECT_ERROR_WITH(DTypeError, "takes f32 or f64, not i64",
                    average_pooling(Tensor(Array::zeros({kB, kT, kE}, DType::i64))));
  EXPECT_ERROR_WITH(ShapeError, "max_pooling", max_pooling(f.values, Mask::lengths({1, 2, 3}, 4)));
  EXPECT_ERROR_WITH(ValueError, "width 0 must be positive", AttentionPooling pooling(0));
}

TEST(Pooling, OfABatchWithoutRowsIsOneWithoutRows) {
  const Tensor values = zeros({0, kT, kE}, DType::f64);
  for (const Mask& mask : {Mask(), Mask::lengths({}, kT)}) {
    EXPECT_EQ(average_pooling(values, mask).shape(), (Shape{0, kE}));
    EXPECT_EQ(max_pooling(values, mask).shape(), (Shape{0, kE}));
  }
}

}  // namespace
}  // namespace heed::attention
