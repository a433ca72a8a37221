// The loss of a row beside its definition, in doubles: for numbers of classes around those that are
// gathered at once, with and without weights, smoothing and rows that are left out.
#include "../../../../core/kernels/losses/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../core/generator.h"

namespace heed::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> numbers(const Array& x) { return x.to(DType::f64).to_vector<double>(); }

// Of one row: the loss by the share that each class has of the target, and its gradient.
void expect_row(const std::vector<double>& x, Index target, const std::vector<double>& weight,
                double smoothing, double g, double loss, const std::vector<double>& gx,
                double room) {
  double total = 0, wanted = 0, shares = 0;
  for (const double value : x) total += std::exp(value);
  const auto share = [&](std::size_t c) {
    const double sure = static_cast<Index>(c) == target ? 1 - smoothing : 0;
    return weight[c] * (sure + smoothing / static_cast<double>(x.size()));
  };
  for (std::size_t c = 0; c < x.size(); ++c) {
    wanted += share(c) * (std::log(total) - x[c]);
    shares += share(c);
  }
  EXPECT_NEAR(loss, wanted, room * wanted);
  for (std::size_t c = 0; c < x.size(); ++c) {
    ASSERT_NEAR(gx[c], g * (std::exp(x[c]) / total * shares - share(c)), room) << c;
  }
}

TEST(CrossEntropyKernel, IsWhatItIsDefinedAs) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double room = dtype == DType::f32 ? 2e-5 : 1e-12;
    for (const Index classes : {1, 2, 7, 1023, 1024, 1025, 2049}) {
      for (const double smoothing : {0.0, 0.25}) {
        Generator draw(5);
        const Array x = draw.uniform({3, classes}, -3, 3, dtype),
                    g = draw.uniform({3}, 1, 2, dtype);
        const Array weight = draw.uniform({classes}, 0.5, 2, dtype);
        const Array targets = Array::from<std::int64_t>({classes - 1, -7, classes / 2});
        for (const Array& by : {Array(), weight}) {
          const CrossEntropy loss(targets, by, -7, smoothing);
          const auto out = loss.forward(x);
          const auto w = numbers(by.defined() ? by : Array::full({classes}, 1, dtype));
          const auto of = [&](Index target) { return w[static_cast<std::size_t>(target)]; };
          EXPECT_NEAR(out.count, of(classes - 1) + of(classes / 2), room);
          const Array gx = loss.backward(x, out.log_norms, g);
          for (const Index row : {0, 2}) {
            expect_row(numbers(x.select(0, row)), row == 0 ? classes - 1 : classes / 2, w,
                       smoothing, g.select(0, row).item(), out.losses.select(0, row).item(),
                       numbers(gx.select(0, row)), room);
          }
          EXPECT_EQ(out.losses.select(0, 1).item(), 0);
          EXPECT_EQ(numbers(gx.select(0, 1)), std::vector<double>(numbers(x.select(0, 1)).size()));
          Array over = x.clone();
          EXPECT_EQ(numbers(loss.backward(over, out.log_norms, g, true)), numbers(gx));
          EXPECT_EQ(numbers(over), numbers(gx));
        }
      }
    }
  }
}

// What can never be and is not the target costs nothing, where there is no smoothing or no weight.
TEST(CrossEntropyKernel, OfAClassThatCanNotBe) {
  const Array x = Array::from<double>({1, -kInfinity, 1}, {1, 3}),
              g = Array::full({1}, 3, x.dtype());
  const Array targets = Array::from<std::int64_t>({2});
  const Array weight = Array::from<double>({2, 0, 2});
  const auto expect = [&](const CrossEntropy& loss, double wanted, double pull) {
    const auto out = loss.forward(x);
    EXPECT_NEAR(out.losses.item(), wanted, 1e-15);
    const auto gx = numbers(loss.backward(x, out.log_norms, g));
    EXPECT_NEAR(gx[0], pull, 1e-15);
    EXPECT_EQ(gx[1], 0);
    EXPECT_NEAR(gx[2], -pull, 1e-15);
  };
  expect({targets, Array(), -1, 0}, std::log(2), 1.5);
  expect({targets, weight, -1, 0}, 2 * std::log(2), 3);
  expect({targets, weight, -1, 0.75}, (0.5 + 0.5 + 0.5) * std::log(2), 1.5 * 0.5);
}

}  // namespace
}  // namespace heed::kernels
