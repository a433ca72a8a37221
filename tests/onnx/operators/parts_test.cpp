#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxParts = SeededTest<36>;

TEST_F(OnnxParts, ConcatAndSplit) {
  const Tensor x = random({3, 5}), y = random({3, 2});
  const OneNode concat{"Concat", {{"axis", std::int64_t{-1}}}};
  const Tensor joined = made({3, 7}, [&](const Place& p) {
    return p[1] < 5 ? at(x, p) : at(y, {p[0], p[1] - 5});
  });
  EXPECT_EQ(difference(concat(x, y), joined), 0);
  const auto pieces =
      OneNode{.op = "Split", .attributes = {{"axis", std::int64_t{1}}}, .results = 2}.all(
          {joined, ints({5, 2})});
  EXPECT_EQ(difference(pieces[0], x), 0);
  EXPECT_EQ(difference(pieces[1], y), 0);
  const auto old = OneNode{.op = "Split",
                           .attributes = {{"axis", std::int64_t{1}}, {"split", Ints{5, 2}}},
                           .opset = 11,
                           .results = 2}
                       .all({joined});
  EXPECT_EQ(difference(old[1], y), 0);
  const auto equal =
      OneNode{.op = "Split", .attributes = {{"axis", std::int64_t{1}}}, .results = 7}.all({joined});
  EXPECT_EQ(difference(equal[6], made({3, 1},
                                      [&](const Place& p) {
                                        return at(y, {p[0], 1});
                                      })),
            0);
  const auto uneven =
      OneNode{.op = "Split",
              .attributes = {{"axis", std::int64_t{1}}, {"num_outputs", std::int64_t{3}}},
              .opset = 18,
              .results = 3}
          .all({joined});
  EXPECT_EQ(uneven[0].size(1), 3);
  EXPECT_EQ(uneven[2].size(1), 1);
  EXPECT_ERROR_WITH(
      ShapeError, "Split \"y0\": 7 places in 3 equal parts",
      (OneNode{.op = "Split", .attributes = {{"axis", std::int64_t{1}}}, .results = 3}.all(
          {joined})));
  EXPECT_ERROR_WITH(
      ValueError, "Split \"y0\": 2 lengths for 3 results",
      (OneNode{.op = "Split", .attributes = {{"axis", std::int64_t{1}}}, .results = 3}.all(
          {joined, ints({5, 2})})));
  EXPECT_ERROR_WITH(
      ShapeError, "Split",
      (OneNode{.op = "Split", .attributes = {{"axis", std::int64_t{1}}}, .results = 2}.all(
          {joined, ints({5, 3})})));
  EXPECT_ERROR_WITH(FormatError, "attribute num_outputs is not the number",
                    (OneNode{.op = "Split",
                             .attributes = {{"num_outputs", std::int64_t{3}}},
                             .opset = 18,
                             .results = 2}
                         .all({joined})));
  EXPECT_ERROR_WITH(FormatError, "Concat \"y0\": attribute axis is missing", OneNode{"Concat"}(x));
}

// ONNX's slice of one axis, by its definition.
std::vector<Index> places(Index size, Index start, Index stop, Index step) {
  const auto place = [&](Index i) { return i < 0 ? i + size : i; };
  std::vector<Index> out;
  Index from = place(start), end = place(stop);
  if (step > 0) {
    from = std::clamp(from, Index{0}, size);
    end = std::clamp(end, Index{0}, size);
    for (Index i = from; i < end; i += step) out.push_back(i);
  } else {
    from = std::clamp(from, Index{0}, size - 1);
    end = std::clamp(end, Index{-1}, size - 1);
    for (Index i = from; i > end; i += step) out.push_back(i);
  }
  return out;
}

TEST_F(OnnxParts, SlicesInEitherDirection) {
  const Tensor x = random({3, 7});
  for (const Index start : {-9, -7, -3, 0, 2, 6, 7, 11})
    for (const Index stop : {-20, -8, -5, 0, 3, 7, 100})
      for (const Index step : {1, 2, 3, 9, -1, -2, -3, -9}) {
        const std::vector<Index> taken = places(7, start, stop, step);
        const Tensor out =
            OneNode{"Slice"}(x, ints({start}), ints({stop}), ints({-1}), ints({step}));
        ASSERT_EQ(out.shape(), (Shape{3, static_cast<Index>(taken.size())}))
            << start << " " << stop << " " << step;
        EXPECT_EQ(
            difference(out, made(out.shape(),
                                 [&](const Place& p) {
                                   return at(x, {p[0], taken[static_cast<std::size_t>(p[1])]});
                                 })),
            0);
      }
  const Tensor all = OneNode{"Slice"}(x, ints({6}), ints({INT64_MIN}), ints({1}), ints({-1}));
  EXPECT_EQ(all.size(1), 7);
  EXPECT_EQ(at(all, {0, 0}), at(x, {0, 6}));
  const OneNode backwards{.op = "Slice", .ours_alone = true};
  EXPECT_EQ(backwards(x, ints({0}), ints({INT64_MAX}), ints({1}), ints({INT64_MIN})).size(1), 0);
  EXPECT_EQ(OneNode{"Slice"}(x, ints({6}), ints({INT64_MIN}), ints({1}), ints({INT64_MIN})).size(1),
            1);
}

