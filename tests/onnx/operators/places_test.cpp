#include <gtest/gtest.h>

#include <limits>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxPlaces = SeededTest<38>;

TEST_F(OnnxPlaces, GatherAlongAnyAxisFromEitherEnd) {
  const Tensor x = random({3, 5, 7}), i = ints({2, -1, 0, 1, -3, 2}, {2, 3});
  const auto place = [&](Index a, Index b, Index size) {
    const auto v = static_cast<Index>(at(i, {a, b}));
    return v < 0 ? v + size : v;
  };
  EXPECT_EQ(
      difference(OneNode{"Gather"}(x, i), made({2, 3, 5, 7},
                                               [&](const Place& p) {
                                                 return at(x, {place(p[0], p[1], 3), p[2], p[3]});
                                               })),
      0);
  EXPECT_EQ(difference(OneNode{"Gather", {{"axis", std::int64_t{1}}}}(x, i),
                       made({3, 2, 3, 7},
                            [&](const Place& p) {
                              return at(x, {p[0], place(p[1], p[2], 5), p[3]});
                            })),
            0);
  EXPECT_EQ(difference(OneNode{"Gather", {{"axis", std::int64_t{-1}}}}(x, ints({-2}, {})),
                       made({3, 5},
                            [&](const Place& p) {
                              return at(x, {p[0], p[1], 5});
                            })),
            0);
  EXPECT_EQ(OneNode{"Gather"}(ints({7, 8, 9}), ints({1}, {})).item(), 8);
  EXPECT_EQ(OneNode{"Gather"}(ints({7, 8, 9}), ints({1, -1})).to_vector<std::int64_t>(),
            (Ints{8, 9}));
  EXPECT_EQ(
      OneNode{"Gather"}(tensor({{true, false}, {false, false}}), ints({1, 0})).to_vector<bool>(),
      (std::vector<bool>{0, 0, 1, 0}));
  EXPECT_ERROR_WITH(IndexError, "Gather \"y0\"", OneNode{"Gather"}(x, ints({3})));
  EXPECT_ERROR_WITH(IndexError, "Gather \"y0\"", OneNode{"Gather"}(x, ints({-4})));
  EXPECT_ERROR_WITH(IndexError, "Gather \"y0\"", OneNode{"Gather"}(x, ints({3}, {})));
  EXPECT_ERROR_WITH(DTypeError, "indices must be integers, not f64[3, 5, 7]",
                    OneNode{"Gather"}(x, x));
}

TEST_F(OnnxPlaces, GatherElementsAndNd) {
  const Tensor x = random({3, 5}), i = ints({2, -1, 0, 1, -3, 2}, {2, 3});
  const auto place = [](double v, Index size) {
    return static_cast<Index>(v) + (v < 0 ? size : 0);
  };
  EXPECT_EQ(
      difference(OneNode{"GatherElements"}(x, i), made({2, 3},
                                                       [&](const Place& p) {
                                                         return at(x, {place(at(i, p), 3), p[1]});
                                                       })),
      0);
  EXPECT_EQ(difference(OneNode{"GatherElements", {{"axis", std::int64_t{1}}}}(x, i),
                       made({2, 3},
                            [&](const Place& p) {
                              return at(x, {p[0], place(at(i, p), 5)});
                            })),
            0);
  const Tensor y = random({3, 5, 7}), pairs = ints({2, -1, 0, 3, 1, 1}, {3, 2});
  EXPECT_EQ(difference(OneNode{"GatherND"}(y, pairs),
                       made({3, 7},
                            [&](const Place& p) {
                              return at(y, {static_cast<Index>(at(pairs, {p[0], 0})),
                                            place(at(pairs, {p[0], 1}), 5), p[1]});
                            })),
            0);
  EXPECT_ERROR_WITH(FormatError, "attribute batch_dims = 1 is not supported, 0 is",
                    (OneNode{"GatherND", {{"batch_dims", std::int64_t{1}}}}(y, pairs)));
  EXPECT_ERROR_WITH(ShapeError, "name 4 axes of f64[3, 5, 7]",
                    OneNode{"GatherND"}(y, ints({0, 0, 0, 0}, {1, 4})));
  EXPECT_ERROR_WITH(IndexError, "GatherND", OneNode{"GatherND"}(y, ints({3}, {1, 1})));
}

