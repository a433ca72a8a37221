#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxReductions = SeededTest<34>;
using Row = std::vector<double>;

// Of x [3, 5, 7] over axes 0 and 2.
Tensor over_two(const Tensor& x, const std::function<double(const Row&)>& reduce) {
  return made(
      {1, 5, 1},
      [&](const Place& p) {
        Row row;
        for (Index i = 0; i < 3; ++i)
          for (Index k = 0; k < 7; ++k) row.push_back(at(x, {i, p[1], k}));
        return reduce(row);
      },
      x.dtype());
}
double summed(const Row& row, const std::function<double(double)>& of) {
  double out = 0;
  for (const double each : row) out += of(each);
  return out;
}

const std::vector<std::pair<const char*, std::function<double(const Row&)>>>& all() {
  static const std::vector<std::pair<const char*, std::function<double(const Row&)>>> rows = {
      {"ReduceSum", [](const Row& r) { return summed(r, [](double x) { return x; }); }},
      {"ReduceMean",
       [](const Row& r) {
         return summed(r, [](double x) { return x; }) / static_cast<double>(r.size());
       }},
      {"ReduceProd",
       [](const Row& r) { return std::accumulate(r.begin(), r.end(), 1.0, std::multiplies<>()); }},
      {"ReduceMax", [](const Row& r) { return *std::max_element(r.begin(), r.end()); }},
      {"ReduceMin", [](const Row& r) { return *std::min_element(r.begin(), r.end()); }},
      {"ReduceL1", [](const Row& r) { return summed(r, [](double x) { return std::abs(x); }); }},
      {"ReduceL2",
       [](const Row& r) { return std::sqrt(summed(r, [](double x) { return x * x; })); }},
      {"ReduceSumSquare", [](const Row& r) { return summed(r, [](double x) { return x * x; }); }},
      {"ReduceLogSum",
       [](const Row& r) { return std::log(summed(r, [](double x) { return x; })); }},
      {"ReduceLogSumExp",
       [](const Row& r) { return std::log(summed(r, [](double x) { return std::exp(x); })); }}};
  return rows;
}

TEST_F(OnnxReductions, OverAxesInAnyVersion) {
  const Tensor x = each(random({3, 5, 7}), [](double v) { return std::abs(v) + 0.1; });
  for (const auto& [op, reduce] : all()) {
    const Tensor wanted = over_two(x, reduce);
    const bool sum = std::string(op) == "ReduceSum";
    EXPECT_LT(relative_difference(OneNode{op, {{"axes", Ints{0, -1}}}, 11}(x), wanted), 1e-12)
        << op;
    EXPECT_LT(relative_difference(OneNode{op, {}, sum ? 13 : 18}(x, ints({-3, 2})), wanted), 1e-12)
        << op;
    const Tensor flat = OneNode{op, {{"axes", Ints{2, 0}}, {"keepdims", std::int64_t{0}}}, 12}(x);
    EXPECT_EQ(flat.shape(), Shape{5}) << op;
    EXPECT_EQ(OneNode{op}(x).shape(), (Shape{1, 1, 1})) << op;
    EXPECT_EQ((OneNode{op, {{"keepdims", std::int64_t{0}}}}(x).shape()), Shape{}) << op;
  }
  const std::vector<Attribute> noop = {{"noop_with_empty_axes", std::int64_t{1}}};
  EXPECT_EQ(difference(OneNode{"ReduceSum", noop}(x), x), 0);
  EXPECT_EQ(OneNode{"ReduceSum"}(x, Tensor(Array::empty({0}, DType::i64))).numel(), 1);
  EXPECT_ERROR_WITH(FormatError, "attribute \"axes\" is not known",
                    OneNode{"ReduceSum", {{"axes", Ints{0}}}}(x));
  EXPECT_ERROR_WITH(ShapeError, "ReduceSum \"y0\"", OneNode{"ReduceSum"}(x, ints({5})));
}

TEST_F(OnnxReductions, OverNoAxesIsOfEachNumber) {
  const Tensor x = each(random({3, 5}), [](double v) { return v - 0.1; });
  const auto node = [](const char* op) {
    return OneNode{.op = op,
                   .attributes = {{"noop_with_empty_axes", std::int64_t{1}}},
                   .opset = 18,
                   .ours_alone = true};
  };
  for (const char* const op : {"ReduceL1", "ReduceL2"}) {
    EXPECT_EQ(difference(node(op)(x), each(x, [](double v) { return std::abs(v); })), 0) << op;
  }
  EXPECT_EQ(difference(node("ReduceSumSquare")(x), each(x, [](double v) { return v * v; })), 0);
  for (const char* const op :
       {"ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceLogSumExp"}) {
    EXPECT_EQ(difference(node(op)(x), x), 0) << op;
  }
  const Tensor above = each(x, [](double v) { return std::abs(v); });
  EXPECT_LT(
      difference(node("ReduceLogSum")(above), each(above, [](double v) { return std::log(v); })),
      1e-14);
}

