// The recipes of docs/attention.md, run. The code between the marks stands there word for word; the
// last test compares.
#include <gtest/gtest.h>

#include "../../heed.h"
#include "../structure/shown_code.h"

namespace {

// [docs: block]
using namespace heed;

class Block : public nn::Module {
 public:
  Block(Index width, Index heads)
      : norm(child<nn::LayerNorm>("norm", Shape{width})),
        attend(child<attention::MultiHead>(
            "attend", attention::MultiHeadOptions{.width = width, .heads = heads})) {}
  nn::LayerNorm& norm;
  attention::MultiHead& attend;

  Tensor operator()(const Tensor& x, const attention::Mask& mask) const {
    const Scope scope(*this);
    return forwarded(x + attend(norm(x), {.mask = mask}).context);  // [B, T, E]
  }
};
// [end]

TEST(Recipes, SelfAttentionBlock) {
  const Block block(12, 3);
  const Tensor x = randn({2, 5, 12});
  // [docs: block_call]
  const Tensor y = block(x, attention::Mask::causal() & attention::Mask::lengths({5, 3}, 5));
  // [end]
  EXPECT_EQ(y.shape(), x.shape());
}

TEST(Recipes, CrossAttentionWithLengths) {
  const Tensor target = randn({2, 3, 12}), source = randn({2, 5, 8});
  // [docs: cross]
  // target [2, 3, 12] looks at source [2, 5, 8], whose second row has only 4 real places.
  const attention::MultiHead attend({.width = 12, .heads = 3, .key_width = 8, .value_width = 8});
  const auto real = attention::Mask::lengths({5, 4}, 5);
  const Tensor context = attend(target, source, source, {.mask = real}).context;  // [2, 3, 12]
  // [end]
  EXPECT_EQ(context.shape(), (Shape{2, 3, 12}));
}

TEST(Recipes, DecodingWithACache) {
  const attention::MultiHead attend({.width = 12, .heads = 3, .rotary = true});
  const Tensor prompt = randn({2, 4, 12});
  Tensor next = randn({2, 1, 12});
  // [docs: cache]
  const NoGrad off;
  attention::KeyValueCache cache;
  const auto causal = attention::Mask::causal();
  Tensor y = attend(prompt, {.mask = causal}, &cache).context;  // all of it at once
  for (int step = 0; step < 3; ++step) {
    y = attend(next, {.mask = causal}, &cache).context;  // [2, 1, 12], O(past) a step
    next = y;                                            // what your model makes of it
  }
  // [end]
  EXPECT_EQ(y.shape(), (Shape{2, 1, 12}));
  EXPECT_EQ(cache.length(), 7);
}

TEST(Recipes, Alibi) {
  const Tensor x = randn({2, 5, 12});
  const attention::MultiHead attend({.width = 12, .heads = 3});
  // [docs: alibi]
  const attention::Alibi alibi(3);  // heads
  const Tensor y = attend(x, {.mask = attention::Mask::causal(), .position_bias = &alibi}).context;
  // [end]
  EXPECT_EQ(y.shape(), x.shape());
}

TEST(Recipes, SlidingWindow) {
  const Tensor q = randn({2, 3, 9, 4}), k = randn({2, 3, 9, 4}), v = randn({2, 3, 9, 4});
  // [docs: window]
  // Each place sees itself and the 2 before: O(T window) time, O(T) memory.
  const Tensor context =
      attention::attend(q, k, v, {.mask = attention::Mask::window(2, 0)}).context;
  // [end]
  EXPECT_EQ(context.shape(), q.shape());
}

TEST(Recipes, GroupedQueries) {
  const Tensor x = randn({2, 5, 16});
  // [docs: grouped]
  // 4 heads of queries share 2 of keys and values (1: multi-query); positions are turned in.
  const attention::MultiHead attend({.width = 16, .heads = 4, .kv_heads = 2, .rotary = true});
  const Tensor y = attend(x, {.mask = attention::Mask::causal()}).context;
  // [end]
  EXPECT_EQ(y.shape(), x.shape());
}

TEST(Recipes, BahdanauDecoder) {
  const Tensor annotations = randn({2, 5, 8}), embedded = randn({2, 3, 6});
  const std::vector<Index> lengths = {5, 3};
  // [docs: bahdanau]
  const attention::Additive score(7, 8, 10);  // state, annotation, hidden
  nn::GRUCell cell(6 + 8, 7);
  const attention::Memory memory(score, annotations, annotations,  // the keys meet W2 once, here
                                 attention::Mask::lengths(lengths, 5));
  Tensor state = zeros({2, 7});
  for (Index t = 0; t < embedded.size(1); ++t) {
    const Tensor context = memory.step(state).context;  // [2, 8], from the state before
    state = cell(concat({select(embedded, 1, t), context}, -1), state);
  }
  // [end]
  EXPECT_EQ(state.shape(), (Shape{2, 7}));
}

TEST(Recipes, LuongLocal) {
  const Tensor source = randn({2, 50, 8}), states = randn({2, 3, 8});
  // [docs: local]
  const attention::Local local({.kind = attention::LocalKind::predictive,
                                .half_width = 10,
                                .score = std::make_shared<attention::General>(8, 8),
                                .query_width = 8});
  const auto memory = local.prepare(source, source, {50, 32});
  const Tensor step = narrow(states, 1, 0, 1);                         // h_t, [2, 1, 8]
  const Tensor context = local.attend_to(step, memory).context;        // [2, 1, 8], O(D)
  const Tensor all = local(states, source, source, {50, 32}).context;  // every h_t at once
  // [end]
  EXPECT_EQ(context.shape(), (Shape{2, 1, 8}));
  EXPECT_EQ(all.shape(), states.shape());
}

TEST(Recipes, SynthesizerMixture) {
  const Tensor x = randn({2, 5, 12});
  // [docs: synthesizer]
  using Kind = attention::SynthesizerKind;
  const attention::Synthesizer attend({.width = 12,
                                       .heads = 3,
                                       .max_length = 64,
                                       .kinds = {Kind::dot_product, Kind::factorised_random}});
  const Tensor y = attend(x, {.mask = attention::Mask::causal()}).context;
  const Tensor shares = softmax(attend.mixture, 0);  // how much of each there is
  // [end]
  EXPECT_EQ(y.shape(), x.shape());
  EXPECT_EQ(shares.shape(), (Shape{2}));
}

TEST(Recipes, SparseWeightsThatAreRead) {
  const Tensor query = randn({2, 3, 8}), keys = randn({2, 5, 8});
  // [docs: weights]
  const attention::Sparsemax sparsemax;
  const auto seen =
      attention::attend(query, keys, keys, {.normaliser = &sparsemax, .need_weights = true});
  const Tensor most = argmax(seen.weights, -1);  // [2, 3]: the key that each query looks at most
  std::puts(to_string(seen.weights).c_str());    // [2, 3, 5], most of them exactly 0
  // [end]
  EXPECT_EQ(most.shape(), (Shape{2, 3}));
}

TEST(Recipes, LookingWithoutWeights) {
  const Tensor x = randn({1, 2048, 16});
  // [docs: inspect]
  // 2,048 x 2,048 weights are never made, yet can be looked at.
  const auto seen = attention::attend(x, x, x, {.need_statistics = true});
  const Tensor last = seen.statistics.rows(Array::from(std::vector<Index>{2047}));  // [1, 1, 2048]
  const Tensor received = seen.statistics.received();    // [1, 2048]: each key's share of all looks
  const Tensor entropies = seen.statistics.entropies();  // [1, 2048]: how spread each query's are
  // [end]
  EXPECT_EQ(last.shape(), (Shape{1, 1, 2048}));
  EXPECT_EQ(received.shape(), entropies.shape());
}

// [docs: reader]
class Reader : public nn::Module {
 public:
  nn::GRU& words =
      child<nn::GRU>("words", nn::GRUOptions{.input = 8, .hidden = 5, .bidirectional = true});
  nn::GRU& sentences =
      child<nn::GRU>("sentences", nn::GRUOptions{.input = 10, .hidden = 5, .bidirectional = true});
  attention::Hierarchical& attend = child<attention::Hierarchical>(
      "attend",
      std::vector<attention::HierarchicalLevel>{
          {.width = 10, .encode = [this](auto& x, auto& n) { return words(x, n).output; }},
          {.width = 10, .encode = [this](auto& x, auto& n) { return sentences(x, n).output; }}});
};
// [end]

TEST(Recipes, HierarchyOfDocuments) {
  const Tensor embedded = randn({3, 7, 8});
  // [docs: reader_call]
  // Three sentences of 7, 2 and 4 words; the first two make one document, the third another.
  const Reader reader;
  const Tensor documents = reader.attend(embedded, {{7, 2, 4}, {2, 1}}).context;  // [2, 10]
  // [end]
  EXPECT_EQ(documents.shape(), (Shape{2, 10}));
}

TEST(Recipes, CoverageAndItsLoss) {
  const Tensor states = randn({2, 3, 6}), source = randn({2, 5, 8});
  // [docs: coverage]
  const attention::Coverage attend(6, 8, 10);
  const auto out = attend(states, source, source, attention::Mask::lengths({5, 3}, 5));
  const Tensor loss = mean(out.loss);  // added to the model's own, with a weight of 1 in the paper
  // [end]
  EXPECT_GT(loss.item(), 0);
}

TEST(Recipes, LookingAtAnImage) {
  const Tensor question = randn({2, 6}), features = randn({2, 8, 3, 5});
  // [docs: spatial]
  // features [2, 8, 3, 5] of a convolutional network, question [2, 6].
  const attention::Additive score(6, 8, 10);
  const auto seen = attention::grid_attention(score, question, features, {.need_weights = true});
  // seen.context [2, 8]; seen.weights [2, 3, 5]: where it looked
  // [end]
  EXPECT_EQ(seen.context.shape(), (Shape{2, 8}));
  EXPECT_EQ(seen.weights.shape(), (Shape{2, 3, 5}));
}

TEST(Recipes, ATransformerWithAlibi) {
  const Tensor x = randn({2, 7, 12});
  // [docs: stack_alibi]
  const attention::TransformerEncoder encoder(2, {.width = 12, .heads = 3, .hidden = 24});
  const attention::Alibi alibi(3);
  const attention::Terms terms{.mask = attention::Mask::causal(), .position_bias = &alibi};
  const Tensor y = encoder(x, terms).output;  // every layer gets the terms
  // [end]
  EXPECT_EQ(y.shape(), x.shape());
}

TEST(Recipes, ATransformerAsT5) {
  const Tensor x = randn({2, 7, 12});
  // [docs: stack_t5]
  attention::TransformerOptions options{.width = 12, .heads = 3, .hidden = 24, .pre_norm = true};
  options.norm = attention::Norm::rms;
  options.self_heads = [](attention::MultiHeadOptions heads, Index) {
    heads.scale = 1;  // T5 does not divide by sqrt(D)
    heads.bias = false;
    return heads;
  };
  const attention::TransformerEncoder encoder(2, options, true);
  const attention::T5Bias positions({.heads = 3});  // one table for all layers
  const Tensor y = encoder(x, {.position_bias = &positions}).output;
  // [end]
  EXPECT_EQ(y.shape(), x.shape());
}

TEST(Recipes, ATransformerWithShawsPositions) {
  const Tensor x = randn({2, 7, 12});
  // [docs: stack_shaw]
  attention::TransformerOptions options{.width = 12, .heads = 3, .hidden = 24};
  options.self_heads = [](attention::MultiHeadOptions heads, Index) {  // a table for each layer
    heads.relative = std::make_shared<attention::RelativePositions>(
        attention::RelativeOptions{.key_width = 4, .value_width = 4, .clip = 16});
    return heads;
  };
  const attention::TransformerEncoder encoder(2, options);
  const Tensor y = encoder(x).output;
  // [end]
  EXPECT_EQ(y.shape(), x.shape());
}

TEST(Recipes, ATransformerWithExperts) {
  const Tensor x = randn({2, 7, 12});
  // [docs: stack_experts]
  attention::TransformerOptions options{
      .width = 12, .heads = 3, .hidden = 24, .activation = attention::Activation::swiglu};
  options.experts = [](attention::MixtureOfExpertsOptions experts, Index layer) {
    experts.experts = layer % 2 == 0 ? 0 : 8;  // two of eight in every second layer
    return experts;
  };
  const attention::TransformerEncoder encoder(4, options);
  const attention::TransformerOutput out = encoder(x, {.mask = attention::Mask::causal()});
  const Tensor loss = sum(square(out.output)) + 0.01 * out.balance();  // of both such layers
  const std::vector<Index>& load = out.routed[0].load;  // tokens of each expert of the first
  // [end]
  EXPECT_EQ(loss.shape(), Shape{});
  EXPECT_EQ(out.routed.size(), 2U);
  EXPECT_EQ(load.size(), 8U);
}

TEST(Recipes, ATransformerWithEntmaxHeads) {
  const Tensor x = randn({2, 7, 12});
  // [docs: stack_entmax]
  attention::TransformerOptions options{.width = 12, .heads = 3, .hidden = 24};
  options.self_heads = [](attention::MultiHeadOptions heads, Index) {  // an alpha for each head
    heads.normaliser = std::make_shared<attention::Entmax>(
        attention::EntmaxOptions{.learned = true, .heads = heads.heads});
    return heads;
  };
  const attention::TransformerEncoder encoder(2, options);
  const auto [y, weights] = encoder(x, {.need_weights = true});  // weights: a tensor a layer
  // [end]
  EXPECT_EQ(y.shape(), x.shape());
  EXPECT_EQ(weights.size(), 2U);
}

TEST(Recipes, ARuleOfYourOwn) {
  using attention::Mask;
  const Tensor x = randn({2, 7, 12});
  const Tensor documents(Array::from<std::int64_t>({0, 0, 0, 1, 1, 1, 1}));
  const attention::TransformerEncoder encoder(1, {.width = 12, .heads = 3, .hidden = 24});
  // [docs: rule]
  // The last 128 places or the first four, within a document; the odd heads see all of it.
  const auto mask = attention::Mask::rule(
      [](auto q, auto k, auto, auto head, auto doc) {
        return k <= q && doc(q) == doc(k) && (q - k < 128 || k < 4 || head % 2 == 1);
      },
      documents);
  const Tensor y = encoder(x, {.mask = mask}).output;
  // [end]
  EXPECT_EQ(y.shape(), x.shape());
}

TEST(Recipes, ASoftCapThatIsLearned) {
  using attention::Mask;
  const Tensor x = randn({2, 7, 12}), slopes = rand({3});
  const attention::TransformerEncoder encoder(1, {.width = 12, .heads = 3, .hidden = 24});
  // [docs: soft_cap]
  Tensor cap = tensor({20.0}, {1}).set_requires_grad();  // learned
  const ScoreMap near = score_map([](auto s, auto at, auto m) { return s - m * abs(at.q - at.k); },
                                  slopes);  // [H], one a head
  const ScoreMap soft = score_map([](auto s, auto, auto c) { return c * tanh(s / c); }, cap);
  const Tensor y = encoder(x, {.mask = attention::Mask::causal(), .map = soft.then(near)}).output;
  // [end]
  sum(y * y).backward();
  EXPECT_NE(cap.grad().item(), 0);
}

TEST(Recipes, APackedBatchOfDocuments) {
  const Tensor padded = randn({3, 7, 12});
  // [docs: packed]
  const Packed batch = pack(padded, {5, 2, 7});  // tokens [14, 12]
  const attention::TransformerEncoder encoder(2, {.width = 12, .heads = 3, .hidden = 24});
  const Packed states{encoder(batch, {.mask = attention::Mask::causal()}).output, batch.offsets};
  const Tensor y = unpack(states);  // [3, 7, 12], zeros behind the ends
  // [end]
  EXPECT_EQ(y.shape(), padded.shape());
}

TEST(Recipes, LinearTimeWithAState) {
  const Tensor x = randn({2, 70, 12}), token = randn({2, 1, 12});
  // [docs: linear]
  const attention::GatedDeltaNet attend({.width = 12, .heads = 3});
  const auto causal = attention::Mask::causal();
  const Tensor y = attend(x, {.mask = causal}).context;  // in chunks: O(T)
  const NoGrad off;
  attention::KeyValueCache cache;  // holds the state, of one size for ever
  attend(x, {.mask = causal}, &cache);
  const Tensor next = attend(token, {.mask = causal}, &cache).context;  // [2, 1, 12]
  // [end]
  EXPECT_EQ(y.shape(), x.shape());
  EXPECT_EQ(next.shape(), token.shape());
}

TEST(Recipes, TheGuideShowsTheseVeryLines) {
  expect_shown("tests/attention/recipes_test.cpp", "docs/attention.md", 80);
}

}  // namespace
