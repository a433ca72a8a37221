// bf16 holds numbers: who computes with it reads f32, or refuses it.
#include <gtest/gtest.h>

#include <functional>

#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

Tensor drawn(const Shape& shape, std::uint64_t seed) {
  return Tensor(Generator(seed).normal(shape, 0, 1, DType::f32));
}
std::vector<float> numbers(const Tensor& x) {
  return x.array().to(DType::f32).contiguous().to_vector<float>();
}

struct Row {
  const char* name;
  std::function<Tensor(const Tensor& x, const Tensor& y)> call;
};

// Each with what it gives of the same numbers in f32.
const std::vector<Row> kReads = {
    {"add", [](const Tensor& x, const Tensor& y) { return x + y; }},
    {"mul", [](const Tensor& x, const Tensor& y) { return x * y; }},
    {"div", [](const Tensor& x, const Tensor& y) { return x / y; }},
    {"whole", [](const Tensor& x, const Tensor&) { return x * 3 + 1; }},
    {"number", [](const Tensor& x, const Tensor&) { return 0.3 - x / 0.7; }},
    {"pow of a number", [](const Tensor& x, const Tensor&) { return pow(1.7, x); }},
    {"pow by a number",
     [](const Tensor& x, const Tensor&) { return pow(masked_select(x, x > 0), 1.7); }},
    {"exp", [](const Tensor& x, const Tensor&) { return exp(x); }},
    {"relu", [](const Tensor& x, const Tensor&) { return relu(x); }},
    {"neg", [](const Tensor& x, const Tensor&) { return -x; }},
    {"maximum", [](const Tensor& x, const Tensor& y) { return maximum(x, y); }},
    {"where", [](const Tensor& x, const Tensor& y) { return where(x > y, x, y); }},
    {"isnan", [](const Tensor& x, const Tensor&) { return to(isnan(x / 0.0), DType::f32); }},
    {"sum", [](const Tensor& x, const Tensor&) { return sum(x, {1}); }},
    {"mean", [](const Tensor& x, const Tensor&) { return mean(x); }},
    {"amax", [](const Tensor& x, const Tensor&) { return amax(x, {0}); }},
    {"softmax", [](const Tensor& x, const Tensor&) { return softmax(x, -1); }},
    {"log_softmax", [](const Tensor& x, const Tensor&) { return log_softmax(x, 0); }},
    {"matmul", [](const Tensor& x, const Tensor& y) { return matmul(x, transpose(y, 0, 1)); }},
    {"linear", [](const Tensor& x, const Tensor& y) { return linear(x, y); }},
    {"embedding",
     [](const Tensor& x, const Tensor&) {
       return embedding(x, tensor({4, 0, 4}));
     }},
};

