#include "../../../../attention/mechanisms/structured/sinkhorn.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;

constexpr Index kQ = 3, kK = 5;
constexpr double kTemperature = 0.7;
const std::vector<bool> kAllowed = {true,  true,  false, true,  true, false, false, false,
                                    false, false, true,  false, true, true,  false};

// Divided by sums of columns and rows in turn, as the algorithm was first written.
Numbers plain_sinkhorn(const Block& e, Index iterations, bool masked) {
  Numbers k;
  for (Index i = 0; i < kQ * kK; ++i) {
    const bool may = !masked || kAllowed[static_cast<std::size_t>(i)];
    k.push_back(may ? std::exp(at(e.values(), i) / kTemperature) : 0);
  }
  const auto divide = [&](Index lines, Index places, Index line_step, Index step) {
    for (Index line = 0; line < lines; ++line) {
      double sum = 0;
      for (Index i = 0; i < places; ++i) sum += at(k, line * line_step + i * step);
      for (Index i = 0; i < places && sum > 0; ++i) at(k, line * line_step + i * step) /= sum;
    }
  };
  for (Index i = 0; i < iterations; ++i) {
    divide(kK, kQ, 1, kK);
    divide(kQ, kK, kK, 1);
  }
  return k;
}

class Sinkhorns : public testing::TestWithParam<bool> {
 protected:
  const bool seeded_ = (manual_seed(10), true);  // before what is drawn below
  Tensor e = randn({kQ, kK}, DType::f64).set_requires_grad();
  Tensor allowed() const { return GetParam() ? Tensor(Array::from(kAllowed, {kQ, kK})) : Tensor(); }
};

INSTANTIATE_TEST_SUITE_P(All, Sinkhorns, testing::Bool(), [](const auto& masked) {
  return masked.param ? std::string("masked") : std::string("whole");
});

TEST_P(Sinkhorns, DivideColumnsAndRowsInTurn) {
  const Sinkhorn made({.iterations = 4, .temperature = kTemperature});
  const std::vector<NamedLeaf> leaves = {{"e", e}};
  const auto ours = [&] { return std::vector<Tensor>{made(e, allowed())}; };
  plain::expect_same(leaves, ours,
                     [&](const Leaves& p) { return plain_sinkhorn(p["e"], 4, GetParam()); });
  plain::expect_gradients(leaves, ours);
}

TEST_P(Sinkhorns, AlongAnyAxis) {
  const Sinkhorn made({.iterations = 3, .temperature = 2});
  const Tensor may = allowed().defined() ? unsqueeze(allowed(), -1) : Tensor();
  const Tensor across = made(unsqueeze(e, -1), may, -2);
  EXPECT_LT(difference(squeeze(across, -1), made(e, allowed())), 1e-15);
}

TEST(SinkhornOf, ManyIterationsIsDoublyStochastic) {
  manual_seed(11);
  const Tensor p = Sinkhorn({.iterations = 100})(randn({2, kQ, kK}, DType::f64) * 3);
  EXPECT_LT(difference(sum(p, {-1}), ones({2, kQ}, DType::f64)), 1e-14);
  const double share = static_cast<double>(kQ) / kK;
  EXPECT_LT(difference(sum(p, {-2}), full({2, kK}, share, DType::f64)), 1e-8);
}

// Scores far apart at a low temperature: the only perfect matching, which rows alone would not see.
TEST(SinkhornOf, FindsAMatching) {
  const Tensor e = tensor({9., 0., 0., 9., 9., 0., 9., 9., 9.}, {3, 3}, DType::f64);
  const Tensor p = Sinkhorn({.iterations = 500, .temperature = 0.2})(e);
  EXPECT_GT(sum(p * tensor({1., 0., 0., 0., 1., 0., 0., 0., 1.}, {3, 3}, DType::f64)).item(), 2.9);
  EXPECT_LT(softmax(e, -1).array().to_vector<double>()[8], 0.4);
}

TEST(SinkhornOf, OneIterationDividesOnce) {
  manual_seed(12);
  const Tensor e = randn({kQ, kK}, DType::f64);
  const Tensor columns = softmax(e, 0);
  EXPECT_LT(difference(Sinkhorn({.iterations = 1})(e), columns / sum(columns, {1}, true)), 1e-12);
}

TEST(SinkhornOf, RefusesOptions) {
  EXPECT_ERROR(ValueError, "sinkhorn: iterations 0 must be positive", Sinkhorn({.iterations = 0}));
  EXPECT_ERROR(ValueError, "sinkhorn: temperature 0 must be positive",
               Sinkhorn({.temperature = 0}));
  EXPECT_ERROR(ValueError, "sinkhorn: temperature -1 must be positive",
               Sinkhorn({.temperature = -1}));
}

}  // namespace
}  // namespace heed::attention
