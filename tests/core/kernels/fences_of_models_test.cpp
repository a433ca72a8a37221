// As fences_test.cpp, of what layers are made of: normalisation, losses, images.
#include <gtest/gtest.h>

#include "../../../core/kernels/conv/conv.h"
#include "../../../core/kernels/conv/im2col.h"
#include "../../../core/kernels/conv/pool.h"
#include "../../../core/kernels/losses/cross_entropy.h"
#include "../../../core/kernels/losses/ctc.h"
#include "../../../core/kernels/normalise/entmax.h"
#include "../../../core/kernels/normalise/softmax.h"
#include "../../../core/kernels/normalise/standardize.h"
#include "../../support/fenced.h"

namespace heed::kernels {
namespace {

TEST(FencesOfModels, StandAroundRowsOfProbabilities) {
  of_fenced_floats([](const auto& fence, const auto& of) {
    for (const Index n : {1, 7, 67}) {
      const Array x = of({3, n, 11}), g = of({3, n, 11});
      const Array mask = Generator(5).bernoulli({3, n, 11}, 0.7);
      for (const Index axis : {0, 1, 2}) {
        for (const bool log : {false, true}) {
          const Array y = softmax(x, axis, {}, log);
          expect_same_bits(softmax(fence(x), axis, {}, log), y);
          expect_same_bits(softmax(fence(x), axis, fence(mask), log), softmax(x, axis, mask, log));
          expect_same_bits(softmax_grad(fence(g), fence(y), axis, log),
                           softmax_grad(g, y, axis, log));
        }
        const Array alpha = Array::full({}, 1.5, x.dtype());
        const Array y = entmax("entmax", x, axis, alpha, {});
        expect_same_bits(entmax("entmax", fence(x), axis, fence(alpha), {}), y);
        expect_same_bits(entmax("entmax", fence(x), axis, fence(alpha), fence(mask)),
                         entmax("entmax", x, axis, alpha, mask));
        expect_same_bits(entmax_grad(fence(g), fence(y), axis, alpha).x,
                         entmax_grad(g, y, axis, alpha).x);
      }
    }
  });
}

TEST(FencesOfModels, StandAroundRowsThatAreStandardized) {
  of_fenced_floats([](const auto& fence, const auto& of) {
    for (const Index n : {1, 7, 67}) {
      const RowLayout rows{.rows = 5, .length = n, .row_step = n, .many = true};
      const RowLayout channels{.rows = 3,
                               .segments = 5,
                               .length = n,
                               .row_step = n,
                               .segment_step = 3 * n,
                               .period = 3,
                               .weight_row_step = 1};
      const RowLayout columns{.rows = n, .down = true};
      for (const RowLayout& layout : {rows, channels, columns}) {
        const Index numbers = layout.segments == 5 ? 15 * n : 5 * n;
        const Index weights = layout.segments == 5 ? 3 : n;
        const Array x = of({numbers}), g = of({numbers}), w = of({weights}), b = of({weights});
        const auto y = standardize(x, w, b, layout, 1e-5, true);
        expect_same_bits(standardize(fence(x), fence(w), fence(b), layout, 1e-5, true).y, y.y);
        const auto wanted =
            standardize_grad(g, x, w, y.mean, y.variance, layout, 1e-5, true, weights);
        const auto found = standardize_grad(fence(g), fence(x), fence(w), fence(y.mean),
                                            fence(y.variance), layout, 1e-5, true, weights);
        expect_same_bits(found.x, wanted.x);
        expect_same_bits(found.weight, wanted.weight);
        expect_same_bits(found.bias, wanted.bias);
      }
    }
  });
}

TEST(FencesOfModels, StandAroundLosses) {
  of_fenced_floats([](const auto& fence, const auto& of) {
    for (const Index classes : {3, 7, 16, 67}) {
      const Array logits = of({5, classes}), g = of({5}), weight = of({classes}, 0.5, 2);
      const Array targets = Array::from<std::int64_t>({2, 0, -1, 1, 2});
      const CrossEntropy loss(targets, weight, -1, 0.1);
      const CrossEntropy within(fence(targets), fence(weight), -1, 0.1);
      const auto wanted = loss.forward(logits), found = within.forward(fence(logits));
      expect_same_bits(found.losses, wanted.losses);
      const Array slope = loss.backward(logits, wanted.log_norms, g);
      const Array norms = fence(wanted.log_norms);
      expect_same_bits(within.backward(fence(logits), norms, fence(g)), slope);
      expect_same_bits(within.backward(fence(logits), norms, fence(g), true), slope);

      const Array log_probs = softmax(of({7, 2, classes}), 2, {}, true), of_rows = of({2});
      const Array labels = Array::from<std::int64_t>({1, 2, 2, 1, 1, 2}, {2, 3});
      const Ctc ctc(labels, {7, 5}, {3, 2}, 0);
      const auto all = ctc.forward(log_probs);
      expect_same_bits(ctc.forward(fence(log_probs)).losses, all.losses);
      expect_same_bits(
          ctc.backward(fence(log_probs), {fence(all.losses), fence(all.alpha)}, fence(of_rows)),
          ctc.backward(log_probs, all, of_rows));
    }
  });
}

WindowAxis axis_of(Index in, Index kernel, Index stride, Index padding, Index dilation = 1) {
  const Index reach = (kernel - 1) * dilation + 1;
  return {in, kernel, stride, padding, dilation, (in + 2 * padding - reach) / stride + 1};
}

TEST(FencesOfModels, StandAroundImages) {
  of_fenced_floats([](const auto& fence, const auto& of) {
    for (const Index width : {5, 13, 37}) {
      const std::vector<ConvShape> shapes = {
          {2, 4, 10, 2, axis_of(7, 3, 1, 1), axis_of(width, 3, 1, 1)},  // direct
          {3, 2, 3, 1, axis_of(7, 3, 2, 1), axis_of(width, 3, 2, 2)},
          {2, 3, 5, 1, axis_of(7, 1, 1, 0), axis_of(width, 1, 1, 0)},
      };
      for (const ConvShape& s : shapes) {
        const Array x = of({s.images, s.in_channels, s.y.in, s.x.in});
        const Array w = of({s.out_channels, s.group_in(), s.y.kernel, s.x.kernel});
        const Array g = of({s.images, s.out_channels, s.y.out, s.x.out}), b = of({s.out_channels});
        expect_same_bits(conv(s, fence(x), fence(w), fence(b)), conv(s, x, w, b));
        expect_same_bits(conv_input_grad(s, fence(g), fence(w)), conv_input_grad(s, g, w));
        expect_same_bits(conv_weight_grad(s, fence(g), fence(x)), conv_weight_grad(s, g, x));
      }
      for (const Index step : {1, 2, 3}) {
        const WindowAxis y = axis_of(7, 3, 2, 1), x = axis_of(width, 3, step, 1);
        const Array planes = of({3, 7, width}), g = of({3, y.out, x.out});
        const Pooled largest = max_pool(y, x, planes);
        expect_same_bits(max_pool(y, x, fence(planes)).values, largest.values);
        expect_same_bits(max_pool_grad(fence(g), fence(largest.indices), 7, width),
                         max_pool_grad(g, largest.indices, 7, width));
        for (const WindowAxis& tall : {y, axis_of(7, 7, 1, 0)}) {
          const AverageAxis down{tall, false}, along{axis_of(width, 5, step, 2), false};
          const Array of_means = of({3, tall.out, along.window.out});
          expect_same_bits(avg_pool(down, along, fence(planes)), avg_pool(down, along, planes));
          expect_same_bits(avg_pool_grad(down, along, fence(of_means)),
                           avg_pool_grad(down, along, of_means));
        }
      }
    }
  });
}

// Windows of columns are written and added to where they are told, between fences.
TEST(FencesOfModels, StandAroundColumns) {
  of_fenced_floats([](const auto& fence, const auto& of) {
    const ConvShape s{2, 3, 5, 1, axis_of(7, 3, 2, 1), axis_of(11, 3, 1, 1)};
    const Index begin = 3, end = 2 * s.places();
    const Array x = of({2, 3, 7, 11}), columns = of({2 * s.taps(), end - begin});
    const auto moved = [&](const Array& image, Array room) {
      visit_floating("columns", x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        im2col(s, image.data<T>(), 1, 2, begin, end, room.mutable_data<T>());
      });
      return room;
    };
    expect_same_bits(moved(fence(x), fence(columns)), moved(x, columns.clone()));
    const auto back = [&](const Array& from, Array image) {
      visit_floating("columns", x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        col2im(s, from.data<T>(), 1, 2, begin, end, image.mutable_data<T>());
      });
      return image;
    };
    expect_same_bits(back(fence(columns), fence(x)), back(columns, x.clone()));
  });
}

}  // namespace
}  // namespace heed::kernels
