#include "../../../../core/kernels/gemm/matmul.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "../../../../core/generator.h"

namespace heed::kernels {
namespace {

// Matrices one by one, each element a loop.
std::vector<double> in_loops(const Array& a, const Array& b) {
  const Index m = a.size(-2), k = a.size(-1), n = b.size(-1);
  const auto x = a.to_vector<double>(), y = b.to_vector<double>();
  const auto at = [](const std::vector<double>& v, Index i) {
    return v[static_cast<std::size_t>(i)];
  };
  std::vector<double> out;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      double total = 0;
      for (Index l = 0; l < k; ++l) total += at(x, i * k + l) * at(y, l * n + j);
      out.push_back(total);
    }
  }
  return out;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, Index k) {
  ASSERT_EQ(found.size(), expected.size());
  const double room = 1e-14 * (1 + static_cast<double>(k));
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], room) << i;
}

Array turned(const Array& x) { return x.transpose(-1, -2); }

// x in a block whose rows, or whose elements, have others between them.
Array rows_apart(const Array& x) {
  Array out = Array::full({x.size(-2), x.size(-1) + 3}, 99, x.dtype()).slice(-1, 1, 1 + x.size(-1));
  for (Index i = 0; i < x.size(-2); ++i) {
    for (Index j = 0; j < x.size(-1); ++j) {
      out.select(-2, i).select(-1, j).mutable_data<double>()[0] =
          x.select(-2, i).select(-1, j).item();
    }
  }
  return out;
}
Array elements_apart(const Array& x) {
  Array out = Array::full({x.size(-2), x.size(-1), 2}, 99, x.dtype());
  for (Index i = 0; i < x.size(-2); ++i) {
    for (Index j = 0; j < x.size(-1); ++j) {
      out.select(0, i).select(0, j).select(0, 0).mutable_data<double>()[0] =
          x.select(0, i).select(0, j).item();
    }
  }
  return out.select(2, 0);
}

using Layout = std::function<Array(const Array&)>;

// The same matrix in every layout that BLAS may or may not read.
const std::vector<std::pair<const char*, Layout>>& layouts() {
  static const std::vector<std::pair<const char*, Layout>> all = {
      {"as it is", [](const Array& x) { return x; }},
      {"transposed", [](const Array& x) { return turned(turned(x).clone()); }},
      {"rows apart", rows_apart},
      {"elements apart", elements_apart},
      {"columns apart", [](const Array& x) { return turned(rows_apart(turned(x))); }},
      {"all apart", [](const Array& x) { return turned(elements_apart(turned(x))); }}};
  return all;
}

TEST(Matmul, EveryLayoutOfMatrices) {
  Generator generator(3);
  const Index sizes[][3] = {{3, 5, 2}, {1, 5, 2}, {3, 1, 2}, {3, 5, 1},    {1, 1, 1},
                            {1, 5, 1}, {3, 1, 1}, {1, 1, 7}, {17, 31, 13}, {0, 3, 2},
                            {3, 0, 2}, {3, 2, 0}, {0, 0, 0}, {2, 5, 3},    {5, 2, 7}};
  for (const auto& [m, k, n] : sizes) {
    const Array a = generator.normal({m, k}, 0, 1, DType::f64),
                b = generator.normal({k, n}, 0, 1, DType::f64);
    for (const auto& [left_name, left] : layouts()) {
      for (const auto& [right_name, right] : layouts()) {
        SCOPED_TRACE(std::string(left_name) + " times " + right_name);
        const Array out = matmul(left(a), right(b));
        EXPECT_EQ(out.shape(), (Shape{m, n}));
        expect_near(out.to_vector<double>(), in_loops(a, b), k);
      }
    }
  }
}

