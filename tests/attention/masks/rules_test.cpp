// Rules of places: each named one against its definition, their combinations, what intervals say of
// blocks against all places of these, and attention under them.
#include "../../../attention/masks/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <type_traits>

#include "../../../attention/attend.h"
#include "../../../attention/masks/wait_k.h"
#include "../../../autograd/backward.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/elementwise/in_place.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/allocator.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../support/throws.h"
#include "../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kH = 3, kQ = 67, kK = 89;
const Shape kScores{kB, kH, kQ, kK};
using May = std::function<bool(Index b, Index h, Index q, Index k)>;

struct Named {
  const char* name;
  Mask mask;
  May may;  // of places
};

Tensor document_numbers() {
  std::vector<Index> ids;
  for (Index b = 0; b < kB; ++b) {
    for (Index k = 0; k < kK; ++k) ids.push_back((k + 7 * b) / 23);
  }
  return indices(ids, {kB, kK});
}

Tensor layout() {
  Array out = Array::zeros(Shape{9, 9}, DType::boolean);
  for (Index i = 0; i < 81; ++i) out.mutable_data<bool>()[i] = i * i % 7 < 3;
  return out;
}

std::vector<Named> named() {
  const std::vector<Index> ids = document_numbers().array().to_vector<Index>();
  const std::vector<Index> offsets = {0, 5, 5, 40, kK};
  const auto segment = [offsets](Index p) {
    return std::upper_bound(offsets.begin(), offsets.end(), p) - offsets.begin();
  };
  const std::vector<bool> blocks = layout().array().to_vector<bool>();
  const auto id = [ids](Index b, Index p) { return ids[static_cast<std::size_t>(b * kK + p)]; };
  return {
      {"prefix_lm", masks::prefix_lm(29),
       [](Index, Index, Index q, Index k) { return k <= q || k < 29; }},
      {"prefix_lm of rows", masks::prefix_lm(indices({31, 7}, {kB})),
       [](Index b, Index, Index q, Index k) { return k <= q || k < (b == 0 ? 31 : 7); }},
      {"documents", masks::documents(document_numbers()),
       [=](Index b, Index, Index q, Index k) { return id(b, q) == id(b, k); }},
      {"global_tokens", masks::global_tokens(25),
       [](Index, Index, Index q, Index k) { return q < 25 || k < 25; }},
      {"dilated", masks::dilated(5, 3),
       [](Index, Index, Index q, Index k) { return std::abs(q - k) <= 15 && (q - k) % 3 == 0; }},
      {"longformer", masks::longformer({.window = 2, .globals = 24, .dilation = 3}),
       [](Index, Index, Index q, Index k) {
         return (std::abs(q - k) <= 6 && (q - k) % 3 == 0) || q < 24 || k < 24;
       }},
      {"longformer, causal", masks::longformer({.window = 9, .globals = 3, .causal = true}),
       [](Index, Index, Index q, Index k) { return k <= q && (q - k <= 9 || k < 3); }},
      {"strided", masks::strided(7),
       [](Index, Index, Index q, Index k) { return k <= q && (q - k < 7 || (q - k) % 7 == 0); }},
      {"window_with_sinks", masks::window_with_sinks(11, 3),
       [](Index, Index, Index q, Index k) { return k <= q && (q - k < 11 || k < 3); }},
      {"neighbourhood", masks::neighbourhood(9, 2),
       [](Index, Index, Index q, Index k) {
         return std::abs(q / 9 - k / 9) <= 2 && std::abs(q % 9 - k % 9) <= 2;
       }},
      {"block_sparse", masks::block_sparse(layout(), 10),
       [=](Index, Index, Index q, Index k) {
         return blocks[static_cast<std::size_t>(q / 10 * 9 + k / 10)];
       }},
      {"segments", Mask::segments(offsets),
       [=](Index, Index, Index q, Index k) { return segment(q) == segment(k); }},
      {"by head", Mask::rule([](auto q, auto k, auto batch, auto head) {
         return k + 16 * head > q && k <= q + batch;
       }),
       [](Index b, Index h, Index q, Index k) { return k + 16 * h > q && k <= q + b; }},
      {"of places alone", Mask::rule([](Index q, Index k) { return (q ^ k) % 5 < 2; }),
       [](Index, Index, Index q, Index k) { return (q ^ k) % 5 < 2; }},
      {"min, max, abs, division", Mask::rule([](auto q, auto k) {
         return min(abs(q - 2 * k), max(k, 9)) % 4 != 1 || q / 3 == (k - 20) / 3;
       }),
       [](Index, Index, Index q, Index k) {
         const Index quotient = k >= 20 ? (k - 20) / 3 : -((22 - k) / 3);
         return std::min(std::abs(q - 2 * k), std::max(k, Index{9})) % 4 != 1 || q / 3 == quotient;
       }},
      {"or", Mask::causal() | Mask::lengths({50, 3}, kK),
       [](Index b, Index, Index q, Index k) { return k <= q || k < (b == 0 ? 50 : 3); }},
      {"not", !Mask::window(9, 4),
       [](Index, Index, Index q, Index k) { return k < q - 9 || k > q + 4; }},
      {"not or and", Mask::causal() & !(Mask::block(13) | masks::strided(5)),
       [](Index, Index, Index q, Index k) {
         return q / 13 != k / 13 && !(k <= q && (q - k < 5 || (q - k) % 5 == 0)) && k <= q;
       }},
      {"wait_k", masks::wait_k({.wait = 5, .first = 2}),
       [](Index, Index, Index q, Index k) { return k < q - (kK - kQ) + 7; }},
      {"wait_k, catching up", masks::wait_k({.wait = 9, .catch_up = 3}),
       [](Index, Index, Index q, Index k) {
         const Index t = q - (kK - kQ) + 1;
         return k < 9 + t - 1 - t / 3;
       }},
      {"nothing", !Mask(), [](Index, Index, Index, Index) { return false; }},
      {"two documents and two rules",
       masks::documents(document_numbers()) & Mask::segments(offsets) & Mask::segments({0, 60, kK}),
       [=](Index b, Index, Index q, Index k) {
         return id(b, q) == id(b, k) && segment(q) == segment(k) && (q < 60) == (k < 60);
       }}};
}

