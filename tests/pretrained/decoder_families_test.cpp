// GPT-2, LLaMA, Mistral and Qwen2 of random weights, against plain loops.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "../../autograd/grad_mode.h"
#include "../../autograd/methods.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "../../io/zip.h"
#include "../../pretrained/load.h"
#include "../io/pickled.h"
#include "../support/throws.h"
#include "family_folder.h"

namespace heed::pretrained {
namespace {

using namespace plain;

constexpr double kClose = 1e-10;

Tensor batch(const std::vector<Index>& ids) {
  return Array::from(ids, Shape{1, static_cast<Index>(ids.size())});
}

bool before(Index i, Index j) { return j <= i; }

// The logits of all places at once, and one by one with the cache.
void expect_logits(const std::string& folder, const std::vector<Index>& ids, const Rows& wanted) {
  const NoGrad scope;
  const auto model = load<DecoderOnly>(folder);
  model->to(DType::f64);
  EXPECT_LT(difference((*model)(batch(ids)), wanted), kClose);
  DecoderOnly::State state;
  std::vector<Tensor> steps;
  for (const Index id : ids) steps.push_back(model->step(batch({id}), state));
  EXPECT_LT(difference(cat(steps, 1), wanted), kClose);
}

const std::vector<Index> kIds = {3, 1, 4, 1, 5, 9, 2};

NamedSizes gpt2_sizes(const std::string& prefix) {
  NamedSizes out;
  const auto conv = [&](const std::string& name, Index in, Index width) {
    out.emplace_back(name + ".weight", Shape{in, width});
    out.emplace_back(name + ".bias", Shape{width});
  };
  out.emplace_back(prefix + "wte.weight", Shape{11, 6});
  out.emplace_back(prefix + "wpe.weight", Shape{7, 6});
  for (Index i = 0; i < 2; ++i) {
    const std::string layer = prefix + fmt::format("h.{}.", i);
    add_norm(out, layer + "ln_1", 6);
    add_norm(out, layer + "ln_2", 6);
    conv(layer + "attn.c_attn", 6, 18);
    conv(layer + "attn.c_proj", 6, 6);
    conv(layer + "mlp.c_fc", 6, 24);
    conv(layer + "mlp.c_proj", 24, 6);
    out.emplace_back(layer + "attn.bias", Shape{1, 1, 7, 7});
  }
  add_norm(out, prefix + "ln_f", 6);
  return out;
}

Rows gpt2(const Weights& w, const std::string& prefix, const std::string& head, bool by_layer) {
  Rows x =
      plus(plain::rows(w.matrix(prefix + "wte.weight"), kIds), w.matrix(prefix + "wpe.weight"));
  for (Index i = 0; i < 2; ++i) {
    const std::string layer = prefix + fmt::format("h.{}.", i);
    const Rows qkv = conv1d(w, layer + "attn.c_attn", layer_norm(w, layer + "ln_1", x, 1e-5));
    const double scale = 1 / std::sqrt(2.0) / (by_layer ? static_cast<double>(i + 1) : 1.0);
    const Rows seen = attend(columns(qkv, 0, 6), columns(qkv, 6, 6), columns(qkv, 12, 6),
                             {.heads = 3, .kv_heads = 3, .scale = scale, .allowed = before});
    x = plus(x, conv1d(w, layer + "attn.c_proj", seen));
    const Rows inner = conv1d(w, layer + "mlp.c_fc", layer_norm(w, layer + "ln_2", x, 1e-5));
    x = plus(x, conv1d(w, layer + "mlp.c_proj", plain::map(inner, gelu_tanh)));
  }
  return linear(w, head, layer_norm(w, prefix + "ln_f", x, 1e-5));
}

const std::string kGpt2 =
    R"({"model_type": "gpt2", "vocab_size": 11, "n_positions": 7, "n_embd": 6, "n_head": 3,
        "n_layer": 2, "n_inner": null, "architectures": ["GPT2LMHeadModel"],
        "task_specific_params": {"text-generation": {"do_sample": true, "max_length": 50}})";

TEST(Gpt2, GivesTheNumbersOfPlainLoops) {
  for (const std::string prefix : {"", "transformer."}) {
    const FamilyFolder folder(kGpt2 + "}", gpt2_sizes(prefix));
    expect_logits(folder.path(), kIds, gpt2(folder.weights, prefix, prefix + "wte", false));
  }
}

TEST(Gpt2, HasAHeadOfItsOwnAndScalesByLayer) {
  NamedSizes sizes = gpt2_sizes("transformer.");
  sizes.emplace_back("lm_head.weight", Shape{11, 6});
  const FamilyFolder folder(kGpt2 + R"(, "tie_word_embeddings": false,
                              "scale_attn_by_inverse_layer_idx": true})",
                            sizes);
  expect_logits(folder.path(), kIds, gpt2(folder.weights, "transformer.", "lm_head", true));
}

