#include "../../distributed/ring_attention.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "../../attention/attend.h"
#include "../../autograd/backward.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../distributed/collectives.h"
#include "../support/numbers.h"
#include "../support/throws.h"
#include "world_here.h"

namespace heed::distributed {
namespace {

// Query, keys, values and a cotangent of a whole sequence: the same in all processes.
struct Whole {
  std::vector<Array> arrays;
  Whole(const Shape& lead, Index T, DType dtype) {
    Generator generator(17);
    for (const Index width : {5, 5, 7, 7}) {
      std::vector<Index> sizes;
      for (Index axis = 0; axis < lead.rank(); ++axis) sizes.push_back(lead[axis]);
      sizes.insert(sizes.end(), {T, width});
      arrays.push_back(generator.normal(Shape(sizes), 0, 1, dtype));
    }
  }
};

// This process's share of a whole sequence.
Array own(const Array& whole, bool striped) {
  const Index axis = whole.rank() - 2, T = whole.size(axis), n = T / world().size();
  const Index rank = world().rank();
  return striped ? whole.slice(axis, rank, T, world().size()).clone()
                 : whole.slice(axis, n * rank, n * (rank + 1)).clone();
}

double furthest(const Array& a, const Array& b) {
  const Array x = a.to(DType::f64), y = b.to(DType::f64);
  EXPECT_EQ(x.shape(), y.shape());
  const auto u = x.to_vector<double>(), v = y.to_vector<double>();
  double out = 0;
  for (std::size_t i = 0; i < u.size(); ++i) out = std::max(out, std::abs(u[i] - v[i]));
  return out;
}

double difference(const Whole& whole, const RingOptions& options) {
  std::vector<Tensor> parts, all;
  for (std::size_t i = 0; i < 3; ++i) {
    parts.push_back(Tensor(own(whole.arrays[i], options.striped)).set_requires_grad());
    all.push_back(Tensor(whole.arrays[i]).set_requires_grad());
  }
  const Tensor out = ring_attention(world(), parts[0], parts[1], parts[2], options);
  out.backward(Tensor(own(whole.arrays[3], options.striped)));
  attention::Terms terms;
  if (options.causal) terms.mask = attention::Mask::causal();
  const Tensor expected = attention::attend(all[0], all[1], all[2], terms).context;
  expected.backward(Tensor(whole.arrays[3]));
  double worst = furthest(out.array(), own(expected.array(), options.striped));
  for (std::size_t i = 0; i < 3; ++i)
    worst = std::max(
        worst, furthest(parts[i].grad().array(), own(all[i].grad().array(), options.striped)));
  return worst;
}

TEST(RingAttention, IsAttentionOfTheWhole) {
  for (const bool causal : {false, true}) {
    for (const bool striped : {false, true}) {
      const RingOptions options{.causal = causal, .striped = striped};
      SCOPED_TRACE(testing::Message() << "causal " << causal << ", striped " << striped);
      for (const Index n : {1, 2, 12})
        EXPECT_LT(difference(Whole({2, 3}, n * world().size(), DType::f64), options), 1e-12) << n;
      EXPECT_LT(difference(Whole({}, 131 * world().size(), DType::f32), options), 1e-5);
    }
  }
}

// What is held in bf16 is read as f32, on all processes alike.
TEST(RingAttention, ReadsBf16) {
  const Index T = 4 * world().size();
  const Whole whole({3}, T, DType::f32);
  for (const bool striped : {false, true}) {
    std::vector<Tensor> held, wide;
    std::vector<Tensor> leaves;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::vector<Tensor>* each : {&held, &wide}) {
        leaves.push_back(Tensor(own(whole.arrays[i], striped)).set_requires_grad());
        const Tensor rounded = to(leaves.back(), DType::bf16);
        each->push_back(each == &held ? rounded : to(rounded, DType::f32));
      }
    }
    const RingOptions options{.causal = true, .striped = striped};
    const Tensor found = ring_attention(world(), held[0], held[1], held[2], options);
    const Tensor expected = ring_attention(world(), wide[0], wide[1], wide[2], options);
    EXPECT_TRUE(same_bits(found, expected)) << striped;
    const Tensor cotangent(own(whole.arrays[3], striped));
    found.backward(cotangent);
    expected.backward(cotangent);
    for (std::size_t i = 0; i < leaves.size(); i += 2) {
      EXPECT_TRUE(same_bits(leaves[i].grad(), leaves[i + 1].grad())) << striped << i;
    }
  }
}

