// What is exported and read back gives the same numbers, at sizes that were not looked at.
#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../core/generator.h"
#include "../../nn/nn.h"
#include "../../onnx/export.h"
#include "../../onnx/graph_module.h"
#include "expect_back.h"

namespace heed::onnx {
namespace {

struct Named {
  const char* name;
  Function f;
};

class RoundTrip : public testing::TestWithParam<Named> {};

TEST_P(RoundTrip, GivesTheSame) {
  nn::Linear none(1, 1);
  expect_back(none, GetParam().f, randn({2, 5, 3}));
}

const Tensor& weight() {
  static const Tensor made = randn({4, 3});
  return made;
}

// Numbers above 0.
Tensor above(const Tensor& x) { return abs(x) + 0.5; }
// The unit matrix of as many rows as there are steps.
Tensor unit(const Tensor& x) {
  const Tensor steps = arange(x.size(1));
  return to(unsqueeze(steps, 1) == steps, x.dtype());
}
Tensor places(const Tensor& x) { return to(clamp(floor(abs(x)), 0, 2), DType::i64); }

const Named kRows[] = {
    {"arithmetic", [](auto& x) { return (x + 2 * x - x / 3) * x; }},
    {"neg_abs_sign", [](auto& x) { return -abs(x) + sign(x); }},
    {"exp_log", [](auto& x) { return exp(x) + log(above(x)) + expm1(x) + log1p(above(x)); }},
    {"log2_log10", [](auto& x) { return log2(above(x)) + log10(above(x)); }},
    {"small_numbers", [](auto& x) { return (expm1(x * 1e-6) + log1p(x * 1e-6)) * 1e6; }},
    {"roots",
     [](auto& x) { return sqrt(above(x)) + rsqrt(above(x)) + reciprocal(above(x)) + square(x); }},
    {"powers", [](auto& x) { return pow(above(x), 1.7) + pow(above(x), x); }},
    {"angles", [](auto& x) { return sin(x) + cos(x) + tan(x / 9) + atan(x) + erf(x); }},
    {"hyperbolic", [](auto& x) { return tanh(x) + sinh(x / 3) + cosh(x / 3); }},
    {"rounding", [](auto& x) { return floor(x) + 2 * ceil(x) + 3 * round(x) + 5 * trunc(x); }},
    {"remainder", [](auto& x) { return remainder(x, 0.7) + remainder(x, -0.7); }},
    {"remainder_of_large_numbers", [](auto& x) { return remainder(x * 1e7, 0.7); }},
    {"extremes", [](auto& x) { return maximum(x, 0.1) + minimum(x, x * 2) + clamp(x, -1, 0.5); }},
    {"activations",
     [](auto& x) { return relu(x) + sigmoid(x) + leaky_relu(x, 0.2) + elu(x, 1.3); }},
    {"gelu_silu", [](auto& x) { return gelu(x) + gelu(x, Gelu::tanh) + silu(x); }},
    {"softplus", [](auto& x) { return softplus(x) + softplus(x, 2.5) + log_sigmoid(x); }},
    {"softplus_to_a_threshold",
     [](auto& x) { return softplus(x, 1, 0.25) + softplus(x, -2.5, 0.5); }},
    {"compare", [](auto& x) { return logical_and(x > 0.0, logical_not(x >= 1.0)); }},
    {"logic", [](auto& x) { return logical_xor(logical_or(x < 0.0, x == 1.0), x != 2.0); }},
    {"where", [](auto& x) { return where(x <= 0.5, x, x * 3); }},
    {"classes_of_numbers",
     [](auto& x) { return logical_or(isfinite(x / 0), logical_or(isnan(x), isinf(1 / x))); }},
    {"sum",
     [](auto& x) {
       return sum(x, {0, 2});
     }},
    {"mean_kept", [](auto& x) { return mean(x, {1}, true); }},
    {"sum_of_all", [](auto& x) { return sum(x); }},
    {"prod", [](auto& x) { return prod(x, {-1}); }},
    {"extremes_of_axes", [](auto& x) { return amax(x, {1}) - amin(x, {1}); }},
    {"logsumexp",
     [](auto& x) {
       return logsumexp(x, {1, 2});
     }},
    {"var", [](auto& x) { return var(x, {1}) + stddev(x, {1}); }},
    {"any_all", [](auto& x) { return logical_or(any(x > 2.0, {1}), all(x > -1.0, {1})); }},
    {"argmax", [](auto& x) { return argmax(x, 1) * 7 + argmin(x, 1); }},
    {"cumsum", [](auto& x) { return cumsum(x, 1); }},
    {"count_of_truths", [](auto& x) { return sum(x > 0.0, {1}); }},
    {"reshape",
     [](auto& x) {
       return reshape(x, {x.size(0) * x.size(1), 3});
     }},
    {"split_heads",
     [](auto& x) {
       return reshape(transpose(x, 1, 2), {x.size(0), 3, x.size(1), 1});
     }},
    {"permute",
     [](auto& x) {
       return permute(x, {2, 0, 1});
     }},
    {"expand", [](auto& x) { return expand(unsqueeze(mean(x, {1}), 1), x.shape()); }},
    {"slices", [](auto& x) { return slice(x, 1, 1, x.size(1) - 1, 2); }},
    {"first_places_of_any_number", [](auto& x) { return slice(x, 1, 0, 17); }},
    {"every_other_of_the_first", [](auto& x) { return slice(x, 1, 2, 19, 2); }},
    {"last_places_of_any_number", [](auto& x) { return slice(x, 1, -13, INT64_MAX); }},
    {"first_two_from_the_end", [](auto& x) { return slice(x, 1, 0, 2 - x.size(1)); }},
    {"from_the_end", [](auto& x) { return narrow(x, 1, x.size(1) - 3, 2); }},
    {"select", [](auto& x) { return select(x, 1, -1) + select(x, 1, 2); }},
    {"concat_stack",
     [](auto& x) {
       return stack({concat({x, x * 2}, 1), concat({x, x}, 1)}, 1);
     }},
    {"split",
     [](auto& x) {
       return split(x, {2, x.size(1) - 2}, 1)[1];
     }},
    {"flip",
     [](auto& x) {
       return flip(x, {1, 2});
     }},
    {"pad",
     [](auto& x) {
       return pad(x, {1, 0, 2, 3}, PadMode::constant, 1.5);
     }},
    {"crop",
     [](auto& x) {
       return pad(x, {0, -1, -1, 0});
     }},
    {"unfold", [](auto& x) { return unfold(x, 1, 3, 2); }},
    {"diagonal", [](auto& x) { return diagonal(matmul(x, transpose(x, 1, 2)), 1, 1, 2); }},
    {"triangles", [](auto& x) { return tril(matmul(x, transpose(x, 1, 2)), 1); }},
    {"roll", [](auto& x) { return roll(x, {2}, {1}); }},
    {"repeat",
     [](auto& x) {
       return repeat(x, {1, 2, 1});
     }},
    {"embedding", [](auto& x) { return embedding(weight(), places(x)); }},
    {"index_select",
     [](auto& x) {
       return index_select(x, 2, tensor({2, 0}));
     }},
    {"gather", [](auto& x) { return gather(x, 2, places(x)); }},
    {"scatter_add", [](auto& x) { return scatter_add(zeros(x.shape()), 2, places(x), x); }},
    {"index_add",
     [](auto& x) {
       return index_add(x, 2, tensor({2, 0}), narrow(x, 2, 0, 2));
     }},
    {"one_hot", [](auto& x) { return one_hot(places(x), 3, DType::f32); }},
    {"topk", [](auto& x) { return topk(x, 2, 1).values; }},
    {"sort", [](auto& x) { return sort(x, 1, true).values; }},
    {"matmul", [](auto& x) { return matmul(x, transpose(x, 1, 2)); }},
    {"linear", [](auto& x) { return linear(x, weight()); }},
    {"linear_of_rows", [](auto& x) { return linear(select(x, 1, 0), weight(), ones({4})); }},
    {"softmax", [](auto& x) { return softmax(x, 1) + exp(log_softmax(x, -1)); }},
    {"masked_softmax", [](auto& x) { return softmax(x, 1, x > 0.0); }},
    {"sparsemax", [](auto& x) { return sparsemax(x, 1, x < 1.0) + sparsemax(x, 2); }},
    {"entmax", [](auto& x) { return entmax(x, 1, 1.5) + entmax(x, 2, 1.3, x < 1.0); }},
    {"norms", [](auto& x) { return layer_norm(x, {3}) + rms_norm(x, {3}); }},
    {"conv",
     [](auto& x) {
       return conv1d(transpose(x, 1, 2), ones({2, 3, 3}), ones({2}), {.padding = 1});
     }},
    {"conv_same",
     [](auto& x) {
       return conv1d(transpose(x, 1, 2), ones({2, 3, 4}), {}, {.dilation = 2, .same = true});
     }},
    {"pools", [](auto& x) { return max_pool1d(x, {.kernel = 2}) + avg_pool1d(x, {.kernel = 2}); }},
    {"adaptive", [](auto& x) { return adaptive_avg_pool1d(transpose(x, 1, 2), 1); }},
    {"grid_sample",
     [](auto& x) {
       const Tensor map = expand(unsqueeze(matmul(transpose(x, 1, 2), x), 1), {x.size(0), 2, 3, 3});
       const Tensor grid = unsqueeze(narrow(x, 2, 0, 2), 1);
       return grid_sample(map, grid) + grid_sample(map, grid,
                                                   {.mode = Interpolation::nearest,
                                                    .padding = GridPadding::border,
                                                    .align_corners = true});
     }},
    {"affine_grid", [](auto& x) { return affine_grid(narrow(x, 1, 1, 2), 3, 5); }},
    {"losses",
     [](auto& x) {
       return cross_entropy(reshape(x, {x.size(0) * x.size(1), 3}), reshape(argmax(x, 2), {-1}));
     }},
    {"weighted_losses",
     [](auto& x) {
       const CrossEntropyOptions options{.weight = tensor({0.5, 1.5, 2.0}, {3}),
                                         .ignore_index = 1,
                                         .label_smoothing = 0.1,
                                         .reduction = Reduction::none};
       return cross_entropy(reshape(x, {x.size(0) * x.size(1), 3}), reshape(argmax(x, 2), {-1}),
                            options);
     }},
    {"mean_square", [](auto& x) { return mse_loss(x, x * 2); }},
    {"zeros_of_sizes",
     [](auto& x) {
       return concat({zeros({x.size(0), 2, 3}), x}, 1);
     }},
    {"places", [](auto& x) { return x + unsqueeze(arange(2, x.size(1) + 2, 1, DType::f32), 1); }},
    {"scans",
     [](auto& x) { return linear_scan(sigmoid(x), x, 1) + linear_scan(x, x / 3, -2, true); }},
    {"scan_of_the_batch", [](auto& x) { return linear_scan(tanh(x), x, 0); }},
    {"cumprod", [](auto& x) { return cumprod(x, 1); }},
    {"triangular",
     [](auto& x) {
       const Tensor a = matmul(x, transpose(x, 1, 2)) / 9;
       return solve_triangular(a, x, {.unit = true}) +
              solve_triangular(a + unit(x), x, {.upper = true, .unit = true});
     }},
    {"triangular_with_a_diagonal",
     [](auto& x) {
       const Tensor a = matmul(x, transpose(x, 1, 2)) / 9 + unit(x);
       return solve_triangular(a, x) + solve_triangular(select(a, 0, 0), x, {.upper = true});
     }},
    {"inverse_that_needs_pivots",
     [](auto& x) {
       constexpr Tensor (*of)(const Tensor&) = inverse;  // not the word that C++ refuses
       return of(flip(matmul(x, transpose(x, 1, 2)) / 9 + unit(x), {1}));
     }},
    {"even_steps", [](auto& x) { return x * unsqueeze(linspace(-1, 0.5, x.size(1)), 1); }},
    {"several_numbers",
     [](auto& x) {
       const auto batch = static_cast<double>(x.size(0)), length = static_cast<double>(x.size(1));
       return x / tensor({length, 3.0, 2 * batch});
     }},
    {"number_of_places",
     [](auto& x) { return x * static_cast<double>(x.size(1)) / static_cast<double>(x.size(0)); }},
};

INSTANTIATE_TEST_SUITE_P(, RoundTrip, testing::ValuesIn(kRows),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(RoundTripLayers, RecurrentOnes) {
  const nn::RecurrentOptions options{.input = 3, .hidden = 4, .layers = 2, .bidirectional = true};
  nn::GRU gru(options);
  expect_back(
      gru, [&](auto& x) { return gru(x).output; }, randn({2, 5, 3}));
  nn::LSTM lstm(options);
  expect_back(
      lstm, [&](auto& x) { return lstm(x).output; }, randn({2, 5, 3}));
  nn::RNN rnn(
      nn::RNNOptions{.input = 3, .hidden = 4, .nonlinearity = Nonlinearity::relu, .bias = false});
  expect_back(
      rnn, [&](auto& x) { return rnn(x).output; }, randn({2, 5, 3}));
}

TEST(RoundTripLayers, AttentionUnderMasksWiderThanTheExample) {
  using attention::Mask;
  attention::MultiHead heads(
      attention::MultiHeadOptions{.width = 6, .heads = 3, .kv_heads = 1, .rotary = true});
  const Mask all[] = {
      Mask::causal(),
      Mask::window(13, 0),
      Mask::block(11),
      attention::masks::strided(12),
      Mask::rule([](auto q, auto k, auto, auto head) { return q - k < 9 * (head + 1); }),
      Mask::rule([](auto q, auto k, auto, auto head) { return (q - k) / head >= 0; })};
  for (const Mask& mask : all) {
    expect_back(
        heads, [&](auto& x) { return heads(x, {.mask = mask}).context; }, randn({2, 5, 6}));
  }
}

TEST(RoundTripLayers, ATransformer) {
  attention::TransformerEncoder encoder(
      2, {.width = 6, .heads = 3, .hidden = 8, .dropout = 0.2, .pre_norm = true}, true);
  expect_back(
      encoder, [&](auto& x) { return encoder(x, {.mask = attention::Mask::causal()}).output; },
      randn({2, 5, 6}));
  attention::T5Bias bias({.heads = 3, .buckets = 8, .max_distance = 7});
  nn::normal_(bias.weight, 0, 1);
  attention::MultiHead heads(attention::MultiHeadOptions{.width = 6, .heads = 3});
  class Both final : public nn::Module {
   public:
    Both(std::shared_ptr<nn::Module> a, std::shared_ptr<nn::Module> b) {
      shared_child("a", a);
      shared_child("b", b);
    }
  };
  const auto not_owned = [](nn::Module& m) {
    return std::shared_ptr<nn::Module>(&m, [](auto*) {});
  };
  Both both(not_owned(heads), not_owned(bias));
  expect_back(
      both, [&](auto& x) { return heads(x, {.position_bias = &bias}).context; }, randn({2, 5, 6}));
}

TEST(RoundTripLayers, WhatIsSortedChosenAndSolved) {
  using namespace attention;
  Reformer reformer({.width = 6, .heads = 3, .buckets = 4, .rounds = 2});
  expect_back(
      reformer, [&](auto& x) { return reformer(x).context; }, randn({2, 5, 6}));
  Routing routing({.width = 6, .heads = 2, .centroids = 3});
  expect_back(
      routing, [&](auto& x) { return routing(x, {.mask = Mask::causal()}).context; },
      randn({2, 5, 6}));
  NativeSparseHeads sparse({.width = 6,
                            .heads = 2,
                            .kv_heads = 1,
                            .block = 2,
                            .stride = 1,
                            .hidden = 5,
                            .selected_block = 2,
                            .selected = 3,
                            .window = 3});
  expect_back(
      sparse, [&](auto& x) { return sparse(x).context; }, randn({2, 7, 6}));
  DeltaNet delta({.width = 6, .heads = 3}, 2);
  expect_back(
      delta, [&](auto& x) { return delta(x).context; }, randn({2, 5, 6}));
  MonotonicHeads heads({.width = 6, .heads = 3, .look_back = true});
  const Tensor queries = randn({1, 3, 6});
  expect_back(
      heads,
      [&](auto& x) {
        return heads(expand(queries, {x.size(0), 3, 6}), x).context;
      },
      randn({2, 5, 6}));
  TreeAttention trees({.width = 6, .hidden = 3});
  expect_back(
      trees, [&](auto& x) { return trees(x).context; }, randn({2, 5, 6}), 1e-4);
}

TEST(RoundTripLayers, AWindowAtWhatTheLastWeightsSay) {
  using namespace attention;
  LocationAwareDecoder decoder({.word_width = 3,
                                .annotation_width = 6,
                                .state_width = 5,
                                .filters = 2,
                                .kernel = 3,
                                .window = 2});
  const Tensor words = randn({1, 4, 3});
  expect_back(
      decoder,
      [&](auto& x) {
        return decoder(expand(words, {x.size(0), 4, 3}), x).output;
      },
      randn({2, 5, 6}));
}

TEST(RoundTripLayers, AGraphIsAnInput) {
  using namespace attention;
  GraphAttention layer({.input = 6, .head_width = 2, .heads = 3});
  const Forward forward = [&](const std::vector<Tensor>& x) {
    const Edges edges(x[1].to_vector<Index>(), x[2].to_vector<Index>(), x[0].size(0));
    const Attended seen = layer(x[0], edges, true);
    return std::vector<Tensor>{seen.context, seen.weights};
  };
  const GraphModule back(export_model(layer,
                                      {{"nodes", randn({5, 6}), {"nodes"}},
                                       {"from", randint(0, 5, {7}), {"edges"}},
                                       {"to", randint(0, 5, {7}), {"edges"}}},
                                      forward));
  const std::vector<Tensor> inputs = {randn({8, 6}), randint(0, 8, {13}), randint(0, 8, {13})};
  const NoGrad scope;
  const auto got = back.run(inputs), wanted = forward(inputs);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(got[i].allclose(wanted[i], 1e-5, 1e-5));
}

TEST(RoundTripLayers, LengthsAreAnInput) {
  nn::GRU gru(nn::GRUOptions{.input = 3, .hidden = 4, .bidirectional = true});
  const Forward forward = [&](const std::vector<Tensor>& x) {
    const std::vector<Index> lengths = x[1].to_vector<Index>();
    const auto mask = attention::Mask::lengths(lengths, x[0].size(1));
    const Tensor states = gru(x[0], lengths).output;
    return std::vector<Tensor>{attention::attend(states, states, states, {.mask = mask}).context};
  };
  const GraphModule back(export_model(
      gru, {{"x", randn({2, 5, 3}), {"batch", "length"}}, {"lengths", tensor({3, 5}), {"batch"}}},
      forward));
  const std::vector<Tensor> inputs = {randn({4, 7, 3}), tensor({7, 1, 4, 6})};
  const NoGrad scope;
  EXPECT_TRUE(back.run(inputs)[0].allclose(forward(inputs)[0], 1e-5, 1e-5));
}

TEST(RoundTripLayers, InF64) {
  nn::Sequential net(nn::Linear(3, 5), nn::Tanh(), nn::LayerNorm(5));
  net.to(DType::f64);
  expect_back(
      net, [&](auto& x) { return net(x); }, randn({2, 5, 3}, DType::f64),
      1e-9);  // ONNX holds eps in f32
}

}  // namespace
}  // namespace heed::onnx
