// Recurrent layers of a packed batch give the bits that the padded one gives.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/recurrent/gru.h"
#include "../../../../autograd/ops/recurrent/lstm.h"
#include "../../../../autograd/ops/recurrent/recurrent.h"
#include "../../../../autograd/ops/recurrent/rnn.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/allocator.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/parallel.h"
#include "../../../support/numbers.h"
#include "../../../support/throws.h"

namespace heed {
namespace {

using detail::RnnCell;
using Lengths = std::vector<Index>;

constexpr Index kInputs = 3, kHidden = 5;

const std::vector<Lengths>& all_lengths() {
  static const std::vector<Lengths> all = {
      {4, 7, 0, 1, 6}, {5}, {3, 3, 3},
      {0, 0},          {},  {1, 0, 3, 2, 2, 3, 1, 0, 0, 3, 1, 2, 3, 3, 2, 1, 1, 2, 3, 0, 1, 2, 2}};
  return all;
}

struct Parameters {
  LstmState start;
  std::vector<RnnWeights> weights;

  Parameters(RnnCell cell, Index batch, DType dtype, Generator& draw) {
    const Index rows = kernels::parts_of(cell).gates * kHidden;
    const auto make = [&](const Shape& shape) {
      Tensor tensor = draw.uniform(shape, -0.9, 0.9, dtype);
      tensor.set_requires_grad();
      return tensor;
    };
    start.h = make({2, batch, kHidden});
    if (cell == RnnCell::lstm) start.c = make({2, batch, kHidden});
    for (int d = 0; d < 2; ++d) {
      weights.push_back({make({rows, kInputs}), make({rows, kHidden}), make({rows}), make({rows})});
    }
  }
  std::vector<Tensor> leaves() const {
    std::vector<Tensor> all = {start.h};
    if (start.c.defined()) all.push_back(start.c);
    for (const RnnWeights& w : weights) all.insert(all.end(), {w.w_ih, w.w_hh, w.b_ih, w.b_hh});
    return all;
  }
};

std::vector<Tensor> run(RnnCell cell, const Packed& x, const Parameters& from) {
  const auto both = [](const RnnResult& result) {
    return std::vector<Tensor>{result.output, result.h_n};
  };
  switch (cell) {
    case RnnCell::tanh: return both(rnn(x, from.start.h, from.weights));
    case RnnCell::relu: return both(rnn(x, from.start.h, from.weights, Nonlinearity::relu));
    case RnnCell::gru: return both(gru(x, from.start.h, from.weights));
    case RnnCell::lstm: break;
  }
  const LstmResult result = lstm(x, from.start, from.weights);
  return {result.output, result.h_n, result.c_n};
}

// Up to a part of the largest; one that is undefined, for want of any step, is zeros.
void expect_near(const Tensor& a, const Tensor& b, double tolerance) {
  if (!a.defined() && !b.defined()) return;
  const Tensor x = a.defined() ? a : b * 0, y = b.defined() ? b : a * 0;
  ASSERT_EQ(x.shape(), y.shape());
  if (x.numel() == 0) return;
  EXPECT_LE(amax(abs(x - y)).item(), tolerance * (1 + amax(abs(y)).item()));
}

class PackedRecurrent : public testing::TestWithParam<RnnCell> {};

INSTANTIATE_TEST_SUITE_P(Cells, PackedRecurrent,
                         testing::Values(RnnCell::tanh, RnnCell::relu, RnnCell::gru, RnnCell::lstm),
                         [](const auto& entry) -> std::string {
                           if (entry.param == RnnCell::relu) return "relu";
                           return detail::name_of(entry.param);
                         });

TEST_P(PackedRecurrent, GivesThePaddedBatchsBits) {
  const RnnCell cell = GetParam();
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Lengths& lengths : all_lengths()) {
      SCOPED_TRACE(testing::Message() << lengths.size() << " sequences");
      Generator draw(7);
      const auto B = static_cast<Index>(lengths.size());
      const Parameters from(cell, B, dtype, draw);
      Tensor padded = draw.normal({B, 11, kInputs}, 0, 1, dtype);
      Packed packed = pack(padded, lengths);
      padded.set_requires_grad();
      packed.tokens.set_requires_grad();
      std::vector<Tensor> expected =
          detail::recurrent(cell, padded, from.start, from.weights, {lengths});
      expected[0] = pack(expected[0], lengths).tokens;
      const std::vector<Tensor> found = run(cell, packed, from);
      ASSERT_EQ(found.size(), expected.size());
      std::vector<Tensor> cotangents;
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_TRUE(same_bits(found[i], expected[i])) << "result " << i;
        cotangents.push_back(draw.normal(found[i].shape(), 0, 1, dtype));
      }
      for (const bool create_graph : {false, true}) {
        const auto gradients = [&](const std::vector<Tensor>& outs, const Tensor& x) {
          std::vector<Tensor> leaves = from.leaves();
          leaves.push_back(x);
          return grad(outs, leaves, cotangents,
                      {.retain_graph = true, .create_graph = create_graph});
        };
        std::vector<Tensor> g = gradients(expected, padded);
        if (g.back().defined()) g.back() = pack(g.back(), lengths).tokens;
        const std::vector<Tensor> g_packed = gradients(found, packed.tokens);
        for (std::size_t i = 0; i < g.size(); ++i) {
          if (create_graph) {
            expect_near(g_packed[i], g[i], dtype == DType::f64 ? 1e-12 : 1e-4);
          } else {
            EXPECT_TRUE(same_bits(g_packed[i], g[i])) << "gradient " << i;
          }
        }
      }
    }
  }
}