TEST_F(OnnxPlaces, Scatter) {
  const Tensor x = random({3, 5}), i = ints({2, -1, 0, 1, 0, 2}, {2, 3}), u = random({2, 3});
  const auto wanted = [&](bool add, Index axis) {
    std::vector<double> numbers = x.to_vector<double>();
    for (Index a = 0; a < 2; ++a)
      for (Index b = 0; b < 3; ++b) {
        const Index size = axis == 0 ? 3 : 5;
        const Index to = (static_cast<Index>(at(i, {a, b})) + size) % size;
        double& number = numbers[static_cast<std::size_t>(axis == 0 ? to * 5 + b : a * 5 + to)];
        number = at(u, {a, b}) + (add ? number : 0);
      }
    return Tensor(Array::from(numbers, {3, 5}));
  };
  for (const Index axis : {0, 1}) {
    EXPECT_EQ(
        difference(OneNode{"ScatterElements", {{"axis", axis}}}(x, i, u), wanted(false, axis)), 0);
    EXPECT_LT(difference(OneNode{"ScatterElements",
                                 {{"axis", axis}, {"reduction", std::string("add")}}}(x, i, u),
                         wanted(true, axis)),
              1e-14);
    EXPECT_EQ(difference(OneNode{"Scatter", {{"axis", axis}}, 9}(x, i, u), wanted(false, axis)), 0);
  }
  const Tensor rows = ints({2, 0}, {2, 1}), updates = random({2, 5});
  EXPECT_EQ(difference(OneNode{"ScatterND"}(x, rows, updates),
                       made({3, 5},
                            [&](const Place& p) {
                              return p[0] == 1 ? at(x, p) : at(updates, {p[0] == 2 ? 0 : 1, p[1]});
                            })),
            0);
  EXPECT_LT(
      difference(
          OneNode{"ScatterND", {{"reduction", std::string("add")}}}(x, ints({1, 1}, {2, 1}),
                                                                    updates),
          made(
              {3, 5},
              [&](const Place& p) {
                return at(x, p) + (p[0] == 1 ? at(updates, {0, p[1]}) + at(updates, {1, p[1]}) : 0);
              })),
      1e-14);
  EXPECT_ERROR_WITH(FormatError, "attribute reduction = \"mul\" is not supported",
                    (OneNode{"ScatterND", {{"reduction", std::string("mul")}}}(x, rows, updates)));
  EXPECT_ERROR_WITH(ShapeError, "must have the rank of",
                    OneNode{"ScatterElements"}(x, ints({1}), u));
}

TEST_F(OnnxPlaces, IntegersAreAddedAndWrapAround) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Attribute add{"reduction", std::string("add")};
  EXPECT_EQ(
      (OneNode{"ScatterND", {add}}(ints({5, 7, most}), ints({0, 2, 0}, {3, 1}), ints({1, 1, 2})))
          .to_vector<std::int64_t>(),
      (Ints{8, 7, std::numeric_limits<std::int64_t>::min()}));
  EXPECT_EQ((OneNode{"ScatterND", {add}}(ints({1, 2, 3, 4, 5, 6}, {3, 2}), ints({2, -1}, {2, 1}),
                                         ints({10, 20, 30, 40}, {2, 2})))
                .to_vector<std::int64_t>(),
            (Ints{1, 2, 3, 4, 45, 66}));
  const OneNode along{"ScatterElements", {{"axis", std::int64_t{1}}, add}};
  EXPECT_EQ(along(ints({1, 2, 3, 4, 5, 6}, {2, 3}), ints({2, 2, 0, -1}, {2, 2}),
                  ints({10, 20, 30, 40}, {2, 2}))
                .to_vector<std::int64_t>(),
            (Ints{1, 2, 33, 34, 5, 46}));
  EXPECT_ERROR_WITH(IndexError, "place 3 is not within axis 0 of i64[3]",
                    (OneNode{"ScatterND", {add}}(ints({5, 7, 9}), ints({3}, {1, 1}), ints({1}))));
  EXPECT_ERROR_WITH(
      ShapeError, "updates i64[2] do not broadcast to [1]",
      (OneNode{"ScatterND", {add}}(ints({5, 7, 9}), ints({1}, {1, 1}), ints({1, 2}))));
}

TEST_F(OnnxPlaces, WhereSomethingHolds) {
  const Tensor x = tensor({{0, 3, 0}, {5, 0, 7}});
  EXPECT_EQ(OneNode{"NonZero"}(x).to_vector<std::int64_t>(), (Ints{0, 1, 1, 1, 0, 2}));
  EXPECT_EQ(OneNode{"NonZero"}(x).shape(), (Shape{2, 3}));
  EXPECT_EQ((OneNode{"Compress", {{"axis", std::int64_t{1}}}}(x, tensor({true, false, true})))
                .to_vector<std::int64_t>(),
            (Ints{0, 0, 5, 7}));
  EXPECT_EQ(OneNode{"Compress"}(x, tensor({false, true, false, true})).to_vector<std::int64_t>(),
            (Ints{3, 5}));
}

}  // namespace
}  // namespace heed::onnx
