#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../core/error.h"
#include "../../support/numbers.h"
#include "../../support/seeded_test.h"
#include "../../support/throws.h"
#include "../one_node.h"
#include "between.h"

namespace heed::onnx {
namespace {

using OnnxConvolutions = SeededTest<40>;

// The sum of the definition, over two axes; pads are top, left, bottom, right.
struct Two {
  Ints strides = {1, 1}, dilations = {1, 1}, pads = {0, 0, 0, 0};
  Index groups = 1;

  Index out(Index in, Index kernel, std::size_t axis) const {
    return (in + pads[axis] + pads[axis + 2] - dilations[axis] * (kernel - 1) - 1) / strides[axis] +
           1;
  }
  Tensor conv(const Tensor& x, const Tensor& w, const Tensor& b) const {
    const Index channels = w.size(1), per_group = w.size(0) / groups;
    return made({x.size(0), w.size(0), out(x.size(2), w.size(2), 0), out(x.size(3), w.size(3), 1)},
                [&](const Place& p) {
                  double sum = b.defined() ? at(b, {p[1]}) : 0;
                  for (Index c = 0; c < channels; ++c)
                    for (Index i = 0; i < w.size(2); ++i)
                      for (Index j = 0; j < w.size(3); ++j) {
                        const Index y = p[2] * strides[0] + i * dilations[0] - pads[0],
                                    z = p[3] * strides[1] + j * dilations[1] - pads[1];
                        if (y < 0 || z < 0 || y >= x.size(2) || z >= x.size(3)) continue;
                        sum += at(w, {p[1], c, i, j}) *
                               at(x, {p[0], p[1] / per_group * channels + c, y, z});
                      }
                  return sum;
                });
  }
  // Each place of x puts its kernel down.
  Tensor transposed(const Tensor& x, const Tensor& w, const Ints& more) const {
    const Index per_group = w.size(1), channels = x.size(1) / groups;
    const auto size = [&](Index in, Index kernel, std::size_t a) {
      return (in - 1) * strides[a] + dilations[a] * (kernel - 1) + 1 + more[a] - pads[a] -
             pads[a + 2];
    };
    const Shape shape{x.size(0), per_group * groups, size(x.size(2), w.size(2), 0),
                      size(x.size(3), w.size(3), 1)};
    std::vector<double> out(static_cast<std::size_t>(shape.numel()), 0);
    made(x.shape(), [&](const Place& p) {
      for (Index o = 0; o < per_group; ++o)
        for (Index i = 0; i < w.size(2); ++i)
          for (Index j = 0; j < w.size(3); ++j) {
            const Index y = p[2] * strides[0] + i * dilations[0] - pads[0],
                        z = p[3] * strides[1] + j * dilations[1] - pads[1];
            if (y < 0 || z < 0 || y >= shape[2] || z >= shape[3]) continue;
            const Index to = p[1] / channels * per_group + o;
            out[static_cast<std::size_t>(((p[0] * shape[1] + to) * shape[2] + y) * shape[3] + z)] +=
                at(x, p) * at(w, {p[1], o, i, j});
          }
      return 0.0;
    });
    return Array::from(out, shape);
  }
  std::vector<Attribute> attributes() const {
    return {{"strides", strides}, {"dilations", dilations}, {"pads", pads}, {"group", groups}};
  }
};

TEST_F(OnnxConvolutions, OfTwoAxes) {
  const std::vector<Two> cases = {{},
                                  {.pads = {1, 2, 1, 2}},
                                  {.pads = {1, 0, 2, 3}},
                                  {.strides = {2, 3}, .pads = {1, 1, 1, 1}},
                                  {.dilations = {2, 1}, .pads = {0, 2, 1, 0}},
                                  {.pads = {1, 1, 1, 1}, .groups = 2}};
  for (const Two& each : cases) {
    const Tensor x = random({2, 6, 7, 11}), w = random({4, 6 / each.groups, 3, 2}), b = random({4});
    EXPECT_LT(difference(OneNode{"Conv", each.attributes()}(x, w, b), each.conv(x, w, b)), 1e-12);
    EXPECT_LT(difference(OneNode{"Conv", each.attributes()}(x, w), each.conv(x, w, {})), 1e-12);
  }
}

TEST_F(OnnxConvolutions, PaddedSoThatTheSizeStays) {
  const Tensor x = random({2, 3, 7, 11}), w = random({5, 3, 2, 4});
  // Along the first axis (stride 2) 7 places need 1 more, along the second 3 more.
  const Two upper{.strides = {2, 1}, .pads = {0, 1, 1, 2}},
      lower{.strides = {2, 1}, .pads = {1, 2, 0, 1}};
  const auto padded = [](const char* how) {
    return OneNode{
        "Conv",
        {{"auto_pad", std::string(how)}, {"strides", Ints{2, 1}}, {"kernel_shape", Ints{2, 4}}}};
  };
  EXPECT_LT(difference(padded("SAME_UPPER")(x, w), upper.conv(x, w, {})), 1e-12);
  EXPECT_LT(difference(padded("SAME_LOWER")(x, w), lower.conv(x, w, {})), 1e-12);
  EXPECT_LT(difference(padded("VALID")(x, w), Two{.strides = {2, 1}}.conv(x, w, {})), 1e-12);
}

TEST_F(OnnxConvolutions, OfOneAndThreeAxes) {
  const Tensor x = random({2, 3, 11}), w = random({5, 3, 4}), b = random({5});
  const Two same{.strides = {1, 2}, .pads = {0, 1, 0, 2}};
  const Tensor flat = same.conv(x.unsqueeze(2), w.unsqueeze(2), b).squeeze(2);
  EXPECT_LT(
      difference(OneNode{"Conv", {{"strides", Ints{2}}, {"pads", Ints{1, 2}}}}(x, w, b), flat),
      1e-12);
  const Tensor y = random({1, 2, 3, 5, 7}), v = random({3, 2, 2, 3, 2});
  const Tensor wanted = made({1, 3, 2, 3, 6}, [&](const Place& p) {
    double sum = 0;
    for (Index c = 0; c < 2; ++c)
      for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < 3; ++j)
          for (Index k = 0; k < 2; ++k)
            sum += at(v, {p[1], c, i, j, k}) * at(y, {0, c, p[2] + i, p[3] + j, p[4] + k});
    return sum;
  });
  EXPECT_LT(difference(OneNode{"Conv"}(y, v), wanted), 1e-12);
}

TEST_F(OnnxConvolutions, Transposed) {
  const std::vector<std::pair<Two, Ints>> cases = {
      {{}, {0, 0}},
      {{.strides = {2, 3}, .pads = {1, 1, 1, 1}}, {1, 2}},
      {{.strides = {2, 2}, .pads = {1, 0, 0, 2}}, {0, 1}},
      {{.strides = {2, 1}, .dilations = {1, 2}, .groups = 2}, {1, 0}}};
  for (const auto& [each, more] : cases) {
    const Tensor x = random({2, 6, 4, 5}), w = random({6, 3, 3, 2}), b = random({3 * each.groups});
    auto attributes = each.attributes();
    attributes.push_back({"output_padding", more});
    const Tensor plain = each.transposed(x, w, more);
    EXPECT_LT(difference(OneNode{"ConvTranspose", attributes}(x, w), plain), 1e-12);
    EXPECT_LT(difference(OneNode{"ConvTranspose", attributes}(x, w, b), plain + b.view({-1, 1, 1})),
              1e-12);
  }
  const Tensor x = random({2, 3, 7}), w = random({3, 5, 4});
  const Two same{.strides = {1, 2}, .pads = {0, 1, 0, 0}};
  EXPECT_LT(difference(OneNode{"ConvTranspose", {{"strides", Ints{2}}, {"pads", Ints{1, 0}}}}(x, w),
                       same.transposed(x.unsqueeze(2), w.unsqueeze(2), {0, 0}).squeeze(2)),
            1e-12);
  EXPECT_ERROR_WITH(FormatError, "attribute output_shape is not supported",
                    (OneNode{"ConvTranspose", {{"output_shape", Ints{5}}}}(x, w)));
  EXPECT_ERROR_WITH(FormatError, "attribute auto_pad = \"SAME_UPPER\" is not supported",
                    (OneNode{"ConvTranspose", {{"auto_pad", std::string("SAME_UPPER")}}}(x, w)));
}

TEST_F(OnnxConvolutions, RefuseWhatDoesNotFit) {
  const Tensor x = random({2, 3, 7, 11}), w = random({5, 3, 2, 4});
  EXPECT_ERROR_WITH(FormatError, "attribute strides has 0",
                    (OneNode{"Conv", {{"strides", Ints{0, 1}}}}(x, w)));
  EXPECT_ERROR_WITH(FormatError, "attribute pads has -1",
                    (OneNode{"Conv", {{"pads", Ints{0, -1, 0, 0}}}}(x, w)));
  EXPECT_ERROR_WITH(FormatError, "attributes of the window differ in length",
                    (OneNode{"Conv", {{"strides", Ints{1, 1}}, {"dilations", Ints{1}}}}(x, w)));
  EXPECT_ERROR_WITH(FormatError, "attribute auto_pad = \"SOME\" is not supported",
                    (OneNode{"Conv", {{"auto_pad", std::string("SOME")}}}(x, w)));
  EXPECT_ERROR_WITH(ShapeError, "Conv \"y0\": kernel_shape is not the shape",
                    (OneNode{"Conv", {{"kernel_shape", Ints{2, 3}}}}(x, w)));
  EXPECT_ERROR_WITH(ShapeError, "Conv \"y0\": the window's attributes are not for 2 axes",
                    (OneNode{"Conv", {{"strides", Ints{1}}}}(x, w)));
  EXPECT_ERROR_WITH(ShapeError, "Conv \"y0\": the window has 2 axes",
                    OneNode{"Conv"}(random({2, 3, 7}), w));
  EXPECT_ERROR_WITH(ShapeError, "Conv \"y0\"", OneNode{"Conv"}(x, random({5, 4, 2, 4})));
  EXPECT_ERROR_WITH(ShapeError, "the weight must be", OneNode{"Conv"}(x, random({5, 4})));
  EXPECT_ERROR_WITH(ShapeError, "convolutions have 1 to 3 axes, not 4",
                    OneNode{"Conv"}(random({1, 1, 2, 2, 2, 2}), random({1, 1, 1, 1, 1, 1})));
}

TEST_F(OnnxConvolutions, GridSample) {
  const Tensor x = random({2, 3, 5, 7}), grid = random({2, 11, 13, 2});
  for (const bool corners : {false, true}) {
    for (const bool border : {false, true}) {
      const std::vector<Attribute> how = {
          {"padding_mode", std::string(border ? "border" : "zeros")},
          {"align_corners", std::int64_t{corners}}};
      const auto wanted = [&](bool nearest) {
        return made({2, 3, 11, 13}, [&](const Place& p) {
          const auto pixel = [&](Index which, Index size) {
            const double t = at(grid, {p[0], p[2], p[3], which}), n = static_cast<double>(size);
            double place = corners ? (t + 1) * (n - 1) / 2 : ((t + 1) * n - 1) / 2;
            if (border) place = std::clamp(place, 0.0, n - 1);
            return nearest ? std::nearbyint(place) : place;
          };
          return between(x, p[0], p[1], pixel(1, 5), pixel(0, 7), border);
        });
      };
      EXPECT_LT(difference(OneNode{"GridSample", how}(x, grid), wanted(false)), 1e-12);
      std::vector<Attribute> named = how;
      named.push_back({"mode", std::string("linear")});
      const OneNode later{.op = "GridSample", .attributes = named, .opset = 20};
      EXPECT_LT(difference(later(x, grid), wanted(false)), 1e-12);
      named.back().value = std::string("nearest");
      EXPECT_LT(difference(OneNode{"GridSample", named}(x, grid), wanted(true)), 1e-12);
    }
  }
  const auto with = [&](const char* name, const char* value, std::int64_t opset = 17) {
    return OneNode{.op = "GridSample", .attributes = {{name, std::string(value)}}, .opset = opset}(
        x, grid);
  };
  EXPECT_ERROR_WITH(FormatError, "attribute mode = \"bicubic\" is not supported",
                    with("mode", "bicubic"));
  EXPECT_ERROR_WITH(FormatError, "attribute mode = \"bilinear\" is not supported",
                    with("mode", "bilinear", 20));
  EXPECT_ERROR_WITH(FormatError, "attribute padding_mode = \"reflection\" is not supported",
                    with("padding_mode", "reflection"));
  EXPECT_ERROR_WITH(ShapeError, "GridSample \"y0\": grid_sample: x must be [B, C, H, W]",
                    OneNode{"GridSample"}(random({2, 3, 5, 7, 2}), random({2, 3, 5, 7, 3})));
}

}  // namespace
}  // namespace heed::onnx
