#include "../../../attention/masks/mask.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../support/throws.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kQ = 3, kK = 5;
using Rule = std::function<bool(Index b, Index i, Index j)>;

Index place(Index i, Index queries, Index keys) { return i + keys - queries; }

Index floor_div(Index a, Index b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// As it stands in scores [B, Q, K], element by element.
void expect_rule(const Mask& mask, const Rule& rule, Index queries = kQ, Index keys = kK) {
  const Shape scores{kB, queries, keys};
  const Tensor may = mask.tensor(scores);
  std::vector<bool> wanted;
  for (Index b = 0; b < kB; ++b) {
    for (Index i = 0; i < queries; ++i) {
      for (Index j = 0; j < keys; ++j) wanted.push_back(rule(b, i, j));
    }
  }
  const std::vector<bool> all(wanted.size(), true);
  EXPECT_EQ(may.defined() ? expand(may, scores).array().to_vector<bool>() : all, wanted);
}

struct Kind {
  const char* name;
  Mask mask;
  Rule rule;
};

// One of each, for kQ queries and kK keys.
std::vector<Kind> kinds() {
  const std::vector<bool> real = {true, false, true, true, true, false, true, true, true, false};
  std::vector<bool> any;
  for (Index i = 0; i < kB * kQ * kK; ++i) any.push_back(i % 4 != 1);
  const auto p = [](Index i) { return place(i, kQ, kK); };
  return {
      {"none", Mask(), [](Index, Index, Index) { return true; }},
      {"causal", Mask::causal(), [=](Index, Index i, Index j) { return j <= p(i); }},
      {"window", Mask::window(2, 1),
       [=](Index, Index i, Index j) { return j >= p(i) - 2 && j <= p(i) + 1; }},
      {"narrow window", Mask::window(0, 0), [=](Index, Index i, Index j) { return j == p(i); }},
      {"block", Mask::block(3), [=](Index, Index i, Index j) { return j / 3 == p(i) / 3; }},
      {"other block", Mask::block(4), [=](Index, Index i, Index j) { return j / 4 == p(i) / 4; }},
      {"lengths", Mask::lengths({4, 0}, kK),
       [](Index b, Index, Index j) { return j < (b == 0 ? 4 : 0); }},
      {"other lengths", Mask::lengths({2, 5}, kK),
       [](Index b, Index, Index j) { return j < (b == 0 ? 2 : 5); }},
      {"key_padding", Mask::key_padding(Array::from<bool>(real, {kB, kK})),
       [=](Index b, Index, Index j) { return real[static_cast<std::size_t>(b * kK + j)]; }},
      {"boolean", Mask(Tensor(Array::from<bool>(any, {kB, kQ, kK}))),
       [=](Index b, Index i, Index j) {
         return any[static_cast<std::size_t>((b * kQ + i) * kK + j)];
       }},
      {"boolean row", Mask(Tensor(Array::from<bool>({true, true, false, true, true}, {kK}))),
       [](Index, Index, Index j) { return j != 2; }},
  };
}

TEST(Mask, EachKindIsItsRule) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    expect_rule(kind.mask, kind.rule);
    EXPECT_EQ(kind.mask.all(), std::string(kind.name) == "none");
  }
}

TEST(Mask, AndAllowsWhatAllOfThemAllow) {
  const std::vector<Kind> all = kinds();
  for (const Kind& a : all) {
    for (const Kind& b : all) {
      for (const Kind& c : all) {
        SCOPED_TRACE(std::string(a.name) + " & " + b.name + " & " + c.name);
        const auto rule = [&](Index batch, Index i, Index j) {
          return a.rule(batch, i, j) && b.rule(batch, i, j) && c.rule(batch, i, j);
        };
        expect_rule(a.mask & b.mask & c.mask, rule);
      }
    }
  }
}

TEST(Mask, QueriesAreAlignedWithTheKeysAtTheEnd) {
  for (const auto& [queries, keys] : std::vector<std::pair<Index, Index>>{
           {5, 5}, {7, 3}, {3, 7}, {1, 5}, {5, 1}, {1, 1}, {0, 3}, {3, 0}}) {
    SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys");
    const auto p = [q = queries, k = keys](Index i) { return place(i, q, k); };
    expect_rule(
        Mask::causal(), [=](Index, Index i, Index j) { return j <= p(i); }, queries, keys);
    expect_rule(
        Mask::window(1, 2), [=](Index, Index i, Index j) { return j >= p(i) - 1 && j <= p(i) + 2; },
        queries, keys);
    expect_rule(
        Mask::block(2), [=](Index, Index i, Index j) { return j / 2 == floor_div(p(i), 2); },
        queries, keys);
    expect_rule(
        Mask::causal() & Mask::window(1, 2) & Mask::block(2),
        [=](Index, Index i, Index j) {
          return j >= p(i) - 1 && j <= p(i) && j / 2 == floor_div(p(i), 2);
        },
        queries, keys);
  }
}