std::vector<bool> places(const Mask& mask, const Shape& scores) {
  return expand(mask.tensor(scores), scores).array().to_vector<bool>();
}

TEST(Rules, AreTheirDefinitions) {
  const std::set<std::string> with_names = {"prefix_lm",     "documents",    "global_tokens",
                                            "dilated",       "strided",      "window_with_sinks",
                                            "neighbourhood", "block_sparse", "segments"};
  int right = 0;
  for (const Named& each : named()) {
    SCOPED_TRACE(each.name);
    std::vector<bool> wanted;
    for (Index n = 0; n < kScores.numel(); ++n) {
      const Index k = n % kK, q = n / kK % kQ, h = n / kK / kQ % kH, b = n / kK / kQ / kH;
      wanted.push_back(each.may(b, h, q + kK - kQ, k));
    }
    const bool same = places(each.mask, kScores) == wanted;
    EXPECT_TRUE(same);
    right += same && with_names.contains(each.name);
  }
  RecordProperty("mask_rules", right);
}

// Context and gradients under a mask.
std::vector<Tensor> attended(const Mask& mask, const Terms& more = {}) {
  Generator draw(3);
  std::vector<Tensor> x;
  for (const Index n : {kQ, kK, kK}) x.emplace_back(draw.normal({kB, kH, n, 5}, 0, 1, DType::f64));
  for (Tensor& each : x) each.set_requires_grad();
  Terms terms = more;
  terms.mask = mask;
  const Tensor out = attend(x[0], x[1], x[2], terms).context;
  const Tensor g(draw.normal(out.shape(), 0, 1, DType::f64));
  const auto grads = grad({sum(out * g)}, x);
  return {out, grads[0], grads[1], grads[2]};
}

TEST(Rules, InTilesAreTheirTensors) {
  for (const Named& each : named()) {
    SCOPED_TRACE(each.name);
    const auto by_rule = attended(each.mask, {.tiles_only = true});
    const auto by_tensor = attended(Mask(each.mask.tensor(kScores)));
    for (std::size_t i = 0; i < by_rule.size(); ++i) {
      EXPECT_THAT(numbers(by_rule[i]), near(by_tensor[i], 1e-11)) << i;
    }
  }
}

// The same lambda with and without an interval to be asked of.
TEST(Rules, IntervalsAndPlacesGiveTheSameBits) {
  const auto asked = Mask::rule([](auto q, auto k) { return k <= q && (q - k < 21 || k < 4); });
  const auto looked = Mask::rule([](Index q, Index k) { return k <= q && (q - k < 21 || k < 4); });
  const auto a = attended(asked), b = attended(looked);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(numbers(a[i]), numbers(b[i])) << i;
}