struct Llama {
  Index words = 11, width = 10, heads = 4, kv_heads = 2, head_width = 6, hidden = 7, layers = 2;
  bool qkv_bias = false, o_bias = false, mlp_bias = false, tied = false;
  Index window = 100, context = 64;
  double eps = 1e-6, base = 10000;

  NamedSizes sizes(const std::string& prefix = "model.") const {
    NamedSizes out;
    out.emplace_back(prefix + "embed_tokens.weight", Shape{words, width});
    for (Index i = 0; i < layers; ++i) {
      const std::string layer = prefix + fmt::format("layers.{}.", i);
      out.emplace_back(layer + "input_layernorm.weight", Shape{width});
      out.emplace_back(layer + "post_attention_layernorm.weight", Shape{width});
      const std::string attn = layer + "self_attn.";
      add_linear(out, attn + "q_proj", heads * head_width, width, qkv_bias);
      add_linear(out, attn + "k_proj", kv_heads * head_width, width, qkv_bias);
      add_linear(out, attn + "v_proj", kv_heads * head_width, width, qkv_bias);
      add_linear(out, attn + "o_proj", width, heads * head_width, o_bias);
      add_linear(out, layer + "mlp.gate_proj", hidden, width, mlp_bias);
      add_linear(out, layer + "mlp.up_proj", hidden, width, mlp_bias);
      add_linear(out, layer + "mlp.down_proj", width, hidden, mlp_bias);
    }
    out.emplace_back(prefix + "norm.weight", Shape{width});
    if (!tied) out.emplace_back("lm_head.weight", Shape{words, width});
    return out;
  }

  Rows logits(const Weights& w, const Row& turns) const {
    Rows x = plain::rows(w.matrix("model.embed_tokens.weight"), kIds);
    for (Index i = 0; i < layers; ++i) {
      const std::string layer = fmt::format("model.layers.{}.", i), attn = layer + "self_attn.";
      const Rows normed = rms_norm(w, layer + "input_layernorm", x, eps);
      const auto allowed = [this](Index a, Index b) { return b <= a && b > a - window; };
      const Rows seen = attend(turned(linear(w, attn + "q_proj", normed), heads, turns),
                               turned(linear(w, attn + "k_proj", normed), kv_heads, turns),
                               linear(w, attn + "v_proj", normed),
                               {.heads = heads,
                                .kv_heads = kv_heads,
                                .scale = 1 / std::sqrt(static_cast<double>(head_width)),
                                .allowed = allowed});
      x = plus(x, linear(w, attn + "o_proj", seen));
      const Rows read = rms_norm(w, layer + "post_attention_layernorm", x, eps);
      x = plus(x, linear(w, layer + "mlp.down_proj",
                         products(plain::map(linear(w, layer + "mlp.gate_proj", read), silu),
                                  linear(w, layer + "mlp.up_proj", read))));
    }
    const Rows last = rms_norm(w, "model.norm", x, eps);
    return linear(w, tied ? "model.embed_tokens" : "lm_head", last);
  }

  std::string config(const std::string& family, const std::string& more = "") const {
    return fmt::format(
        R"({{"model_type": "{}", "vocab_size": {}, "hidden_size": {}, "num_attention_heads": {},
             "num_key_value_heads": {}, "head_dim": {}, "intermediate_size": {},
             "num_hidden_layers": {}, "max_position_embeddings": {}, "hidden_act": "silu",
             "rms_norm_eps": {}, "rope_theta": {}, "tie_word_embeddings": {}{}}})",
        family, words, width, heads, kv_heads, head_width, hidden, layers, context, eps, base, tied,
        more);
  }
  void expect(const std::string& family, const std::string& more = "") const {
    expect(family, more, frequencies(head_width, base));
  }
  void expect(const std::string& family, const std::string& more, const Row& turns) const {
    const FamilyFolder folder(config(family, more), sizes());
    expect_logits(folder.path(), kIds, logits(folder.weights, turns));
  }
};

