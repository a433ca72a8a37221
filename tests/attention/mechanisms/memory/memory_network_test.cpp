#include "../../../../attention/mechanisms/memory/memory_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

using testing::Each;

constexpr Index kB = 2, kN = 4, kJ = 5, kL = 3, kV = 11, kD = 7, kHops = 3, kSlots = 3;
const std::vector<Index> kSentences = {kN, 2};

// Words, of which some are missing; one sentence has none.
const std::vector<Index> kStory = {3,  1,  4,  -1, -1, 1,  5, 9, 2, 6, 10, -1, -1, -1,
                                   -1, -1, -1, -1, -1, -1, 7, 7, 8, 0, -1, 2,  -1, 3,
                                   -1, 4,  9,  9,  9,  9,  9, 1, 1, 1, 1,  1};
const std::vector<Index> kQuestion = {3, 8, -1, 10, 0, 5};

Tensor story() { return Tensor(Array::from(kStory, {kB, kN, kJ})); }
Tensor question() { return Tensor(Array::from(kQuestion, {kB, kL})); }

MemoryNetworkOptions options(MemoryTying tying, PositionEncoding positions, Index slots) {
  return {.vocabulary = kV,
          .width = kD,
          .hops = kHops,
          .slots = slots,
          .tying = tying,
          .position_encoding = positions,
          .noise = 0,
          .dtype = DType::f64};
}

double encoding(PositionEncoding positions, double j, double k, double J, double d) {
  if (positions == PositionEncoding::none) return 1;
  if (positions == PositionEncoding::published) return (1 - j / J) - k / d * (1 - 2 * j / J);
  return 1 + 4 * (k - (d + 1) / 2) * (j - (J + 1) / 2) / (d * J);
}

// sum_j l_j o table[x_j], word by word.
Numbers encoded(const Numbers& table, const Index* words, Index count, PositionEncoding positions) {
  double J = 0;
  for (Index t = 0; t < count; ++t) J += words[t] >= 0 ? 1 : 0;
  Numbers out(kD, 0.0);
  double j = 0;
  for (Index t = 0; t < count; ++t) {
    if (words[t] < 0) continue;
    ++j;
    for (Index k = 1; k <= kD; ++k) {
      const double l = encoding(positions, j, static_cast<double>(k), J, kD);
      at(out, k - 1) += l * at(table, words[t] * kD + k - 1);
    }
  }
  return out;
}

struct Plain {
  Numbers logits;
  std::vector<Numbers> weights = std::vector<Numbers>(kHops);
};

Plain plain(const MemoryNetwork& network, const MemoryNetworkOptions& o, bool linear) {
  const bool adjacent = o.tying == MemoryTying::adjacent;
  const auto table = [&](Index i) { return numbers(select(network.words, 0, i)); };
  Plain out;
  for (Index b = 0; b < kB; ++b) {
    const Index* asked = kQuestion.data() + b * kL;
    Numbers u =
        encoded(adjacent ? table(0) : numbers(network.asking), asked, kL, o.position_encoding);
    for (Index hop = 0; hop < kHops; ++hop) {
      const Index first = adjacent ? hop : 0;
      const Index count = kSentences[static_cast<std::size_t>(b)];
      std::vector<Numbers> m, c;
      for (Index i = 0; i < count; ++i) {
        const Index* words = kStory.data() + (b * kN + i) * kJ;
        m.push_back(encoded(table(first), words, kJ, o.position_encoding));
        c.push_back(encoded(table(first + 1), words, kJ, o.position_encoding));
        if (o.slots == 0) continue;
        const Index age = std::min(count - 1 - i, o.slots - 1);
        for (Index k = 0; k < kD; ++k) {
          at(m.back(), k) += at(numbers(select(network.times, 0, first)), age * kD + k);
          at(c.back(), k) += at(numbers(select(network.times, 0, first + 1)), age * kD + k);
        }
      }
      Numbers p(kN, 0.0);
      double total = 0;
      for (Index i = 0; i < count; ++i) {
        double score = 0;
        for (Index k = 0; k < kD; ++k) score += at(u, k) * at(m[static_cast<std::size_t>(i)], k);
        at(p, i) = linear ? score : std::exp(score);
        total += at(p, i);
      }
      if (o.empty_memories) total += std::max(0.0, static_cast<double>(o.slots - count));
      Numbers next(kD, 0.0);
      for (Index k = 0; k < kD; ++k) {
        if (adjacent) at(next, k) = at(u, k);
        for (Index l = 0; l < kD && !adjacent; ++l) {
          at(next, k) += at(numbers(network.turn), k * kD + l) * at(u, l);
        }
      }
      for (Index i = 0; i < count; ++i) {
        if (!linear) at(p, i) /= total;
        for (Index k = 0; k < kD; ++k)
          at(next, k) += at(p, i) * at(c[static_cast<std::size_t>(i)], k);
      }
      u = next;
      auto& seen = out.weights[static_cast<std::size_t>(hop)];
      seen.insert(seen.end(), p.begin(), p.end());
    }
    const Numbers w = adjacent ? table(kHops) : numbers(network.answer);
    for (Index v = 0; v < kV; ++v) {
      double score = 0;
      for (Index k = 0; k < kD; ++k) score += at(w, v * kD + k) * at(u, k);
      out.logits.push_back(score);
    }
  }
  return out;
}