TEST_F(OnnxParts, SliceOfSeveralAxesInAnyVersion) {
  const Tensor x = random({5, 7});
  const Tensor wanted = made({3, 2}, [&](const Place& p) { return at(x, {p[0] + 1, p[1] + 4}); });
  EXPECT_EQ(difference(OneNode{"Slice"}(x, ints({1, 4}), ints({4, -1})), wanted), 0);
  EXPECT_EQ(difference(OneNode{"Slice"}(x, ints({4, 1}), ints({-1, 4}), ints({1, 0})), wanted), 0);
  EXPECT_EQ(
      difference(OneNode{"Slice", {{"starts", Ints{1, 4}}, {"ends", Ints{4, -1}}}, 9}(x), wanted),
      0);
  EXPECT_EQ(
      difference(
          OneNode{
              "Slice", {{"starts", Ints{4, 1}}, {"ends", Ints{-1, 4}}, {"axes", Ints{1, 0}}}, 9}(x),
          wanted),
      0);
  EXPECT_ERROR_WITH(ValueError, "Slice \"y0\": a step of 0",
                    OneNode{"Slice"}(x, ints({1}), ints({4}), ints({0}), ints({0})));
  EXPECT_ERROR_WITH(ValueError, "starts, ends, axes and steps differ in length",
                    OneNode{"Slice"}(x, ints({1}), ints({4, 5})));
  EXPECT_ERROR_WITH(FormatError, "attributes starts, ends and axes differ",
                    (OneNode{"Slice", {{"starts", Ints{1}}, {"ends", Ints{4, 1}}}, 9}(x)));
  EXPECT_ERROR_WITH(ShapeError, "Slice", OneNode{"Slice"}(x, ints({1}), ints({4}), ints({2})));
}

TEST_F(OnnxParts, PadInEveryMode) {
  const Tensor x = random({3, 5});
  const auto wanted = [&](const std::function<double(Index, Index)>& outside) {
    return made({3 + 1 + 2, 5 + 2 + 1}, [&](const Place& p) {
      const Index i = p[0] - 1, j = p[1] - 2;
      return i >= 0 && i < 3 && j >= 0 && j < 5 ? at(x, {i, j}) : outside(i, j);
    });
  };
  const Tensor pads = ints({1, 2, 2, 1}), value = made({}, [](const Place&) { return 0.5; });
  EXPECT_EQ(difference(OneNode{"Pad"}(x, pads), wanted([](Index, Index) { return 0.0; })), 0);
  EXPECT_EQ(difference(OneNode{"Pad"}(x, pads, value), wanted([](Index, Index) { return 0.5; })),
            0);
  EXPECT_EQ(difference(OneNode{"Pad", {{"pads", Ints{1, 2, 2, 1}}, {"value", 0.5F}}, 10}(x),
                       wanted([](Index, Index) { return 0.5; })),
            0);
  const auto edge = [](Index i, Index size) { return std::clamp(i, Index{0}, size - 1); };
  EXPECT_EQ(difference(OneNode{"Pad", {{"mode", std::string("edge")}}}(x, pads),
                       wanted([&](Index i, Index j) {
                         return at(x, {edge(i, 3), edge(j, 5)});
                       })),
            0);
  const auto mirror = [](Index i, Index size) {
    return i < 0 ? -i : i >= size ? 2 * size - 2 - i : i;
  };
  EXPECT_EQ(difference(OneNode{"Pad", {{"mode", std::string("reflect")}}}(x, pads),
                       wanted([&](Index i, Index j) {
                         return at(x, {mirror(i, 3), mirror(j, 5)});
                       })),
            0);
  const Tensor some = OneNode{"Pad", {}, 18}(x, ints({-1, 2}), Tensor(), ints({-1}));
  EXPECT_EQ(difference(some, made({3, 6},
                                  [&](const Place& p) {
                                    return p[1] < 4 ? at(x, {p[0], p[1] + 1}) : 0.0;
                                  })),
            0);
  EXPECT_ERROR_WITH(FormatError, "attribute mode = \"wrap\" is not supported",
                    (OneNode{"Pad", {{"mode", std::string("wrap")}}, 19}(x, pads)));
  EXPECT_ERROR_WITH(ShapeError, "Pad \"y0\": 3 pads for 2 axes",
                    OneNode{"Pad"}(x, ints({1, 2, 3})));
}

TEST_F(OnnxParts, Triangles) {
  const Tensor x = random({2, 3, 5});
  const auto part = [&](bool upper, Index k) {
    return made({2, 3, 5}, [&](const Place& p) {
      return (upper ? p[2] - p[1] >= k : p[2] - p[1] <= k) ? at(x, p) : 0.0;
    });
  };
  EXPECT_EQ(difference(OneNode{"Trilu"}(x), part(true, 0)), 0);
  EXPECT_EQ(difference(OneNode{"Trilu"}(x, ints({2}, {})), part(true, 2)), 0);
  EXPECT_EQ(difference(OneNode{"Trilu", {{"upper", std::int64_t{0}}}}(x, ints({-1}, {})),
                       part(false, -1)),
            0);
}

}  // namespace
}  // namespace heed::onnx