TEST(Llama, GivesTheNumbersOfPlainLoops) {
  Llama().expect("llama", R"(, "rope_scaling": null, "attention_bias": false)");
  Llama{.eps = 1e-5, .base = 500}.expect("llama");
  Llama{.qkv_bias = true, .o_bias = true, .tied = true}.expect("llama",
                                                               R"(, "attention_bias": true)");
  Llama{.mlp_bias = true}.expect("llama", R"(, "mlp_bias": true)");
}

TEST(Llama, SlowsItsTurnsForLongerTexts) {
  const Llama llama;
  Row turns = frequencies(6, 10000);
  for (double& each : turns) each /= 4;
  llama.expect("llama", R"(, "rope_scaling": {"type": "linear", "factor": 4.0})", turns);
  turns = frequencies(6, 10000);
  for (double& each : turns) {  // Llama 3.1
    const double length = 2 * std::numbers::pi / each, smooth = (40 / length - 1) / (4 - 1.0);
    if (length > 40) {
      each /= 8;
    } else if (length >= 10) {
      each = (1 - smooth) * each / 8 + smooth * each;
    }
  }
  const std::string scaling = R"("rope_type": "llama3", "factor": 8, "low_freq_factor": 1.0,
      "high_freq_factor": 4.0, "original_max_position_embeddings": 40)";
  llama.expect("llama", R"(, "rope_scaling": {)" + scaling + "}", turns);
  // As newer programs say it.
  llama.expect("llama", R"(, "rope_parameters": {"rope_theta": 10000.0, )" + scaling + "}", turns);
}

TEST(Llama, ReadsBeyondTheLengthThatWasTrained) {
  const Llama llama{.context = 4};
  const auto folder = [&](const std::string& more) {
    return FamilyFolder(llama.config("llama", more), llama.sizes());
  };
  const NoGrad scope;
  EXPECT_ERROR_WITH(ShapeError, "7 steps, of a context of 4",
                    (*load<DecoderOnly>(folder("").path()))(batch(kIds)));
  Row turns = frequencies(6, 10000);
  for (double& each : turns) each /= 2;
  llama.expect("llama", R"(, "rope_scaling": {"type": "linear", "factor": 2.0})", turns);
  const std::string scaling = R"("factor": 2.0, "original_max_position_embeddings": 4)";
  llama.expect("llama", R"(, "rope_scaling": {"rope_type": "llama3", )" + scaling + "}", turns);
  turns[0] *= 2;  // by yarn the first pair stays
  llama.expect(
      "llama",
      R"(, "rope_scaling": {"rope_type": "yarn", "attention_factor": 1.0, )" + scaling + "}",
      turns);
  const FamilyFolder dynamic = folder(R"(, "rope_scaling": {"type": "dynamic", "factor": 2.0})");
  const auto model = load<DecoderOnly>(dynamic.path());
  model->to(DType::f64);
  EXPECT_EQ(model->options().context, 8);
  const double slowed = 2.0 * 7 / 4 - 1;
  EXPECT_LT(
      difference((*model)(batch(kIds)),
                 llama.logits(dynamic.weights, frequencies(6, 10000 * std::pow(slowed, 6.0 / 4)))),
      kClose);
}

TEST(Llama, DropsWeightsOfAttentionAsItsFileSays) {
  const auto dropped = [](const DecoderOnly& model) {
    return dynamic_cast<const attention::MultiHead&>(model.stack.layers[1].self_attn)
        .options()
        .dropout;
  };
  const FamilyFolder llama(Llama().config("llama", R"(, "attention_dropout": 0.25)"),
                           Llama().sizes());
  EXPECT_EQ(dropped(*load<DecoderOnly>(llama.path())), 0.25);
  const FamilyFolder gpt2(kGpt2 + R"(, "attn_pdrop": 0.25, "resid_pdrop": 0.5})", gpt2_sizes(""));
  const auto model = load<DecoderOnly>(gpt2.path());
  EXPECT_EQ(dropped(*model), 0.25);
  EXPECT_EQ(model->options().stack.dropout, 0.5);
}

