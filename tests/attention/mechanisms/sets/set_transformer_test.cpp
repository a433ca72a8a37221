#include "../../../../attention/mechanisms/sets/set_transformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
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
using Rows = std::vector<Numbers>;

constexpr Index kB = 2, kT = 5, kE = 4, kH = 2, kD = kE / kH;
const std::vector<Index> kLengths = {kT, 3};

// Every parameter away from where it begins, norms included.
void stir(const nn::Module& module) {
  for (const Tensor& each : module.parameters()) nn::normal_(each, 0, 0.6);
}

Numbers normed(const Leaves& p, const std::string& name, const Numbers& x) {
  double mean = 0, variance = 0;
  for (const double each : x) mean += each / kE;
  for (const double each : x) variance += (each - mean) * (each - mean) / kE;
  Numbers out;
  for (Index i = 0; i < kE; ++i) {
    out.push_back((at(x, i) - mean) / std::sqrt(variance + 1e-5) * p[name + ".weight"](i) +
                  p[name + ".bias"](i));
  }
  return out;
}

Numbers layer(const Leaves& p, const std::string& name, const Numbers& x) {
  return plain::affine(p[name + ".weight"], x, p[name + ".bias"]);
}

Numbers rectified(Numbers x) {
  for (double& each : x) each = std::max(each, 0.0);
  return x;
}

// A third of in_proj, which stands there as one.
Numbers projected(const Leaves& p, const std::string& name, Index third, const Numbers& x) {
  const Numbers all = plain::affine(p[name + ".in_proj_weight"], x, p[name + ".in_proj_bias"]);
  return Numbers(all.begin() + third * kE, all.begin() + (third + 1) * kE);
}

// MAB(X, Y); weights, if wanted, head after head behind each other.
Rows block(const Leaves& p, const std::string& name, const Rows& X, const Rows& Y,
           std::vector<Rows>* weights = nullptr) {
  Rows out;
  if (weights != nullptr) weights->assign(kH, {});
  for (const Numbers& x : X) {
    Numbers heads(kE, 0.0);
    const Numbers q = projected(p, name + ".attend", 0, x);
    for (Index h = 0; h < kH; ++h) {
      Numbers scores;
      for (const Numbers& y : Y) {
        const Numbers k = projected(p, name + ".attend", 1, y);
        double e = 0;
        for (Index d = h * kD; d < (h + 1) * kD; ++d) e += at(q, d) * at(k, d);
        scores.push_back(e / std::sqrt(static_cast<double>(kD)));
      }
      const Numbers a = plain::softmax(scores, static_cast<Index>(Y.size()));
      if (weights != nullptr) (*weights)[static_cast<std::size_t>(h)].push_back(a);
      for (std::size_t j = 0; j < Y.size(); ++j) {
        const Numbers v = projected(p, name + ".attend", 2, Y[j]);
        for (Index d = h * kD; d < (h + 1) * kD; ++d) at(heads, d) += a[j] * at(v, d);
      }
    }
    const Numbers H =
        normed(p, name + ".norm1", plain::add(x, layer(p, name + ".attend.out_proj", heads)));
    out.push_back(
        normed(p, name + ".norm2", plain::add(H, rectified(layer(p, name + ".feed_forward", H)))));
  }
  return out;
}

Rows learned(const Block& x) {
  Rows out;
  for (Index i = 0; i < x.size(0); ++i) out.push_back(x.row({i}));
  return out;
}

SetOptions options() { return {.width = kE, .heads = kH, .dtype = DType::f64}; }

class SetTransformers : public testing::Test {
 protected:
  const bool seeded_ = (manual_seed(21), true);  // before what is drawn below
  Tensor x = randn({kB, kT, kE}, DType::f64);
  const Mask mask = Mask::lengths(kLengths, kT);
  // What belongs to real elements, row by row.
  Tensor real(const Tensor& y) const {
    return concat({reshape(narrow(narrow(y, 0, 0, 1), 1, 0, kT), {-1}),
                   reshape(narrow(narrow(y, 0, 1, 1), 1, 0, 3), {-1})});
  }
};

