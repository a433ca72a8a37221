#include <gtest/gtest.h>

#include <cmath>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxAttention = SeededTest<44>;

// The definition: q [B, H, Q, D], k [B, Hk, K, D], v [B, Hk, K, E]; `score` adds to a score,
// -infinity forbids.
Tensor plain(const Tensor& q, const Tensor& k, const Tensor& v, double scale,
             const std::function<double(const Place&)>& score) {
  const Index group = q.size(1) / k.size(1);
  return made({q.size(0), q.size(1), q.size(2), v.size(3)}, [&](const Place& p) {
    double sum = 0, out = 0;
    for (Index j = 0; j < k.size(2); ++j) {
      double e = score({p[0], p[1], p[2], j});
      for (Index d = 0; d < q.size(3); ++d)
        e += scale * at(q, {p[0], p[1], p[2], d}) * at(k, {p[0], p[1] / group, j, d});
      sum += std::exp(e);
      out += std::exp(e) * at(v, {p[0], p[1] / group, j, p[3]});
    }
    return out / sum;
  });
}
double nothing(const Place&) { return 0; }
const double kNever = -std::numeric_limits<double>::infinity();

TEST_F(OnnxAttention, OfHeads) {
  const Tensor q = random({2, 3, 5, 4}), k = random({2, 3, 7, 4}), v = random({2, 3, 7, 2});
  const OneNode node{"Attention", {}, 23};
  EXPECT_LT(difference(node(q, k, v), plain(q, k, v, 0.5, nothing)), 1e-13);
  EXPECT_LT(difference(OneNode{"Attention", {{"scale", 0.25F}}, 23}(q, k, v),
                       plain(q, k, v, 0.25, nothing)),
            1e-13);
  const Tensor bias = random({2, 1, 5, 7});
  EXPECT_LT(difference(node(q, k, v, bias), plain(q, k, v, 0.5,
                                                  [&](const Place& p) {
                                                    return at(bias, {p[0], 0, p[2], p[3]});
                                                  })),
            1e-13);
  const Tensor allowed = made(
      {3, 5, 7}, [](const Place& p) { return (p[0] + p[1] * 3 + p[2] * 5) % 4 != 0; },
      DType::boolean);
  EXPECT_LT(difference(node(q, k, v, allowed),
                       plain(q, k, v, 0.5,
                             [&](const Place& p) {
                               return at(allowed, {p[1], p[2], p[3]}) != 0 ? 0 : kNever;
                             })),
            1e-13);
}

TEST_F(OnnxAttention, CausalFromTheUpperLeft) {
  const auto before = [](const Place& p) { return p[3] <= p[2] ? 0 : kNever; };
  for (const Index keys : {5, 7}) {
    const Tensor q = random({2, 3, 5, 4}), k = random({2, 3, keys, 4}), v = random({2, 3, keys, 2});
    EXPECT_LT(difference(OneNode{"Attention", {{"is_causal", std::int64_t{1}}}, 23}(q, k, v),
                         plain(q, k, v, 0.5, before)),
              1e-13);
  }
}

TEST_F(OnnxAttention, SharedHeadsSideBySide) {
  const Tensor q = random({2, 5, 6 * 4}), k = random({2, 7, 3 * 4}), v = random({2, 7, 3 * 2});
  const auto apart = [](const Tensor& x, Index heads) {
    return x.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
  };
  const OneNode node{
      "Attention", {{"q_num_heads", std::int64_t{6}}, {"kv_num_heads", std::int64_t{3}}}, 23};
  const Tensor bias = random({6, 5, 7});
  const Tensor wanted = plain(apart(q, 6), apart(k, 3), apart(v, 3), 0.5, [&](const Place& p) {
    return at(bias, {p[1], p[2], p[3]});
  });
  EXPECT_LT(difference(node(q, k, v, bias), wanted.transpose(1, 2).reshape({2, 5, 12})), 1e-13);
}