// Those that call themselves with what is in bf16 as f32.
Tensor row_of(const Tensor& y, Index i) { return select(y, 0, i); }
Tensor classes() { return tensor({3, 0, 22, 7, 7}); }
const std::vector<Row> kWidened = {
    {"layer_norm", [](const Tensor& x,
                      const Tensor& y) { return layer_norm(x, {23}, row_of(y, 0), row_of(y, 1)); }},
    {"rms_norm", [](const Tensor& x, const Tensor& y) { return rms_norm(x, {23}, row_of(y, 0)); }},
    {"group_norm",
     [](const Tensor& x, const Tensor& y) { return group_norm(x, 1, row_of(y, 0), row_of(y, 1)); }},
    {"batch_norm",
     [](const Tensor& x, const Tensor& y) {
       return batch_norm(x, Tensor(), Tensor(), row_of(y, 0), row_of(y, 1), true, 0.1, 1e-5);
     }},
    {"clamp", [](const Tensor& x, const Tensor&) { return clamp(x, -0.3, 0.7); }},
    {"clamp to tensors", [](const Tensor& x, const Tensor& y) { return clamp(x, y, y); }},
    {"dropout",
     [](const Tensor& x, const Tensor&) {
       Generator generator(5);
       return dropout(x, 0.3, generator);
     }},
    {"dropout_channels",
     [](const Tensor& x, const Tensor&) {
       Generator generator(5);
       return dropout_channels(x, 0.3, generator);
     }},
    {"cross_entropy",
     [](const Tensor& x, const Tensor& y) {
       return cross_entropy(x, classes(), {.weight = row_of(y, 0)});
     }},
    {"nll_loss", [](const Tensor& x,
                    const Tensor& y) { return nll_loss(x, classes(), {.weight = row_of(y, 0)}); }},
    {"dot_attention",
     [](const Tensor& x, const Tensor& y) {
       return dot_attention(x, y, y, {.scale = 0.3, .bias = slice(y, 1, 0, 5)});
     }},
    {"additive_attention",
     [](const Tensor& x, const Tensor& y) { return additive_attention(x, y, row_of(y, 0), y); }},
    {"leaky_relu", [](const Tensor& x, const Tensor&) { return leaky_relu(x, 0.01); }},
    {"elu", [](const Tensor& x, const Tensor&) { return elu(x); }},
    {"gelu", [](const Tensor& x, const Tensor&) { return gelu(x); }},
    {"gelu by tanh", [](const Tensor& x, const Tensor&) { return gelu(x, Gelu::tanh); }},
    {"silu", [](const Tensor& x, const Tensor&) { return silu(x); }},
    {"softplus", [](const Tensor& x, const Tensor&) { return softplus(x); }},
    {"log_sigmoid", [](const Tensor& x, const Tensor&) { return log_sigmoid(x); }},
    {"relu6", [](const Tensor& x, const Tensor&) { return relu6(x); }},
    {"hardtanh", [](const Tensor& x, const Tensor&) { return hardtanh(x, -0.3, 0.7); }},
    {"softsign", [](const Tensor& x, const Tensor&) { return softsign(x); }},
    {"mish", [](const Tensor& x, const Tensor&) { return mish(x); }},
    {"selu", [](const Tensor& x, const Tensor&) { return selu(x); }},
    {"hardsigmoid", [](const Tensor& x, const Tensor&) { return hardsigmoid(x); }},
    {"hardswish", [](const Tensor& x, const Tensor&) { return hardswish(x); }},
    {"glu", [](const Tensor& x, const Tensor&) { return glu(slice(x, 1, 0, 22), 1); }},
    {"prelu", [](const Tensor& x, const Tensor& y) { return prelu(x, row_of(y, 0)); }},
};

void expect_reads(const std::vector<Row>& rows) {
  const Tensor x = to(drawn({5, 23}, 3), DType::bf16), y = to(drawn({5, 23}, 4), DType::bf16);
  const Tensor wide_x = to(x, DType::f32), wide_y = to(y, DType::f32);
  for (const Row& row : rows) {
    const std::vector<float> expected = numbers(row.call(wide_x, wide_y));
    for (const auto& [a, b] : {std::pair(x, y), {x, wide_y}, {wide_x, y}}) {
      const Tensor out = row.call(a, b);
      EXPECT_EQ(out.dtype(), DType::f32) << row.name;
      EXPECT_EQ(numbers(out), expected) << row.name;
    }
  }
}

TEST(BFloat16Operators, ReadItAsF32) {
  expect_reads(kReads);
  expect_reads(kWidened);
}

// In f32, with the bits of those that pass the same numbers in f32; of a recorded pass, too.
TEST(BFloat16Operators, GradientsOfWhatReadsIt) {
  const auto gradients = [](const Row& row, bool held, bool recorded) {
    Tensor x = drawn({5, 23}, 3).requires_grad(true), y = drawn({5, 23}, 4).requires_grad(true);
    const auto rounded = [held](const Tensor& t) {
      const Tensor narrow = to(t, DType::bf16);
      return held ? narrow : to(narrow, DType::f32);
    };
    const Tensor out = row.call(rounded(x), rounded(y));
    std::vector<std::vector<float>> all;
    for (const Tensor& g : grad({sum(square(out))}, {x, y}, {}, {.create_graph = recorded})) {
      if (!g.defined()) continue;
      EXPECT_EQ(g.dtype(), DType::f32) << row.name;
      all.push_back(numbers(g));
    }
    return all;
  };
  for (const Row& row : kWidened) {
    for (const bool recorded : {false, true}) {
      const auto found = gradients(row, true, recorded);
      EXPECT_FALSE(found.empty()) << row.name;
      EXPECT_TRUE(found == gradients(row, false, recorded)) << row.name;
    }
  }
}

