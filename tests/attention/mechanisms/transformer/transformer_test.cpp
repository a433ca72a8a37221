#include "../../../../attention/mechanisms/transformer/transformer.h"

#include <gtest/gtest.h>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/activation.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/parallel.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../optim/adam.h"
#include "../../../support/numbers.h"
#include "../../../support/throws.h"
#include "../decoders.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kS = 5, kT = 3, kE = 6;

TransformerOptions sizes(bool pre_norm) {
  return {.width = kE,
          .heads = 3,
          .hidden = 7,
          .dropout = 0,
          .pre_norm = pre_norm,
          .activation = Activation::gelu,
          .dtype = DType::f64};
}

class Norms : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Transformer, Norms, testing::Bool());

TEST_P(Norms, LayersAreTheirFormulas) {
  manual_seed(3);
  const Tensor x = randn({kB, kT, kE}, DType::f64), memory = randn({kB, kS, kE}, DType::f64);
  const TransformerEncoderLayer encoder(sizes(GetParam()));
  const auto encode_part = [&](const Tensor& h) {
    return (*encoder.linear2)(gelu((*encoder.linear1)(h)));
  };
  const TransformerDecoderLayer decoder(sizes(GetParam()));
  const auto decode_part = [&](const Tensor& h) {
    return (*decoder.linear2)(gelu((*decoder.linear1)(h)));
  };
  const Terms causal{.mask = Mask::causal()};
  Tensor h, g;
  if (GetParam()) {
    h = x + encoder.self_attn(encoder.norm1(x)).context;
    h = h + encode_part(encoder.norm2(h));
    g = x + decoder.self_attn(decoder.norm1(x), causal).context;
    g = g + decoder.multihead_attn(decoder.norm2(g), memory, memory).context;
    g = g + decode_part(decoder.norm3(g));
  } else {
    h = encoder.norm1(x + encoder.self_attn(x).context);
    h = encoder.norm2(h + encode_part(h));
    g = decoder.norm1(x + decoder.self_attn(x, causal).context);
    g = decoder.norm2(g + decoder.multihead_attn(g, memory, memory).context);
    g = decoder.norm3(g + decode_part(g));
  }
  EXPECT_LT(difference(encoder(x).context, h), 1e-12);
  const Attended out = decoder(x, memory, causal, {.need_weights = true});
  EXPECT_LT(difference(out.context, g), 1e-12);
  EXPECT_EQ(out.weights.shape(), (Shape{kB, 3, kT, kS}));
}

TEST_P(Norms, PassesTheChecks) {
  manual_seed(5);
  Transformer model(1, 1, sizes(GetParam()));
  const auto first =
      nn::gradcheck(model, randn({1, 3, kE}, DType::f64), randn({1, 2, kE}, DType::f64));
  EXPECT_TRUE(first) << first.text();
  TransformerEncoderLayer layer(sizes(GetParam()));
  Tensor x = randn({1, 2, kE}, DType::f64);
  const auto second = nn::gradgradcheck(layer, [&] { return layer(x).context; },
                                        {.max_elements = 5}, {{"x", x.set_requires_grad()}});
  EXPECT_TRUE(second) << second.text();
}

TEST_P(Norms, StepByStepIsAllAtOnce) {
  manual_seed(7);
  TransformerOptions options = sizes(GetParam());
  options.rotary = true;
  options.kv_heads = 1;
  const TransformerDecoder decoder(2, options, true);
  const NoGrad off;
  const Tensor x = randn({kB, kT, kE}, DType::f64), memory = randn({kB, kS, kE}, DType::f64);
  const Mask source = Mask::lengths({5, 2}, kS);
  const Tensor want = decoder(x, memory, {.mask = Mask::causal()}, {.mask = source}).output;
  auto state = decoder.start(memory, source);
  std::vector<Tensor> steps;
  for (Index t = 0; t < kT; ++t) steps.push_back(decoder.step(select(x, 1, t), state).output);
  EXPECT_LT(difference(stack(steps, 1), want), 1e-12);
  const StackOutput all =
      decoder(x, memory, {.mask = Mask::causal()}, {.mask = source, .need_weights = true});
  expect_steps(decoder, decoder.start(memory, source), x, all, 1, {1, 0, 1});

  // The second row alone goes on as it does beside the first.
  auto pair = decoder.start(memory, source);
  decoder.run(narrow(x, 1, 0, 2), pair);
  pair.reorder(Tensor(Array::from<std::int64_t>({1}, {1})));
  const Tensor alone = decoder.run(narrow(narrow(x, 1, 2, 1), 0, 1, 1), pair).output;
  EXPECT_LT(difference(alone, narrow(narrow(want, 1, 2, 1), 0, 1, 1)), 1e-12);
}

TEST_P(Norms, ARecordedDecoderHasNoPast) {
  manual_seed(11);
  const TransformerDecoder decoder(2, sizes(GetParam()));
  const Tensor x = randn({kB, kT, kE}, DType::f64), memory = randn({kB, kS, kE}, DType::f64);
  auto state = decoder.start(memory);
  EXPECT_ERROR_WITH(GradError, "NoGrad", decoder.step(select(x, 1, 0), state));
  auto whole = decoder.start(memory);
  decoder.run(x, whole);
  auto begun = decoder.start(memory);
  {
    const NoGrad off;
    decoder.step(select(x, 1, 0), begun);
  }
  EXPECT_ERROR_WITH(GradError, "a state that has made steps", decoder.run(x, begun));
  const NoGrad off;
  EXPECT_ERROR_WITH(GradError, "has no past", decoder.step(select(x, 1, 0), whole));
  EXPECT_ERROR_WITH(GradError, "has no past", decoder.run(x, whole));
}

