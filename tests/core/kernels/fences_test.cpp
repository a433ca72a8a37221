// Kernels read and write their operands' numbers, and nothing beside them: where one ends at memory
// that nobody may touch, they give the same as anywhere else, with any vectors.
#include <gtest/gtest.h>

#include "../../../core/generator.h"
#include "../../../core/kernels/elementwise/activation.h"
#include "../../../core/kernels/elementwise/copy.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/kernels/elementwise/libm.h"
#include "../../../core/kernels/index/index.h"
#include "../../../core/kernels/index/index_places.h"
#include "../../../core/kernels/index/packed_sequences.h"
#include "../../../core/kernels/index/segment.h"
#include "../../../core/kernels/index/sort.h"
#include "../../../core/kernels/reduce/cumulative.h"
#include "../../../core/kernels/reduce/extreme.h"
#include "../../../core/kernels/reduce/finite.h"
#include "../../../core/kernels/reduce/reduce.h"
#include "../../../core/kernels/reduce/variance.h"
#include "../../../core/sparse_rows.h"
#include "../../support/fenced.h"

namespace heed::kernels {
namespace {

constexpr Reduce kReductions[] = {Reduce::sum, Reduce::max, Reduce::min, Reduce::prod};

Array ids_of(const Shape& shape, Index count) {
  return Generator(7).uniform(shape, 0, static_cast<double>(count), DType::f64).to(DType::i64);
}
Array mask_of(const Shape& shape) { return Generator(5).bernoulli(shape, 0.5); }

TEST(Fences, StandAroundOperandsOfOneNumber) {
  of_fenced_floats([](const auto& fence, const auto& of) {
    for (const Index n : {1, 7, 67}) {
      const Array x = of({n}, 0.1, 0.9), rows = of({5, n}, 0.1, 0.9);
      for (const Unary op : {Unary::exp, Unary::log, Unary::sqrt, Unary::tanh, Unary::sigmoid,
                             Unary::erf, Unary::sin, Unary::neg}) {
        expect_same_bits(unary(op, fence(x)), unary(op, x));
        expect_same_bits(unary(op, fence(rows).transpose(0, 1)), unary(op, rows.transpose(0, 1)));
        expect_same_bits(unary(op, fence(rows).slice(1, 0, n, 2)),
                         unary(op, rows.slice(1, 0, n, 2)));
      }
      expect_same_bits(libm(Libm::atan, fence(rows)), libm(Libm::atan, rows));
      for (const Activation op : {Activation::gelu, Activation::silu, Activation::elu}) {
        expect_same_bits(activation(op, fence(rows), 1, 2), activation(op, rows, 1, 2));
        const Array g = of({5, n});
        expect_same_bits(activation_grad(op, fence(g), fence(rows), 1, 2),
                         activation_grad(op, g, rows, 1, 2));
        expect_same_bits(
            activation_grad(op, fence(g).transpose(0, 1), fence(rows).transpose(0, 1), 1, 2),
            activation_grad(op, g.transpose(0, 1), rows.transpose(0, 1), 1, 2));
      }
      expect_same_bits(classify(Kind::nan, fence(x)), classify(Kind::nan, x));
      expect_same_bits(flip(fence(rows), {0, 1}), flip(rows, {0, 1}));
      EXPECT_TRUE(all_finite(fence(rows)));
      EXPECT_TRUE(all_finite(fence(rows).transpose(0, 1).slice(0, 0, n, 2)));
    }
  });
}

TEST(Fences, StandAroundOperandsOfTwoNumbers) {
  of_fenced_floats([](const auto& fence, const auto& of) {
    for (const Index n : {1, 7, 67}) {
      const Array x = of({5, n}, 0.1, 0.9), y = of({5, n}, 0.1, 0.9);
      const Array row = of({n}, 0.1, 0.9), column = of({5, 1}, 0.1, 0.9);
      const Array mask = mask_of({5, n}), one = mask_of({5, 1});
      const auto beside = [&](const auto& f) {
        expect_same_bits(f(fence(x), fence(y)), f(x, y));
        expect_same_bits(f(fence(x), fence(row)), f(x, row));
        expect_same_bits(f(fence(column), fence(y)), f(column, y));
        expect_same_bits(f(fence(column), fence(row)), f(column, row));
        expect_same_bits(f(fence(x).slice(1, 0, n, 2), fence(y).slice(1, 0, n, 2)),
                         f(x.slice(1, 0, n, 2), y.slice(1, 0, n, 2)));
        expect_same_bits(f(fence(x).transpose(0, 1), fence(y).transpose(0, 1)),
                         f(x.transpose(0, 1), y.transpose(0, 1)));
      };
      for (const Binary op : {Binary::add, Binary::div, Binary::pow, Binary::tanh_grad}) {
        beside([op](const Array& a, const Array& b) { return binary(op, a, b); });
      }
      beside([](const Array& a, const Array& b) { return libm(LibmOfTwo::atan2, a, b); });
      beside([](const Array& a, const Array& b) { return compare(Compare::lt, a, b); });
      beside([&](const Array& a, const Array& b) {
        return where(fence(mask_of(broadcast_shapes("where", a.shape(), b.shape()))), a, b);
      });
      beside([&](const Array& a, const Array& b) {
        return where(fence(mask_of(Shape{a.size(0), 1})), a, b);
      });
      expect_same_bits(logical_and(fence(mask), fence(one)), logical_and(mask, one));
    }
  });
}

// What is added, copied and filled in place.
TEST(Fences, StandAroundWhatIsWrittenTo) {
  of_fenced_floats([](const auto& fence, const auto& of) {
    for (const Index n : {1, 7, 67}) {
      const Array x = of({5, n}), row = of({n}), y = of({n, 5}), g = of({11, n});
      const Array ids = Array::from<std::int64_t>({4, 0, 4, 1, 4, 2, 4, 4, 0, 1, 4});
      const auto written = [&](const auto& write) {
        Array to = fence(x), wanted = x.clone();
        write(to, [&](const Array& operand) { return fence(operand); });
        write(wanted, [](const Array& operand) { return operand; });
        expect_same_bits(to, wanted);
      };
      written([&](Array& to, const auto& from) { binary_into(Binary::mul, to, from(row)); });
      written([&](Array& to, const auto& from) { add_into(to, from(y).transpose(0, 1)); });
      written([&](Array& to, const auto& from) {
        Array turned = to.transpose(0, 1);
        binary_into(Binary::sub, turned, from(y));
      });
      written([&](Array& to, const auto& from) { copy_into(to, from(y).transpose(0, 1)); });
      written([&](Array& to, const auto& from) {
        Array some = to.slice(1, 0, n, 2);
        copy_into(some, from(row).slice(0, 0, n, 2).expand(some.shape()));
      });
      written([](Array& to, const auto&) { fill(to, 3.0); });
      written([&](Array& to, const auto&) {
        Array some = to.slice(1, 0, n, 2);
        fill(some, 5.0);
      });
      written([&](Array& to, const auto& from) {
        join_into(to, {from(x).slice(0, 0, 2), from(x).slice(0, 2, 5)}, 0);
      });
      written([&](Array& to, const auto& from) { add_rows(to, from(ids), from(g)); });
      written([&](Array& to, const auto& from) {
        scatter_add_into(to, 0, from(ids).unsqueeze(1).expand({11, n}), from(g));
      });
      written([&](Array& to, const auto& from) {
        scatter_add_into(to, 1, from(Array::zeros({5, n}, DType::i64)), from(x));
      });
      written([&](Array& to, const auto& from) {
        Array turned = to.transpose(0, 1);
        scatter_add_into(turned, 1, from(Array::zeros({n, 5}, DType::i64)), from(y));
      });
    }
  });
}

TEST(Fences, StandAroundWhatIsConverted) {
  within_fences([](const auto& fence) {
    const DType dtypes[] = {DType::f32, DType::f64, DType::i64, DType::boolean, DType::bf16};
    for (const DType from : dtypes) {
      const Array x = Generator(3).uniform({7, 13}, -2, 2, DType::f64).to(from);
      for (const DType to : dtypes) {
        expect_same_bits(fence(x).to(to), x.to(to));
        expect_same_bits(fence(x).transpose(0, 1).to(to), x.transpose(0, 1).to(to));
      }
      expect_same_bits(fence(x).transpose(0, 1).contiguous(), x.transpose(0, 1).contiguous());
    }
    const Array i = ids_of({7, 13}, 19);
    const Array j = Array::full({13}, 3, DType::i64);
    expect_same_bits(binary(Binary::mul, fence(i), fence(j)), binary(Binary::mul, i, j));
    expect_same_bits(libm(LibmOfTwo::remainder, fence(i), fence(j)),
                     libm(LibmOfTwo::remainder, i, j));
    expect_same_bits(unary(Unary::abs, fence(i)), unary(Unary::abs, i));
    expect_same_bits(reduce(Reduce::sum, fence(i), {1}, false), reduce(Reduce::sum, i, {1}, false));
  });
}

TEST(Fences, StandAroundWhatIsReduced) {
  of_fenced_floats([](const auto& fence, const auto& of) {
    for (const Index n : {1, 7, 131}) {
      const Array x = of({5, n, 3});
      for (const Reduce op : kReductions) {
        for (const std::vector<Index>& axes :
             std::vector<std::vector<Index>>{{0}, {1}, {2}, {0, 2}, {}}) {
          expect_same_bits(reduce(op, fence(x), axes, true), reduce(op, x, axes, true));
        }
        const Array turned = x.transpose(0, 2), fence_turned = fence(x).transpose(0, 2);
        expect_same_bits(reduce(op, fence_turned, {2}, true), reduce(op, turned, {2}, true));
      }
      for (const Index axis : {0, 1, 2}) {
        expect_same_bits(argmax(fence(x), axis, true), argmax(x, axis, true));
        expect_same_bits(argmin(fence(x), axis, true), argmin(x, axis, true));
        expect_same_bits(cumsum(fence(x), axis, false), cumsum(x, axis, false));
        expect_same_bits(cumsum(fence(x), axis, true), cumsum(x, axis, true));
        const Array a = of({5, n, 3});
        expect_same_bits(linear_scan(fence(a), fence(x), axis, false),
                         linear_scan(a, x, axis, false));
        expect_same_bits(variance(fence(x), {axis}, 2, true), variance(x, {axis}, 2, true));
        expect_same_bits(any(fence(x), {axis}, true), any(x, {axis}, true));
        expect_same_bits(all(fence(x), {axis}, true), all(x, {axis}, true));
        expect_same_bits(first_places("sort", fence(x), axis, x.size(axis), false, true),
                         first_places("sort", x, axis, x.size(axis), false, true));
        expect_same_bits(first_places("topk", fence(x), axis, 1, true, true),
                         first_places("topk", x, axis, 1, true, true));
        expect_same_bits(median_places(fence(x), axis), median_places(x, axis));
      }
      const Array top = reduce(Reduce::max, x, {2}, false), g = of({5, n});
      expect_same_bits(extreme_grad(fence(x), fence(top), fence(g)), extreme_grad(x, top, g));
      expect_same_bits(extreme_grad(fence(x.slice(2, 0, 2)), fence(top), fence(g)),
                       extreme_grad(x.slice(2, 0, 2).contiguous(), top, g));
    }
    const Array long_rows = of({2, 2048});
    expect_same_bits(variance(fence(long_rows), {1}, 2047, false),
                     variance(long_rows, {1}, 2047, false));
    const Array wide = of({37, 131});
    expect_same_bits(variance(fence(wide), {0}, 36, false), variance(wide, {0}, 36, false));
  });
}

TEST(Fences, StandAroundWhatIsChosen) {
  of_fenced_floats([](const auto& fence, const auto& of) {
    for (const Index n : {1, 7, 67}) {
      const Array x = of({11, n}), segments = of({4, n}), part = of({2, n}), values = of({7, n});
      const Array ids = ids_of({7}, 11);
      expect_same_bits(take_rows("take", fence(x), fence(ids)), take_rows("take", x, ids));
      const Array index = ids_of({11, n}, 11);
      expect_same_bits(gather(fence(x), 0, fence(index)), gather(x, 0, index));
      const Array none = Array::zeros({11, n}, DType::i64);
      expect_same_bits(gather(fence(x), 1, fence(none)), gather(x, 1, none));
      expect_same_bits(one_hot(fence(ids), 11, x.dtype()), one_hot(ids, 11, x.dtype()));
      expect_same_bits(nonzero(fence(x)), nonzero(x));
      const Array two = Array::from<std::int64_t>({3, 8});
      expect_same_bits(put_rows(x, fence(two), fence(part)), put_rows(x, two, part));
      expect_same_bits(last_of_equals(fence(ids), 11), last_of_equals(ids, 11));
      expect_same_bits(leading_places("at", x.shape(), {fence(ids)}).rows,
                       leading_places("at", x.shape(), {ids}).rows);
      const std::vector<Index> offsets = {0, 2, 2, 9, 11};
      for (const Reduce op : kReductions) {
        expect_same_bits(reduce_segments(op, fence(x), offsets), reduce_segments(op, x, offsets));
      }
      expect_same_bits(repeat_segments(fence(segments), offsets),
                       repeat_segments(segments, offsets));
      const Array y = segment_softmax(x, offsets), g = of({11, n});
      expect_same_bits(segment_softmax(fence(x), offsets), y);
      expect_same_bits(segment_softmax_grad(fence(g), fence(y), offsets),
                       segment_softmax_grad(g, y, offsets));
      expect_same_bits(SparseRows::gather(fence(ids), fence(values), 11).to_dense(),
                       SparseRows::gather(ids, values, 11).to_dense());
      const PackedSequences sequences(3, 7, {7, 2, 4}, 2);
      const Array padded = of({3, 7, n}), packed = sequences.pack(padded);
      expect_same_bits(sequences.pack(fence(padded)), packed);
      expect_same_bits(sequences.unpack(fence(packed)), sequences.unpack(packed));
    }
  });
}

}  // namespace
}  // namespace heed::kernels