TEST(Mask, TheWidestWindowHidesNothing) {
  constexpr Index kMost = std::numeric_limits<Index>::max();
  const auto everything = [](Index, Index, Index) { return true; };
  expect_rule(Mask::window(kMost, kMost), everything);
  expect_rule(Mask::window(kK, kK), everything);
  expect_rule(Mask::block(kMost), everything);
}

// Lengths and key padding belong to the first axis, whatever stands between it and the keys.
TEST(Mask, StandsBesideHeads) {
  const Shape scores{kB, 7, kQ, kK};
  const Tensor lengths = Mask::lengths({4, 1}, kK).tensor(scores);
  EXPECT_EQ(lengths.shape(), (Shape{kB, 1, 1, kK}));
  const Mask padding = Mask::key_padding(
      Array::from<bool>({true, true, true, true, false, true, false, false, false, false}, {2, 5}));
  EXPECT_EQ(padding.tensor(scores).array().to_vector<bool>(), lengths.array().to_vector<bool>());
  EXPECT_EQ(Mask::causal().tensor(scores).shape(), (Shape{kQ, kK}));
  EXPECT_EQ((Mask::causal() & padding).tensor(scores).shape(), (Shape{kB, 1, kQ, kK}));
  EXPECT_EQ(Mask::lengths({3}, kK).tensor(scores).shape(), (Shape{1, 1, 1, kK}));
}

// A set of vectors without queries.
TEST(Mask, StandsBesideABatchOfKeys) {
  EXPECT_EQ(Mask::lengths({2, 0, 3}, 3).tensor({3, 3}).array().to_vector<bool>(),
            (std::vector<bool>{true, true, false, false, false, false, true, true, true}));
}

TEST(Mask, ItsPartsMakeTheWhole) {
  const Mask all = Mask::causal() & Mask::window(2, 3) & Mask::lengths({4, 2}, kK) & Mask::block(4);
  EXPECT_EQ(all.left(), 2);
  EXPECT_EQ(all.right(), 0);
  EXPECT_TRUE(all.has_lengths());
  EXPECT_EQ(all.key_lengths(), (std::vector<Index>{4, 2}));
  const Shape scores{kB, kQ, kK};
  EXPECT_EQ((all & Mask::block(3) & Mask::block(4)).blocks(), (std::vector<Index>{4, 3}));
  EXPECT_FALSE(all.rest(scores).defined());
  EXPECT_FALSE(Mask().tensor(scores).defined());
  const Mask other = all.with_rest(Mask::block(3).tensor(scores), scores);
  expect_rule(other, [](Index b, Index i, Index j) {
    const Index p = place(i, kQ, kK);
    return j >= p - 2 && j <= p && j < (b == 0 ? 4 : 2) && j / 3 == p / 3 && j / 4 == p / 4;
  });
}

TEST(Mask, RowsOfTheBatchCanBeChosen) {
  const Tensor rows(Array::from<std::int64_t>({1, 1, 0}));
  const Mask chosen = (Mask::causal() & Mask::lengths({4, 2}, kK)).select_rows(rows);
  EXPECT_EQ(chosen.key_lengths(), (std::vector<Index>{2, 2, 4}));
  EXPECT_EQ(chosen.right(), 0);
  const Mask padding = Mask::key_padding(Array::from<bool>({true, false, false, true}, {2, 2}));
  EXPECT_EQ(padding.select_rows(rows).tensor({3, 2}).array().to_vector<bool>(),
            (std::vector<bool>{false, true, false, true, true, false}));
  EXPECT_ERROR_WITH(IndexError, "row 1 is out of range [0, 1)",
                    Mask::lengths({4}, kK).select_rows(rows));
  EXPECT_ERROR_WITH(ShapeError, "of bool[2, 1, 3] the rows are not known",
                    Mask(Array::full({2, 1, 3}, 1, DType::boolean)).select_rows(rows));
}