TEST(Matmul, RepeatedRowsAndColumns) {
  Generator generator(5);
  const Array row = generator.normal({5}, 0, 1, DType::f64).expand({3, 5});
  const Array column = generator.normal({5, 1}, 0, 1, DType::f64).expand({5, 2});
  const Array b = generator.normal({5, 2}, 0, 1, DType::f64),
              a = generator.normal({3, 5}, 0, 1, DType::f64);
  expect_near(matmul(row, b).to_vector<double>(), in_loops(row, b), 5);
  expect_near(matmul(a, column).to_vector<double>(), in_loops(a, column), 5);
  expect_near(matmul(row, column).to_vector<double>(), in_loops(row, column), 5);
  // Two of them, out of rows and columns that lie apart.
  const Array lone_row = generator.normal({5, 7}, 0, 1, DType::f64).select(1, 3).expand({2, 5});
  const Array lone_column =
      generator.normal({5, 3}, 0, 1, DType::f64).slice(1, 1, 2).expand({5, 2});
  const Array close = generator.normal({5}, 0, 1, DType::f64).expand({2, 5});
  for (const Array& left : {lone_row, close}) {
    expect_near(matmul(left, b).to_vector<double>(), in_loops(left, b), 5);
    expect_near(matmul(left, lone_column).to_vector<double>(), in_loops(left, lone_column), 5);
  }
  // And of floats, which BLAS multiplies.
  const Array float_column = generator.normal({5, 1}, 0, 1, DType::f32).expand({5, 2});
  const auto found = matmul(a.to(DType::f32), float_column).to(DType::f64).to_vector<double>();
  const auto wanted = in_loops(a, float_column.to(DType::f64));
  for (std::size_t at = 0; at < wanted.size(); ++at) EXPECT_NEAR(found[at], wanted[at], 1e-5);
}

// Each matrix of the batch by itself.
void expect_batched(const Array& a, const Array& b, const Shape& batch) {
  const Array out = matmul(a, b);
  Shape wide_a = batch, wide_b = batch, shape = batch;
  for (const Index axis : {-2, -1}) {
    wide_a.push_back(a.size(axis));
    wide_b.push_back(b.size(axis));
  }
  shape.push_back(a.size(-2));
  shape.push_back(b.size(-1));
  ASSERT_EQ(out.shape(), shape);
  const Index count = batch.numel();
  if (count == 0) return;
  const Array left = a.expand(wide_a).clone().reshape({count, a.size(-2), a.size(-1)});
  const Array right = b.expand(wide_b).clone().reshape({count, b.size(-2), b.size(-1)});
  const Array flat = out.reshape({count, a.size(-2), b.size(-1)});
  for (Index i = 0; i < count; ++i) {
    expect_near(flat.select(0, i).to_vector<double>(),
                in_loops(left.select(0, i), right.select(0, i)), a.size(-1));
  }
}

TEST(Matmul, Batches) {
  Generator generator(7);
  const auto draw = [&](const Shape& shape) { return generator.normal(shape, 0, 1, DType::f64); };
  expect_batched(draw({2, 3, 5}), draw({2, 5, 7}), {2});
  expect_batched(draw({2, 3, 5}), draw({5, 7}), {2});
  expect_batched(draw({3, 5}), draw({2, 5, 7}), {2});
  expect_batched(draw({1, 3, 5}), draw({4, 5, 7}), {4});
  expect_batched(draw({4, 1, 3, 5}), draw({3, 5, 2}), {4, 3});
  expect_batched(draw({4, 1, 3, 5}), draw({1, 2, 5, 2}), {4, 2});
  expect_batched(draw({0, 3, 5}), draw({5, 7}), {0});
  expect_batched(draw({2, 0, 5}), draw({2, 5, 7}), {2});
  expect_batched(draw({2, 3, 0}), draw({2, 0, 7}), {2});
  expect_batched(draw({3, 2, 5}).transpose(0, 1), draw({5, 7}), {2});  // heads split off a row
  expect_batched(draw({3, 2, 5}).transpose(0, 1), draw({7, 2, 5}).permute({1, 2, 0}), {2});
  expect_batched(draw({3, 5, 2}).permute({2, 0, 1}), draw({2, 7, 5}).transpose(1, 2), {2});
  expect_batched(draw({3, 5}).expand({6, 3, 5}), draw({6, 5, 2}), {6});
  expect_batched(draw({101, 13, 11}), draw({101, 11, 7}), {101});  // side by side
}