TEST_P(PackedRecurrent, Gradcheck) {
  const RnnCell cell = GetParam();
  const Lengths lengths = {3, 0, 2};
  Generator draw(11);
  const Parameters from(cell, 3, DType::f64, draw);
  std::vector<Tensor> leaves = {draw.normal({5, kInputs}, 0, 1, DType::f64)};
  for (const Tensor& leaf : from.leaves()) leaves.push_back(leaf.detach());
  const TensorFunction function = [&](const std::vector<Tensor>& x) {
    Parameters at = from;
    std::size_t next = 1;
    at.start.h = x[next++];
    if (at.start.c.defined()) at.start.c = x[next++];
    for (RnnWeights& w : at.weights) {
      w = {x[next], x[next + 1], x[next + 2], x[next + 3]};
      next += 4;
    }
    return run(cell, {x[0], offsets_of(lengths)}, at);
  };
  const GradcheckReport first = gradcheck(function, leaves, {.max_elements = 20});
  EXPECT_TRUE(first) << first.text();
  const GradcheckReport second = gradgradcheck(function, leaves, {.max_elements = 8});
  EXPECT_TRUE(second) << second.text();
}

TEST_P(PackedRecurrent, SameBitsForAnyNumberOfThreads) {
  const RnnCell cell = GetParam();
  Lengths lengths;
  for (Index i = 0; i < 83; ++i) lengths.push_back(i * 13 % 30);
  const int before = num_threads();
  std::vector<Tensor> expected;
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    Generator draw(13);
    const Parameters from(cell, 83, DType::f32, draw);
    Tensor tokens = draw.normal({offsets_of(lengths).back(), kInputs}, 0, 1, DType::f32);
    tokens.set_requires_grad();
    std::vector<Tensor> found = run(cell, {tokens, offsets_of(lengths)}, from);
    const Tensor g = draw.normal(found[0].shape(), 0, 1, DType::f32);
    std::vector<Tensor> leaves = from.leaves();
    leaves.push_back(tokens);
    for (const Tensor& gradient : grad({found[0]}, leaves, {g})) found.push_back(gradient);
    if (threads == 1) expected = found;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(same_bits(found[i], expected[i])) << "result " << i << ", " << threads;
    }
  }
  set_num_threads(before);
}

TEST_P(PackedRecurrent, MakesNoPaddedBatch) {
  const RnnCell cell = GetParam();
  Lengths lengths(500, 1);
  lengths[17] = 4001;  // padded, the output alone had 80 MB
  Generator draw(19);
  const Parameters from(cell, 500, DType::f32, draw);
  Tensor tokens = draw.normal({4500, kInputs}, 0, 1, DType::f32);
  tokens.set_requires_grad();
  release_cached_memory();
  set_memory_limit(memory_stats().reserved_bytes + (16 << 20));
  try {
    const Tensor out = run(cell, {tokens, offsets_of(lengths)}, from)[0];
    grad({out}, {tokens, from.weights[0].w_ih}, {out.detach()});
  } catch (const OutOfMemory& error) {
    ADD_FAILURE() << error.what();
  }
  set_memory_limit(0);
}

TEST_P(PackedRecurrent, SaysWhatIsWrong) {
  const RnnCell cell = GetParam();
  const std::string op = detail::name_of(cell);
  Generator draw(17);
  const Parameters from(cell, 2, DType::f32, draw);
  const auto refuses = [&]<class E>(E*, const std::string& text, const Packed& x) {
    EXPECT_ERROR(E, op + ": " + text, run(cell, x, from));
  };
  const auto of = [](const Shape& shape, DType dtype = DType::f32) { return zeros(shape, dtype); };
  refuses(static_cast<ValueError*>(nullptr), "offsets must begin at 0; none came",
          {of({7, 3}), {}});
  refuses(static_cast<ValueError*>(nullptr), "offsets fall from 4 to 3 at 2",
          {of({3, 3}), {0, 4, 3}});
  refuses(static_cast<ShapeError*>(nullptr), "offsets end at 5, tokens are f32[7, 3]",
          {of({7, 3}), {0, 2, 5}});
  refuses(static_cast<ShapeError*>(nullptr), "tokens must be [N, I], not f32[7, 3, 2]",
          {of({7, 3, 2}), {0, 2, 7}});
  refuses(static_cast<ShapeError*>(nullptr),
          "h0 must be [2, 1, 5] for x f32[7, 3], not f32[2, 2, 5]", {of({7, 3}), {0, 7}});
  refuses(static_cast<DTypeError*>(nullptr), "takes f32 or f64, not i64",
          {of({7, 3}, DType::i64), {0, 2, 7}});
  refuses(static_cast<GradError*>(nullptr), "tokens is undefined", {Tensor(), {0, 2, 7}});
}

}  // namespace
}  // namespace heed