TEST_P(Norms, AnEncoderGoesOnStepByStep) {
  manual_seed(13);
  TransformerOptions options = sizes(GetParam());
  options.rotary = true;
  const TransformerEncoder encoder(2, options, GetParam());
  const NoGrad off;
  const Tensor x = randn({kB, 7, kE}, DType::f64);
  const Tensor want = encoder(x, {.mask = Mask::causal()}).output;
  TransformerEncoder::State state;
  EXPECT_EQ(state.length(), 0);
  std::vector<Tensor> steps;
  for (const auto& [first, count] : {std::pair<Index, Index>{0, 3}, {3, 1}, {4, 2}}) {
    steps.push_back(encoder.step(narrow(x, 1, first, count), state).output);
    EXPECT_EQ(state.length(), first + count);
  }
  EXPECT_LT(difference(concat(steps, 1), narrow(want, 1, 0, 6)), 1e-12);
  // The second row alone goes on as it does beside the first.
  state.reorder(Tensor(Array::from<std::int64_t>({1}, {1})));
  const Tensor alone = encoder.step(narrow(narrow(x, 1, 6, 1), 0, 1, 1), state).output;
  EXPECT_LT(difference(alone, narrow(narrow(want, 1, 6, 1), 0, 1, 1)), 1e-12);
}

TEST_P(Norms, PaddingChangesNothing) {
  manual_seed(11);
  const Transformer model(2, 1, sizes(GetParam()));
  const Tensor source = randn({kB, kS, kE}, DType::f64), target = randn({kB, kT, kE}, DType::f64);
  const Tensor both = model(source, target, Mask::lengths({kS, 2}, kS));
  const Tensor alone = model(narrow(narrow(source, 0, 1, 1), 1, 0, 2), narrow(target, 0, 1, 1));
  EXPECT_LT(difference(narrow(both, 0, 1, 1), alone), 1e-12);
  // A later target step is not seen by an earlier one.
  const Tensor begin = model(source, narrow(target, 1, 0, 2), Mask::lengths({kS, 2}, kS));
  EXPECT_LT(difference(narrow(both, 1, 0, 2), begin), 1e-12);
}

TEST(Transformer, NamesArePyTorchs) {
  const TransformerDecoder decoder(1, {.width = 4, .heads = 2, .hidden = 3}, true);
  std::string names;
  for (const auto& [name, tensor] : decoder.state_dict()) names += name + ' ';
  EXPECT_EQ(names,
            "layers.0.self_attn.in_proj_weight layers.0.self_attn.in_proj_bias "
            "layers.0.self_attn.out_proj.weight layers.0.self_attn.out_proj.bias "
            "layers.0.multihead_attn.in_proj_weight layers.0.multihead_attn.in_proj_bias "
            "layers.0.multihead_attn.out_proj.weight layers.0.multihead_attn.out_proj.bias "
            "layers.0.linear1.weight layers.0.linear1.bias layers.0.linear2.weight "
            "layers.0.linear2.bias layers.0.norm1.weight layers.0.norm1.bias layers.0.norm2.weight "
            "layers.0.norm2.bias layers.0.norm3.weight layers.0.norm3.bias norm.weight norm.bias ");
}

TEST(Transformer, HasAsManyLayersAsItIsToldAndANormBehindThem) {
  const Transformer model(2, 3, {.width = 4, .heads = 2, .hidden = 3});
  EXPECT_EQ(model.encoder.layers.size(), 2U);
  EXPECT_EQ(model.decoder.layers.size(), 3U);
  EXPECT_NE(model.encoder.norm, nullptr);
  EXPECT_NE(model.decoder.norm, nullptr);
}

TEST(Transformer, RefusesWhatMakesNoSense) {
  EXPECT_ERROR_WITH(ValueError, "transformer_encoder: 0 layers",
                    TransformerEncoder encoder(0, {.width = 4, .heads = 2}));
  EXPECT_ERROR_WITH(ValueError, "transformer_decoder: -1 layers",
                    TransformerDecoder decoder(-1, {.width = 4, .heads = 2}));
  EXPECT_ERROR_WITH(ValueError, "heads 3 does not divide width 4",
                    TransformerEncoder encoder(1, {.width = 4, .heads = 3}));
  const TransformerDecoder decoder(1, {.width = 4, .heads = 2, .hidden = 3});
  TransformerDecoder::State state;
  EXPECT_ERROR_WITH(ValueError, "the state has 0 layers, the decoder 1",
                    decoder.step(zeros({1, 4}), state));
  const TransformerEncoder one(1, {.width = 4, .heads = 2, .hidden = 3});
  const TransformerEncoder two(2, {.width = 4, .heads = 2, .hidden = 3});
  TransformerEncoder::State past;
  {
    const NoGrad off;
    one.step(zeros({1, 1, 4}), past);
    EXPECT_ERROR_WITH(ValueError, "the state has 1 layers, the encoder 2",
                      two.step(zeros({1, 1, 4}), past));
    EXPECT_ERROR_WITH(ShapeError, "key_value_cache: keys are f32[3, 2, 1, 2]",
                      one.step(zeros({3, 1, 4}), past));
  }
  EXPECT_ERROR_WITH(GradError, "decode under NoGrad", one.step(zeros({1, 1, 4}), past));
}

}  // namespace
}  // namespace heed::attention