// The ways in which a large product is cut.
TEST(Matmul, LargeOnes) {
  Generator generator(11);
  for (const auto& [m, k, n] : {std::array<Index, 3>{521, 67, 71},
                                {67, 71, 1031},
                                {31, 4099, 29},
                                {3, 2053, 5},
                                {64, 64, 64}}) {
    const Array a = generator.normal({m, k}, 0, 1, DType::f64),
                b = generator.normal({k, n}, 0, 1, DType::f64);
    const auto expected = in_loops(a, b);
    expect_near(matmul(a, b).to_vector<double>(), expected, k);
    expect_near(matmul(layouts()[1].second(a), layouts()[1].second(b)).to_vector<double>(),
                expected, k);
  }
}

TEST(Matmul, VectorsDropTheirAxis) {
  Generator generator(13);
  const auto draw = [&](const Shape& shape) { return generator.normal(shape, 0, 1, DType::f64); };
  const Array v = draw({5}), w = draw({5});
  EXPECT_EQ(matmul(v, w).shape(), Shape{});
  EXPECT_NEAR(matmul(v, w).item(), in_loops(v.unsqueeze(0), w.unsqueeze(1))[0], 1e-13);
  const Array m = draw({5, 3});
  expect_near(matmul(v, m).to_vector<double>(), in_loops(v.unsqueeze(0), m), 5);
  EXPECT_EQ(matmul(v, draw({2, 5, 3})).shape(), (Shape{2, 3}));
  EXPECT_EQ(matmul(draw({2, 3, 5}), v).shape(), (Shape{2, 3}));
  const Array strided = draw({5, 2}).select(1, 1);
  expect_near(matmul(strided, m).to_vector<double>(), in_loops(strided.unsqueeze(0), m), 5);
}

TEST(Linear, IsXTimesWeightTransposedPlusBias) {
  Generator generator(17);
  const auto draw = [&](const Shape& shape) { return generator.normal(shape, 0, 1, DType::f64); };
  const Array w = draw({3, 5}), bias = draw({3});
  for (const auto& [name, layout] : layouts()) {
    const Array x = draw({7, 5});
    auto expected = in_loops(x, w.transpose(0, 1).clone());
    expect_near(linear(layout(x), layout(w), Array()).to_vector<double>(), expected, 5);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] += bias.to_vector<double>()[i % 3];
    expect_near(linear(layout(x), layout(w), bias).to_vector<double>(), expected, 5);
  }
  EXPECT_EQ(linear(draw({5}), w, bias).shape(), (Shape{3}));
  EXPECT_EQ(linear(draw({2, 7, 5}), w, bias).shape(), (Shape{2, 7, 3}));
  EXPECT_EQ(linear(draw({0, 5}), w, bias).shape(), (Shape{0, 3}));
  EXPECT_EQ(linear(draw({2, 0}), draw({3, 0}), bias).to_vector<double>()[4],
            bias.to_vector<double>()[1]);
}

// A sum of g's columns is made while g is laid out, in large products of floats; and in a pass of
// its own else.
TEST(Linear, WeightGradComesWithTheBias) {
  Generator generator(59);
  for (const Shape& sizes : {Shape{1013, 67, 71}, Shape{2017, 101, 31}, Shape{7, 5, 3},
                             Shape{4001, 3, 2}, Shape{1, 997, 1009}, Shape{0, 3, 2}}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Array g =
          generator.normal({sizes[0], sizes[1] + 4}, 0, 1, dtype).slice(1, 3, 3 + sizes[1]);
      const Array x = generator.normal({sizes[0], sizes[2]}, 0, 1, dtype);
      Array sums;
      const Array weight = linear_weight_grad(g, x, &sums);
      const Array exact_g = g.to(DType::f64), exact_x = x.to(DType::f64);
      const double room =
          (dtype == DType::f32 ? 2e-6 : 1e-14) * std::sqrt(1.0 + static_cast<double>(sizes[0]));
      const auto near = [&](const Array& found, const Array& expected) {
        ASSERT_EQ(found.shape(), expected.shape());
        const auto a = found.to(DType::f64).to_vector<double>(), b = expected.to_vector<double>();
        for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 8 * room) << i;
      };
      near(weight, matmul(exact_g.transpose(0, 1), exact_x));
      near(sums, matmul(Array::full({1, sizes[0]}, 1, DType::f64), exact_g).squeeze(0));
    }
  }
}

}  // namespace
}  // namespace heed::kernels