TEST_F(OnnxAttention, PastKeysAndValues) {
  const Tensor q = random({2, 3, 2, 4}), k = random({2, 3, 2, 4}), v = random({2, 3, 2, 5}),
               past_k = random({2, 3, 7, 4}), past_v = random({2, 3, 7, 5});
  const Tensor all_k = concat({past_k, k}, 2), all_v = concat({past_v, v}, 2);
  const auto out = OneNode{.op = "Attention",
                           .attributes = {{"is_causal", std::int64_t{1}}},
                           .opset = 24,
                           .results = 3}
                       .all({q, k, v, Tensor(), past_k, past_v});
  EXPECT_LT(difference(out[0], plain(q, all_k, all_v, 0.5,
                                     [](const Place& p) { return p[3] <= p[2] + 7 ? 0 : kNever; })),
            1e-13);
  EXPECT_EQ(difference(out[1], all_k), 0);
  EXPECT_EQ(difference(out[2], all_v), 0);
}

TEST_F(OnnxAttention, CausalQueriesStandBehindThePastKeys) {
  const Tensor past = random({2, 3, 12, 8});
  const auto before = [](const Place& p) { return p[3] <= p[2] + 12 ? 0 : kNever; };
  for (const auto& [queries, keys] : {std::pair<Index, Index>{4, 6}, {7, 5}}) {
    const Tensor q = random({2, 3, queries, 8}), k = random({2, 3, keys, 8});
    const auto out = OneNode{.op = "Attention",
                             .attributes = {{"is_causal", std::int64_t{1}}},
                             .opset = 24,
                             .ours_alone = true}  // onnxruntime 1.30 ends with an error
                         .all({q, k, k, Tensor(), past, past});
    const Tensor all = concat({past, k}, 2);
    EXPECT_LT(difference(out[0], plain(q, all, all, 1 / std::sqrt(8.0), before)), 1e-13);
  }
}

TEST_F(OnnxAttention, BehindAMasksEndNothingIsAttendedTo) {
  const Tensor q = random({2, 3, 5, 4}), k = random({2, 3, 7, 4}), v = random({2, 3, 7, 2});
  const OneNode node{.op = "Attention", .opset = 23, .ours_alone = true};
  const Tensor bias = random({2, 1, 5, 3});
  EXPECT_LT(difference(node(q, k, v, bias),
                       plain(q, k, v, 0.5,
                             [&](const Place& p) {
                               return p[3] < 3 ? at(bias, {p[0], 0, p[2], p[3]}) : kNever;
                             })),
            1e-13);
  const Tensor allowed = made(
      {5, 3}, [](const Place& p) { return (p[0] + p[1]) % 2 == 0; }, DType::boolean);
  EXPECT_LT(difference(node(q, k, v, allowed),
                       plain(q, k, v, 0.5,
                             [&](const Place& p) {
                               return p[3] < 3 && at(allowed, {p[2], p[3]}) != 0 ? 0 : kNever;
                             })),
            1e-13);
}

TEST_F(OnnxAttention, RefusesWhatItDoesNotKnow) {
  const Tensor q = random({2, 4, 5, 4}), k = random({2, 3, 7, 4});
  EXPECT_ERROR_WITH(ShapeError,
                    "Attention \"y0\": 4 heads of queries do not share 3 of keys and 3 of values",
                    (OneNode{"Attention", {}, 23}(q, k, k)));
  EXPECT_ERROR_WITH(ShapeError, "Q must be [B, H, L, D]",
                    (OneNode{"Attention", {}, 23}(random({2, 5, 12}), k, k)));
  EXPECT_ERROR_WITH(ShapeError, "the mask f64[2, 5, 7] is not for 3 heads",
                    (OneNode{"Attention", {}, 23}(k, k, k, random({2, 5, 7}))));
  EXPECT_ERROR_WITH(ShapeError, "past keys and past values go together",
                    (OneNode{"Attention", {}, 23}(k, k, k, Tensor(), k)));
  EXPECT_ERROR_WITH(FormatError, "attribute softcap is not supported",
                    (OneNode{"Attention", {{"softcap", 2.0F}}, 23}(k, k, k)));
  EXPECT_ERROR_WITH(
      FormatError, "is_causal beside past keys is not supported before version 24",
      (OneNode{"Attention", {{"is_causal", std::int64_t{1}}}, 23}(k, k, k, Tensor(), k, k)));
  EXPECT_ERROR_WITH(FormatError, "result 3 (\"y3\") is not supported",
                    (OneNode{.op = "Attention", .opset = 23, .results = 4}(k, k, k)));
}

}  // namespace
}  // namespace heed::onnx
