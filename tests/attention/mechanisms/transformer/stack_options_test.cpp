// What a Transformer's layers may be beside the paper's, against compositions by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../../../../attention/biases/alibi.h"
#include "../../../../attention/biases/offset_bias.h"
#include "../../../../attention/biases/t5_bias.h"
#include "../../../../attention/mechanisms/self_attention_kinds.h"
#include "../../../../attention/mechanisms/transformer/synthesizer.h"
#include "../../../../attention/mechanisms/transformer/transformer.h"
#include "../../../../attention/scores/general.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/activation.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/normalise/layer_norm.h"
#include "../../../../autograd/ops/normalise/rms_norm.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 5, kS = 3, kE = 6;

TransformerOptions sizes() {
  return {.width = kE, .heads = 3, .hidden = 7, .dropout = 0, .dtype = DType::f64};
}

Tensor inputs(Index steps) { return randn({kB, steps, kE}, DType::f64); }

TEST(StackOptions, NormsAndParallelParts) {
  manual_seed(3);
  const Tensor x = inputs(kT);
  for (const Norm kind : {Norm::layer, Norm::rms}) {
    for (const bool parallel : {false, true}) {
      for (const bool both : {false, true}) {
        TransformerOptions options = sizes();
        options.pre_norm = true;
        options.norm = kind;
        options.parallel = parallel;
        options.both_norms = both;
        TransformerEncoderLayer made(options);
        for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.5);
        const auto norm = [&](const TransformerNorm& n, const Tensor& in) {
          EXPECT_EQ(n.bias.defined(), kind == Norm::layer);
          return kind == Norm::layer ? layer_norm(in, {kE}, n.weight, n.bias)
                                     : rms_norm(in, {kE}, n.weight, 1e-5);
        };
        const auto attend = [&](const Tensor& in) {
          const Tensor y = made.self_attn(in, {.mask = Mask::causal()}).context;
          return both ? norm(*made.norm1_after, y) : y;
        };
        const auto read = [&](const Tensor& in) {
          const Tensor y = (*made.linear2)(relu((*made.linear1)(in)));
          return both ? norm(*made.norm2_after, y) : y;
        };
        Tensor want;
        if (parallel) {
          const Tensor n = norm(made.norm1, x);
          want = x + attend(n) + read(n);
        } else {
          want = x + attend(norm(made.norm1, x));
          want = want + read(norm(made.norm2, want));
        }
        EXPECT_THAT(numbers(made(x, {.mask = Mask::causal()}).context), near(want, 1e-11));
      }
    }
  }
}

TEST(StackOptions, GatedFeedForwardParts) {
  manual_seed(5);
  const Tensor x = inputs(kT);
  for (const Activation activation :
       {Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu,
        Activation::swiglu, Activation::geglu, Activation::geglu_tanh}) {
    TransformerOptions options = sizes();
    options.activation = activation;
    TransformerEncoderLayer made(options);
    const Tensor h = made.norm1(x + made.self_attn(x).context), in = (*made.linear1)(h);
    EXPECT_EQ(made.linear_gate != nullptr, is_gated(activation));
    Tensor inner =
        activation == Activation::relu                                       ? relu(in)
        : activation == Activation::swiglu || activation == Activation::silu ? in * sigmoid(in)
        : activation == Activation::gelu_tanh || activation == Activation::geglu_tanh
            ? 0.5 * in *
                  (1 + tanh(std::sqrt(2 / std::numbers::pi) * (in + 0.044715 * in * in * in)))
            : gelu(in);
    if (made.linear_gate) inner = inner * (*made.linear_gate)(h);
    EXPECT_THAT(numbers(made(x).context), near(made.norm2(h + (*made.linear2)(inner)), 1e-11));
    const auto report =
        nn::gradcheck(made, [&] { return made(x).context; }, {.step = 1e-4, .max_elements = 3});
    if (activation != Activation::relu) {
      EXPECT_TRUE(report) << report.text();
    }
  }
}

TEST(StackOptions, ADecodersFeedForwardPartIsGatedToo) {
  manual_seed(6);
  TransformerOptions options = sizes();
  options.activation = Activation::swiglu;
  const TransformerDecoderLayer made(options);
  const Tensor x = inputs(kT), memory = inputs(kT);
  Tensor h = made.norm1(x + made.self_attn(x).context);
  h = made.norm2(h + made.multihead_attn(h, memory, memory).context);
  const Tensor in = (*made.linear1)(h);
  const Tensor want = made.norm3(h + (*made.linear2)(in * sigmoid(in) * (*made.linear_gate)(h)));
  EXPECT_THAT(numbers(made(x, memory, Terms{}).context), near(want, 1e-11));
}

TEST(StackOptions, WithoutBiases) {
  TransformerOptions options = sizes();
  options.bias = false;
  Transformer made(2, 2, options);
  EXPECT_GT(made.parameters().size(), 0u);
  for (const auto& [name, tensor] : made.named_parameters()) {
    EXPECT_FALSE(name.ends_with("bias")) << name;
  }
  const Tensor x = inputs(kT);
  EXPECT_EQ(made(x, x).shape(), x.shape());
}