TEST(Mistral, SeesAWindow) {
  Llama{.window = 3}.expect("mistral", R"(, "sliding_window": 3)");
  Llama().expect("mistral", R"(, "sliding_window": null)");
  Llama{.window = 3}.expect("mistral", R"(, "sliding_window": 3,
       "layer_types": ["sliding_attention", "sliding_attention"])");
  Llama().expect("llama", R"(, "layer_types": ["full_attention", "full_attention"])");
}

TEST(Mistral, WhatItsFileLeavesOutIsAsItsProgramHasIt) {
  const Llama llama{.kv_heads = 4};
  const auto without = [&](const std::string& family, const std::string& key,
                           const std::string& instead) {
    std::string config = llama.config(family, R"(, "sliding_window": null)");
    const std::size_t at = config.find("\"" + key + "\"");
    return config.replace(at, config.find(',', at) + 1 - at, instead);
  };
  const FamilyFolder folder(
      without("mistral", "num_key_value_heads", "\"num_key_value_heads\": null,"), llama.sizes());
  EXPECT_NO_THROW(load(folder.path()));
  folder.write(without("mistral", "max_position_embeddings", ""));
  EXPECT_EQ(load<DecoderOnly>(folder.path())->options().context, 131072);
  folder.write(without("mistral", "num_key_value_heads", ""));
  EXPECT_ERROR_WITH(FormatError, "num_key_value_heads: 8 for 4 heads", load(folder.path()));
  folder.write(without("qwen2", "num_key_value_heads", ""));
  EXPECT_ERROR_WITH(FormatError, "num_key_value_heads: 32 for 4 heads", load(folder.path()));
}

TEST(Qwen2, HasBiasesOfQueriesKeysAndValues) {
  Llama{.qkv_bias = true}.expect("qwen2");
  Llama{.qkv_bias = true, .tied = true}.expect("qwen2", R"(, "use_sliding_window": false,
       "sliding_window": 2, "max_window_layers": 1)");
  Llama{.qkv_bias = true, .window = 2}.expect("qwen2", R"(, "use_sliding_window": true,
       "sliding_window": 2, "max_window_layers": 0)");
}

TEST(Llama, MayBeInPyTorchsFile) {
  const Llama llama;
  const FamilyFolder folder(llama.config("llama"), llama.sizes());
  std::vector<std::pair<std::string, std::string>> members;
  std::string items;
  for (const auto& [name, array] : folder.weights.arrays) {
    const std::string key = fmt::format("{}", members.size());
    std::vector<int> sizes, steps;
    for (Index axis = 0; axis < array.rank(); ++axis) {
      sizes.push_back(static_cast<int>(array.size(axis)));
      steps.push_back(static_cast<int>(array.strides()[axis]));
    }
    items += pickled::text(name) +
             pickled::tensor(pickled::storage("Float", key, static_cast<int>(array.numel())), 0,
                             sizes, steps);
    members.emplace_back("m/data/" + key,
                         std::string(reinterpret_cast<const char*>(array.raw()),
                                     static_cast<std::size_t>(array.numel()) * sizeof(float)));
  }
  members.emplace_back("m/data.pkl", pickled::pickle(pickled::kOrdered + "(" + items + "u"));
  std::filesystem::remove(folder / "model.safetensors");
  TemporaryFolder::put(folder / "pytorch_model.bin", io::encode_zip(members));
  expect_logits(folder.path(), kIds, llama.logits(folder.weights, frequencies(6, 10000)));
}

TEST(Llama, LearnsOn) {
  const FamilyFolder folder(Llama().config("llama"), Llama().sizes());
  const auto model = load<DecoderOnly>(folder.path());
  EXPECT_FALSE(model->training());
  sum((*model)(batch(kIds))).backward();
  for (const auto& [name, tensor] : model->named_parameters()) {
    EXPECT_TRUE(tensor.grad().defined()) << name;
  }
}