// Beside scores whose axes are known, a tensor's first is the batch, or it has none.
TEST(Mask, RowsOfATensorAreThoseOfTheScores) {
  const Tensor rows(Array::from<std::int64_t>({1, 1, 0}));
  const Mask each(Array::from<bool>({true, false, false, true}, {2, 1, 2}));
  EXPECT_EQ(each.select_rows(rows, 3).tensor({3, 1, 2}).array().to_vector<bool>(),
            (std::vector<bool>{false, true, false, true, true, false}));
  EXPECT_EQ(each.select_rows(rows, 4).tensor({3, 2, 1, 2}).shape(), (Shape{2, 1, 2}));
  const Mask all(Array::from<bool>({true, false}, {2})), one(Array::full({}, 1, DType::boolean));
  EXPECT_EQ(all.select_rows(rows, 3).tensor({3, 1, 2}).shape(), (Shape{2}));
  EXPECT_EQ(one.select_rows(rows).tensor({3, 1, 2}).shape(), Shape{});
  EXPECT_THROW(each.select_rows(Tensor(Array::from<std::int64_t>({2})), 3), IndexError);
}

TEST(Mask, OneRowSpreadsOverTheBatch) {
  const Tensor rows(Array::from<std::int64_t>({1, 2}));
  EXPECT_EQ(Mask::lengths({4}, kK).spread(3).select_rows(rows).key_lengths(),
            (std::vector<Index>{4, 4}));
  EXPECT_EQ(Mask::lengths({4, 2}, kK).spread(2).key_lengths(), (std::vector<Index>{4, 2}));
  const Mask keys = Mask::key_padding(Array::from<bool>({true, false}, {1, 2}));
  EXPECT_EQ(keys.spread(3).select_rows(rows).tensor({2, 2}).array().to_vector<bool>(),
            (std::vector<bool>{true, false, true, false}));
}

TEST(Mask, RefusesWhatIsNoMask) {
  EXPECT_ERROR_WITH(DTypeError, "takes bool (true: may attend), not f32[3]", Mask mask(zeros({3})));
  EXPECT_ERROR_WITH(DTypeError, "undefined", Mask mask((Tensor())));
  EXPECT_ERROR_WITH(DTypeError, "mask: key_padding takes bool", Mask::key_padding(zeros({2, 3})));
  EXPECT_ERROR_WITH(ShapeError, "takes [B, steps], not bool[3]",
                    Mask::key_padding(Array::full({3}, 1, DType::boolean)));
  EXPECT_ERROR_WITH(ShapeError, "length 4 of row 1 is not in [0, 3]", Mask::lengths({2, 4}, 3));
  EXPECT_ERROR_WITH(ShapeError, "length -1", Mask::lengths({-1}, 3));
  EXPECT_ERROR_WITH(ShapeError, "steps -2 must not be negative", Mask::lengths({}, -2));
  EXPECT_ERROR_WITH(ValueError, "left -1 and right 2 must not be negative", Mask::window(-1, 2));
  EXPECT_ERROR_WITH(ValueError, "right -2", Mask::window(1, -2));
  EXPECT_ERROR_WITH(ValueError, "size 0", Mask::block(0));
  EXPECT_ERROR_WITH(ShapeError, "lengths of [2, 3] and of [1, 3]",
                    Mask::lengths({1, 2}, 3) & Mask::lengths({1}, 3));
}

TEST(Mask, RefusesScoresThatItDoesNotFit) {
  EXPECT_ERROR_WITH(ShapeError, "pooling: a mask needs two axes",
                    Mask::causal().tensor({4}, "pooling"));
  EXPECT_ERROR_WITH(ShapeError, "attend: the mask's lengths of [3, 5] do not fit scores [2, 3, 5]",
                    Mask::lengths({1, 2, 3}, kK).tensor({kB, kQ, kK}, "attend"));
  EXPECT_ERROR_WITH(ShapeError, "lengths of [2, 4]", Mask::lengths({1, 2}, 4).tensor({kB, kQ, kK}));
  EXPECT_ERROR_WITH(ShapeError, "keys of [2, 4] do not fit scores [2, 3, 5]",
                    Mask::key_padding(Array::full({2, 4}, 1, DType::boolean)).tensor({kB, kQ, kK}));
  for (const Shape& shape : {Shape{kQ, 4}, Shape{kK, kQ}, Shape{1, kB, kQ, kK}}) {
    EXPECT_ERROR_WITH(ShapeError, "does not broadcast to scores [2, 3, 5]",
                      Mask(Array::full(shape, 1, DType::boolean)).tensor({kB, kQ, kK}));
  }
}

}  // namespace
}  // namespace heed::attention
