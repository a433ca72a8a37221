// The same bits for any number of threads.
#include <gtest/gtest.h>

#include <cstring>

#include "../../../core/generator.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/kernels/gemm/matmul.h"
#include "../../../core/kernels/index/index.h"
#include "../../../core/kernels/losses/cross_entropy.h"
#include "../../../core/kernels/normalise/softmax.h"
#include "../../../core/kernels/normalise/standardize_columns.h"
#include "../../../core/kernels/reduce/cumulative.h"
#include "../../../core/kernels/reduce/reduce.h"
#include "../../../core/parallel.h"
#include "../../../core/sparse_rows.h"

namespace heed::kernels {
namespace {

template <class Body>
void expect_same_bits(const Body& body) {
  const int before = num_threads();
  Array first;
  for (int threads = 1; threads <= 4; ++threads) {
    set_num_threads(threads);
    const Array out = Array(body()).contiguous();
    if (threads == 1) {
      first = out;
    } else {
      ASSERT_EQ(out.shape(), first.shape());
      EXPECT_EQ(std::memcmp(out.raw(), first.raw(),
                            static_cast<std::size_t>(out.numel()) * size_of(out.dtype())),
                0)
          << threads << " threads";
    }
  }
  set_num_threads(before);
}

class SameBits : public testing::TestWithParam<DType> {
 protected:
  Array draw(const Shape& shape) { return generator_.normal(shape, 0, 1, GetParam()); }
  Array ids(Index count, Index below) {
    std::vector<std::int64_t> values;
    for (Index i = 0; i < count; ++i) values.push_back(generator_.below(below));
    return Array::from(values);
  }

 private:
  Generator generator_{3};
};

TEST_P(SameBits, Sum) {
  const Array x = draw({611, 677});
  expect_same_bits([&] { return reduce(Reduce::sum, x, {}, false); });
  expect_same_bits([&] { return reduce(Reduce::sum, x, {0}, false); });
  expect_same_bits([&] { return reduce(Reduce::sum, x, {1}, false); });
  expect_same_bits([&] { return reduce(Reduce::sum, x.transpose(0, 1), {}, false); });
  const Array tall = draw({100003, 3});
  expect_same_bits([&] { return reduce(Reduce::sum, tall, {0}, false); });
}

TEST_P(SameBits, Matmul) {
  const std::pair<Shape, Shape> forms[] = {
      {{640, 150}, {150, 200}}, {{64, 1000}, {1000, 768}},    {{31, 4099}, {4099, 29}},
      {{257, 301}, {301, 263}}, {{16, 65, 33}, {16, 33, 67}}, {{2, 300, 301}, {2, 301, 307}}};
  for (const auto& [left, right] : forms) {
    const Array a = draw(left), b = draw(right);
    expect_same_bits([&] { return matmul(a, b); });
    expect_same_bits([&] { return matmul(b.transpose(-1, -2), a.transpose(-1, -2)); });
  }
  const Array x = draw({20, 31, 150}), w = draw({200, 150}), bias = draw({200});
  expect_same_bits([&] { return linear(x, w, bias); });
}

TEST_P(SameBits, SoftmaxAndCrossEntropy) {
  const Array x = draw({509, 307}), g = draw({509, 307}), weights = draw({509});
  for (const Index axis : {0, 1}) {
    for (const bool log : {false, true}) {
      expect_same_bits([&] { return softmax(x, axis, Array(), log); });
      const Array y = softmax(x, axis, Array(), log);
      expect_same_bits([&] { return softmax_grad(g, y, axis, log); });
    }
  }
  const CrossEntropy loss(ids(509, 307), Array(), -100, 0.1);
  expect_same_bits([&] { return loss.forward(x).losses; });
  const auto result = loss.forward(x);
  expect_same_bits([&] { return loss.backward(x, result.log_norms, weights); });
}

TEST_P(SameBits, Indexing) {
  const Array table = draw({1009, 61}), rows = ids(5003, 1009), values = draw({5003, 61});
  expect_same_bits([&] { return take_rows("test", table, rows); });
  expect_same_bits([&] { return SparseRows::gather(rows, values, 1009).to_dense(); });
  expect_same_bits([&] { return SparseRows::gather(rows, values, 1000003).values; });
  expect_same_bits([&] {
    Array to = table.clone();
    add_rows(to, rows, values);
    return to;
  });
  const Array places = ids(5003 * 61, 1009).reshape({5003, 61});
  expect_same_bits([&] { return gather(table, 0, places); });
  expect_same_bits([&] {
    Array to = table.clone();
    scatter_add_into(to, 0, places, values);
    return to;
  });
}

TEST_P(SameBits, Columns) {
  const Array x = draw({1009, 307}), g = draw({1009, 307}), weight = draw({307});
  expect_same_bits([&] { return standardize_columns(x, weight, Array(), 307, 0.1).y; });
  const Standardized out = standardize_columns(x, weight, Array(), 307, 0.1);
  const auto grads = [&] {
    return standardize_columns_grad(g, x, weight, out.mean, out.variance, 0.1);
  };
  expect_same_bits([&] { return grads().x; });
  expect_same_bits([&] { return grads().weight; });
  expect_same_bits([&] { return cumsum(x, 0, false); });
  expect_same_bits([&] { return cumsum(x, 1, true); });
}

TEST_P(SameBits, Elementwise) {
  const Array x = draw({307, 1, 211}), y = draw({13, 1});
  expect_same_bits([&] { return binary(Binary::mul, x, y); });
  expect_same_bits([&] { return unary(Unary::exp, x.transpose(0, 2)); });
}

INSTANTIATE_TEST_SUITE_P(Threads, SameBits, testing::Values(DType::f32, DType::f64),
                         [](const auto& entry) { return std::string(name(entry.param)); });

}  // namespace
}  // namespace heed::kernels
