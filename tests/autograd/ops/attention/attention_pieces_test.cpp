// Queries, keys and values that are pieces of one projection, whose gradient the tile writes side by
// side: the same bits as of operands apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/join.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/parallel.h"
#include "attention_cases.h"

namespace heed::attention_cases {
namespace {

// Heads of queries, keys and values; the first `apart` of the three are no pieces.
struct Pieces {
  const char* name;
  Index heads[3];
  Index widths[3];
  std::size_t apart = 0;
  Index queries = 37, keys = 37;
  Index batch = 5;
};
void PrintTo(const Pieces& pieces, std::ostream* out) { *out << pieces.name; }

constexpr Pieces kPieces[] = {
    {"of_one_projection", {3, 3, 3}, {7, 7, 7}},
    {"grouped", {6, 2, 2}, {5, 5, 11}},
    {"heads_share_keys", {3, 1, 1}, {7, 7, 13}, 0, 37, 37, 11},
    {"keys_and_values", {3, 3, 3}, {7, 7, 5}, 1, 17, 41},
    {"values_alone", {2, 2, 2}, {3, 3, 5}, 2},
    {"several_tiles", {2, 2, 2}, {16, 16, 16}, 0, 263, 263},
    {"sums_of_several_tasks", {2, 2, 2}, {16, 16, 16}, 0, 131, 131, 2},
    {"one_place", {2, 2, 2}, {3, 3, 3}, 0, 1, 1},
};

// [B, T, heads width] -> [B, heads, T, width], of grouped heads [B, groups, heads of each, T, width].
Tensor in_heads(const Tensor& x, Index heads, Index groups, Index width) {
  const Tensor y = transpose(reshape(x, {x.size(0), x.size(1), heads, width}), 1, 2);
  return reshape(y, {x.size(0), groups, heads / groups, x.size(1), width});
}

class AttentionPieces : public testing::TestWithParam<Pieces> {
 protected:
  // The three as [B, T, heads width], then what they are pieces of as one.
  Tensors drawn(DType dtype) const {
    Generator draw(11);
    Tensors x;
    for (std::size_t i = 0; i < 3; ++i) {
      const Index T = i == 0 ? of_.queries : of_.keys;
      x.push_back(draw.normal({of_.batch, T, of_.heads[i] * of_.widths[i]}, 0, 1, dtype));
    }
    return x;
  }
  Tensor attended(const Tensors& x, const AttentionOptions& options) const {
    Tensors heads;
    for (std::size_t i = 0; i < 3; ++i) {
      heads.push_back(in_heads(x[i], of_.heads[i], of_.heads[2], of_.widths[i]));
    }
    return dot_attention(heads[0], heads[1], heads[2], options);
  }
  Tensor joined(const Tensors& x) const {
    return concat({x.begin() + static_cast<std::ptrdiff_t>(of_.apart), x.end()}, -1).detach();
  }
  std::vector<Tensor> pieces(const Tensor& whole, const Tensors& x) const {
    std::vector<Index> lengths;
    for (std::size_t i = of_.apart; i < 3; ++i) lengths.push_back(x[i].size(2));
    std::vector<Tensor> out(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(of_.apart));
    for (const Tensor& piece : split(whole, lengths, -1)) out.push_back(piece);
    return out;
  }
  const Pieces& of_ = GetParam();
};

class AttentionPiecesInPlace : public AttentionPieces {};
class AttentionPiecesOfFewPlaces : public AttentionPieces {};

std::vector<Pieces> those(bool (*wanted)(const Pieces&)) {
  std::vector<Pieces> out;
  std::copy_if(std::begin(kPieces), std::end(kPieces), std::back_inserter(out), wanted);
  return out;
}

TEST_P(AttentionPieces, HaveTheBitsOfOperandsApart) {
  const int before = num_threads();
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Index right : {Index{-1}, Index{0}}) {
      SCOPED_TRACE(right);
      const AttentionOptions options{.scale = 0.3, .right = right};
      Tensors apart = drawn(dtype);
      Tensor whole = joined(apart).set_requires_grad();
      for (Tensor& each : apart) each = each.detach().set_requires_grad();
      const Tensor out = attended(apart, options);
      const Tensor g = Generator(13).normal(out.shape(), 0, 1, dtype);
      const Tensors expected = grad({out}, apart, {g});
      for (const int threads : {1, 3}) {
        set_num_threads(threads);
        const Tensor again = attended(pieces(whole, apart), options);
        EXPECT_EQ(again.array().to(DType::f64).to_vector<double>(),
                  out.array().to(DType::f64).to_vector<double>());
        Tensors leaves(apart.begin(), apart.begin() + static_cast<std::ptrdiff_t>(of_.apart));
        leaves.push_back(whole);
        const Tensors found = grad({again}, leaves, {g});
        for (std::size_t i = 0; i < leaves.size(); ++i) {
          const Tensor& like = i < of_.apart ? expected[i] : joined(expected);
          EXPECT_EQ(found[i].shape(), like.shape());
          EXPECT_EQ(found[i].array().to(DType::f64).to_vector<double>(),
                    like.array().to(DType::f64).to_vector<double>());
        }
      }
    }
  }
  set_num_threads(before);
}

