// How the parameters of scores, positions and mechanisms begin.
#include "beginnings.h"

#include "../../attention/attention.h"
#include "../../autograd/ops/shape/shape.h"

namespace heed::attention {
namespace {

// A Linear's weight of [out, in], as Glorot & Bengio would have it.
double glorot(Index in, Index out) { return std::sqrt(6 / static_cast<double>(in + out)); }
double root(Index n) { return std::sqrt(static_cast<double>(n)); }

class Beginnings : public testing::Test {
 protected:
  void SetUp() override { manual_seed(11); }
};

TEST_F(Beginnings, OfScores) {
  expect_even(Additive(3, 5, 397).score_vector, 1 / root(397));
  expect_even(General(101, 7).weight, 1 / root(7));
  expect_even(LocationBased(7, 101).weight, 1 / root(7));
  expect_even(LocationAware({.query_width = 3, .key_width = 5, .hidden = 397}).score_vector,
              1 / root(397));
  expect_even(MonotonicEnergy({.query_width = 3, .key_width = 5, .hidden = 397}).score_vector,
              1 / root(397));
  const CoverageScore coverage(3, 5, 397);
  expect_even(coverage.score_vector, 1 / root(397));
  expect_even(coverage.coverage_vector, 1 / root(397));
  expect_even(Trilinear(131).weight, 1 / root(3 * 131));
  expect_even(DynamicGraphScore(5, 101, 0.2, DType::f32).score_vector, glorot(1, 101));
  const StaticGraphScore graph(5, 101, 0.2, DType::f32);
  expect_even(graph.target_vector, glorot(1, 101));
  expect_even(graph.source_vector, glorot(1, 101));
}

TEST_F(Beginnings, OfPositions) {
  expect_normal(LearnedPositions(23, 29).weight, 0.02);
  const RelativePositions relative({.key_width = 29, .value_width = 31});
  expect_normal(relative.keys, 0.02);
  expect_normal(relative.values, 0.02);
}

TEST_F(Beginnings, OfDecoders) {
  expect_even(PointerNetwork({.input_width = 397, .key_width = 3, .state_width = 7}).first_input,
              1 / root(7));
  expect_even(
      Local({.kind = LocalKind::predictive, .query_width = 3, .hidden = 397}).position_vector,
      1 / root(397));
  expect_normal(SubsetPointer(397, 5).end, 0.1);
}

TEST_F(Beginnings, OfGraphs) {
  const GraphAttention graph({.input = 19, .head_width = 7, .heads = 5});
  expect_even(graph.source_projection.weight, glorot(19, 35));
  expect_even(graph.target_projection->weight, glorot(19, 35));
}

TEST_F(Beginnings, OfLinearMechanisms) {
  expect_normal(Luna(20, 2, 23).places, 1);
  expect_normal(LunaCausal({.width = 20, .heads = 2}, 23).places, 1);
  const Fastformer fast(400, 2);
  expect_normal(fast.query_vector, 1);
  expect_normal(fast.key_vector, 1);
  const Linformer low({.width = 4, .max_length = 101, .rank = 7});
  expect_normal(low.key_rows, 1 / root(7));
  expect_normal(low.value_rows, 1 / root(7));
  expect_even(ShortConvolution(131, 3, DType::f32).weight, 1 / root(3));
  const AttentionFreeFull full({.width = 4, .max_length = 101, .rank = 7});
  expect_normal(full.query_factors, 0.1);
  expect_normal(full.key_factors, 0.1);
  const RWKV6 rwkv({.width = 20, .heads = 2}, 23);
  expect_even(rwkv.r_mix.up.weight, 0.01);
  EXPECT_EQ(moments(rwkv.r_mix.mu).least, 0.5);
  EXPECT_EQ(moments(rwkv.r_mix.mu).most, 0.5);
  EXPECT_EQ(moments(rwkv.mu_x).least, 0.5);
  EXPECT_EQ(moments(rwkv.mu_x).most, 0.5);
  EXPECT_EQ(moments(rwkv.bonus).least, 0.5);
  EXPECT_EQ(moments(rwkv.bonus).most, 0.5);
  const Numbers decay = rwkv.decay.mu.array().to(DType::f64).to_vector<double>();
  for (std::size_t i = 0; i < decay.size(); ++i) {
    EXPECT_NEAR(decay[i], -6 + 5 * static_cast<double>(i) / 19, 1e-5);
  }
}

// Rates of 1 to 16 a step, and steps that are 0.001 to 0.1 long, evenly by their logarithms.
TEST_F(Beginnings, OfRatesOfForgetting) {
  const LinearOptions options{.width = 2, .heads = 397, .head_width = 2, .value_head_width = 2};
  const StateSpaceDuality duality(options);
  const GatedDeltaNet gated(options);
  for (const Tensor& rates : {duality.A_log, gated.A_log}) expect_even(exp(rates) - 8.5, 7.5);
  const double low = std::log(0.001), high = std::log(0.1);
  for (const Tensor& biases : {duality.dt_proj.bias, gated.alpha_proj.bias}) {
    const Tensor steps = log(exp(heed::to(biases.detach(), DType::f64)) + 1);
    expect_even(log(steps) - (low + high) / 2, (high - low) / 2 + 1e-3);
  }
  EXPECT_EQ(moments(duality.D).least, 1);
  EXPECT_EQ(moments(duality.D).most, 1);
}

TEST_F(Beginnings, OfScoresFromNoPairs) {
  const auto part = [](SynthesizerKind kind, const std::string& name) {
    const Synthesizer made({.width = 14, .heads = 2, .max_length = 36, .kinds = {kind}, .rank = 5});
    for (const auto& [own, tensor] : made.named_parameters()) {
      if (own == "scores.0." + name) return tensor;
    }
    return Tensor();
  };
  expect_even(part(SynthesizerKind::dense, "row.weight"), 1 / root(7));
  const Tensor hidden = part(SynthesizerKind::dense, "row.bias");  // 72 numbers
  EXPECT_LE(moments(hidden).most, 1 / root(7));
  EXPECT_GT(moments(hidden).most, 0.8 / root(7));
  EXPECT_LT(moments(hidden).least, -0.8 / root(7));
  // The product of both has about the variance of one that is drawn whole.
  expect_normal(part(SynthesizerKind::random, "weight"), 1);
  expect_normal(part(SynthesizerKind::factorised_random, "left"), std::pow(5, -0.25));
  expect_normal(part(SynthesizerKind::factorised_random, "right"), std::pow(5, -0.25));
}

TEST_F(Beginnings, OfMemories) {
  expect_even(LSTMNCell({.input = 3, .hidden = 5, .attention = 397}).score_vector, 1 / root(397));
  expect_even(DynamicMemory({.width = 3, .hidden = 397}).score_vector, 1 / root(397));
  for (const auto& [name, weight] :
       MemoryNetwork({.vocabulary = 41, .width = 11}).named_parameters()) {
    SCOPED_TRACE(name);
    expect_normal(weight, 0.1);
  }
  const MemoryStream stream({.width = 20, .span = 17});
  expect_normal(stream.turn.weight, 0.05);
  expect_normal(stream.places.keys, 0.05);
  expect_normal(stream.places.values, 0.05);
  expect_normal(PointerSentinel(397, 5).sentinel, 1 / root(397));
  EXPECT_EQ(moments(CGRU({.width = 3}).gates.bias).least, 1);
  EXPECT_EQ(moments(CGRU({.width = 3}).gates.bias).most, 1);
  expect_normal(NeuralProgrammer({.vocabulary = 3, .width = 53}).operations, 1 / root(53));
}

TEST_F(Beginnings, OfPairsAndPooling) {
  const ParallelCoAttention both({.question_width = 101, .image_width = 7, .hidden = 397});
  expect_even(both.affinity, 1 / root(7));
  expect_even(both.question_vector, 1 / root(397));
  expect_even(both.image_vector, 1 / root(397));
  const CoupledAttention coupled({.width = 13, .slices = 5, .hidden = 397});
  expect_even(coupled.own, 1 / root(13));
  expect_even(coupled.other, 1 / root(13));
  expect_even(coupled.score_vector, 1 / root(397));
  expect_even(CoupledAttention({.width = 397, .slices = 1}).prototype, 1 / root(397));
  const TreeAttention tree({.width = 397, .hidden = 19});
  expect_even(tree.affinity, 1 / root(19));
  expect_even(tree.root_vector, 1 / root(397));
  expect_even(tree.root, 1 / root(397));
  expect_normal(AttentionPooling(3, 397).context_vector, 0.1);
}

TEST_F(Beginnings, OfSets) {
  expect_normal(HopfieldPooling({.state_width = 20, .head_width = 3}, 23).states, 1 / root(20));
  expect_normal(SlotAttention({.input = 3, .width = 397}).mu, 1 / root(397));
  EXPECT_EQ(moments(SlotAttention({.input = 3, .width = 397}).log_sigma).most, 0);
  expect_normal(Perceiver({.input_width = 3, .latents = 23, .width = 20}).latents, 0.02);
  expect_even(SetPooling({.width = 20}, 23).seeds, glorot(20, 23));
}

TEST_F(Beginnings, OfHeads) {
  const MultiHead packed({.width = 20, .heads = 2, .extras = {.slots = 23, .bias_kv = true}});
  expect_even(packed.in_proj_weight, glorot(20, 60));
  EXPECT_EQ(moments(packed.in_proj_bias).most, 0);
  EXPECT_EQ(moments(packed.out_proj.bias).deviation, 0);
  expect_normal(packed.slot_keys, 1 / root(10));
  expect_normal(packed.slot_values, 1 / root(23));
  const MultiHead apart({.width = 20, .heads = 2, .key_width = 23, .value_width = 29});
  expect_even(apart.q_proj_weight, glorot(20, 20));
  expect_even(apart.k_proj_weight, glorot(23, 20));
  expect_even(apart.v_proj_weight, glorot(29, 20));
  const MultiHead beside({.width = 4, .head_width = 397, .extras = {.bias_kv = true}});
  expect_normal(beside.bias_k, 1 / root(397));
  expect_normal(beside.bias_v, 1 / root(397));
  const ValueResidualHeads second({.width = 4, .layers = 2}, 1);
  EXPECT_EQ(moments(second.mix).least, 0.5);
  EXPECT_EQ(moments(second.mix).most, 0.5);
  const NativeSparseHeads sparse({.width = 40, .heads = 2, .block = 16, .stride = 16});
  expect_normal(sparse.key_places, 0.02);
  expect_normal(sparse.value_places, 0.02);
  const DifferentialHeads differential({.width = 4, .head_width = 397});
  for (const Tensor& each : {differential.lambda_q1, differential.lambda_k1, differential.lambda_q2,
                             differential.lambda_k2}) {
    expect_normal(each, 0.1);
  }
  const LatentHeads latent({.width = 4, .heads = 2, .latent = 7, .head_width = 29});
  expect_even(latent.key_up, 1 / root(7));
  expect_even(latent.value_up, 1 / root(7));
  const TransformerXLHeads xl({.width = 400, .heads = 2});
  expect_normal(xl.content_bias, 0.02);
  expect_normal(xl.position_bias, 0.02);
}

// As the paper's: each matrix by itself, norms at 1.
TEST_F(Beginnings, OfStacks) {
  const Transformer stacks(1, 1, {.width = 20, .heads = 2, .hidden = 43});
  expect_even(stacks.encoder.layers[0].linear1->weight, glorot(20, 43));
  expect_even(stacks.decoder.layers[0].linear2->weight, glorot(43, 20));
  expect_even(stacks.decoder.layers[0].multihead_attn.out_proj.weight, glorot(20, 20));
  EXPECT_EQ(moments(stacks.encoder.layers[0].norm1.weight).least, 1);
  EXPECT_EQ(moments(stacks.encoder.layers[0].norm1.weight).most, 1);
}

TEST_F(Beginnings, OfImages) {
  const VisionTransformer vision({.height = 4,
                                  .width = 4,
                                  .patch = 4,
                                  .classes = 2,
                                  .layers = 1,
                                  .embedding = 400,
                                  .heads = 2,
                                  .hidden = 2,
                                  .distilled = true});
  expect_normal(vision.cls_token, 0.02);
  expect_normal(vision.dist_token, 0.02);
  expect_normal(SwinBlock({.width = 6, .heads = 2}).relative_bias, 0.02);
  const DeformableAttention deformable({.width = 24});
  expect_even(deformable.value_proj.weight, glorot(24, 24));
  expect_even(deformable.output_proj.weight, glorot(24, 24));
  for (const Tensor& each : {deformable.sampling_offsets.weight,
                             deformable.attention_weights.weight, deformable.attention_weights.bias,
                             deformable.value_proj.bias, deformable.output_proj.bias}) {
    EXPECT_EQ(moments(each).deviation, 0);
    EXPECT_EQ(moments(each).mean, 0);
  }
}

}  // namespace
}  // namespace heed::attention
