// What the tape keeps of memory that others may write to: their writes are an error of backward.
#include <gtest/gtest.h>

#include "../../autograd/backward.h"
#include "../../autograd/factories.h"
#include "../../autograd/methods.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/loan.h"
#include "../support/numbers.h"
#include "../support/throws.h"

namespace heed {
namespace {

constexpr const char* kElsewhere =
    "backward: mul kept its input f64[3] for the derivative, but it was written to since by "
    "another that shares its memory";
constexpr const char* kStale =
    "backward: mul kept its input f64[3] for the derivative, but it was written in place since "
    "(version 1, kept at 0)";

Tensor weights() { return tensor({1, 2, 3}, {3}, DType::f64).set_requires_grad(); }
void put(const Tensor& x, Index i, double value) {
  Array(x.array()).mutable_data<double>()[i] = value;
}

// Numbers of another's.
struct Theirs {
  std::vector<double> numbers = std::vector<double>(21, 0.5);
  Tensor tensor(Index from, Index count) {
    return Tensor(Array::around(
        numbers.data() + from, {count}, {1}, DType::f64, [](void*) {}, nullptr));
  }
};

TEST(SharedMemory, OfOthersIsWatchedFromTheBeginning) {
  Theirs theirs;
  Tensor w = weights(), x = theirs.tensor(4, 3);
  Tensor y = sum(w * x);
  theirs.numbers[9] = 7;  // not of x
  y.backward();
  EXPECT_EQ(numbers(w.grad()), (Numbers{0.5, 0.5, 0.5}));
  y = sum(w * x);
  theirs.numbers[5] = 7;
  EXPECT_ERROR(GradError, kElsewhere, y.backward());
  w.zero_grad();
  sum(w * x).backward();  // what is kept from now on
  EXPECT_EQ(numbers(w.grad()), (Numbers{0.5, 7, 0.5}));
}

TEST(SharedMemory, OfAViewIsThatOfItsNumbersAlone) {
  Theirs theirs;
  const Tensor all = theirs.tensor(0, 21), w = weights();
  const Tensor x = narrow(all, 0, 6, 3);
  Tensor y = sum(w * x);
  theirs.numbers[0] = 9;  // the next batch is read
  y.backward();
  y = sum(w * x);
  theirs.numbers[6] = 9;
  EXPECT_ERROR(GradError, kElsewhere, y.backward());
}

TEST(SharedMemory, LentBeforeItIsKept) {
  Tensor w = weights(), x = full({3}, 0.5, DType::f64);
  const Loan loan(x.array(), false);
  put(x, 1, 4);
  Tensor y = sum(w * x);
  y.backward();
  EXPECT_EQ(numbers(w.grad()), (Numbers{0.5, 4, 0.5}));
  y = sum(w * x);
  put(x, 1, 5);
  EXPECT_ERROR(GradError, kElsewhere, y.backward());
}

TEST(SharedMemory, LentAfterItWasKept) {
  Tensor w = weights(), x = full({3}, 0.5, DType::f64);
  Tensor y = sum(w * x);
  {
    const Loan loan(x.array());  // read only, as it turns out
    EXPECT_EQ(numbers(x)[1], 0.5);
  }
  y.backward();
  y = sum(w * x);
  {
    const Loan loan(x.array());
    put(x, 1, 5);
    EXPECT_ERROR(GradError, kStale, y.backward());
  }
  y = sum(w * x);
  {
    const Loan loan(x.array());
    put(x, 1, 6);
  }
  EXPECT_ERROR_WITH(GradError, "written in place since", y.backward());
}

TEST(SharedMemory, OfAResultThatIsKept) {
  Tensor w = weights();
  Tensor y = exp(w);
  const Loan loan(y.array());
  Tensor loss = sum(y);
  loss.backward();
  y = exp(w);
  loss = sum(y);
  const Loan another(y.array());
  put(y.detach(), 2, 1);
  EXPECT_ERROR(GradError,
               "backward: exp kept its result f64[3] for the derivative, but it was written in "
               "place since (version 1, kept at 0)",
               loss.backward());
}

TEST(SharedMemory, OurOwnWritesToLentNumbersAreOurs) {
  Tensor w = weights(), x = full({3}, 0.5, DType::f64);
  const Loan loan(x.array());
  Tensor y = sum(w * x);
  x.add_(1.0);
  EXPECT_ERROR(GradError, kStale, y.backward());
  w.zero_grad();
  sum(w * x).backward();
  EXPECT_EQ(numbers(w.grad()), (Numbers{1.5, 1.5, 1.5}));
}

}  // namespace
}  // namespace heed
