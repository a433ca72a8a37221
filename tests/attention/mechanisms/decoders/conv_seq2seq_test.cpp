#include "../../../../attention/mechanisms/decoders/conv_seq2seq.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../decoders.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 5, kK = 7, kE = 4, kKernel = 3, kLayers = 2;
const std::vector<Index> kLengths = {kK, 4};

ConvSeq2SeqOptions options(Index hidden, bool scale, bool weight_norm = false) {
  return {.width = kE,
          .hidden = hidden,
          .layers = kLayers,
          .kernel = kKernel,
          .scale = scale,
          .weight_norm = weight_norm,
          .dtype = DType::f64};
}

Tensor inputs(Index steps) { return randn({kB, steps, kE}, DType::f64); }

// GLU of a convolution that reads x_{t - before} .. x_{t - before + kernel - 1}.
Numbers gated(const nn::Module& module, const std::string& name, const std::vector<Numbers>& x,
              Index t, Index before) {
  const Block w = plain::weight(module, name);
  Numbers sums = plain::parameter(module, name + ".bias").values();
  for (Index o = 0; o < w.size(0); ++o) {
    for (Index c = 0; c < w.size(1); ++c) {
      for (Index k = 0; k < kKernel; ++k) {
        const Index place = t - before + k;
        if (place < 0 || place >= static_cast<Index>(x.size())) continue;
        sums[static_cast<std::size_t>(o)] +=
            w(o, c, k) * x[static_cast<std::size_t>(place)][static_cast<std::size_t>(c)];
      }
    }
  }
  Numbers out;
  const std::size_t half = sums.size() / 2;
  for (std::size_t i = 0; i < half; ++i) out.push_back(sums[i] * plain::sigmoid(sums[half + i]));
  return out;
}

Numbers halved(Numbers x) {
  for (double& each : x) each *= std::sqrt(0.5);
  return x;
}

struct Kind {
  Index hidden;
  bool scale, weight_norm;
};

class ConvSeq2Seq : public SeededTestWithParam<3, Kind> {
 protected:
  void SetUp() override {
    for (const auto& [name, g] : named_parameters()) {
      if (name.find("weight_g") != std::string::npos) nn::uniform_(g, -1, 1);
    }
  }
  nn::NamedTensors named_parameters() const {
    nn::NamedTensors out = encoder.named_parameters();
    for (const auto& each : decoder.named_parameters()) out.push_back(each);
    return out;
  }
  ConvSeq2SeqOptions own = options(GetParam().hidden, GetParam().scale, GetParam().weight_norm);
  ConvEncoder encoder{own};
  ConvDecoder decoder{own};
  Tensor source = inputs(kK), words = inputs(kT);
};
INSTANTIATE_TEST_SUITE_P(Widths, ConvSeq2Seq,
                         testing::Values(Kind{kE, false, false}, Kind{6, true, false},
                                         Kind{6, true, true}));

