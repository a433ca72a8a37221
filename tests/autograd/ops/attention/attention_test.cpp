#include "../../../../autograd/ops/attention/attention.h"

#include <gtest/gtest.h>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/allocator.h"
#include "../../../../core/error.h"
#include "../../../../core/parallel.h"
#include "../../../support/throws.h"
#include "attention_cases.h"

namespace heed::attention_cases {
namespace {

// Leading axes [2, 3] in the result of all of them.
const std::vector<Sizes>& sizes_of(Score score) {
  static const std::vector<Sizes> dot = {
      {"small", {2, 3, 5, 7}, {2, 3, 11, 7}, {2, 3, 11, 13}},
      {"several tiles", {2, 3, 131, 5}, {2, 3, 257, 5}, {2, 3, 257, 17}},
      {"more queries than keys", {2, 3, 149, 3}, {2, 3, 31, 3}, {2, 3, 31, 2}},
      {"grouped", {2, 3, 37, 5}, {2, 1, 67, 5}, {2, 1, 67, 3}},
      {"one query, heads share", {2, 3, 1, 5}, {2, 1, 263, 5}, {2, 1, 263, 3}},
      {"batch shares keys", {2, 3, 71, 5}, {3, 41, 5}, {1, 3, 41, 3}},
      {"queries shared", {1, 1, 17, 5}, {2, 3, 19, 5}, {2, 3, 19, 3}},
      {"values alone have heads", {19, 5}, {23, 5}, {2, 3, 23, 3}},
      {"one key", {2, 3, 5, 7}, {2, 3, 1, 7}, {2, 3, 1, 3}},
      {"widths of whole vectors", {2, 3, 29, 16}, {2, 3, 43, 16}, {2, 3, 43, 32}}};
  static const std::vector<Sizes> additive = {
      {"small", {2, 3, 5, 7}, {2, 3, 11, 7}, {2, 3, 11, 13}},
      {"several tiles", {2, 3, 37, 5}, {2, 3, 139, 5}, {2, 3, 139, 17}},
      {"grouped", {2, 3, 23, 5}, {2, 1, 31, 5}, {2, 1, 31, 3}},
      {"batch shares keys", {2, 3, 19, 5}, {3, 41, 5}, {1, 3, 41, 3}},
      {"queries shared", {1, 1, 17, 16}, {2, 3, 19, 16}, {2, 3, 19, 3}}};
  return score == Score::dot ? dot : additive;
}

struct Terms {
  const char* name;
  Index left = -1, right = -1;
  bool lengths = false, allowed = false;
  int bias = 0;  // 1: [Q, K]; 2: [3, 1, K]; 3: [2, 3, Q, K]; 4: a number
};
constexpr Terms kTerms[] = {
    {"none"},
    {"causal", -1, 0},
    {"window", 3, 5},
    {"narrow causal window", 2, 0},
    {"lengths", -1, -1, true},
    {"allowed", -1, -1, false, true},
    {"bias", -1, -1, false, false, 1},
    {"bias of the keys, causal", -1, 0, false, false, 2},
    {"whole bias, lengths", -1, -1, true, false, 3},
    {"a number as bias, allowed", -1, -1, false, true, 4},
    {"all", 23, 0, true, true, 1},
};

AttentionOptions options_of(const Terms& terms, const Sizes& sizes, DType dtype = DType::f64) {
  Generator draw(5);
  const Index Q = sizes.q.at(-2), K = sizes.k.at(-2);
  AttentionOptions options;
  options.scale = 0.4;
  options.left = terms.left;
  options.right = terms.right;
  if (terms.lengths) options.lengths = Array::from(std::vector<Index>{K / 2, K});
  if (terms.allowed) options.allowed = draw.bernoulli({2, 1, Q, K}, 0.6);
  if (terms.bias == 1) options.bias = draw.normal({Q, K}, 0, 1, dtype);
  if (terms.bias == 2) options.bias = draw.normal({3, 1, K}, 0, 1, dtype);
  if (terms.bias == 3) options.bias = draw.normal({2, 3, Q, K}, 0, 1, dtype);
  if (terms.bias == 4) options.bias = draw.normal({}, 0, 1, dtype);
  return options;
}

class Attention : public AttentionTest {
 protected:
  template <class Body>
  void each(const Body& body) {
    for (const Sizes& sizes : sizes_of(GetParam())) {
      for (const Terms& terms : kTerms) {
        SCOPED_TRACE(testing::Message() << sizes.name << "; " << terms.name);
        body(sizes, terms);
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Scores, Attention, testing::Values(Score::dot, Score::additive), name_of);

TEST_P(Attention, EqualsItsDefinition) {
  each([](const Sizes& sizes, const Terms& terms) {
    const Tensors x = drawn(GetParam(), sizes);
    const AttentionOptions options = options_of(terms, sizes);
    expect_near(all(attend, GetParam(), x, options), all(attend_plain, GetParam(), x, options),
                1e-12);
  });
}

TEST_P(Attention, F32IsCloseToF64) {
  each([](const Sizes& sizes, const Terms& terms) {
    Tensors narrow, wide;
    for (const Tensor& x : drawn(GetParam(), sizes, DType::f32)) {
      narrow.push_back(x);
      wide.push_back(Tensor(x.array().to(DType::f64)));
    }
    AttentionOptions options = options_of(terms, sizes, DType::f32);
    const Tensors found = all(attend, GetParam(), narrow, options);
    if (options.bias.defined()) options.bias = Tensor(options.bias.array().to(DType::f64));
    expect_near(found, all(attend, GetParam(), wide, options), 1e-5);
  });
}

TEST_P(Attention, SameBitsForAnyNumberOfThreads) {
  const int before = num_threads();
  for (const Sizes& sizes : sizes_of(GetParam())) {
    for (const Terms& terms : {kTerms[0], kTerms[1], kTerms[10]}) {
      SCOPED_TRACE(testing::Message() << sizes.name << "; " << terms.name);
      const Tensors x = drawn(GetParam(), sizes, DType::f32);
      const AttentionOptions options = options_of(terms, sizes, DType::f32);
      set_num_threads(1);
      const Tensors expected = all(attend, GetParam(), x, options);
      for (const int threads : {2, 3, 4}) {
        set_num_threads(threads);
        expect_same_bits(all(attend, GetParam(), x, options), expected);
      }
    }
  }
  set_num_threads(before);
}

// [B, T, H, D] as [B, H, T, D]: other steps, the same bits, and results that lie as they came.
TEST_P(Attention, TakesHeadsAsTheyLie) {
  const auto relaid = [](const Tensor& x) {
    return x.rank() < 4 ? x : transpose(clone(transpose(x, 1, 2)), 1, 2);
  };
  const Sizes& sizes = sizes_of(GetParam())[0];
  const Tensors x = drawn(GetParam(), sizes);
  Tensors turned;
  for (const Tensor& operand : x) turned.push_back(relaid(operand));
  const AttentionOptions options = options_of(kTerms[1], sizes);
  const Tensors found = all(attend, GetParam(), turned, options);
  expect_same_bits(found, all(attend, GetParam(), x, options));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(found[i].array().transpose(1, 2).is_contiguous()) << "result " << i;
  }
}

TEST_P(Attention, TakesAnyStepsOfTheLastAxis) {
  const Sizes& sizes = sizes_of(GetParam())[0];
  const Tensors x = drawn(GetParam(), sizes);
  Tensors turned;
  for (const Tensor& operand : x) {
    turned.push_back(transpose(clone(transpose(operand, 0, -1)), 0, -1));
  }
  const AttentionOptions options = options_of(kTerms[0], sizes);
  const Tensor g = expand(tensor(0.7, DType::f64), {2, 3, 5, 13});
  expect_same_bits(all(attend, GetParam(), turned, options, g),
                   all(attend, GetParam(), x, options, g));
}

TEST_P(Attention, LargeScoresDoNotOverflow) {
  const Sizes sizes{"", {5, 7}, {11, 7}, {11, 3}};
  for (const double scale : {1e4, -1e4}) {
    AttentionOptions options;
    options.scale = scale;
    const Tensors x = drawn(GetParam(), sizes, DType::f32);
    expect_near(all(attend, GetParam(), x, options), all(attend_plain, GetParam(), x, options),
                1e-2);
  }
}

// The logarithm of their sum is the score itself to all of its digits, their weights are thirds.
TEST_P(Attention, EqualKeysShareHoweverLargeTheirScores) {
  const auto of = [](const auto& call, double size, bool sink) {
    const auto column = [](const std::vector<double>& x, double by) {
      return (tensor(x, {static_cast<Index>(x.size()), 1}) * by).set_requires_grad();
    };
    Tensors x = {column({1, 1, 1}, size), column({1, -1, 1, 0, 1}, size),
                 column({1, 3, 5, 7, 11}, 1)};
    Tensors leaves = {x[2]};
    if (GetParam() == Score::dot) {
      leaves.push_back(x[1]);
    } else {
      x.push_back(tensor({size * size}, {1}));  // times tanh, which is all but flat there
    }
    AttentionOptions options;
    if (sink) leaves.push_back(options.sinks = full(Shape{}, size * size).set_requires_grad());
    const Tensor out = call(GetParam(), x, options);
    Tensors results = grad({out}, leaves, {tensor({2, -3, 7}, {3, 1})});
    results.push_back(out.detach());
    return results;
  };
  for (const double size : {0x1p14, 0x1p40}) {
    for (const bool sink : {false, true}) {
      if (sink && GetParam() == Score::additive) continue;
      SCOPED_TRACE(testing::Message() << size << ", sink " << sink);
      expect_near(of(attend, size, sink), of(attend_plain, size, sink), 1e-6);
    }
  }
}

TEST_P(Attention, AChangedOperandIsNoticed) {
  Tensors x = drawn(GetParam(), sizes_of(GetParam())[0]);
  x[0].set_requires_grad();
  const Tensor loss = sum(attend(GetParam(), x, {}));
  x[1].copy_from(zeros(x[1].shape(), DType::f64));
  EXPECT_THROW(loss.backward(), GradError);
}

// A block of T x T numbers would take 64 MB; all that is made takes less than 40 times the
// operands.
TEST_P(Attention, MemoryGrowsWithTheLengthAlone) {
  const Index D = 16;
  for (const Index T : {1024, 4096}) {
    const Sizes sizes{"", {T, D}, {T, D}, {T, D}};
    const Tensors x = drawn(GetParam(), sizes, DType::f32);
    AttentionOptions options;
    options.right = 0;
    release_cached_memory();
    const std::int64_t block = T * D * 4;
    set_memory_limit(memory_stats().reserved_bytes + (4 << 20) + 40 * block);
    EXPECT_NO_THROW(all(attend, GetParam(), x, options)) << T;
    set_memory_limit(0);
  }
}

// The weights that the definition would make.
Tensor weights_of(const AttentionCall& call) {
  Tensor scores =
      call.score_vector.defined()
          ? matmul(tanh(unsqueeze(call.q, -2) + unsqueeze(call.k, -3)), call.score_vector)
          : matmul(call.q, transpose(call.k, -2, -1));
  return softmax(scores * call.options.scale, -1, call.options.allowed);
}

TEST_P(Attention, WeightsCanBeSeenAfterwards) {
  const Sizes sizes{"", {2, 3, 71, 7}, {2, 1, 257, 7}, {2, 1, 257, 5}};
  const Tensors x = drawn(GetParam(), sizes);
  AttentionCall call{x[0], x[1], GetParam() == Score::dot ? Tensor() : x[3], {}, {}};
  call.options.scale = 0.3;
  call.options.allowed = flags({71, 257}, [](Index at) { return at % 7 != 0 && at / 257 != 5; });
  if (GetParam() == Score::dot) {
    dot_attention(x[0], x[1], x[2], call.options, &call.log_sums);
  } else {
    additive_attention(x[0], x[1], x[3], x[2], call.options, &call.log_sums);
  }
  const Tensor p = weights_of(call);
  const Tensor rows = attention_weights(call, Array::from(std::vector<Index>{70, 0, 5, 0}));
  EXPECT_EQ(rows.shape(), (Shape{2, 3, 4, 257}));
  const Index wanted[] = {70, 0, 5, 0};
  for (Index i = 0; i < 4; ++i) {
    EXPECT_LE(relative_difference(select(rows, 2, i), select(p, 2, wanted[i])), 1e-13);
  }
  EXPECT_LE(relative_difference(attention_received(call), sum(p, {2})), 1e-13);
  const Tensor p_or_one = where(Tensor(call.options.allowed), p, tensor(1, DType::f64));
  EXPECT_LE(relative_difference(attention_entropy(call), -sum(p * log(p_or_one), {3})), 1e-13);
}

TEST(AttentionCall, IsCheckedAgainstItsLogSums) {
  AttentionCall call{zeros({2, 3, 7}), zeros({2, 5, 7}), {}, {}, zeros({2, 3})};
  EXPECT_THROW(attention_weights(call, Array::from(std::vector<Index>{3})), IndexError);
  EXPECT_THROW(attention_weights(call, zeros({1})), DTypeError);
  EXPECT_ERROR(GradError, "attention_weights: rows is undefined",
               attention_weights(call, Tensor()));
  for (const Shape& shape : {Shape{2, 4}, Shape{4, 3}, Shape{}}) {
    call.log_sums = zeros(shape);
    EXPECT_THROW(attention_received(call), ShapeError);
  }
  call.log_sums = Tensor();
  EXPECT_THROW(attention_entropy(call), GradError);
}

}  // namespace
}  // namespace heed::attention_cases
