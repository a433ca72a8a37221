// Convolutions and their gradients against loops, around the bounds of each way they may go.
#include "../../../../core/kernels/conv/conv.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/generator.h"
#include "../../../../core/kernels/conv/conv_direct.h"
#include "../../../support/every_simd.h"

namespace heed::kernels {
namespace {

WindowAxis axis(Index in, Index kernel, Index stride = 1, Index padding = 0, Index dilation = 1) {
  const Index reach = (kernel - 1) * dilation + 1;
  return {in, kernel, stride, padding, dilation, (in + 2 * padding - reach) / stride + 1};
}

void expect_near(const Array& found, const std::vector<double>& expected, const char* what) {
  const auto values = found.to(DType::f64).to_vector<double>();
  ASSERT_EQ(values.size(), expected.size()) << what;
  const double room = found.dtype() == DType::f32 ? 2e-4 : 1e-12;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], expected[i], room * (1 + std::fabs(expected[i]))) << what << " " << i;
  }
}

void expect_like_loops(const ConvShape& s, DType dtype) {
  SCOPED_TRACE(testing::Message() << s.images << " x " << s.in_channels << " x " << s.y.in << " x "
                                  << s.x.in << " by " << s.out_channels << " of " << s.y.kernel
                                  << " x " << s.x.kernel << ", " << name(dtype));
  Generator generator(static_cast<std::uint64_t>(s.x.in * 100 + s.y.kernel));
  const auto drawn = [&](const Shape& shape) {
    return generator.normal(shape, 0, 1, DType::f32).to(dtype);
  };
  const Array x = drawn({s.images, s.in_channels, s.y.in, s.x.in});
  const Array w = drawn({s.out_channels, s.group_in(), s.y.kernel, s.x.kernel});
  const Array bias = drawn({s.out_channels}),
              g = drawn({s.images, s.out_channels, s.y.out, s.x.out});
  const auto of = [](const Array& a) { return a.to(DType::f64).to_vector<double>(); };
  const auto xs = of(x), ws = of(w), bs = of(bias), gs = of(g);
  std::vector<double> out(gs.size()), gx(xs.size()), gw(ws.size());
  std::size_t place = 0;
  for (Index b = 0; b < s.images; ++b) {
    for (Index o = 0; o < s.out_channels; ++o) {
      for (Index oy = 0; oy < s.y.out; ++oy) {
        for (Index ox = 0; ox < s.x.out; ++ox, ++place) {
          out[place] = bs[static_cast<std::size_t>(o)];
          for (Index c = 0; c < s.group_in(); ++c) {
            for (Index ky = 0; ky < s.y.kernel; ++ky) {
              for (Index kx = 0; kx < s.x.kernel; ++kx) {
                const Index iy = oy * s.y.stride - s.y.padding + ky * s.y.dilation;
                const Index ix = ox * s.x.stride - s.x.padding + kx * s.x.dilation;
                if (iy < 0 || iy >= s.y.in || ix < 0 || ix >= s.x.in) continue;
                const Index channel = o / s.group_out() * s.group_in() + c;
                const auto from = static_cast<std::size_t>(
                    ((b * s.in_channels + channel) * s.y.in + iy) * s.x.in + ix);
                const auto tap = static_cast<std::size_t>(
                    ((o * s.group_in() + c) * s.y.kernel + ky) * s.x.kernel + kx);
                out[place] += xs[from] * ws[tap];
                gx[from] += gs[place] * ws[tap];
                gw[tap] += gs[place] * xs[from];
              }
            }
          }
        }
      }
    }
  }
  expect_near(conv(s, x, w, bias), out, "out");
  expect_near(conv_input_grad(s, g, w), gx, "gradient of x");
  expect_near(conv_weight_grad(s, g, x), gw, "gradient of weight");
}

TEST(Conv, Direct) {
  under_every_simd([] {
    for (const DType dtype : {DType::f32, DType::f64}) {
      for (const Index width : {5, 6, 13, 34}) {
        const ConvShape shape{2, 3, 5, 1, axis(7, 3, 1, 1), axis(width, 3, 1, 1)};
        EXPECT_TRUE(fits_conv_direct(shape));
        expect_like_loops(shape, dtype);
      }
      expect_like_loops({1, 4, 9, 1, axis(6, 2), axis(11, 5, 1, 2)}, dtype);
      expect_like_loops({3, 6, 10, 2, axis(5, 3, 1, 1), axis(9, 3, 1, 3)}, dtype);
      expect_like_loops({2, 2, 4, 1, axis(9, 3, 1, 2, 2), axis(12, 2, 1, 0, 3)}, dtype);
      expect_like_loops({1, 2, 17, 1, axis(1, 1), axis(40, 3, 1, 1)}, dtype);
      expect_like_loops({2, 3, 4, 1, axis(5, 3, 1, 5), axis(6, 3, 1, 4)}, dtype);
    }
  });
}