TEST_P(ConvSeq2Seq, IsTheDefinition) {
  const auto [all, looks] = decoder(words, encoder(source, kLengths), {.need_weights = true});
  ASSERT_EQ(looks.size(), kLayers);
  const Block x(source), y(words);
  Numbers outs;
  std::vector<Numbers> weights(kLayers);
  for (Index b = 0; b < kB; ++b) {
    const Index m = kLengths[static_cast<std::size_t>(b)];
    std::vector<Numbers> h, z, g;
    for (Index j = 0; j < m; ++j) {
      h.push_back(plain::affine(encoder, "input_projection", x.row({b, j})));
    }
    for (int l = 0; l < kLayers; ++l) {
      std::vector<Numbers> next;
      for (Index j = 0; j < m; ++j) {
        const std::string name = "convolutions." + std::to_string(l);
        next.push_back(halved(
            plain::add(gated(encoder, name, h, j, kKernel / 2), h[static_cast<std::size_t>(j)])));
      }
      h = next;
    }
    for (const Numbers& each : h) z.push_back(plain::affine(encoder, "output_projection", each));
    h.clear();
    for (Index t = 0; t < kT; ++t) {
      g.push_back(y.row({b, t}));
      h.push_back(plain::affine(decoder, "input_projection", g.back()));
    }
    for (int l = 0; l < kLayers; ++l) {
      const std::string layer = "layers." + std::to_string(l);
      std::vector<Numbers> next;
      for (Index t = 0; t < kT; ++t) {
        const auto at = static_cast<std::size_t>(t);
        Numbers out = gated(decoder, layer + ".convolution", h, t, kKernel - 1);
        const Numbers d =
            plain::add(plain::affine(decoder, layer + ".attend.query_projection", out), g[at]);
        Numbers scores;
        for (const Numbers& each : z) scores.push_back(plain::dot(d, each));
        Numbers a = plain::softmax(scores, m), c(kE, 0.0);
        for (Index j = 0; j < m; ++j) {
          const auto place = static_cast<std::size_t>(j);
          for (Index i = 0; i < kE; ++i) {
            c[static_cast<std::size_t>(i)] +=
                a[place] * (z[place][static_cast<std::size_t>(i)] + x(b, j, i));
          }
        }
        if (own.scale) {
          for (double& each : c) each *= std::sqrt(static_cast<double>(m));
        }
        if (own.hidden != kE) c = plain::affine(decoder, layer + ".attend.context_projection", c);
        next.push_back(halved(plain::add(plain::add(out, c), h[at])));
        a.resize(kK, 0.0);
        auto& row = weights[static_cast<std::size_t>(l)];
        row.insert(row.end(), a.begin(), a.end());
      }
      h = next;
    }
    for (const Numbers& each : h) {
      const Numbers out = plain::affine(decoder, "output_projection", each);
      outs.insert(outs.end(), out.begin(), out.end());
    }
  }
  EXPECT_LT(difference(all, outs), 1e-10);
  for (std::size_t l = 0; l < kLayers; ++l) EXPECT_LT(difference(looks[l], weights[l]), 1e-10);
}

TEST_P(ConvSeq2Seq, StepByStepEqualsAllAtOnceAndBeamsCarryOn) {
  const Memory read = encoder(source, kLengths);
  const StackOutput all = decoder(words, read, {.need_weights = true});
  expect_steps(decoder, decoder.start(read), words, all, 2, {1, 1, 0});
  // In two parts.
  auto state = decoder.start(read);
  decoder.run(narrow(words, 1, 0, 1), state);
  EXPECT_LT(
      difference(decoder.run(narrow(words, 1, 1, 4), state).output, narrow(all.output, 1, 1, 4)),
      1e-12);
}

TEST_P(ConvSeq2Seq, TargetsMayEndBeforeOthers) {
  expect_ends(decoder, words, {kT, 3}, [&](const Tensor& there) {
    return std::vector{decoder(there, encoder(source, kLengths), {}, {kT, 3}).output};
  });
}

TEST_P(ConvSeq2Seq, ASourceWithoutPlacesIsNotLookedAt) {
  source.set_requires_grad();
  const StackOutput out = decoder(words, encoder(source, {kK, 0}), {.need_weights = true});
  expect_unseen(out.output, out.weights, source);
}