// What a piece keeps is its own, whatever is done to the gradient of the whole.
TEST_P(AttentionPieces, KeepGradientsOfTheirOwn) {
  const Tensors apart = drawn(DType::f64);
  Tensor whole = joined(apart).set_requires_grad();
  const std::vector<Tensor> x = pieces(whole, apart);
  x[2].retain_grad();
  const Tensor out = attended(x, {});
  const Tensor g = Generator(17).normal(out.shape(), 0, 1, DType::f64);
  out.backward(g, {.retain_graph = true});
  const std::vector<double> kept = x[2].grad().to_vector<double>();
  std::vector<double> twice = whole.grad().to_vector<double>();
  for (double& each : twice) each *= 2;
  grad({out}, {whole}, {g}, {.retain_graph = true})[0].mul_(3);
  whole.grad().mul_(2);
  EXPECT_EQ(x[2].grad().to_vector<double>(), kept);
  EXPECT_EQ(whole.grad().to_vector<double>(), twice);
  const std::vector<double> doubled = whole.grad().to_vector<double>();
  out.backward(g);
  for (std::size_t i = 0; i < twice.size(); ++i) twice[i] = doubled[i] * 1.5;
  const std::vector<double> sum = whole.grad().to_vector<double>();
  for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(sum[i], twice[i], 1e-12) << i;
}

// The gradient of the whole is the memory that the pieces' gradients were written to.
TEST_P(AttentionPiecesInPlace, AreNotPutTogether) {
  const Tensors apart = drawn(DType::f32);
  const Tensor whole = joined(apart).set_requires_grad() * 1;
  const std::vector<Tensor> x = pieces(whole, apart);
  Array of_whole, of_values;
  whole.register_hook([&](const Tensor& g) { return of_whole = g.array(), g; });
  x[2].register_hook([&](const Tensor& g) { return of_values = g.array(), g; });
  sum(attended(x, {})).backward();
  ASSERT_TRUE(of_whole.defined() && of_values.defined());
  EXPECT_TRUE(of_whole.shares_storage(of_values));
}

TEST_P(AttentionPiecesOfFewPlaces, AreDifferentiatedTwice) {
  const Tensors apart = drawn(DType::f64);
  Tensor whole = joined(apart).set_requires_grad();
  const auto call = [&](const Tensors& x) {
    return Tensors{attended(pieces(x[0], apart), {.scale = 0.3})};
  };
  const GradcheckReport first = gradcheck(call, {whole}, {.max_elements = 12});
  EXPECT_TRUE(first) << first.text();
  const GradcheckReport second = gradgradcheck(call, {whole}, {.max_elements = 12});
  EXPECT_TRUE(second) << second.text();
}

const auto kName = [](const auto& each) { return std::string(each.param.name); };
INSTANTIATE_TEST_SUITE_P(All, AttentionPieces, testing::ValuesIn(kPieces), kName);
// Of few heads, tasks for each have sums of their own.
INSTANTIATE_TEST_SUITE_P(All, AttentionPiecesInPlace,
                         testing::ValuesIn(those([](const Pieces& each) {
                           return each.apart < 2 && each.batch > 2;
                         })),
                         kName);
INSTANTIATE_TEST_SUITE_P(
    All, AttentionPiecesOfFewPlaces,
    testing::ValuesIn(those([](const Pieces& each) { return each.keys <= 41; })), kName);

}  // namespace
}  // namespace heed::attention_cases