void expect_definition(const MemoryNetworkOptions& o, bool linear) {
  manual_seed(5);
  MemoryNetwork network(o);
  for (const Tensor& p : network.parameters()) nn::normal_(p, 0, 0.4);
  network.set_linear(linear);
  const Plain expected = plain(network, o, linear);
  const MemoryNetworkOutput out = network(story(), question(), kSentences, true);
  EXPECT_THAT(numbers(out.logits), near(expected.logits, 1e-10));
  for (std::size_t hop = 0; hop < kHops; ++hop) {
    EXPECT_THAT(numbers(out.weights[hop]), near(expected.weights[hop], 1e-10));
  }
  const MemoryNetworkOutput alone = network(story(), question(), kSentences);
  EXPECT_TRUE(alone.weights.empty());
  EXPECT_THAT(numbers(alone.logits), near(expected.logits, 1e-10));
}

constexpr auto kEncodings = {PositionEncoding::none, PositionEncoding::published,
                             PositionEncoding::centred};

TEST(MemoryNetwork, IsTheDefinition) {
  for (const auto tying : {MemoryTying::adjacent, MemoryTying::layer_wise}) {
    for (const auto positions : kEncodings) {
      for (const Index slots : {Index{0}, kSlots}) {
        for (const bool linear : {false, true}) {
          expect_definition(options(tying, positions, slots), linear);
        }
      }
    }
  }
}

// Fewer slots than sentences, some for one story alone, more than for any.
TEST(MemoryNetwork, EmptyMemoriesTakeTheirShare) {
  for (const auto tying : {MemoryTying::adjacent, MemoryTying::layer_wise}) {
    for (const Index slots : {Index{1}, kSlots, Index{7}}) {
      for (const bool linear : {false, true}) {
        auto o = options(tying, PositionEncoding::centred, slots);
        o.empty_memories = true;
        expect_definition(o, linear);
      }
    }
  }
}

TEST(MemoryNetwork, TheCentredEncodingIsOneOnAverage) {
  MemoryNetwork network(options(MemoryTying::adjacent, PositionEncoding::centred, 0));
  for (const Tensor& p : network.parameters()) nn::constant_(p, 1);
  const Tensor none(Array::from(std::vector<Index>{}, {1, 0, kJ}));
  const Tensor asked(Array::from(std::vector<Index>{1, 1, 2, 3, 4}, {1, 5}));
  EXPECT_THAT(numbers(network(none, asked).logits), Each(testing::DoubleNear(5 * kD, 1e-12)));
}

TEST(MemoryNetwork, HasGradientsOfFirstAndSecondOrder) {
  for (const auto tying : {MemoryTying::adjacent, MemoryTying::layer_wise}) {
    for (const bool linear : {false, true}) {
      manual_seed(7);
      const bool adjacent = tying == MemoryTying::adjacent;
      auto o = options(tying, adjacent ? PositionEncoding::published : PositionEncoding::centred,
                       adjacent ? kSlots : kN + 2);
      o.empty_memories = !adjacent;
      MemoryNetwork network(o);
      for (const Tensor& p : network.parameters()) nn::normal_(p, 0, 0.4);
      network.set_linear(linear);
      const auto answer = [&] { return network(story(), question(), kSentences).logits; };
      const auto first = nn::gradcheck(network, answer);
      EXPECT_TRUE(first) << first.text();
      const auto second = nn::gradgradcheck(network, answer, {.step = 1e-4, .max_elements = 6});
      EXPECT_TRUE(second) << second.text();
    }
  }
}

TEST(MemoryNetwork, APaddedBatchEqualsEachStoryAlone) {
  for (const bool empties : {false, true}) {
    auto o = options(MemoryTying::adjacent, PositionEncoding::published, kSlots);
    o.empty_memories = empties;
    const MemoryNetwork network(o);
    const Numbers all = numbers(network(story(), question(), kSentences).logits);
    for (Index b = 0; b < kB; ++b) {
      const Index count = kSentences[static_cast<std::size_t>(b)];
      const Tensor own = narrow(narrow(story(), 0, b, 1), 1, 0, count);
      const Numbers alone = numbers(network(own, narrow(question(), 0, b, 1)).logits);
      for (Index v = 0; v < kV; ++v) EXPECT_NEAR(at(alone, v), at(all, b * kV + v), 1e-12);
    }
  }
}