// As torch.nn.utils.weight_norm names them.
TEST(ConvSeq2SeqWeights, MayBeNormalised) {
  manual_seed(5);
  const ConvDecoder decoder(options(6, true, true));
  std::vector<std::string> names;
  for (const auto& [name, tensor] : decoder.named_parameters()) {
    if (name.rfind("input_projection", 0) == 0 || name.rfind("layers.0", 0) == 0) {
      names.push_back(name + heed::to_string(tensor.shape()));
    }
  }
  EXPECT_THAT(names, testing::ElementsAre(
                         "input_projection.bias[6]", "input_projection.weight_g[6, 1]",
                         "input_projection.weight_v[6, 4]", "layers.0.convolution.bias[12]",
                         "layers.0.convolution.weight_g[12, 1, 1]",
                         "layers.0.convolution.weight_v[12, 6, 3]",
                         "layers.0.attend.query_projection.bias[4]",
                         "layers.0.attend.query_projection.weight_g[4, 1]",
                         "layers.0.attend.query_projection.weight_v[4, 6]",
                         "layers.0.attend.context_projection.weight_g[6, 1]",
                         "layers.0.attend.context_projection.weight_v[6, 4]"));
  const ConvEncoder encoder(options(6, true, true));
  const Tensor source = inputs(kK), words = inputs(2);
  const auto ours = [&] {
    return std::vector<Tensor>{decoder(words, encoder(source, kLengths)).output};
  };
  plain::expect_gradients(plain::leaves_of(decoder, {{"words", words}, {"source", source}}), ours,
                          2);
  plain::expect_gradients(plain::leaves_of(encoder, {}), ours, 2);
}

// Section 3.4: what m attentions send back counts once a layer of the encoder, in full for
// embeddings in the values.
TEST(ConvSeq2SeqWeights, OfTheEncoderGetTheMeanOfTheAttentionsGradients) {
  manual_seed(5);
  ConvSeq2SeqOptions made = options(5, true, true);
  ConvEncoder whole(made);
  made.attentions = 3;
  ConvEncoder shared(made);
  shared.load_state_dict(whole.state_dict());
  const Tensor numbers = inputs(kK), cotangent = randn({kB, kK, kE}, DType::f64);
  const auto gradient = [&](const ConvEncoder& encoder, bool values) {
    const Tensor x = Tensor(numbers.array().clone()).set_requires_grad();
    const Memory memory = encoder(x, kLengths);
    sum((values ? memory.values() : memory.keys()) * cotangent).backward();
    return x.grad();
  };
  EXPECT_EQ(difference(whole(numbers, kLengths).values(), shared(numbers, kLengths).values()), 0);
  const Tensor keys = gradient(whole, false);
  EXPECT_LT(difference(keys, gradient(shared, false) * 3.0), 1e-12);
  for (std::size_t i = 0; i < whole.parameters().size(); ++i) {
    const Tensor g = whole.parameters()[i].grad(), third = shared.parameters()[i].grad();
    EXPECT_LT(difference(g, third * 3.0), 1e-12) << i;
    EXPECT_GT(difference(g, third), 0) << i;
  }
  EXPECT_LT(difference(gradient(whole, true) - keys, gradient(shared, true) - keys / 3.0), 1e-12);
}

TEST(ConvSeq2SeqInput, IsRefusedWhereItDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "conv_seq2seq: the encoder's kernel 4 must be odd",
                    ConvEncoder made({.width = 2, .kernel = 4}));
  EXPECT_GT(ConvDecoder({.width = 1}).parameters().size(), 0u);
  EXPECT_ERROR_WITH(ValueError, "conv_seq2seq: width 2, layers 0 and kernel 3",
                    ConvDecoder made({.width = 2, .layers = 0}));
  EXPECT_ERROR_WITH(ValueError, "multi_step: hidden 0 and width 2", MultiStepAttention made(0, 2));
  const ConvEncoder encoder(options(kE, true));
  const ConvDecoder decoder(options(kE, true));
  const Tensor source = inputs(kK);
  EXPECT_ERROR_WITH(ShapeError, "conv_seq2seq: 3 lengths for f64[2, 7, 4]",
                    encoder(source, {1, 2, 3}));
  EXPECT_ERROR_WITH(GradError, "conv_seq2seq: source is undefined", decoder.start({}));
  auto state = decoder.start(encoder(source));
  EXPECT_ERROR_WITH(ShapeError, "a step's word must be [2, 4]", decoder.step(source, state));
  const MultiStepAttention attend(3, kE, true, DType::f64);
  EXPECT_ERROR_WITH(ShapeError, "multi_step: h must be [.., n, 3]",
                    attend(source, source, encoder(source)));
}

}  // namespace
}  // namespace heed::attention