TEST(RingAttention, OfALongSequence) {
  if (std::getenv("HEED_FULL") == nullptr) GTEST_SKIP() << "65,536 places: only with HEED_FULL";
  for (const bool striped : {false, true}) {
    const RingOptions options{.causal = true, .striped = striped};
    EXPECT_LT(difference(Whole({}, 65536, DType::f32), options), 1e-5) << striped;
  }
}

TEST(RingAttention, HasNoSecondDerivative) {
  const Whole whole({}, 4 * world().size(), DType::f64);
  Tensor q = Tensor(own(whole.arrays[0], false)).set_requires_grad();
  const Tensor out = ring_attention(world(), q, Tensor(own(whole.arrays[1], false)),
                                    Tensor(own(whole.arrays[2], false)));
  EXPECT_ERROR_WITH(GradError, "ring_attention",
                    grad({sum(out * out)}, {q}, {}, {.create_graph = true}));
}

TEST(RingAttention, SaysWhatDoesNotFit) {
  const Tensor x = Tensor(Array::zeros({3, 5}, DType::f32));
  EXPECT_ERROR_WITH(
      ShapeError, "causal, but as many queries as keys are not there",
      ring_attention(world(), Tensor(Array::zeros({2, 5}, DType::f32)), x, x, {.causal = true}));
  if (world().size() == 1) return;
  const Tensor other = Tensor(Array::zeros({3 + world().rank(), 5}, DType::f32));
  EXPECT_ERROR_WITH(ShapeError, ", process 1 query f32[4, 5]",
                    ring_attention(world(), other, x, x));
}

// All throw, and none waits, where one alone has another thing.
TEST(RingAttention, SaysEverywhereWhatOneHas) {
  const Tensor x = Tensor(Array::zeros({3, 5}, DType::f32));
  const bool one = world().rank() == world().size() - 1;
  EXPECT_ERROR_WITH(GradError, "undefined", ring_attention(world(), x, one ? Tensor() : x, x));
  if (world().size() == 1) return;
  const Tensor wide = Tensor(Array::zeros({3, 5}, DType::f64));
  EXPECT_ERROR_WITH(DTypeError, "values f64[3, 5]", ring_attention(world(), x, x, one ? wide : x));
  EXPECT_ERROR_WITH(ValueError, "process 0 has not causal, process",
                    ring_attention(world(), x, x, x, {.causal = one}));
  EXPECT_ERROR_WITH(ValueError, "process 0 has causal, process",
                    ring_attention(world(), x, x, x, {.causal = true, .striped = one}));
  EXPECT_ERROR_WITH(ValueError, "process 0 calls ring_attention, process",
                    one ? all_reduce(world(), x) : ring_attention(world(), x, x, x));
  const Tensor wanted = Tensor(Array::zeros({3, 5}, DType::f32)).set_requires_grad();
  EXPECT_ERROR_WITH(GradError, "ring_attention: process 0 does not",
                    ring_attention(world(), x, x, one ? wanted : x));
  EXPECT_ERROR_WITH(GradError, "ring_attention: process 0 records it for a pass backward, process",
                    ring_attention(world(), x, one ? x : wanted, x));
}

// Also where they walk back through another of the calls that all made.
TEST(RingAttention, SaysWhereOneWalksBackElsewhere) {
  if (world().size() == 1) GTEST_SKIP() << "one process alone is always alike";
  const bool one = world().rank() == world().size() - 1;
  const Tensor x = Tensor(Array::zeros({3, 5}, DType::f32)).set_requires_grad();
  const auto walk = [&](bool around_first) {
    const Tensor around = sum(ring_attention(world(), x, x, x)),
                 total = sum(all_reduce(world(), x));
    (around_first ? around : total).backward();
    (around_first ? total : around).backward();
  };
  EXPECT_ERROR_WITH(ValueError,
                    "process 0 calls ring_attention's pass backward, process " +
                        std::to_string(world().size() - 1) + " all_reduce",
                    walk(!one));
  walk(false);
}

}  // namespace
}  // namespace heed::distributed