TEST_F(SetTransformers, InducedBlocksAreThePapersSums) {
  const InducedSetBlock made(options(), 3);
  stir(made);
  const auto leaves = leaves_of(made, {{"x", x}});
  const auto ours = [&] { return std::vector<Tensor>{real(made(x, mask).context)}; };
  plain::expect_same(leaves, ours, [](const Leaves& p) {
    Numbers out;
    for (std::size_t b = 0; b < kB; ++b) {
      const Rows X = plain::rows_of(p["x"], b, kLengths[b]);
      const Rows H = block(p, "gather", learned(p["points"]), X);
      out = plain::join({out, plain::join(block(p, "spread", X, H))});
    }
    return out;
  });
  plain::expect_gradients(leaves, ours, 3);
}

TEST_F(SetTransformers, WholeIsThePapersSums) {
  const SetTransformer made({.blocks = options(), .encoder = 1, .seeds = 2, .decoder = 1});
  stir(made);
  const auto leaves = leaves_of(made, {{"x", x}});
  const auto ours = [&] {
    const Attended seen = made(x, mask, true);
    return std::vector<Tensor>{seen.context, seen.weights};
  };
  plain::expect_same(leaves, ours, [](const Leaves& p) {
    Numbers contexts, all_weights;
    for (std::size_t b = 0; b < kB; ++b) {
      const Rows X = plain::rows_of(p["x"], b, kLengths[b]);
      Rows Z = block(p, "encoder.0", X, X);
      for (Numbers& z : Z) z = rectified(layer(p, "pool.feed_forward", z));
      std::vector<Rows> weights;
      const Rows pooled = block(p, "pool.block", learned(p["pool.seeds"]), Z, &weights);
      contexts = plain::join({contexts, plain::join(block(p, "decoder.0", pooled, pooled))});
      for (const Rows& head : weights) {
        for (Numbers row : head) {
          row.resize(kT, 0);
          all_weights.insert(all_weights.end(), row.begin(), row.end());
        }
      }
    }
    return plain::join({contexts, all_weights});
  });
  plain::expect_gradients(leaves, ours, 2);
}

TEST_F(SetTransformers, DoNotMindTheOrder) {
  const SetTransformer made({.blocks = options(), .points = 2, .encoder = 2, .seeds = 2});
  const Tensor order(Array::from(std::vector<Index>{3, 0, 4, 1, 2}));
  EXPECT_LT(difference(made(x).context, made(index_select(x, 1, order)).context), 1e-12);
}

TEST_F(SetTransformers, WithoutNorms) {
  const SetBlock made({.width = kE, .heads = kH, .layer_norm = false, .dtype = DType::f64});
  EXPECT_EQ(made.parameters().size(), 6U);
  const Tensor seen = x + made.attend(x, x, x).context;
  EXPECT_LT(difference(made(x, x).context, seen + relu(made.feed_forward(seen))), 1e-14);
}

TEST_F(SetTransformers, RefuseWhatDoesNotFit) {
  const SetTransformer made({.blocks = {.width = kE}});
  EXPECT_ERROR(ShapeError, "set_transformer: x must be [.., n, 4], not f32[2, 5, 3]",
               made(zeros({2, 5, 3})));
  EXPECT_ERROR(DTypeError, "set_transformer: x must be f32, not f64[2, 5, 4]", made(x));
  EXPECT_ERROR(ValueError, "set_transformer: points 0 must be positive",
               InducedSetBlock({.width = kE}, 0));
  EXPECT_ERROR(ValueError, "set_transformer: seeds -1 must be positive",
               SetPooling({.width = kE}, -1));
  EXPECT_ERROR(ValueError,
               "set_transformer: points -1, encoder 2 and decoder 0 must not be negative",
               SetTransformer({.blocks = {.width = kE}, .points = -1}));
}

}  // namespace
}  // namespace heed::attention
