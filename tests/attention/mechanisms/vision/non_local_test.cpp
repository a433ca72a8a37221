#include "../../../../attention/mechanisms/vision/non_local.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/slicing.h"
#include "../../../../core/error.h"
#include "../../../../nn/init.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;

constexpr Index kB = 2, kC = 3, kInner = 2, kH = 2, kW = 5;

// The largest of each 2 x 2 places of rows [H W] of vectors.
std::vector<Numbers> pooled(const std::vector<Numbers>& x) {
  std::vector<Numbers> out;
  for (std::size_t row = 0; row + 1 < kH; row += 2) {
    for (std::size_t column = 0; column + 1 < kW; column += 2) {
      const std::size_t first = row * kW + column;
      Numbers most = x[first];
      for (const std::size_t other : {first + 1, first + kW, first + kW + 1}) {
        for (std::size_t c = 0; c < most.size(); ++c) most[c] = std::max(most[c], x[other][c]);
      }
      out.push_back(most);
    }
  }
  return out;
}

Numbers reference(const Leaves& leaves, NonLocalKind kind, bool subsample) {
  const Block& map = leaves["map"];
  Block z = map;
  std::vector<Numbers> all_weights;
  const auto project = [&](const std::string& name, const std::vector<Numbers>& rows) {
    if (name != "g" && kind == NonLocalKind::gaussian) return rows;
    std::vector<Numbers> out;
    for (const Numbers& x : rows) {
      out.push_back(plain::affine(leaves[name + ".weight"], x, leaves[name + ".bias"]));
    }
    return out;
  };
  for (Index b = 0; b < kB; ++b) {
    std::vector<Numbers> x;
    for (Index i = 0; i < kH * kW; ++i) {
      x.emplace_back();
      for (Index c = 0; c < kC; ++c) x.back().push_back(map(b, c, i / kW, i % kW));
    }
    const std::vector<Numbers> theta = project("theta", x);
    std::vector<Numbers> phi = project("phi", x), g = project("g", x);
    if (subsample) phi = pooled(phi), g = pooled(g);
    for (std::size_t i = 0; i < x.size(); ++i) {
      Numbers f;
      for (const Numbers& key : phi) f.push_back(plain::dot(theta[i], key));
      if (kind == NonLocalKind::dot) {
        for (double& each : f) each /= static_cast<double>(phi.size());
      } else {
        f = plain::softmax(f, static_cast<Index>(f.size()));
      }
      Numbers y(kInner, 0.0);
      for (std::size_t j = 0; j < g.size(); ++j) {
        for (std::size_t c = 0; c < kInner; ++c) y[c] += f[j] * g[j][c];
      }
      all_weights.push_back(f);
      const Numbers added = plain::affine(leaves["out.weight"], y, leaves["out.bias"]);
      for (Index c = 0; c < kC; ++c) {
        const auto at = static_cast<Index>(i);
        z.at({b, c, at / kW, at % kW}) += added[static_cast<std::size_t>(c)];
      }
    }
  }
  return plain::join({z.values(), plain::join(all_weights)});
}

class NonLocals : public SeededTest<43> {
 protected:
  Tensor map = randn({kB, kC, kH, kW}, DType::f64);
};

TEST_F(NonLocals, AreTheDefinition) {
  for (const auto kind :
       {NonLocalKind::gaussian, NonLocalKind::embedded_gaussian, NonLocalKind::dot}) {
    for (const bool subsample : {false, true}) {
      const NonLocal made({.width = kC,
                           .inner = kInner,
                           .kind = kind,
                           .subsample = subsample,
                           .dtype = DType::f64});
      nn::normal_(made.out.weight, 0, 0.5);
      nn::normal_(made.out.bias, 0, 0.5);
      const auto leaves = plain::leaves_of(made, {{"map", map}});
      const auto with = [&] {
        const Attended out = made(map, {.need_weights = true});
        return std::vector<Tensor>{out.context, out.weights};
      };
      plain::expect_same(leaves, with,
                         [&](const Leaves& x) { return reference(x, kind, subsample); });
      // In tiles, where there are no weights.
      plain::expect_gradients(leaves, [&] { return std::vector{made(map).context}; });
      EXPECT_LT(difference(made(map).context, with()[0]), 1e-12);
    }
  }
}

TEST_F(NonLocals, BeginAsTheIdentity) {
  const NonLocal made({.width = kC, .dtype = DType::f64});
  EXPECT_EQ(made.g.weight.shape(), (Shape{1, kC}));
  EXPECT_EQ(difference(made(map).context, map), 0);
}

TEST_F(NonLocals, TheDotProductCountsWhoMayBeSeen) {
  const NonLocal made({.width = kC, .kind = NonLocalKind::dot, .dtype = DType::f64});
  const Tensor all = made(map, {.need_weights = true}).weights;
  const Tensor few =
      made(map, {.mask = Mask::lengths({3, 3}, kH * kW), .need_weights = true}).weights;
  EXPECT_LT(difference(narrow(few, 2, 0, 3), narrow(all, 2, 0, 3) * (10.0 / 3)), 1e-12);
  EXPECT_EQ(amax(abs(narrow(few, 2, 3, 7))).item(), 0);
}

TEST_F(NonLocals, RefuseWhatDoesNotFit) {
  const NonLocal made({.width = kC, .subsample = true, .dtype = DType::f64});
  EXPECT_ERROR(ValueError, "non_local: width 0 must be positive, inner 0 not negative",
               NonLocal({.width = 0}));
  EXPECT_ERROR(ValueError, "non_local: width 3 must be positive, inner -1 not negative",
               NonLocal({.width = 3, .inner = -1}));
  EXPECT_ERROR(ValueError,
               "non_local: to subsample takes no mask, and 2 x 2 places: f64[2, 3, 1, 5]",
               made(zeros({kB, kC, 1, kW}, DType::f64)));
  EXPECT_ERROR(
      ValueError,
      "non_local: to subsample takes no mask, and 2 x 2 places: f64[2, 3, 2, 5] with a mask",
      made(map, {.mask = Mask::causal()}));
  EXPECT_ERROR(ShapeError, "non_local: map must be [B, 3, H, W] with places, not f64[2, 3, 2]",
               made(zeros({kB, kC, kH}, DType::f64)));
  EXPECT_ERROR(DTypeError, "non_local: map is f32[2, 3, 2, 5], the weights are f64",
               made(zeros({kB, kC, kH, kW})));
}

}  // namespace
}  // namespace heed::attention