// Rows of whole vectors, for some processors, and of what is padded to them; several images, of
// which the last are fewer, beside each other.
TEST(Conv, DirectByRows) {
  under_every_simd([] {
    for (const DType dtype : {DType::f32, DType::f64}) {
      for (const Index width : {4, 7, 8, 15, 16, 30, 32}) {
        expect_like_loops({21, 2, 11, 1, axis(5, 3, 1, 1), axis(width, 3, 1, 1)}, dtype);
      }
      expect_like_loops({5, 3, 8, 1, axis(7, 3), axis(16, 1)}, dtype);
      expect_like_loops({19, 4, 12, 2, axis(6, 3, 1, 1), axis(18, 3)}, dtype);
    }
  });
}

// A weight's gradient is of bands that are lower than its convolution's.
TEST(Conv, DirectInBandsOfTheNearestCache) {
  under_every_simd([] {
    for (const DType dtype : {DType::f32, DType::f64}) {
      expect_like_loops({3, 2, 10, 1, axis(41, 3, 1, 1), axis(32, 3, 1, 1)}, dtype);
      expect_like_loops({2, 1, 8, 1, axis(37, 3, 1, 1), axis(29, 3, 1, 1)}, dtype);
      expect_like_loops({1, 1, 4, 1, axis(3, 3, 1, 1), axis(1100, 3, 1, 1)}, dtype);
    }
  });
}

// Bands of an image: the last one is lower than the others.
TEST(Conv, DirectInSeveralBands) {
  const ConvShape shape{2, 61, 5, 1, axis(37, 3, 1, 1), axis(53, 3, 1, 1)};
  EXPECT_TRUE(fits_conv_direct(shape));
  expect_like_loops(shape, DType::f32);
}

TEST(Conv, ByColumns) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    expect_like_loops({3, 2, 5, 1, axis(9, 3, 2, 1), axis(11, 3, 2, 1)}, dtype);
    expect_like_loops({2, 4, 6, 2, axis(7, 3, 1, 1), axis(5, 3, 3, 2, 2)}, dtype);
    expect_like_loops({2, 3, 3, 1, axis(6, 3, 1, 1), axis(7, 3, 1, 1)}, dtype);
    expect_like_loops({3, 5, 7, 1, axis(4, 1), axis(6, 1)}, dtype);
    expect_like_loops({3, 5, 7, 1, axis(4, 1, 1, 1), axis(6, 1)}, dtype);
    expect_like_loops({5, 3, 2, 1, axis(1, 1), axis(1, 1)}, dtype);
    expect_like_loops({2, 6, 6, 6, axis(5, 3, 1, 1), axis(4, 2, 2)}, dtype);
  }
}

// So deep that an image is several panels, of which the last is narrower.
TEST(Conv, ByColumnsInSeveralPanels) {
  expect_like_loops({2, 1031, 3, 1, axis(17, 1), axis(19, 1)}, DType::f32);
  expect_like_loops({2, 117, 3, 1, axis(33, 3, 2, 1), axis(37, 3, 2, 1)}, DType::f32);
  expect_like_loops({1, 117, 2, 1, axis(33, 3, 2, 1), axis(37, 3, 2, 1)}, DType::f64);
}

// As many images as do not share out evenly, and channels that do not.
TEST(Conv, InUnevenParts) {
  expect_like_loops({9, 3, 5, 1, axis(7, 3, 1, 1), axis(13, 3, 1, 1)}, DType::f64);
  expect_like_loops({9, 117, 1, 1, axis(27, 3, 2, 1), axis(23, 3, 2, 1)}, DType::f64);
  for (const Index channels : {17, 25, 33}) {
    expect_like_loops({2, channels, 3, 1, axis(7, 3, 2, 1), axis(5, 3, 2, 1)}, DType::f64);
  }
}

TEST(Conv, SaysWhichWayFits) {
  const auto fits = [](ConvShape shape, const auto& change) {
    change(shape);
    return fits_conv_direct(shape);
  };
  const ConvShape shape{2, 3, 5, 1, axis(9, 3), axis(13, 3)};
  EXPECT_TRUE(fits(shape, [](ConvShape&) {}));
  EXPECT_FALSE(fits(shape, [](ConvShape& s) { s.y.stride = 2; }));
  EXPECT_FALSE(fits(shape, [](ConvShape& s) { s.x.stride = 2; }));
  EXPECT_FALSE(fits(shape, [](ConvShape& s) { s.y.kernel = s.x.kernel = 1; }));
  EXPECT_TRUE(fits(shape, [](ConvShape& s) { s.y.kernel = 1; }));
  EXPECT_FALSE(fits(shape, [](ConvShape& s) { s.out_channels = 3; }));
  EXPECT_TRUE(fits(shape, [](ConvShape& s) { s.out_channels = 4; }));
}

TEST(Conv, OfNothing) {
  const ConvShape shape{0, 3, 5, 1, axis(9, 3), axis(13, 3)};
  const Array w = Array::zeros({5, 3, 3, 3}, DType::f32);
  const Array x = Array::zeros({0, 3, 9, 13}, DType::f32),
              g = Array::zeros({0, 5, 7, 11}, DType::f32);
  EXPECT_EQ(conv(shape, x, w, {}).shape(), (Shape{0, 5, 7, 11}));
  EXPECT_EQ(conv_input_grad(shape, g, w).shape(), (Shape{0, 3, 9, 13}));
  EXPECT_EQ(conv_weight_grad(shape, g, x).to_vector<float>(), std::vector<float>(135, 0));
}

}  // namespace
}  // namespace heed::kernels