TEST(BFloat16Operators, RunningMomentsStayInF32) {
  const Tensor x = to(drawn({5, 23}, 3), DType::bf16), wide = to(x, DType::f32);
  const auto moved = [](const Tensor& from) {
    const Tensor mean = zeros({23}), var = ones({23});
    batch_norm(from, mean, var, Tensor(), Tensor(), true, 0.1, 1e-5);
    return std::pair(numbers(mean), numbers(var));
  };
  EXPECT_EQ(moved(x), moved(wide));
  EXPECT_ERROR_WITH(
      DTypeError, "batch_norm: dtypes differ: x is f32[5, 23], running_mean is bf16",
      batch_norm(x, to(zeros({23}), DType::bf16), ones({23}), Tensor(), Tensor(), true, 0.1, 1e-5));
}

// Beyond a few rows a wide weight becomes f32 strip by strip, of 2^20 numbers and more each.
TEST(BFloat16Operators, AWideWeightHasTheBitsOfF32) {
  const Tensor w = to(drawn({2111, 1009}, 5), DType::bf16), bias = drawn({2111}, 6);
  const Tensor wide = to(w, DType::f32);
  for (const Index rows : {3, 11, 67}) {
    const Tensor x = drawn({rows, 1009}, 7);
    EXPECT_EQ(numbers(linear(x, w, bias)), numbers(linear(x, wide, bias))) << rows;
    EXPECT_EQ(numbers(linear(x, w)), numbers(linear(x, wide))) << rows;
  }
  // Longer rows than a narrow strip's product would add up as the whole does.
  const Tensor longer = to(drawn({1031, 4099}, 9), DType::bf16), wider = to(longer, DType::f32);
  for (const Index rows : {9, 16, 36}) {
    const Tensor x = drawn({rows, 4099}, 10);
    EXPECT_EQ(numbers(linear(x, longer)), numbers(linear(x, wider))) << rows;
  }
  const Tensor turned = transpose(drawn({1009, 67}, 8), 0, 1);
  EXPECT_EQ(numbers(linear(turned, w, bias)), numbers(linear(turned, wide, bias)));
}

TEST(BFloat16Operators, WhatMovesNumbersKeepsThem) {
  const Tensor x = to(drawn({5, 23}, 3), DType::bf16), wide = to(x, DType::f32);
  const std::vector<std::pair<Tensor, Tensor>> pairs = {
      {transpose(x, 0, 1), transpose(wide, 0, 1)},
      {slice(x, 1, 2, 19), slice(wide, 1, 2, 19)},
      {concat({x, x}, 0), concat({wide, wide}, 0)},
      {index_select(x, 1, tensor({3, 22})), index_select(wide, 1, tensor({3, 22}))},
      {gather(x, 1, tensor({{3}, {1}, {0}, {2}, {22}})),
       gather(wide, 1, tensor({{3}, {1}, {0}, {2}, {22}}))},
      {index(x, {tensor({4, 0, 4})}), index(wide, {tensor({4, 0, 4})})},
      {index(x, {tensor({{4}, {0}}), tensor({3, 22})}),
       index(wide, {tensor({{4}, {0}}), tensor({3, 22})})},
      {index(x, {x > 0.25}), index(wide, {wide > 0.25})},
      {masked_select(x, x > 0.25), masked_select(wide, wide > 0.25)},
      {tril(x, 3), tril(wide, 3)},
      {triu(x), triu(wide)},
      {repeat(x, {2, 3}), repeat(wide, {2, 3})},
      {flip(x, {1}), flip(wide, {1})},
      {expand(unsqueeze(x, 0), {3, 5, 23}), expand(unsqueeze(wide, 0), {3, 5, 23})},
      {sort(x, 1).values, sort(wide, 1).values},
  };
  for (const auto& [narrow, expected] : pairs) {
    EXPECT_EQ(narrow.dtype(), DType::bf16);
    EXPECT_EQ(numbers(narrow), numbers(expected));
  }
  EXPECT_EQ(argmax(x, 1).array().to_vector<std::int64_t>(),
            argmax(wide, 1).array().to_vector<std::int64_t>());
  EXPECT_EQ((x > 0.25).array().to_vector<bool>(), (wide > 0.25).array().to_vector<bool>());
  EXPECT_TRUE(equal(x, wide));
  EXPECT_TRUE(x.is_floating_point());
}

