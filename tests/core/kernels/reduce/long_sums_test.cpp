// Sums of very many floats of one sign keep their digits, in every layout, under every instruction
// set.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "../../../../core/generator.h"
#include "../../../../core/kernels/attention/attention.h"
#include "../../../../core/kernels/conv/pool.h"
#include "../../../../core/kernels/elementwise/copy.h"
#include "../../../../core/kernels/gemm/matmul.h"
#include "../../../../core/kernels/normalise/softmax.h"
#include "../../../../core/kernels/normalise/standardize.h"
#include "../../../../core/kernels/reduce/reduce.h"
#include "../../../../core/kernels/rnn/rnn.h"
#include "../../../../core/parallel.h"
#include "../../../support/every_simd.h"

namespace heed::kernels {
namespace {

constexpr double kRoom = 1e-6;

// Each element of `found` is `wanted`, but for a millionth.
void expect_all(const Array& found, double wanted, const std::string& what) {
  for (const double value : found.to(DType::f64).to_vector<double>()) {
    ASSERT_NEAR(value / wanted, 1, kRoom) << what;
  }
}

// All layouts of 2^log elements that are 0.1: a straight sum in floats is soon off by more.
void expect_sums_of_equals(int log) {
  const Index n = Index{1} << log, side = Index{1} << (log / 2), rest = n / side;
  const double each = static_cast<double>(0.1f);
  const auto sum = [&](const Array& x, const std::vector<Index>& axes, const char* what) {
    const Array found = reduce(Reduce::sum, x, axes, false);
    expect_all(found, each * static_cast<double>(x.numel() / found.numel()), what);
  };
  const Array x = Array::full({n}, 0.1, DType::f32);
  sum(x, {}, "whole");
  sum(x.reshape({side, rest}), {1}, "rows");
  sum(x.reshape({side, rest}), {0}, "columns");
  sum(x.reshape({n / 4, 4}), {0}, "four columns");
  sum(x.reshape({4, n / 4}), {1}, "four rows");
  sum(x.reshape({4, n / 8, 2}), {1}, "middle axis");
  sum(x.reshape({4, n / 8, 2}), {0, 2}, "outer axes");
  sum(x.reshape({2, n / 4, 2}).select(2, 1), {1}, "every second");
  sum(x.reshape({n / 4, 4}).select(1, 2), {}, "every fourth");
  sum(x.reshape({n / 8, 8}).slice(1, 1, 4), {0}, "some columns");
  sum(x.reshape({side, rest}).transpose(0, 1), {0}, "transposed columns");
  sum(x.reshape({side, rest}).transpose(0, 1), {}, "transposed");
  sum(x.slice(0, 0, 1).expand({n}), {}, "expanded");
  sum(x.slice(0, 0, 3).unsqueeze(0).expand({n / 4, 3}), {0}, "expanded rows");
}

TEST(LongSums, KeepTheirDigitsInEveryLayout) {
  under_every_simd([] { expect_sums_of_equals(24); });
}

TEST(LongSums, OfTwoHundredAndSixtyEightMillionKeepTheirDigits) {
  if (std::getenv("HEED_FULL") == nullptr) GTEST_SKIP() << "takes long: set HEED_FULL";
  under_every_simd([] { expect_sums_of_equals(28); });
}

// Random ones, of lengths about those at which other loops begin.
TEST(LongSums, OfPositiveNumbersKeepTheirDigits) {
  Generator generator(31);
  under_every_simd([&] {
    for (const Index n : {1, 7, 8, 31, 33, 127, 129, 511, 513, 1031, 4099, 65537, 300007}) {
      const Array x = generator.uniform({n}, 0, 1, DType::f32);
      double wanted = 0;
      for (const float value : x.to_vector<float>()) wanted += static_cast<double>(value);
      expect_all(reduce(Reduce::sum, x, {}, false), wanted, std::to_string(n));
      expect_all(reduce(Reduce::sum, x.unsqueeze(1), {0}, false), wanted, std::to_string(n));
      const Array three = x.unsqueeze(1).expand({n, 3}).contiguous();
      expect_all(reduce(Reduce::sum, three, {0}, false), wanted, std::to_string(n));
    }
  });
}

TEST(LongSums, AreTheSameForAnyNumberOfThreads) {
  const int before = num_threads();
  const Array x = Generator(37).uniform({1 << 21}, 0, 1, DType::f32);
  for (const Array& form : {x.reshape({1, -1}), x.reshape({-1, 8}), x.reshape({8, -1}),
                            x.reshape({1024, -1}), x.reshape({1024, -1}).transpose(0, 1)}) {
    for (const Index axis : {0, 1}) {
      set_num_threads(1);
      const auto alone = reduce(Reduce::sum, form, {axis}, false).to_vector<float>();
      for (const int threads : {2, 3, 4}) {
        set_num_threads(threads);
        EXPECT_EQ(reduce(Reduce::sum, form, {axis}, false).to_vector<float>(), alone);
      }
    }
  }
  set_num_threads(before);
}

// Half of them 0.1 below and half 0.1 above 3: mean, variance, and the sums of the derivative.
TEST(LongSums, OfStandardizedRowsAndColumnsKeepTheirDigits) {
  constexpr Index kLong = 1 << 20, kFew = 5;
  const Array signs = Array::from(std::vector<float>{-1, 1}, {1, 2});
  Array x = Array::empty({kLong / 2, 2}, DType::f32);
  copy_into(x, signs.expand({kLong / 2, 2}));
  for (float *at = x.mutable_data<float>(), *end = at + kLong; at < end; ++at) *at = 3 + *at / 8;
  const Array g = Array::full({kFew, kLong}, 0.1, DType::f32);
  const Array rows = x.reshape({1, kLong}).expand({kFew, kLong}).contiguous();
  const Array columns = rows.transpose(0, 1).contiguous();
  const Array weight = Array::full({kFew}, 1, DType::f32);
  const double sum = static_cast<double>(0.1f) * kLong;
  under_every_simd([&] {
    RowLayout by_row;
    by_row.rows = kFew;
    by_row.length = by_row.row_step = kLong;
    by_row.period = kFew;
    by_row.weight_row_step = 1;
    RowLayout by_column;
    by_column.rows = kFew;
    by_column.down = true;
    for (const bool down : {false, true}) {
      const RowLayout& layout = down ? by_column : by_row;
      const Array& from = down ? columns : rows;
      const auto found = standardize(from, weight, weight, layout, 0, true);
      expect_all(found.mean, 3, "mean");
      expect_all(found.variance, 1.0 / 64, "variance");
      const auto grads = standardize_grad(g.reshape(from.shape()), from, weight, found.mean,
                                          found.variance, layout, 0, true, kFew);
      expect_all(grads.bias, sum, "bias");
    }
    // Weights of their own for every element of short rows: sums over very many rows.
    RowLayout many;
    many.rows = kLong;
    many.length = many.row_step = kFew;
    many.many = true;
    const auto found = standardize(columns, {}, {}, many, 1, true);
    const auto grads = standardize_grad(g.reshape({kLong, kFew}), columns, weight, found.mean,
                                        found.variance, many, 1, true, kFew);
    expect_all(grads.bias, sum, "bias of layer norm");
  });
}

// All but the first stand below the largest, so that what is summed is no whole number.
TEST(LongSums, OfSoftmaxKeepTheirDigits) {
  constexpr Index kLong = 1 << 20;
  const double part = std::exp(-0.5), whole = 1 + (kLong - 1) * part;
  const double each = static_cast<double>(0.1f), all = 1 + (kLong - 1) * each;
  const auto made = [](double first, double others, bool down) {
    const Array x = Array::full({kLong, 3}, others, DType::f32);
    Array row = x.slice(0, 0, 1);
    fill(row, first);
    return down ? x : x.transpose(0, 1).contiguous();
  };
  under_every_simd([&] {
    for (const bool down : {true, false}) {
      const Index axis = down ? 0 : 1;
      const Array x = made(0.5, 0, down), g = made(1, 0.1, down);
      const auto expect = [&](const Array& found, Index at, double wanted, const char* what) {
        expect_all(found.slice(axis, at, at + 1), wanted, what + std::string(down ? " down" : ""));
      };
      const Array y = softmax(x, axis, {}, false), log = softmax(x, axis, {}, true);
      expect(y, 7, part / whole, "softmax");
      expect(log, 7, -0.5 - std::log(whole), "log_softmax");
      const double mean = (1 + (kLong - 1) * part * each) / whole;
      expect(softmax_grad(g, y, axis, false), 0, (1 - mean) / whole, "gradient");
      expect(softmax_grad(g, log, axis, true), 0, 1 - all / whole, "gradient of log_softmax");
    }
  });
}

// The bias's gradient is summed while the weight's is made.
TEST(LongSums, OfABiasKeepTheirDigits) {
  constexpr Index kLong = 1 << 20;
  const Array g = Array::full({kLong, 3}, 0.1, DType::f32);
  const Array x = Array::full({kLong, 5}, 1, DType::f32);
  under_every_simd([&] {
    Array bias;
    linear_weight_grad(g, x, &bias);
    expect_all(bias, static_cast<double>(0.1f) * kLong, "bias");
  });
}

// Of planes in one piece, and of windows with many short rows.
TEST(LongSums, OfWindowsKeepTheirDigits) {
  const auto whole = [](Index in) {
    return AverageAxis{.window = {in, in, 1, 0, 1, 1}, .adaptive = true};
  };
  under_every_simd([&] {
    for (const auto& [height, width] :
         {std::pair<Index, Index>{1009, 997}, {262'147, 3}, {3, 262'147}, {31, 31}}) {
      const Array x = Array::full({2, height, width}, 0.1, DType::f32);
      const auto each = static_cast<double>(0.1f);
      expect_all(avg_pool(whole(height), whole(width), x), each, "adaptive");
      const AverageAxis y{.window = {height, height - 1, 1, 0, 1, 2}},
          across{.window = {width, width, 1, 0, 1, 1}};
      expect_all(avg_pool(y, across, x), each, "windows");
    }
  });
}

// Two keys of equal weights, whose values are 1 and -1: each query adds 0.05 and -0.05.
TEST(LongSums, OfBiasesOfAttentionKeepTheirDigits) {
  constexpr Index kMembers = 67, kQueries = 1009, kMany = 65'537;
  const auto run = [](Index members, Index queries, const AttentionTerms& terms) {
    const Array q = Array::zeros({members, queries, 1}, DType::f32);
    const Array k = Array::zeros({2, 1}, DType::f32);
    const Array v = Array::from(std::vector<float>{1, -1}, {2, 1});
    const Array g = Array::full({members, queries, 1}, 0.1, DType::f32);
    const AttentionScores scores{q, k, {}};
    const Attended out = attention("attend", scores, v, terms);
    return attention_grad("attend", scores, v, terms, out, {g, {}}, terms.bias.defined(),
                          terms.offset_bias.defined());
  };
  const double each = static_cast<double>(0.1f) / 2;
  const auto expect = [&](const Array& found, double terms) {
    expect_all(found.slice(-1, 0, 1), terms * each, "first key");
    expect_all(found.slice(-1, 1, 2), -terms * each, "second key");
  };
  under_every_simd([&] {
    const auto bias = [](const Shape& shape) {
      return AttentionTerms{.bias = Array::zeros(shape, DType::f32)};
    };
    expect(run(kMembers, kQueries, bias({2})).bias, kMembers * kQueries);
    expect(run(kMembers, kQueries, bias({kMembers, 1, 2})).bias, kQueries);
    expect(run(kMany, 3, bias({3, 2})).bias, kMany);
    expect(run(kMany, 1, {.offset_bias = Array::zeros({2}, DType::f32)}).offset_bias, kMany);
  });
}

// Three keys alike: what each receives of all queries; and of very many keys alike, what one query
// does not know.
TEST(LongSums, OfAttentionsStatisticsKeepTheirDigits) {
  constexpr Index kMany = 65'537;
  const auto zeros = [](Index rows) { return Array::zeros({rows, 1}, DType::f32); };
  const auto log_sums = [](const AttentionScores& scores) {
    return attention("attend", scores, scores.k, {}).log_sums;
  };
  under_every_simd([&] {
    const AttentionScores queries{zeros(kMany), zeros(3), {}}, keys{zeros(2), zeros(kMany), {}};
    expect_all(attention_received("attend", queries, {}, log_sums(queries)), kMany / 3.0,
               "received");
    const Array entropy = attention_entropy("attend", keys, {}, log_sums(keys));
    for (const float found : entropy.to_vector<float>()) {  // the log-sums are floats
      EXPECT_NEAR(static_cast<double>(found) / std::log(kMany), 1, 1e-5);
    }
  });
}

// States of 1 whatever came before: each step adds its gradient, 0.1, alone.
TEST(LongSums, OfBiasesOfRecurrentLayersKeepTheirDigits) {
  constexpr Index kBatch = 17, kSteps = 4099, kWidth = 5;
  const auto zeros = [](const Shape& shape) { return Array::zeros(shape, DType::f32); };
  const Array ones = Array::full({kWidth}, 1, DType::f32);
  const RnnWeights weights{zeros({kWidth, 1}), zeros({kWidth, kWidth}), ones, zeros({kWidth})};
  const Rnn rnn(RnnCell::relu, kBatch, kSteps, {}, {weights});
  const Array x = zeros({kBatch, kSteps, 1});
  const Array g = Array::full({kBatch, kSteps, kWidth}, 0.1, DType::f32);
  under_every_simd([&] {
    const auto grads =
        rnn.backward(x, {}, rnn.forward(x, {}), g, {}, {.weights = {{false, false, true, true}}});
    const double sum = static_cast<double>(0.1f) * kBatch * kSteps;
    expect_all(grads.weights[0].b_ih, sum, "b_ih");
    expect_all(grads.weights[0].b_hh, sum, "b_hh");
  });
}

}  // namespace
}  // namespace heed::kernels
