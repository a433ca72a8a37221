// Segments of rows against loops: short and long ones, empty ones, rows wider than a strip.
#include "../../../../core/kernels/index/segment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/generator.h"

namespace heed::kernels {
namespace {

using Numbers = std::vector<double>;

struct Form {
  std::vector<Index> offsets;
  Index width;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all = {{{0, 3, 3, 7, 8}, 1},
                                        {{0, 2, 5}, 7},
                                        {{0, 64, 129, 129}, 3},
                                        {{0, 1, 1001, 1002}, 131},
                                        {{0, 40, 80, 120}, 300}};
  return all;
}

// body(values of one column of one segment, and where they begin, a row apart)
template <class Body>
void each_column(const Form& form, const Body& body) {
  for (std::size_t b = 0; b + 1 < form.offsets.size(); ++b) {
    for (Index c = 0; c < form.width; ++c) body(b, form.offsets[b], form.offsets[b + 1], c);
  }
}

TEST(Segments, ReduceEachToARow) {
  Generator generator(3);
  for (const Form& form : forms()) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Array x = generator.normal({form.offsets.back(), form.width}, 0, 1, dtype);
      const auto values = x.to(DType::f64).to_vector<double>();
      for (const Array& layout : {x, x.transpose(0, 1).contiguous().transpose(0, 1)}) {
        const auto sums =
            reduce_segments(Reduce::sum, layout, form.offsets).to(DType::f64).to_vector<double>();
        const auto most =
            reduce_segments(Reduce::max, layout, form.offsets).to(DType::f64).to_vector<double>();
        each_column(form, [&](std::size_t b, Index first, Index last, Index c) {
          double sum = 0, top = first == last ? 0 : -HUGE_VAL;
          for (Index i = first; i < last; ++i) {
            const double value = values[static_cast<std::size_t>(i * form.width + c)];
            sum += value;
            top = std::max(top, value);
          }
          const auto at = b * static_cast<std::size_t>(form.width) + static_cast<std::size_t>(c);
          ASSERT_NEAR(sums[at], sum, dtype == DType::f32 ? 1e-4 : 1e-11) << b << ", " << c;
          ASSERT_EQ(most[at], top) << b << ", " << c;
        });
      }
    }
  }
}

TEST(Segments, RepeatTheirRow) {
  Generator generator(5);
  for (const Form& form : forms()) {
    const Index count = static_cast<Index>(form.offsets.size()) - 1;
    const Array x = generator.normal({count, form.width}, 0, 1, DType::f32);
    const Array out = repeat_segments(x, form.offsets);
    ASSERT_EQ(out.shape(), (Shape{form.offsets.back(), form.width}));
    each_column(form, [&](std::size_t b, Index first, Index last, Index c) {
      for (Index i = first; i < last; ++i) {
        ASSERT_EQ(out.data<float>()[i * form.width + c],
                  x.data<float>()[static_cast<Index>(b) * form.width + c]);
      }
    });
  }
}

TEST(Segments, SoftmaxIsOfEachColumnOfEach) {
  Generator generator(7);
  for (const Form& form : forms()) {
    const Shape shape{form.offsets.back(), form.width};
    const Array x = generator.normal(shape, 0, 2, DType::f64);
    const Array g = generator.normal(shape, 0, 1, DType::f64);
    const Array y = segment_softmax(x, form.offsets);
    const Array gx = segment_softmax_grad(g, y, form.offsets);
    each_column(form, [&](std::size_t, Index first, Index last, Index c) {
      double total = 0, product = 0;
      const auto at = [&](const Array& a, Index i) { return a.data<double>()[i * form.width + c]; };
      for (Index i = first; i < last; ++i) total += std::exp(at(x, i));
      for (Index i = first; i < last; ++i) product += at(g, i) * std::exp(at(x, i)) / total;
      for (Index i = first; i < last; ++i) {
        const double p = std::exp(at(x, i)) / total;
        ASSERT_NEAR(at(y, i), p, 1e-13) << i << ", " << c;
        ASSERT_NEAR(at(gx, i), p * (at(g, i) - product), 1e-12) << i << ", " << c;
      }
    });
  }
}

TEST(Segments, OfNothing) {
  EXPECT_EQ(
      reduce_segments(Reduce::sum, Array::zeros({0, 3}, DType::f32), {0, 0, 0}).to_vector<float>(),
      std::vector<float>(6, 0));
  EXPECT_EQ(repeat_segments(Array::zeros({2, 3}, DType::f32), {0, 0, 0}).shape(), (Shape{0, 3}));
  EXPECT_EQ(segment_softmax(Array::zeros({0, 3}, DType::f32), {0, 0}).shape(), (Shape{0, 3}));
}

}  // namespace
}  // namespace heed::kernels