TEST(Llama, RefusesWhatItDoesNotKnow) {
  const Llama llama;
  const FamilyFolder folder(llama.config("llama"), llama.sizes());
  const auto refuses = [&](const std::string& family, const std::string& more,
                           const std::string& message) {
    folder.write(llama.config(family, more));
    EXPECT_ERROR_WITH(FormatError, message, load(folder.path())) << more;
  };
  refuses("lama", "", "model_type: \"lama\" is not known");
  refuses("llama", R"(, "rope_scaling": {"rope_type": "longrope"})", "longrope");
  refuses("llama", R"(, "rope_scaling": {"type": "linear"})", "rope_scaling.factor: is missing");
  refuses("llama", R"(, "rope_scaling": {"type": "linear", "factor": 0.5})",
          "rope_scaling: rotary: factor 0.5 must be finite and at least 1");
  refuses("llama", R"(, "rope_parameters": {"rope_type": "llama3", "rope_theta": 500.0,
       "factor": 8.0, "low_freq_factor": 4.0, "high_freq_factor": 4.0})",
          "rope_parameters: rotary: low_freq_factor 4 must be below high_freq_factor 4");
  refuses("llama", R"(, "layer_types": ["full_attention", "sliding_attention"])",
          "layer_types: \"sliding_attention\", where full_attention is built");
  refuses("mistral", R"(, "sliding_window": 3,
       "layer_types": ["full_attention", "sliding_attention"])",
          "layer_types: \"full_attention\", where sliding_attention is built");
  refuses("llama", R"(, "layer_types": ["full_attention"])", "layer_types: 1 types for 2 layers");
  refuses("llama", R"(, "layer_types": "full_attention")", "layer_types: must be a list");
  refuses("llama", R"(, "partial_rotary_factor": 0.5)", "partial_rotary_factor: only 1");
  refuses("llama", R"(, "vocab_size": 11)", "\"vocab_size\" is there twice");
  refuses("qwen2", R"(, "use_sliding_window": true, "max_window_layers": 1)", "max_window_layers");
  refuses("llama", R"(, "attention_bias": true)", "missing");
  refuses("llama", R"(, "attention_bias": 1)", "attention_bias: must be true or false");
  EXPECT_ERROR_WITH(FormatError, "of another kind", load<Bert>([&] {
                      folder.write(llama.config("llama"));
                      return folder.path();
                    }()));
}

TEST(Llama, SizesAreBelievedOnceTensorsHaveThem) {
  const Llama llama;
  const FamilyFolder folder(llama.config("llama"), llama.sizes());
  const auto refuses = [&](const Llama& claimed, const std::string& message) {
    folder.write(claimed.config("llama"));
    EXPECT_ERROR_WITH(FormatError, message, load(folder.path()));
  };
  refuses({.words = 2147483648}, "embed_tokens.weight must be [2147483648, 10]");
  refuses({.width = 2147483648}, "embed_tokens.weight must be [11, 2147483648]");
  refuses({.hidden = 2147483647}, "mlp.gate_proj.weight must be [2147483647, 10]");
  refuses({.layers = 2147483647}, "layers.2.self_attn.q_proj.weight must be there");
  refuses({.head_width = 2147483647}, "q_proj.weight must be [8589934588, 10]");
  refuses({.kv_heads = 3}, "num_key_value_heads: 3 for 4 heads");
  refuses({.words = 0}, "vocab_size: must be a positive integer");
}

TEST(Llama, TensorsAreListedThatAreMissingOrLeft) {
  const Llama llama;
  FamilyFolder folder(llama.config("llama"), llama.sizes());
  const auto all = folder.weights.arrays;
  folder.weights.arrays.erase("model.layers.1.mlp.down_proj.weight");
  folder.weights.arrays.erase("model.norm.weight");
  folder.write();
  EXPECT_ERROR_WITH(FormatError, "stack.layers.1.linear2.weight", load(folder.path()));
  EXPECT_ERROR_WITH(FormatError, "stack.norm.weight", load(folder.path()));
  folder.weights.arrays = all;
  folder.weights.arrays.emplace("model.layers.0.more.weight", all.at("model.norm.weight"));
  folder.write();
  EXPECT_ERROR_WITH(FormatError, "nobody knows the parameter \"layers.0.more.weight\"",
                    load(folder.path()));
}

}  // namespace
}  // namespace heed::pretrained
