// The poolings of a packed batch against those of the padded one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "../../../../attention/mechanisms/pooling/pooling.h"
#include "../../../../autograd/backward.h"
#include "../../../../autograd/gradcheck.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 5, kT = 7, kE = 3, kN = 16;
const std::vector<Index> kLengths = {2, 0, 7, 1, 6};

struct Fixture {
  Fixture() : pooling(kE, 2, DType::f64) {
    manual_seed(3);
    nn::normal_(pooling.context_vector, 0, 1);
    values = randn({kB, kT, kE}, DType::f64);
    cotangent = randn({kB, kE}, DType::f64);
  }
  AttentionPooling pooling;
  Tensor values, cotangent;
};

TEST(PackedPooling, EqualsThePaddedBatch) {
  Fixture f;
  f.values.set_requires_grad();
  const Mask mask = Mask::lengths(kLengths, kT);
  const Packed packed = pack(f.values, kLengths);
  const auto compare = [&](const Tensor& found, const Tensor& expected) {
    EXPECT_EQ(found.shape(), (Shape{kB, kE}));
    EXPECT_THAT(numbers(found), near(expected));
    std::vector<Tensor> leaves = {f.values};
    const auto g = grad({found}, leaves, {f.cotangent}, {.retain_graph = true});
    const auto g_expected = grad({expected}, leaves, {f.cotangent});
    EXPECT_THAT(numbers(g[0]), near(g_expected[0]));
  };
  const Attended out = f.pooling(packed, true);
  const Attended padded = f.pooling(f.values, mask, true);
  compare(out.context, padded.context);
  EXPECT_EQ(out.weights.shape(), (Shape{kN}));
  EXPECT_THAT(numbers(out.weights), near(pack(padded.weights, kLengths).tokens));
  EXPECT_FALSE(f.pooling(packed).weights.defined());
  compare(average_pooling(packed), average_pooling(f.values, mask));
  compare(max_pooling(packed), max_pooling(f.values, mask));
}

TEST(PackedPooling, OfNothingIsZeros) {
  const Fixture f;
  for (const std::vector<Index>& lengths : {std::vector<Index>{0, 0}, std::vector<Index>{}}) {
    const Packed packed{zeros({0, kE}, DType::f64), offsets_of(lengths)};
    const auto B = static_cast<Index>(lengths.size());
    for (const Tensor& pooled :
         {f.pooling(packed).context, average_pooling(packed), max_pooling(packed)}) {
      EXPECT_EQ(pooled.shape(), (Shape{B, kE}));
      EXPECT_EQ(numbers(pooled), Numbers(static_cast<std::size_t>(B * kE), 0.0));
    }
  }
}

TEST(PackedPooling, ASequenceWithNaNLeavesTheOthersAlone) {
  const Fixture f;
  const Packed clean = pack(f.values, kLengths);
  Packed dirty{Tensor(clean.tokens.array().clone()), clean.offsets};
  Array tokens = dirty.tokens.array();
  tokens.mutable_data<double>()[4 * kE + 1] = std::numeric_limits<double>::quiet_NaN();
  const auto rows = [](const Tensor& pooled) {
    Numbers all = numbers(pooled);
    all.erase(all.begin() + 2 * kE, all.begin() + 3 * kE);  // the third sequence holds token 4
    return all;
  };
  EXPECT_EQ(rows(f.pooling(dirty).context), rows(f.pooling(clean).context));
  EXPECT_EQ(rows(average_pooling(dirty)), rows(average_pooling(clean)));
  EXPECT_EQ(rows(max_pooling(dirty)), rows(max_pooling(clean)));
}

TEST(PackedPooling, GradientsOfFirstAndSecondOrder) {
  Fixture f;
  Tensor tokens = pack(f.values, kLengths).tokens.detach();
  tokens.set_requires_grad();
  std::vector<NamedLeaf> leaves{{"tokens", tokens}};
  for (const auto& [name, tensor] : f.pooling.named_parameters()) leaves.push_back({name, tensor});
  const std::function<std::vector<Tensor>()> pooled = [&] {
    return std::vector<Tensor>{f.pooling(Packed{tokens, offsets_of(kLengths)}).context};
  };
  const auto first = gradcheck(pooled, leaves);
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(pooled, leaves);
  EXPECT_TRUE(second) << second.text();
}

template <class E>
void expect_refused(const Packed& x, const std::string& text) {
  EXPECT_ERROR_WITH(E, "pooling: " + text, Fixture().pooling(x));
  EXPECT_ERROR_WITH(E, "average_pooling: " + text, average_pooling(x));
  EXPECT_ERROR_WITH(E, "max_pooling: " + text, max_pooling(x));
}

TEST(PackedPooling, RefusesWhatDoesNotFit) {
  const Fixture f;
  const Tensor tokens = zeros({kN, kE}, DType::f64);
  expect_refused<ShapeError>({tokens, {0, 5}}, "offsets end at 5, tokens are f64[16, 3]");
  expect_refused<ShapeError>({zeros({kN}, DType::f64), {0, kN}},
                             "tokens must be [N, E], not f64[16]");
  expect_refused<ValueError>({tokens, {0, 7, 5, kN}}, "offsets fall from 7 to 5 at 2");
  expect_refused<DTypeError>({zeros({kN, kE}, DType::i64), {0, kN}}, "takes f32 or f64, not i64");
  EXPECT_ERROR_WITH(ShapeError, "pooling: values must be",
                    f.pooling(Packed{zeros({kN, 5}, DType::f64), {0, kN}}));
}

}  // namespace
}  // namespace heed::attention
