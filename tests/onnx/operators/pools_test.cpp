#include <gtest/gtest.h>

#include <limits>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"

namespace heed::onnx {
namespace {

using OnnxPools = SeededTest<41>;

struct Two {
  Ints kernel = {3, 2}, strides = {1, 1}, pads = {0, 0, 0, 0}, dilations = {1, 1};
  bool up = false;

  Index out(Index in, std::size_t a) const {
    const Index over = in + pads[a] + pads[a + 2] - dilations[a] * (kernel[a] - 1) - 1;
    Index count = (up ? (over + strides[a] - 1) / strides[a] : over / strides[a]) + 1;
    if (up && (count - 1) * strides[a] >= in + pads[a])
      --count;  // a window must begin in x or before it
    return count;
  }
  Tensor pool(const Tensor& x, bool largest, bool count_pad) const {
    return made({x.size(0), x.size(1), out(x.size(2), 0), out(x.size(3), 1)}, [&](const Place& p) {
      double most = -std::numeric_limits<double>::infinity(), sum = 0, count = 0;
      for (Index i = 0; i < kernel[0]; ++i)
        for (Index j = 0; j < kernel[1]; ++j) {
          const Index y = p[2] * strides[0] + i * dilations[0] - pads[0],
                      z = p[3] * strides[1] + j * dilations[1] - pads[1];
          if (y >= x.size(2) + pads[2] || z >= x.size(3) + pads[3]) continue;  // beyond all padding
          const bool inside = y >= 0 && z >= 0 && y < x.size(2) && z < x.size(3);
          if (inside || count_pad) ++count;
          if (!inside) continue;
          const double v = at(x, {p[0], p[1], y, z});
          most = std::max(most, v);
          sum += v;
        }
      return largest ? most : sum / count;
    });
  }
  std::vector<Attribute> attributes() const {
    return {{"kernel_shape", kernel},
            {"strides", strides},
            {"pads", pads},
            {"ceil_mode", std::int64_t{up}}};
  }
};

TEST_F(OnnxPools, OfTwoAxes) {
  const std::vector<Two> cases = {
      {},
      {.strides = {2, 3}},
      {.strides = {2, 3}, .up = true},
      {.pads = {1, 1, 1, 1}},
      {.pads = {1, 0, 0, 1}},
      {.strides = {2, 2}, .pads = {0, 1, 2, 0}},
      {.strides = {2, 3}, .pads = {1, 0, 2, 1}, .up = true},
      {.kernel = {2, 2}, .strides = {2, 2}, .pads = {1, 1, 1, 1}, .up = true}};
  const Tensor x = random({2, 3, 7, 11});
  for (const Two& each : cases) {
    EXPECT_EQ(difference(OneNode{"MaxPool", each.attributes()}(x), each.pool(x, true, false)), 0);
    for (const bool count_pad : {false, true}) {
      auto attributes = each.attributes();
      attributes.push_back({"count_include_pad", std::int64_t{count_pad}});
      EXPECT_LT(difference(OneNode{"AveragePool", attributes}(x), each.pool(x, false, count_pad)),
                1e-13);
    }
  }
  const Two apart{.dilations = {2, 3}};
  auto attributes = apart.attributes();
  attributes.push_back({"dilations", Ints{2, 3}});
  EXPECT_EQ(difference(OneNode{"MaxPool", attributes}(x), apart.pool(x, true, false)), 0);
}

TEST_F(OnnxPools, OfOneAxisAndAll) {
  const Tensor x = random({2, 3, 11});
  const Two same{.kernel = {1, 3}, .strides = {1, 2}, .pads = {0, 1, 0, 0}};
  const std::vector<Attribute> attributes = {
      {"kernel_shape", Ints{3}}, {"strides", Ints{2}}, {"pads", Ints{1, 0}}};
  EXPECT_EQ(difference(OneNode{"MaxPool", attributes}(x),
                       same.pool(x.unsqueeze(2), true, false).squeeze(2)),
            0);
  EXPECT_LT(difference(OneNode{"AveragePool", attributes}(x),
                       same.pool(x.unsqueeze(2), false, false).squeeze(2)),
            1e-13);
  const Tensor y = random({2, 3, 5, 7});
  const Two whole{.kernel = {5, 7}};
  EXPECT_LT(difference(OneNode{"GlobalAveragePool"}(y), whole.pool(y, false, false)), 1e-13);
  EXPECT_EQ(difference(OneNode{"GlobalMaxPool"}(y), whole.pool(y, true, false)), 0);
}

TEST_F(OnnxPools, RefuseWhatTheyDoNotKnow) {
  const Tensor x = random({2, 3, 7, 11});
  EXPECT_ERROR_WITH(FormatError, "MaxPool \"y0\": attribute kernel_shape is missing",
                    OneNode{"MaxPool"}(x));
  EXPECT_ERROR_WITH(FormatError, "AveragePool \"y0\": attribute kernel_shape is missing",
                    OneNode{"AveragePool"}(x));
  EXPECT_ERROR_WITH(
      FormatError, "attribute storage_order = 1 is not supported",
      (OneNode{"MaxPool", {{"kernel_shape", Ints{2, 2}}, {"storage_order", std::int64_t{1}}}}(x)));
  EXPECT_ERROR_WITH(
      FormatError, "MaxPool \"y0\": result 1 (\"y1\") is not supported",
      (OneNode{.op = "MaxPool", .attributes = {{"kernel_shape", Ints{2, 2}}}, .results = 2}(x)));
  EXPECT_ERROR_WITH(
      ShapeError, "pools have 1 or 2 axes, not 3",
      (OneNode{"MaxPool", {{"kernel_shape", Ints{2, 2, 2}}}}(random({1, 1, 2, 2, 2}))));
  EXPECT_ERROR_WITH(ShapeError, "MaxPool", (OneNode{"MaxPool", {{"kernel_shape", Ints{9, 2}}}}(x)));
  EXPECT_ERROR_WITH(ShapeError, "x must be [B, C, ..], not f64[3, 5]",
                    OneNode{"GlobalAveragePool"}(random({3, 5})));
}

}  // namespace
}  // namespace heed::onnx
