// What is traced takes other ways: definitions in the place of tiles and of kernels, operators on
// places in the place of loops. The numbers must be those that everybody else gets.
#include "../../../core/traced.h"

#include <gtest/gtest.h>

#include "../../../attention/attention.h"
#include "../../../autograd/autograd.h"
#include "../../../core/generator.h"
#include "../../../nn/init.h"
#include "../../../nn/positional_encoding.h"
#include "../../support/numbers.h"
#include "mechanisms.h"

namespace heed::attention {
namespace {

class Listener final : public Tracer {
 public:
  void computed(const Call&) override { take_said(); }
  std::uint32_t called(const Call&) override {
    take_said();
    return 0;
  }
};

// What `f` gives, and what it gives while it is traced.
template <class F>
void expect_same(const F& f, double tolerance = 1e-12) {
  const NoGrad scope;
  const Tensor wanted = f();
  Listener listener;
  Tensor traced;
  {
    const Tracer::Installed installed(listener);
    traced = f();
  }
  ASSERT_EQ(traced.shape(), wanted.shape());
  ASSERT_EQ(traced.dtype(), wanted.dtype());
  if (wanted.dtype() == DType::boolean) {
    EXPECT_TRUE(traced.equal(wanted));
  } else {
    EXPECT_TRUE(traced.allclose(wanted, tolerance, tolerance));
  }
}

class TracedMechanism : public testing::TestWithParam<std::string> {};

TEST_P(TracedMechanism, GivesTheSame) {
  const Mechanism made = mechanism(GetParam());
  made.module().eval();
  Generator generator(3);
  const Tensor query = randn({2, 3, kE}, DType::f64, generator);
  const Tensor keys = randn({2, kK, kE}, DType::f64, generator);
  for (const bool weights : {false, true}) {
    expect_same(
        [&] {
          const Attended seen = made.call(made.self ? keys : query, keys, {4, kK}, weights);
          return weights && seen.weights.defined() ? seen.weights : seen.context;
        },
        1e-9);
  }
  if (made.causal) expect_same([&] { return made.causal(keys); }, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(, TracedMechanism, testing::ValuesIn(kMechanisms),
                         [](const auto& each) { return each.param; });

TEST(TracedMask, EveryKindIsTheSameBlock) {
  const Tensor documents = tensor({{0, 0, 1, 1, 1, 2, 2}, {0, 1, 1, 1, 1, 1, 2}});
  const Tensor layout = tensor({{true, false, true}, {false, true, false}, {true, true, true}});
  const std::vector<Mask> all = {
      Mask::causal(),
      Mask::window(2, 1),
      Mask::window(2, 0),
      Mask::block(3),
      Mask::lengths({4, 7}, 7),
      Mask::causal() & Mask::lengths({4, 7}, 7) & Mask::block(2),
      Mask::causal() | Mask::window(0, 2),
      !Mask::window(1, 1),
      Mask::key_padding(randn({2, 7}) > 0.0) | Mask::causal(),
      masks::prefix_lm(3),
      masks::prefix_lm(tensor({1, 4})),
      masks::documents(documents),
      masks::global_tokens(2),
      masks::dilated(2, 2),
      masks::strided(3),
      masks::window_with_sinks(2, 1),
      masks::neighbourhood(3, 1),
      masks::block_sparse(layout, 3),
      masks::wait_k({.wait = 2, .first = 1}),
      masks::wait_k({.wait = 3, .catch_up = 2}),
      Mask::rule([](auto q, auto k, auto batch, auto head) {
        return max(q, k) - min(q, k) != head + batch && !(abs(q - k) == 5) && (q * 2 - -k) % 4 < 3;
      }),
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    const Shape scores{2, 3, 5, 7};
    expect_same([&] { return expand(all[i].tensor(scores), scores); });
  }
}

TEST(TracedMask, RowsAndGroupsAreTheSame) {
  const Mask ragged = masks::prefix_lm(tensor({1, 4, 2}));
  const Shape rows{2, 3, 5, 7};
  expect_same([&] { return expand(ragged.select_rows(tensor({2, 0})).tensor(rows), rows); });
  const Shape whole{2, 6, 5, 7}, grouped{2, 2, 3, 5, 7};
  const Mask by_head = Mask(randn({6, 5, 7}) > 0.0) |
                       Mask::rule([](auto q, auto k, auto, auto head) { return q == k + head; });
  expect_same([&] { return expand(by_head.with_rest(Tensor(), whole).tensor(grouped), grouped); });
}

TEST(TracedMask, RefusesWhatIsOfOneSize) {
  Listener listener;
  const auto refused = [&](const Mask& mask) {
    try {
      const Tracer::Installed installed(listener);
      mask.tensor({2, 5, 7});
    } catch (const ValueError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(Mask::rule([](Index q, Index k) { return k < q; })),
            "mask: a rule of single places cannot be followed for any number of them: write its "
            "lambda of (auto q, auto k, ..)");
  EXPECT_EQ(refused(Mask::segments({0, 3, 7})),
            "mask: segments cannot be followed: they are those of one batch");
}

TEST(TracedPositions, AreTheSame) {
  Generator generator(5);
  const Tensor x = randn({2, 3, 7, 6}, DType::f64, generator);
  expect_same([&] { return rotary(x, 2); });
  expect_same(
      [&] { return rotary(x, RotaryOptions{.layout = RotaryLayout::halves, .width = 4}, 1); });
  expect_same([&] { return rotary(x, tensor({{0, 2, 4, 6, 1, 3, 5}, {6, 5, 4, 3, 2, 1, 0}})); });
  expect_same([&] { return nn::sinusoidal_positions(11, 7, 3, DType::f64); });
  RelativePositions relative({.key_width = 6, .value_width = 5, .clip = 2, .dtype = DType::f64});
  expect_same([&] { return relative.scores(x, 9, 0.5); });
  expect_same([&] { return relative.context(x); });
  T5Bias bias({.heads = 3, .buckets = 8, .max_distance = 6, .dtype = DType::f64});
  nn::normal_(bias.weight, 0, 1);
  expect_same([&] { return bias.at(7, 11, 4); });
  expect_same([&] { return tril(x, 1) + triu(x, -2); });
}

// Every way to longer contexts, and places so far out that an angle has no digits left in f32.
TEST(TracedPositions, TurnAsFarOutAndInLongerContexts) {
  using enum RotaryScalingKind;
  Generator generator(9);
  const Tensor x = randn({2, 7, 6}, DType::f64, generator);
  const Tensor places = tensor({{3, 1, 4, 15, 9, 2, 6}, {11, 12, 13, 14, 15, 16, 17}});
  for (const RotaryScaling& scaling :
       {RotaryScaling{.kind = linear, .factor = 3}, RotaryScaling{.kind = ntk, .factor = 3},
        RotaryScaling{.kind = dynamic_ntk, .factor = 3, .original_length = 5},
        RotaryScaling{.kind = dynamic_ntk, .factor = 3, .original_length = 50},
        RotaryScaling{.kind = yarn, .factor = 3, .original_length = 64, .beta_fast = 4},
        RotaryScaling{.kind = llama3, .factor = 3, .original_length = 64}}) {
    for (const Index width : {0, 2, 4}) {
      const RotaryOptions options{.base = 100, .width = width, .scaling = scaling};
      expect_same([&] { return rotary(x, options, 2); });
      expect_same([&] { return rotary(x, places, options); });
    }
  }
  const Tensor single = heed::to(x, DType::f32);
  expect_same([&] { return rotary(single, 1'000'003); }, 2e-6);
  expect_same([&] { return rotary(single, RotaryOptions{.layout = RotaryLayout::halves}, 31); },
              2e-6);
}

TEST(TracedGlimpse, IsTheSame) {
  Generator generator(7);
  const Tensor images = rand({2, 3, 11, 13}, DType::f64, generator);
  const Tensor centres = randn({2, 5, 2}, DType::f64, generator) * 0.7;
  for (const Index scales : {1, 3}) {
    expect_same([&] { return glimpse_sensor(images, centres, 3, scales); });
  }
  expect_same([&] { return glimpse_sensor(images, select(centres, 1, 0), 4, 2); });
}

// Fewer keys than a score reaches, as many, and more.
TEST(TracedScores, OfPlacesAreTheSame) {
  Generator generator(11);
  const LocationBased score(3, 5, DType::f64);
  const Tensor query = randn({2, 4, 3}, DType::f64, generator);
  for (const Index K : {3, 5, 7}) {
    const Tensor keys = randn({2, K, 3}, DType::f64, generator);
    expect_same([&] { return score.prepare(keys); });
    expect_same([&] { return attend(score, query, keys, keys).context; });
  }
}

TEST(TracedDecoders, AreTheSame) {
  manual_seed(13);
  Generator generator(13);
  const Tensor h = randn({2, 4, 3}, DType::f64, generator);
  const Tensor source = randn({2, 5, 3}, DType::f64, generator);
  for (const bool scale : {false, true}) {
    const MultiStepAttention steps(3, 3, scale, DType::f64);
    for (const std::vector<Index>& lengths : {std::vector<Index>{}, {5, 2}}) {
      expect_same([&] {
        return steps(h, h * 2, MultiStepAttention::memory(source, source, lengths)).context;
      });
    }
  }
  const Tensor alignment = softmax(randn({2, 4, 5}, DType::f64, generator), -1);
  const Tensor u = randn({2, 4, 5}, DType::f64, generator);
  expect_same([&] { return infinite_lookback(alignment, u); });
  expect_same([&] { return infinite_lookback(alignment, u, arange(5) < 3); });
  for (const LocalKind kind : {LocalKind::monotonic, LocalKind::predictive}) {
    for (const Index half_width : {1, 2, 9}) {
      const Local local(
          {.kind = kind, .half_width = half_width, .query_width = 3, .dtype = DType::f64});
      for (const std::vector<Index>& lengths : {std::vector<Index>{}, {5, 2}}) {
        expect_same([&] {
          return local(h, source, source, lengths, {.terms = {.need_weights = true}}).weights;
        });
      }
    }
  }
}

TEST(TracedMemoryNetwork, IsTheSame) {
  for (const auto encoding :
       {PositionEncoding::none, PositionEncoding::published, PositionEncoding::centred}) {
    for (const bool empty : {false, true}) {
      for (const auto tying : {MemoryTying::adjacent, MemoryTying::layer_wise}) {
        MemoryNetwork network({.vocabulary = 11,
                               .width = 5,
                               .hops = 2,
                               .slots = 6,
                               .tying = tying,
                               .position_encoding = encoding,
                               .empty_memories = empty,
                               .dtype = DType::f64});
        network.eval();
        const Tensor story = randint(-1, 11, {3, 4, 5}), question = randint(-1, 11, {3, 2});
        expect_same([&] { return network(story, question, {4, 1, 3}).logits; }, 1e-9);
        expect_same([&] { return network(story, question).logits; }, 1e-9);
        expect_same([&] { return network(story, question, {4, 1, 3}, true).weights[1]; }, 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace heed::attention