TEST(Rules, WhatTheySayOfBlocksHoldsForAllPlaces) {
  for (const Named& each : named()) {
    SCOPED_TRACE(each.name);
    const Mask rule = each.mask | !Mask();  // whatever it is made of, as a rule
    ASSERT_NE(rule.places(), nullptr);
    const std::vector<bool> may = places(each.mask, kScores);
    Generator draw(7);
    Index known = 0;
    for (int n = 0; n < 300; ++n) {
      const Index q = draw.below(kQ), k = draw.below(kK), b = draw.below(kB), h = draw.below(kH);
      const KeyRange queries{q + kK - kQ, q + kK - kQ + 1 + draw.below(kQ - q)};
      const KeyRange keys{k, k + 1 + draw.below(kK - k)};
      const Seen seen = rule.places()->over({&kScores, b, h}, queries, keys);
      if (seen == Seen::some) continue;
      ++known;
      for (Index i = queries.begin; i < queries.end; ++i) {
        for (Index j = keys.begin; j < keys.end; ++j) {
          const Index at = ((b * kH + h) * kQ + i - (kK - kQ)) * kK + j;
          ASSERT_EQ(may[static_cast<std::size_t>(at)], seen == Seen::all);
        }
      }
    }
    const bool blind = each.name == std::string("of places alone");
    EXPECT_EQ(known == 0, blind) << known;
  }
}

TEST(Rules, HideWhatIsNotANumber) {
  Generator draw(3);
  const Tensor q(draw.normal({kB, kH, kQ, 5}, 0, 1, DType::f64));
  const Tensor k(draw.normal({kB, kH, kK, 5}, 0, 1, DType::f64));
  const auto rule = Mask::rule([](auto, auto key) { return key % 9 != 4; });
  const auto of = [&](double value) {
    Array dirty = k.array().clone();
    for (Index n = 0; n < dirty.numel(); ++n) {
      if (n / 5 % kK % 9 == 4) dirty.mutable_data<double>()[n] = value;
    }
    return numbers(attend(q, Tensor(dirty), Tensor(dirty), {.mask = rule}).context);
  };
  EXPECT_EQ(of(std::numeric_limits<double>::quiet_NaN()), of(0));
}

TEST(Rules, FollowTheRowsOfABatch) {
  const Mask docs = masks::documents(document_numbers());
  const Mask turned = docs.select_rows(indices({1, 0, 1}, {3}));
  const std::vector<bool> all = places(docs, {kB, kQ, kK}), now = places(turned, {3, kQ, kK});
  const auto row = [](const std::vector<bool>& x, Index b) {
    return std::vector<bool>(x.begin() + b * kQ * kK, x.begin() + (b + 1) * kQ * kK);
  };
  EXPECT_EQ(row(now, 0), row(all, 1));
  EXPECT_EQ(row(now, 1), row(all, 0));
  EXPECT_EQ(row(now, 2), row(all, 1));
}

TEST(Rules, MakeNoBlockOfQueriesByKeys) {
  const Index T = 2048;
  const Tensor x = randn({1, 2, T, 8});
  const Mask mask =
      masks::window_with_sinks(100, 4) | masks::documents(indices(std::vector<Index>(T, 0), {T}));
  attend(x, x, x, {.mask = mask});  // what is taken once
  release_cached_memory();
  set_memory_limit(memory_stats().reserved_bytes + T * T / 2);
  EXPECT_NO_THROW(attend(x, x, x, {.mask = mask, .tiles_only = true}));
  set_memory_limit(0);
}

Mask same_document(const Tensor& ids) {
  return Mask::rule([](auto q, auto k, auto doc) { return doc(q) == doc(k); }, ids);
}

// The gradient asks the rule once more, however it stands in the mask.
TEST(Rules, KnowOfAWriteBeforeTheGradient) {
  const Tensor x = Generator(3).normal({kB, kH, kK, 8}, 0, 1, DType::f64);
  const auto numbers = [] { return document_numbers() + 0; };
  const Tensor open = document_numbers() > 1;
  const std::vector<std::pair<Tensor, std::function<Mask(const Tensor&)>>> ways = {
      {numbers(), same_document},
      {numbers(), [](const Tensor& ids) { return !same_document(ids); }},
      {numbers(), [](const Tensor& ids) { return same_document(ids) | Mask::block(5); }},
      {numbers(), [](const Tensor& ids) { return Mask::causal() & same_document(ids); }},
      {numbers(),
       [](const Tensor& ids) {
         return same_document(ids).select_rows(indices({1, 0}, {2}));
       }},
      {numbers(), [](const Tensor& ids) { return masks::documents(ids); }},
      {open + 0 > 0, [](const Tensor& keys) { return Mask::key_padding(keys); }},
      {open + 0 > 0, [](const Tensor& keys) { return !Mask::key_padding(keys); }},
      {open + 0 > 0, [](const Tensor& keys) {
         return Mask(reshape(keys, {kB, 1, 1, kK}));
       }}};
  for (std::size_t way = 0; way < ways.size(); ++way) {
    SCOPED_TRACE(way);
    const auto& [table, mask] = ways[way];
    Tensor q = x.detach();
    q.set_requires_grad();
    const Tensor out = sum(square(attend(q, x, x, {.mask = mask(table)}).context));
    fill_(table, 0);
    EXPECT_ERROR_WITH(GradError, "dot_attention kept its input", grad({out}, {q}));
  }
}

