// Writes in place to what a derivative kept are found, whatever operator kept it.
#include <gtest/gtest.h>

#include "../../autograd/backward.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/kernels/elementwise/elementwise.h"
#include "../support/throws.h"

namespace heed {
namespace {

Tensor leaf(const Shape& shape) {
  Tensor x = full(shape, 0.5, DType::f64);
  x.set_requires_grad();
  return x;
}

void write(Tensor x) {
  const NoGrad scope;
  x.copy_from(zeros(x.shape(), x.dtype()));
}

struct Keeper {
  const char* op;
  std::function<Tensor(const Tensor& x, const Tensor& y)>
      call;  // keeps y, or its result, for x's gradient
  bool result = false;
};

void PrintTo(const Keeper& keeper, std::ostream* out) { *out << keeper.op; }

class Kept : public testing::TestWithParam<Keeper> {};

TEST_P(Kept, IsGuarded) {
  const Tensor x = leaf({3, 3});
  Tensor y = full({3, 3}, 2, DType::f64);
  const Tensor out = GetParam().call(x, y);
  write(GetParam().result ? out.detach() : y);
  const std::string message = message_of<GradError>([&] { sum(out).backward(); });
  const std::string kept = GetParam().result ? "result" : "input";
  EXPECT_NE(message.find(std::string("backward: ") + GetParam().op + " kept its " + kept),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("written in place since (version 1, kept at 0)"), std::string::npos)
      << message;
  EXPECT_FALSE(x.grad().defined());
}

TEST_P(Kept, IsReadWhenNobodyWrites) {
  const Tensor x = leaf({3, 3});
  const Tensor y = full({3, 3}, 2, DType::f64);
  sum(GetParam().call(x, y)).backward();
  EXPECT_TRUE(x.grad().defined());
}

using T = const Tensor&;
const Keeper kKeepers[] = {
    {"mul", [](T x, T y) { return x * y; }},
    {"div", [](T x, T y) { return x / y; }},
    {"maximum", [](T x, T y) { return maximum(x, y); }},
    {"minimum", [](T x, T y) { return minimum(x, y); }},
    {"matmul", [](T x, T y) { return matmul(x, y); }},
    {"linear", [](T x, T y) { return linear(x, y); }},
    {"exp", [](T x, T) { return exp(x); }, true},
    {"sqrt", [](T x, T) { return sqrt(x); }, true},
    {"reciprocal", [](T x, T) { return reciprocal(x); }, true},
    {"tanh", [](T x, T) { return tanh(x); }, true},
    {"sigmoid", [](T x, T) { return sigmoid(x); }, true},
    {"relu", [](T x, T) { return relu(x); }, true},
    {"softmax", [](T x, T) { return softmax(x, 1); }, true},
    {"log_softmax", [](T x, T) { return log_softmax(x, 1); }, true},
    {"amax", [](T x, T) { return amax(x, {1}); }, true},
};

INSTANTIATE_TEST_SUITE_P(InPlace, Kept, testing::ValuesIn(kKeepers),
                         [](const auto& entry) { return std::string(entry.param.op); });

// The input that gets the gradient is the one kept, and written to as an optimizer would.
TEST(InPlace, OwnInputIsGuarded) {
  const std::pair<const char*, Tensor (*)(const Tensor&)> keepers[] = {
      {"log", log},
      {"square", square},
      {"abs", abs},
      {"mul", [](T x) { return x * x; }},
      {"amin", [](T x) { return amin(x, {0}); }}};
  for (const auto& [op, call] : keepers) {
    const Tensor x = leaf({3, 3});
    const Tensor out = call(x);
    write(x);
    EXPECT_NE(message_of<GradError>([&] {
                sum(out).backward();
              }).find(std::string("backward: ") + op + " kept"),
              std::string::npos);
  }
}

TEST(InPlace, IndicesAndMasksAreGuarded) {
  const auto refused = [](const Tensor& out, const char* op) {
    const std::string message = message_of<GradError>([&] { sum(out).backward(); });
    EXPECT_NE(message.find(std::string("backward: ") + op + " kept"), std::string::npos) << message;
  };
  const Tensor x = leaf({3, 3});
  Tensor ids = Tensor(Array::from(std::vector<std::int64_t>{2, 1, 0}));
  Tensor square_ids = reshape(Tensor(Array::from(std::vector<std::int64_t>{2, 1, 0})), {3, 1});
  Tensor mask = zeros({3}, DType::boolean);
  Tensor weight = ones({3}, DType::f64);
  const Tensor outs[] = {embedding(x, ids),
                         index_select(x, 0, ids),
                         index_add(zeros({3, 3}, DType::f64), 0, ids, x),
                         gather(x, 1, square_ids),
                         where(mask, x, tensor(0, DType::f64)),
                         cross_entropy(x, ids),
                         cross_entropy(x, Tensor(ids.array().clone()), {.weight = weight})};
  const char* names[] = {"embedding", "index_select",  "index_add",    "gather",
                         "where",     "cross_entropy", "cross_entropy"};
  write(ids);
  write(square_ids);
  write(mask);
  write(weight);
  for (std::size_t i = 0; i < std::size(outs); ++i) refused(outs[i], names[i]);
}

TEST(InPlace, AViewIsTheSameMemory) {
  const Tensor x = leaf({3, 3});
  Tensor y = ones({3, 3}, DType::f64);
  const Tensor out = x * y;
  write(select(transpose(y, 0, 1), 0, 2));
  EXPECT_THROW(sum(out).backward(), GradError);
}

TEST(InPlace, WhatIsNotKeptMayBeWritten) {
  const Tensor x = leaf({3, 3});
  Tensor y = ones({3, 3}, DType::f64);
  const Tensor out = x + y;
  write(y);
  sum(out).backward();
  EXPECT_EQ(sum(x.grad()).item(), 9);
}

TEST(InPlace, BeforeIsNotAfter) {
  const Tensor x = leaf({3, 3});
  Tensor y = ones({3, 3}, DType::f64);
  write(y);
  const Tensor out = x * y;
  sum(out).backward();
  EXPECT_EQ(sum(x.grad()).item(), 0);
}

TEST(InPlace, IsRefusedOnTheTape) {
  Tensor x = leaf({3});
  EXPECT_ERROR(GradError,
               "copy_from: f64[3] is a leaf that requires a gradient; write under NoGrad or into a "
               "detached tensor",
               x.copy_from(zeros({3}, DType::f64)));
  Tensor y = x * x;
  const NoGrad scope;
  EXPECT_ERROR(GradError,
               "copy_from: f64[3] is the result of a recorded operator; write under NoGrad or into "
               "a detached tensor",
               y.copy_from(zeros({3}, DType::f64)));
  EXPECT_ERROR(ShapeError, "copy: shapes differ: f64[5] into f64[3]",
               x.copy_from(zeros({5}, DType::f64)));
}

TEST(InPlace, FromItsOwnMemory) {
  Tensor x = tensor({1, 2, 3, 4}, {2, 2}, DType::f64);
  x.copy_from(transpose(x, 0, 1));
  EXPECT_EQ(x.array().to_vector<double>(), (std::vector<double>{1, 3, 2, 4}));
}

// Other numbers in the place of those that were kept, however often.
TEST(InPlace, ReplacedNumbersAreGuarded) {
  const Tensor x = leaf({3, 3});
  Tensor y = full({3, 3}, 2, DType::f64);
  write(y);
  write(y);
  const Tensor out = x * y;
  y.set_array(Array::full({3, 3}, 3, DType::f64));
  const auto refused = [&] {
    EXPECT_ERROR(GradError,
                 "backward: mul kept its input f64[3, 3] for the derivative, but it was written in "
                 "place since, or given other numbers by set_array()",
                 grad({sum(out)}, {x}, {}, {.retain_graph = true}));
  };
  refused();
  for (int i = 0; i < 3; ++i) {
    write(y);
    refused();
  }
  Array other = Array::full({3, 3}, 5, DType::f64);
  for (int i = 0; i < 2; ++i) other.bump_version();  // as those that were kept
  y.set_array(other);
  refused();
  EXPECT_EQ(grad({sum(x * y)}, {x})[0].array().to_vector<double>(), std::vector<double>(9, 5));
}

}  // namespace
}  // namespace heed