// All that attend() takes reaches every layer, of the encoder, and of the decoder whole and in
// steps.
TEST(StackOptions, TermsReachEveryLayer) {
  manual_seed(7);
  const Alibi alibi(3, DType::f64);
  const T5Bias t5({.heads = 3, .buckets = 8, .max_distance = 9, .dtype = DType::f64});
  for (Tensor weight : t5.parameters()) nn::normal_(weight, 0, 1);
  for (const OffsetBias* bias : std::initializer_list<const OffsetBias*>{&alibi, &t5}) {
    const TransformerEncoder encoder(2, sizes());
    const Tensor x = inputs(kT);
    const Terms terms{.mask = Mask::causal(), .position_bias = bias};
    const StackOutput out = encoder(x, terms);
    Tensor h = x;
    for (const TransformerEncoderLayer& layer : encoder.layers) {
      h = layer(h, {.mask = Mask::causal(), .bias = (*bias)(kT, kT)}).context;
    }
    EXPECT_THAT(numbers(out.output), near(h, 1e-11));

    const NoGrad off;
    TransformerEncoder::State past;
    std::vector<Tensor> steps;
    for (Index t = 0; t < kT; ++t) {
      steps.push_back(encoder.step(narrow(x, 1, t, 1), past, {.position_bias = bias}).output);
    }
    EXPECT_THAT(numbers(concat(steps, 1)), near(h, 1e-11));

    const TransformerDecoder decoder(2, sizes());
    const Tensor memory = inputs(kS);
    const StackOutput whole = decoder(x, memory, terms, {.need_weights = true});
    auto state = decoder.start(memory);
    for (Index t = 0; t < kT; ++t) {
      const Tensor step = decoder.step(select(x, 1, t), state, {}, {.position_bias = bias}).output;
      EXPECT_THAT(numbers(step), near(select(whole.output, 1, t), 1e-11));
    }
    EXPECT_EQ(whole.weights.size(), 2U);
  }
}

TEST(StackOptions, EachLayerMayHaveTermsOfItsOwn) {
  manual_seed(9);
  const TransformerEncoder encoder(2, sizes());
  const Tensor x = inputs(kT);
  const std::vector<Terms> each = {{.mask = Mask::window(1, 1)}, {.mask = Mask::causal()}};
  const Tensor want = encoder.layers[1](encoder.layers[0](x, each[0]).context, each[1]).context;
  EXPECT_THAT(numbers(encoder.by_layer(x, each).output), near(want));
  EXPECT_ERROR(ValueError, "transformer_encoder: terms of 3 layers for 2",
               encoder.by_layer(x, std::vector<Terms>(3)));
}

TEST(StackOptions, EachLayerHasHeadsOfItsOwn) {
  manual_seed(11);
  TransformerOptions options = sizes();
  options.self_heads = [](MultiHeadOptions heads, Index layer) {
    if (layer == 1) heads.score = std::make_shared<General>(2, 2, DType::f64);
    return heads;
  };
  TransformerEncoder encoder(3, options);
  std::string names;
  for (const auto& [name, tensor] : encoder.state_dict()) {
    if (name.find("score") != std::string::npos) names += name + ' ';
  }
  EXPECT_EQ(names, "layers.1.self_attn.score.weight ");
  const Tensor x = inputs(kT);
  const auto report =
      nn::gradcheck(encoder, [&] { return encoder(x).output; }, {.step = 1e-4, .max_elements = 2});
  EXPECT_TRUE(report) << report.text();
}

TEST(StackOptions, SelfAttentionMayBeAnyModule) {
  manual_seed(13);
  TransformerOptions options = sizes();
  options.pre_norm = true;
  options.self_attention = [](Index) -> std::shared_ptr<SelfAttention> {
    return std::make_shared<Synthesizer>(
        SynthesizerOptions{.width = kE, .heads = 2, .max_length = kT, .dtype = DType::f64});
  };
  const TransformerEncoder encoder(2, options, true);
  const Tensor x = inputs(kT);
  Tensor h = x;
  for (const TransformerEncoderLayer& layer : encoder.layers) {
    h = h + layer.self_attn(layer.norm1(h), {.mask = Mask::causal()}).context;
    h = h + (*layer.linear2)(relu((*layer.linear1)(layer.norm2(h))));
  }
  EXPECT_THAT(numbers(encoder(x, {.mask = Mask::causal()}).output), near((*encoder.norm)(h)));
  TransformerEncoder::State state;
  const NoGrad off;
  EXPECT_ERROR_WITH(ValueError, "synthesizer: takes no cache", encoder.step(x, state));
}

TEST(StackOptions, RefuseWhatMakesNoSense) {
  TransformerOptions options = sizes();
  options.parallel = true;
  EXPECT_ERROR_WITH(ValueError, "parallel parts need pre_norm",
                    TransformerEncoder made(1, options));
  EXPECT_ERROR_WITH(ValueError, "its parts are not parallel", TransformerDecoder made(1, options));
  options = sizes();
  options.both_norms = true;
  EXPECT_ERROR_WITH(ValueError, "both_norms adds to pre_norm", TransformerEncoder made(1, options));
  EXPECT_ERROR_WITH(ValueError, "both_norms adds to pre_norm", TransformerDecoder made(1, options));
  options = sizes();
  options.self_attention = self_attention_maker("gated", {.width = kE, .heads = 3});
  options.kv_heads = 1;
  EXPECT_ERROR(ValueError, "transformer_encoder: another self_attention has no use for kv_heads",
               TransformerEncoder made(1, options));
  options.kv_heads = 0;
  options.self_heads = [](MultiHeadOptions heads, Index) { return heads; };
  for (const bool decodes : {false, true}) {
    const auto make = [&] {
      if (decodes) {
        TransformerDecoder made(1, options);
      } else {
        TransformerEncoder made(1, options);
      }
    };
    EXPECT_ERROR_WITH(ValueError,
                      "self_heads are of MultiHead, which another self_attention is not", make());
  }
}

}  // namespace
}  // namespace heed::attention