TEST_F(OnnxReductions, OfIntegers) {
  const Tensor x = made(
      {3, 5, 7},
      [](const Place& p) {
        return static_cast<double>((p[0] * 35 + p[1] * 7 + p[2]) * 13 % 9 - 3);
      },
      DType::i64);
  for (const auto& [op, reduce] : all()) {
    const std::string name = op;
    if (name == "ReduceL2" || name.starts_with("ReduceLog")) {
      EXPECT_ERROR_WITH(DTypeError, "this reduction takes f32 and f64, not i64[3, 5, 7]",
                        OneNode{op}(x));
      continue;
    }
    if (name == "ReduceProd") continue;
    EXPECT_EQ(difference(OneNode{op, {{"axes", Ints{0, 2}}}, 12}(x),
                         over_two(x, [&, f = reduce](const Row& r) { return std::trunc(f(r)); })),
              0)
        << op;
  }
  EXPECT_EQ((OneNode{"ReduceProd", {{"keepdims", std::int64_t{0}}}}(ints({2, 3, -5})).item()), -30);
  EXPECT_ERROR_WITH(ShapeError, "an axis is reduced twice", OneNode{"ReduceSum"}(x, ints({0, -3})));
  EXPECT_ERROR_WITH(ShapeError, "a reduction over no elements of i64[0]",
                    OneNode{"ReduceMax"}(Tensor(Array::empty({0}, DType::i64))));
}

TEST_F(OnnxReductions, PlacesOfTheLargestAndSmallest) {
  const Tensor x = tensor({{3, 7, 7}, {2, 1, 1}}, DType::f64);
  EXPECT_EQ((OneNode{"ArgMax", {{"axis", std::int64_t{1}}}}(x)).to_vector<std::int64_t>(),
            (Ints{1, 0}));
  EXPECT_EQ(
      (OneNode{"ArgMax", {{"axis", std::int64_t{-1}}, {"select_last_index", std::int64_t{1}}}}(x))
          .to_vector<std::int64_t>(),
      (Ints{2, 0}));
  EXPECT_EQ(
      (OneNode{"ArgMin", {{"axis", std::int64_t{1}}, {"select_last_index", std::int64_t{1}}}}(x))
          .to_vector<std::int64_t>(),
      (Ints{0, 2}));
  EXPECT_EQ(OneNode{"ArgMin"}(x).shape(), (Shape{1, 3}));
  EXPECT_EQ((OneNode{"ArgMin", {{"keepdims", std::int64_t{0}}}}(x)).to_vector<std::int64_t>(),
            (Ints{1, 1, 1}));
}

TEST_F(OnnxReductions, TopK) {
  const Tensor x = tensor({{3, 9, 7, 5}, {2, 1, 6, 4}}, DType::f64);
  const auto largest = OneNode{.op = "TopK", .results = 2}.all({x, ints({2})});
  EXPECT_EQ(largest[0].to_vector<double>(), (std::vector<double>{9, 7, 6, 4}));
  EXPECT_EQ(largest[1].to_vector<std::int64_t>(), (Ints{1, 2, 2, 3}));
  const auto smallest =
      OneNode{.op = "TopK",
              .attributes = {{"axis", std::int64_t{0}}, {"largest", std::int64_t{0}}},
              .results = 2}
          .all({x, ints({1})});
  EXPECT_EQ(smallest[1].to_vector<std::int64_t>(), (Ints{1, 1, 1, 1}));
  const auto old =
      OneNode{.op = "TopK", .attributes = {{"k", std::int64_t{3}}}, .opset = 9, .results = 2}.all(
          {x});
  EXPECT_EQ(old[0].shape(), (Shape{2, 3}));
  EXPECT_ERROR_WITH(ValueError, "TopK \"y0\": topk",
                    (OneNode{.op = "TopK", .results = 2}.all({x, ints({5})})));
}

TEST_F(OnnxReductions, RunningSums) {
  for (const bool whole : {false, true}) {
    const Tensor x =
        whole ? made(
                    {3, 5},
                    [](const Place& p) { return static_cast<double>(p[0] * 7 - p[1] * p[1]); },
                    DType::i64)
              : random({3, 5});
    for (const Index axis : {0, 1})
      for (const bool exclusive : {false, true})
        for (const bool reverse : {false, true}) {
          const Tensor wanted = made(
              {3, 5},
              [&](const Place& p) {
                const auto a = static_cast<std::size_t>(axis);
                double sum = 0;
                for (Index i = 0; i < x.size(axis); ++i) {
                  const bool before = reverse ? i > p[a] : i < p[a];
                  if (!before && (exclusive || i != p[a])) continue;
                  Place q = p;
                  q[a] = i;
                  sum += at(x, q);
                }
                return sum;
              },
              x.dtype());
          const std::vector<Attribute> attributes = {{"exclusive", std::int64_t{exclusive}},
                                                     {"reverse", std::int64_t{reverse}}};
          EXPECT_LT(difference(OneNode{"CumSum", attributes}(x, ints({axis - 2}, {})), wanted),
                    1e-13);
        }
  }
}

}  // namespace
}  // namespace heed::onnx