// Of many numbers in a row a rule knows the least and the most: those that stand there now.
TEST(Rules, ReadWhatWasWrittenSince) {
  const Tensor ids = select(document_numbers(), 0, 0) + 0;
  const Mask mask = same_document(ids);
  const Tensor turned = indices(std::vector<Index>(kK, 5), {kK});
  const Shape scores{1, kK, kK};
  EXPECT_NE(places(mask, scores), places(same_document(turned), scores));
  copy_(ids, turned);
  EXPECT_EQ(places(mask, scores), places(same_document(turned), scores));
}

TEST(Rules, RefuseWhatDoesNotFit) {
  const Shape scores{2, 5, 7};
  const auto asks = [&](const Mask& mask) { return [&scores, mask] { mask.tensor(scores); }; };
  EXPECT_ERROR_WITH(DTypeError, "a rule captures i64 or bool, not f32[7]",
                    masks::documents(zeros({7})));
  EXPECT_ERROR_WITH(ShapeError, "documents: ids must be [K] or [B, K]",
                    masks::documents(indices({1}, {1, 1, 1})));
  EXPECT_ERROR_WITH(IndexError, "mask: a rule reads place",
                    asks(masks::documents(indices({1, 2, 3}, {3})))());
  EXPECT_ERROR_WITH(IndexError, "a rule reads place 1 of 1",
                    asks(masks::prefix_lm(indices({1}, {1})))());
  EXPECT_ERROR_WITH(ShapeError, "mask: a rule reads [1] at 3 places",
                    asks(Mask::rule([](auto q, auto k, auto t) { return t(q, k, q) == 1; },
                                    indices({1}, {1})))());
  EXPECT_ERROR_WITH(ValueError, "must begin at 0", Mask::segments({1, 3}));
  EXPECT_ERROR_WITH(ValueError, "not fall", Mask::segments({0, 3, 2}));
  EXPECT_ERROR_WITH(ValueError, "0 offsets", Mask::segments({}));
  EXPECT_ERROR_WITH(ShapeError, "segments end at 6", asks(Mask::segments({0, 6}))());
  EXPECT_ERROR_WITH(ValueError, "prefix_lm: prefix -1", masks::prefix_lm(-1));
  EXPECT_ERROR_WITH(ValueError, "dilation 0", masks::dilated(3, 0));
  // Places are whole: a half would be rounded down in silence.
  static_assert(!std::is_constructible_v<Place, double>);
  static_assert(!std::is_constructible_v<Interval, float>);
  static_assert(std::is_constructible_v<Interval, int>);
  EXPECT_ERROR_WITH(ValueError, "stride 0", masks::strided(0));
  EXPECT_ERROR_WITH(ValueError, "width 0", masks::neighbourhood(0, 1));
  EXPECT_ERROR_WITH(ShapeError, "block_sparse: the layout must be",
                    masks::block_sparse(zeros({3}) == 0, 4));
  EXPECT_ERROR_WITH(ValueError, "window -1", masks::window_with_sinks(-1, 0));
  EXPECT_ERROR_WITH(ValueError, "count -2", masks::global_tokens(-2));
  Generator draw(1);
  EXPECT_ERROR_WITH(ValueError, "bigbird: block 0", masks::bigbird(9, {.block = 0}, draw));
}

TEST(Rules, BigBirdSeesItsWindowTheGlobalBlocksAndAsManyDrawn) {
  Generator draw(5);
  const Index T = 96;
  const std::vector<bool> may = places(
      masks::bigbird(T, {.block = 8, .window = 1, .globals = 1, .randoms = 2}, draw), {T, T});
  for (Index q = 0; q < 12; ++q) {
    Index seen = 0;
    for (Index k = 0; k < 12; ++k) {
      const bool open = may[static_cast<std::size_t>(q * 8 * T + k * 8)];
      const bool always = std::abs(q - k) <= 1 || q == 0 || k == 0;
      EXPECT_TRUE(open || !always) << q << " " << k;
      seen += open;
    }
    const Index near = q == 0 ? 12 : q == 1 ? 3 : q == 11 ? 3 : 4;
    EXPECT_EQ(seen, q == 0 ? 12 : near + 2) << q;
  }
  Generator again(5);
  const auto causal =
      places(masks::bigbird(T, {.block = 8, .randoms = 2, .causal = true}, again), {T, T});
  for (Index q = 0; q < T; ++q) {
    for (Index k = q + 1; k < T; ++k) EXPECT_FALSE(causal[static_cast<std::size_t>(q * T + k)]);
  }
  RecordProperty("mask_rules", HasFailure() ? 0 : 1);
}

}  // namespace
}  // namespace heed::attention