TEST(MemoryNetwork, WhatIsBeyondTheSentencesChangesNoBit) {
  MemoryNetwork network(options(MemoryTying::adjacent, PositionEncoding::published, kSlots));
  const auto run = [&](Index beyond) {
    auto words = kStory;
    std::fill(words.end() - 2 * kJ, words.end(), beyond);
    const Tensor logits =
        network(Tensor(Array::from(words, {kB, kN, kJ})), question(), kSentences).logits;
    std::vector<Numbers> bits = {numbers(logits)};
    for (const Tensor& g : grad({sum(logits * logits)}, network.parameters())) {
      bits.push_back(numbers(g));
    }
    return bits;
  };
  EXPECT_EQ(run(-1), run(6));
  EXPECT_EQ(run(-1), run(1000000));
}

TEST(MemoryNetwork, AStoryWithoutASentenceLeavesTheQuestion) {
  for (const bool empties : {false, true}) {
    auto o = options(MemoryTying::adjacent, PositionEncoding::published, kSlots);
    o.empty_memories = empties;
    MemoryNetwork network(o);
    for (const bool linear : {false, true}) {
      network.set_linear(linear);
      const MemoryNetworkOutput out = network(story(), question(), {kN, 0}, true);
      const Tensor none(Array::from(std::vector<Index>{}, {1, 0, kJ}));
      const MemoryNetworkOutput alone = network(none, narrow(question(), 0, 1, 1), {}, true);
      EXPECT_EQ(alone.weights[0].shape(), (Shape{1, 0}));
      const Tensor empty = select(out.logits, 0, 1);
      EXPECT_THAT(numbers(empty), near(alone.logits));
      EXPECT_THAT(numbers(select(out.weights[2], 0, 1)), Each(0));
      EXPECT_THAT(numbers(grad({sum(empty)}, {network.times})[0]), Each(0));
    }
  }
}

// Empty memories only make sentences older, in their order, in training alone.
TEST(MemoryNetwork, NoiseMakesSentencesOlder) {
  auto o = options(MemoryTying::adjacent, PositionEncoding::published, 10);
  o.noise = 1;
  MemoryNetwork network(o);
  Generator a(3), b(3), other(4);
  const auto run = [&](Generator* generator) {
    return numbers(network(story(), question(), kSentences, false, generator).logits);
  };
  const auto first = run(&a);
  EXPECT_EQ(first, run(&b));
  bool differs = false;
  for (int i = 0; i < 5; ++i) differs = differs || run(&other) != first;
  EXPECT_TRUE(differs);
  network.eval();
  EXPECT_EQ(run(&a), run(&other));
}

TEST(MemoryNetwork, SaysWhatIsWrong) {
  EXPECT_ERROR(
      ValueError,
      "MemoryNetwork: vocabulary 5, width 20 and hops 0 must be positive, slots 50 not negative",
      MemoryNetwork({.vocabulary = 5, .hops = 0}));
  EXPECT_ERROR(ValueError, "MemoryNetwork: a noise of 2 is not in [0, 1]",
               MemoryNetwork({.vocabulary = 5, .noise = 2}));
  EXPECT_ERROR(ValueError, "MemoryNetwork: without slots there are no empty memories",
               MemoryNetwork({.vocabulary = 5, .slots = 0, .empty_memories = true}));
  const MemoryNetwork network(options(MemoryTying::adjacent, PositionEncoding::published, kSlots));
  const Tensor wrong(Array::from(std::vector<Index>{0, kV, 1, -2, 1, 1}, {kB, kL}));
  EXPECT_ERROR(IndexError, "MemoryNetwork: word 11 of the question is not in [0, 11)",
               network(story(), wrong));
  EXPECT_ERROR(ShapeError, "MemoryNetwork: story must be [B, N, J], not i64[2, 3]",
               network(question(), question()));
  EXPECT_ERROR(DTypeError, "MemoryNetwork: story must be i64, not f32[2, 4, 5]",
               network(zeros({kB, kN, kJ}), question()));
  EXPECT_ERROR(ShapeError, "MemoryNetwork: 1 stories and 2 questions",
               network(narrow(story(), 0, 0, 1), question()));
  EXPECT_ERROR(ShapeError, "MemoryNetwork: 1 numbers of sentences for 2 stories",
               network(story(), question(), {1}));
  EXPECT_ERROR(ShapeError, "MemoryNetwork: mask: length 5 of row 1 is not in [0, 4]",
               network(story(), question(), {1, kN + 1}));
  EXPECT_ERROR(GradError, "MemoryNetwork: question is undefined", network(story(), Tensor()));
}

}  // namespace
}  // namespace heed::attention
