// Rules at the ends of what they take: the least numbers, tensors of every shape that fits, rows of
// a batch; and what they refuse, in full.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../../../attention/masks/rules.h"
#include "../../../attention/masks/wait_k.h"
#include "../../../autograd/factories.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../support/throws.h"
#include "../numbers.h"

namespace heed::attention {
namespace {

std::vector<bool> places(const Mask& mask, const Shape& scores) {
  return expand(mask.tensor(scores), scores).array().to_vector<bool>();
}

// As a rule, which is asked place by place.
Mask as_rule(const Mask& mask) { return mask | !Mask(); }

TEST(RuleLimits, TheLeastNumbersMeanWhatTheySay) {
  const Shape scores{5, 7};
  const auto expect_same = [&](const Mask& a, const Mask& b) {
    EXPECT_EQ(places(a, scores), places(b, scores));
  };
  const Mask causal = Mask::causal(), own = Mask::window(0, 0);
  expect_same(masks::prefix_lm(0), causal);
  expect_same(masks::global_tokens(0), !Mask());
  expect_same(masks::dilated(0, 1), own);
  expect_same(masks::dilated(2, 1), Mask::window(2, 2));
  expect_same(masks::strided(1), causal);
  expect_same(masks::window_with_sinks(0, 0), !Mask());
  expect_same(masks::window_with_sinks(3, 0), Mask::window(2, 0));
  expect_same(masks::window_with_sinks(0, 2),
              Mask::rule([](auto q, auto k) { return k <= q && k < 2; }));
  expect_same(masks::neighbourhood(1, 0), own);
  expect_same(masks::neighbourhood(3, 0), own);
  expect_same(masks::longformer({}), own);
  const Tensor layout = randn({7, 7}) > 0.0;
  expect_same(masks::block_sparse(layout, 1), Mask(narrow(layout, 0, 2, 5)));
  Generator draw(1);
  expect_same(masks::bigbird(7, {.block = 1, .window = 0, .globals = 0, .randoms = 0}, draw), own);
  EXPECT_EQ(masks::bigbird(0, {}, draw).tensor({0, 0}).shape(), (Shape{0, 0}));
}

TEST(RuleLimits, RefuseWhatIsBelowThem) {
  EXPECT_ERROR(ValueError, "mask: prefix_lm: prefix -1 must be at least 0", masks::prefix_lm(-1));
  EXPECT_ERROR(ValueError, "mask: global_tokens: count -1 must be at least 0",
               masks::global_tokens(-1));
  EXPECT_ERROR(ValueError, "mask: dilated: window -1 must be at least 0", masks::dilated(-1, 3));
  EXPECT_ERROR(ValueError, "mask: dilated: dilation 0 must be at least 1", masks::dilated(3, 0));
  EXPECT_ERROR(ValueError, "mask: strided: stride 0 must be at least 1", masks::strided(0));
  EXPECT_ERROR(ValueError, "mask: window_with_sinks: window -1 must be at least 0",
               masks::window_with_sinks(-1, 3));
  EXPECT_ERROR(ValueError, "mask: window_with_sinks: sinks -1 must be at least 0",
               masks::window_with_sinks(3, -1));
  EXPECT_ERROR(ValueError, "mask: neighbourhood: width 0 must be at least 1",
               masks::neighbourhood(0, 3));
  EXPECT_ERROR(ValueError, "mask: neighbourhood: radius -1 must be at least 0",
               masks::neighbourhood(3, -1));
  EXPECT_ERROR(ValueError, "mask: block_sparse: size 0 must be at least 1",
               masks::block_sparse(ones({3, 3}) > 0.0, 0));
  Generator draw(1);
  const auto bigbird = [&](Index steps, const masks::BigBirdOptions& options) {
    masks::bigbird(steps, options, draw);
  };
  EXPECT_ERROR(ValueError, "mask: bigbird: steps -1 must be at least 0", bigbird(-1, {}));
  EXPECT_ERROR(ValueError, "mask: bigbird: block 0 must be at least 1", bigbird(5, {.block = 0}));
  EXPECT_ERROR(ValueError, "mask: bigbird: window -1 must be at least 0",
               bigbird(5, {.window = -1}));
  EXPECT_ERROR(ValueError, "mask: bigbird: globals -1 must be at least 0",
               bigbird(5, {.globals = -1}));
  EXPECT_ERROR(ValueError, "mask: bigbird: randoms -1 must be at least 0",
               bigbird(5, {.randoms = -1}));
  EXPECT_ERROR(ValueError, "wait_k: wait 1 must be positive, catch_up -1 and first 0 not negative",
               masks::wait_k({.catch_up = -1}));
  EXPECT_ERROR(ValueError, "wait_k: wait 1 must be positive, catch_up 0 and first -1 not negative",
               masks::wait_k({.first = -1}));
}

TEST(RuleLimits, RefuseTensorsOfOtherShapes) {
  const Shape scores{2, 5, 7};
  const auto ask = [&](const Mask& mask) { as_rule(mask).tensor(scores, "attend"); };
  const auto open = [](const Shape& shape) { return ones(shape) > 0.0; };
  EXPECT_ERROR(ShapeError, "mask: prefix_lm: prefixes must be [B], not i64[1, 1]",
               masks::prefix_lm(indices({1}, {1, 1})));
  EXPECT_ERROR(ShapeError, "mask: documents: ids must be [K] or [B, K], not i64[1, 1, 1]",
               masks::documents(indices({1}, {1, 1, 1})));
  EXPECT_ERROR(
      ShapeError,
      "mask: block_sparse: the layout must be [Q blocks, K blocks] or [B, ..], not bool[3]",
      masks::block_sparse(open({3}), 4));
  EXPECT_ERROR(
      ShapeError,
      "mask: block_sparse: the layout must be [Q blocks, K blocks] or [B, ..], not bool[1, 1, 1, "
      "1]",
      masks::block_sparse(open({1, 1, 1, 1}), 4));
  const auto same = [](auto q, auto k, auto x) { return x(q) == x(k); };
  EXPECT_ERROR(ShapeError, "mask: a rule captures tensors with axes, not i64[]",
               Mask::rule(same, tensor(Index{3})));
  EXPECT_ERROR(DTypeError, "mask: a rule captures i64 or bool, not f32[7]",
               Mask::rule(same, zeros({7})));
  const Tensor three = indices(std::vector<Index>(21, 0), {3, 7});
  EXPECT_NO_THROW(Mask::rule(same, three).tensor({3, 5, 7}));
  EXPECT_ERROR(ShapeError, "mask: a rule reads row 3 of the batch in [3, 7]",
               Mask::rule(same, three).tensor({4, 5, 7}));
  EXPECT_ERROR(IndexError, "mask: a rule reads place 3 of 3 in [3]",
               masks::documents(indices({1, 2, 3}, {3})).tensor(scores));
  EXPECT_ERROR(ShapeError, "attend: the mask's segments end at 6, scores are [2, 5, 7]",
               Mask::segments({0, 2, 6}).tensor(scores, "attend"));
  EXPECT_ERROR(ShapeError, "attend: the mask's segments end at 6, scores are [2, 5, 7]",
               ask(Mask::segments({0, 2, 6})));
  for (const Shape& shape : {Shape{5, 3}, Shape{3, 7}, Shape{3, 5, 7}, Shape{1, 2, 5, 7}}) {
    const std::string text =
        "attend: mask bool" + heed::to_string(shape) + " does not broadcast to scores [2, 5, 7]";
    EXPECT_ERROR(ShapeError, text, Mask(open(shape)).tensor(scores, "attend"));
    EXPECT_ERROR(ShapeError, text, ask(Mask(open(shape))));
  }
  for (const Shape& shape : {Shape{2, 5}, Shape{3, 7}}) {
    EXPECT_ERROR(
        ShapeError,
        "attend: mask bool" + heed::to_string(shape) + " does not broadcast to scores [2, 5, 7]",
        ask(Mask::key_padding(open(shape))));
  }
  EXPECT_ERROR(ShapeError, "attend: a mask of 3 rows does not fit scores [2, 5, 7]",
               masks::documents(indices(std::vector<Index>(14, 0), {2, 7}))
                   .select_rows(indices({1, 0, 1}, {3}))
                   .tensor(scores, "attend"));
  EXPECT_ERROR(ValueError, "mask: segments: 2 offsets from 1 must begin at 0 and not fall",
               Mask::segments({1, 3}));
  EXPECT_ERROR(ValueError, "mask: segments: 0 offsets must begin at 0 and not fall",
               Mask::segments({}));
}

// Rows that are none, of rules that know how many they have and of those that do not.
TEST(RuleLimits, RefuseRowsThatAreNotThere) {
  const Shape scores{2, 3, 5, 7};
  const auto ask = [&](const Mask& mask, const std::vector<Index>& rows) {
    mask.select_rows(indices(rows, {std::ssize(rows)})).tensor(scores, "attend");
  };
  const auto open = [](const Shape& shape) {
    return Tensor(Array::full(shape, 1, DType::boolean));
  };
  const Mask keys = Mask::key_padding(open({2, 7})) | Mask::causal();
  const Mask whole = Mask(open({2, 1, 1, 7})) | Mask::causal();
  const Mask docs = masks::documents(indices(std::vector<Index>(14, 0), {2, 7}));
  for (const Mask& each :
       {keys, whole, keys & docs, !keys, keys.select_rows(indices({1, 0}, {2}))}) {
    EXPECT_NO_THROW(ask(each, {1, 0}));
    EXPECT_ERROR(IndexError, "mask: select_rows: row 2 is out of range [0, 2)", ask(each, {0, 2}));
    EXPECT_ERROR_WITH(IndexError, "mask: select_rows: row -1 is out of range", ask(each, {-1, 0}));
  }
  EXPECT_NO_THROW(ask(docs, {1, 0}));
  EXPECT_ERROR_WITH(ShapeError, "a rule reads row 2 of the batch", ask(docs, {0, 2}));
  EXPECT_ERROR(IndexError, "mask: select_rows: row -1 is out of range", ask(docs, {-1, 0}));
  // Of one row for all any may be chosen.
  const Mask one = Mask::key_padding(open({1, 7})) | Mask::causal();
  EXPECT_NO_THROW(ask(one, {4, 0}));
  // What it says of keys must still fit.
  EXPECT_ERROR_WITH(ShapeError, "mask bool[2, 5] does not broadcast",
                    ask(Mask::key_padding(open({2, 5})) | Mask::causal(), {1, 0}));
  EXPECT_ERROR(DTypeError, "mask: select_rows: rows must be i64, not f32[2]",
               docs.select_rows(zeros({2})));
  EXPECT_ERROR(ShapeError, "mask: select_rows: rows must be [R], not i64[1, 2]",
               docs.select_rows(indices({1, 0}, {1, 2})));
}

// A tensor among rules is asked place by place, whatever axes it lacks.
TEST(RuleLimits, TensorsBroadcastToTheScores) {
  manual_seed(7);
  for (const Shape& scores : {Shape{2, 3, 5, 7}, Shape{2, 3, 2, 5, 7}, Shape{5, 7}}) {
    for (const Shape& shape :
         {Shape{}, Shape{1}, Shape{7}, Shape{5, 1}, Shape{5, 7}, Shape{3, 1, 7}, Shape{2, 1, 1, 1},
          Shape{2, 3, 5, 7}, Shape{1, 1, 5, 7}, Shape{2, 3, 1, 1, 7}, Shape{2, 1, 2, 5, 7},
          Shape{3, 2, 5, 7}, Shape{2, 1, 7}}) {
      bool fits = shape.rank() <= scores.rank();
      for (Index axis = 1; fits && axis <= shape.rank(); ++axis) {
        fits = shape.at(-axis) == 1 || shape.at(-axis) == scores.at(-axis);
      }
      if (!fits) continue;
      SCOPED_TRACE(heed::to_string(shape) + " beside " + heed::to_string(scores));
      const Mask open(randn(shape) > 0.0);
      EXPECT_EQ(places(as_rule(open), scores), places(open, scores));
    }
  }
  const Shape scores{2, 3, 5, 7};
  for (const Index rows : {1, 2}) {
    const Mask keys = Mask::key_padding(randn({rows, 7}) > 0.0);
    EXPECT_EQ(places(as_rule(keys), scores), places(keys, scores)) << rows;
  }
}

// Of all blocks of a small square: what a rule says of one holds for each of its places; and what
// has one run of keys a query, each run no earlier than the one before, knows every block.
TEST(RuleLimits, WhatTheySayHoldsForEveryBlock) {
  constexpr Index kQ = 6, kK = 8;
  const Shape scores{2, 3, kQ, kK};
  const std::vector<Mask> runs = {
      Mask::causal(),
      Mask::window(2, 1),
      Mask::window(0, 0),
      Mask::block(3),
      Mask::segments({0, 3, 3, 5, kK}),
      !Mask::window(2, 1),
      masks::wait_k({.wait = 2}),
      masks::wait_k({.wait = 5, .first = 1}),
  };
  std::vector<Mask> rules = runs;
  for (const Mask& each : std::vector<Mask>{
           masks::wait_k({.wait = 3, .catch_up = 2, .first = 1}),
           masks::prefix_lm(3),
           masks::prefix_lm(indices({2, 5}, {2})),
           masks::documents(indices({0, 0, 1, 1, 1, 2, 2, 2, 0, 1, 1, 1, 1, 1, 1, 2}, {2, kK})),
           masks::global_tokens(3),
           masks::dilated(2, 2),
           masks::strided(3),
           masks::window_with_sinks(2, 1),
           masks::neighbourhood(3, 1),
           Mask::causal() & Mask::block(3),
           masks::documents(indices({0, 0, 1, 1, 1, 2, 2, 2, 0, 1, 1, 1, 1, 1, 1, 2}, {2, kK}))
               .select_rows(indices({1, 0}, {2})),
           Mask::rule([](auto q, auto k, auto, auto head) { return k + head <= q; }),
       }) {
    rules.push_back(each);
  }
  for (std::size_t n = 0; n < rules.size(); ++n) {
    SCOPED_TRACE(n);
    const Mask rule = as_rule(rules[n]);
    const std::vector<bool> may = places(rules[n], scores);
    for (Index b = 0; b < 2; ++b) {
      for (Index h = 0; h < 3; ++h) {
        for (Index q = 0; q < kQ * kQ; ++q) {
          for (Index k = 0; k < kK * kK; ++k) {
            const KeyRange queries{q / kQ, q % kQ + 1}, keys{k / kK, k % kK + 1};
            if (queries.size() <= 0 || keys.size() <= 0) continue;
            const Seen seen = rule.places()->over(
                {&scores, b, h}, {queries.begin + kK - kQ, queries.end + kK - kQ}, keys);
            bool any = false, all = true;
            for (Index i = queries.begin; i < queries.end; ++i) {
              for (Index j = keys.begin; j < keys.end; ++j) {
                const bool open = may[static_cast<std::size_t>(((b * 3 + h) * kQ + i) * kK + j)];
                any = any || open;
                all = all && open;
              }
            }
            const Seen wanted = all ? Seen::all : any ? Seen::some : Seen::none;
            if (seen != Seen::some || n < runs.size()) {
              ASSERT_EQ(seen, wanted);
            }
          }
        }
      }
    }
  }
}

TEST(RuleLimits, BlocksOfABatchHaveALayoutEach) {
  manual_seed(7);
  const Tensor layout = randn({2, 3, 3}) > 0.0;
  const auto open = layout.array().to_vector<bool>();
  const std::vector<bool> may = places(masks::block_sparse(layout, 2), {2, 4, 6});
  std::size_t n = 0;
  for (Index b = 0; b < 2; ++b) {
    for (Index q = 2; q < 6; ++q) {
      for (Index k = 0; k < 6; ++k, ++n) {
        EXPECT_EQ(may[n], open[static_cast<std::size_t>((b * 3 + q / 2) * 3 + k / 2)]);
      }
    }
  }
}

TEST(RuleLimits, BigBirdDrawsAsManyBlocksAsItIsToldAndFinds) {
  const Index T = 91, block = 8, blocks = 12;  // the last one is short
  for (const bool causal : {false, true}) {
    for (const Index randoms : {0, 2, 40}) {
      Generator draw(5);
      const masks::BigBirdOptions options{.block = block, .randoms = randoms, .causal = causal};
      const std::vector<bool> may = places(masks::bigbird(T, options, draw), {T, T});
      for (Index q = 0; q < blocks; ++q) {
        const Index row = std::min(q * block + block - 1, T - 1);  // its last place
        Index seen = 0, always = 0, others = 0;
        for (Index k = 0; k < blocks; ++k) {
          if (causal && k > q) continue;
          seen += may[static_cast<std::size_t>(row * T + k * block)];
          const bool near = std::abs(q - k) <= 1 || q == 0 || k == 0;
          (near ? always : others) += 1;
        }
        EXPECT_EQ(seen, always + std::min(randoms, others)) << q << " " << causal;
      }
    }
  }
}

}  // namespace
}  // namespace heed::attention