TEST(BFloat16Operators, OthersRefuseItByName) {
  const Tensor x = to(drawn({5, 23}, 3), DType::bf16);
  const auto text = [](const char* op) {
    return std::string(op) + ": takes f32 or f64, not bf16: say x.to(DType::f32)";
  };
  EXPECT_ERROR_WITH(DTypeError, text("cumsum"), cumsum(x, 1));
  EXPECT_ERROR_WITH(DTypeError, text("lerp"), lerp(x, x, 0.5));
  EXPECT_ERROR_WITH(DTypeError, text("einsum"), einsum("ij->i", {x}));
  EXPECT_ERROR_WITH(DTypeError, text("mse_loss"), mse_loss(x, x));
  EXPECT_ERROR_WITH(DTypeError, text("set_requires_grad"), Tensor(x).set_requires_grad(true));
  EXPECT_ERROR_WITH(DTypeError, "add: dtypes differ: x is bf16[5, 23], y is f64[]",
                    x + tensor(1, DType::f64));
  EXPECT_ERROR_WITH(DTypeError, "layer_norm: dtypes differ: x is f64[5, 23], weight is bf16[23]",
                    layer_norm(to(x, DType::f64), {23}, select(x, 0, 0)));
  EXPECT_ERROR_WITH(DTypeError, text("normal"), randn({3}, DType::bf16));
}

// Rounding is passed as if it were none; gradients are f32 on both sides of it.
TEST(BFloat16Operators, GradientsPassRounding) {
  Tensor x = drawn({5, 23}, 3).requires_grad(true);
  const Tensor g = drawn({5, 23}, 7);
  const Tensor narrow = to(x, DType::bf16);
  EXPECT_TRUE(narrow.requires_grad());
  sum(g * narrow + square(narrow)).backward();
  EXPECT_EQ(x.grad().dtype(), DType::f32);
  EXPECT_EQ(numbers(x.grad()), numbers(g + to(narrow.detach(), DType::f32) * 2));
  const Tensor moved = tril(index(to(x, DType::bf16), {tensor({1, 1, 3})}));
  const auto from = [&](const Tensor& wide) { return grad(sum(square(wide)), x); };
  EXPECT_EQ(moved.dtype(), DType::bf16);
  const Tensor rounded = to(to(x, DType::bf16), DType::f32);
  EXPECT_EQ(numbers(from(to(moved, DType::f32))),
            numbers(from(tril(index(rounded, {tensor({1, 1, 3})})))));
}

TEST(BFloat16Operators, GradientsPassAWeightInIt) {
  const Tensor w = to(drawn({7, 23}, 5), DType::bf16), wide = to(w, DType::f32);
  const Tensor g = drawn({3, 7}, 7);
  const auto grad = [&](const Tensor& weight) {
    Tensor x = drawn({3, 23}, 3).requires_grad(true);
    sum(g * linear(tanh(x), weight)).backward();
    return numbers(x.grad());
  };
  EXPECT_EQ(grad(w), grad(wide));
}

TEST(BFloat16Operators, PrintsAsShortAsItIs) {
  EXPECT_EQ(to_string(to(tensor({0.5, -1.0}), DType::bf16)), "tensor([ 0.5, -1. ], dtype=bf16)");
}

TEST(BFloat16Operators, APassStartsAtIt) {
  Tensor x = drawn({5, 3}, 3).requires_grad(true);
  to(sum(x * x), DType::bf16).backward();
  EXPECT_EQ(numbers(x.grad()), numbers(x * 2));
  const Tensor narrow = to(x, DType::bf16), g = drawn({5, 3}, 4);
  EXPECT_EQ(numbers(grad({narrow}, {x}, {g})[0]), numbers(g));
  EXPECT_ERROR(DTypeError,
               "backward: a gradient of bf16[5, 3] for an output of bf16[5, 3]: it is in f32",
               narrow.backward(to(g, DType::bf16)));
}

TEST(BFloat16Operators, APieceOfItMayGoUnused) {
  Tensor x = drawn({5, 3}, 3).requires_grad(true);
  const Tensor held = to(x, DType::bf16);
  sum(square(split(held, {2, 3}, 0)[1])).backward();
  const Tensor twice = to(held.detach(), DType::f32) * 2;
  EXPECT_EQ(numbers(x.grad()), numbers(concat({zeros({2, 3}), slice(twice, 0, 2, 5)}, 0)));
  sum(square(chunk(to(x, DType::bf16), 2, 0)[0])).backward();
  const Tensor once_more = concat({slice(twice, 0, 0, 3), zeros({2, 3})}, 0);
  EXPECT_EQ(numbers(x.grad()),
            numbers(concat({zeros({2, 3}), slice(twice, 0, 2, 5)}, 0) + once_more));
}

}  // namespace
}  // namespace heed
