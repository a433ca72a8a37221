// T5 and Marian of random weights, against plain loops.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/grad_mode.h"
#include "../../autograd/methods.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "../../pretrained/load.h"
#include "../support/throws.h"
#include "family_folder.h"

namespace heed::pretrained {
namespace {

using namespace plain;

constexpr double kClose = 1e-10;
const std::vector<Index> kSource = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, kTarget = {0, 2, 7, 1, 8, 2};

bool before(Index i, Index j) { return j <= i; }

// All at once, in a batch whose other source is longer, and step by step.
void expect_logits(const std::string& folder, const Rows& wanted) {
  const NoGrad scope;
  const auto model = load<SequenceModel>(folder);
  model->to(DType::f64);
  std::vector<Index> sources = kSource, targets = kTarget;
  const Index S = std::ssize(sources) + 3, T = std::ssize(targets);
  sources.resize(static_cast<std::size_t>(2 * S), 1);
  targets.insert(targets.end(), kTarget.begin(), kTarget.end());
  const Tensor ids = Array::from(sources, Shape{2, S}), words = Array::from(targets, Shape{2, T});
  const std::vector<Index> lengths = {S - 3, S};
  EXPECT_LT(difference((*model)(ids, words, lengths)[0], wanted), kClose);
  const auto decoding = model->start(ids, lengths);
  std::vector<Tensor> steps;
  for (Index t = 0; t < T; ++t) {
    steps.push_back(decoding->step(select(words, 1, t), nullptr)[0]);
  }
  EXPECT_LT(difference(stack(steps, 0), wanted), kClose);
}

struct T5 {
  bool gated = false, tied = true;
  Index width = 6, heads = 3, head_width = 4, hidden = 7, layers = 2, decoder_layers = 1,
        buckets = 8, most = 9, words = 11;

  NamedSizes sizes() const {
    NamedSizes out{{"shared.weight", {words, width}},
                   {"encoder.embed_tokens.weight", {words, width}}};
    const auto attention = [&](const std::string& name) {
      for (const std::string each : {"q", "k", "v"}) {
        out.emplace_back(name + each + ".weight", Shape{heads * head_width, width});
      }
      out.emplace_back(name + "o.weight", Shape{width, heads * head_width});
    };
    for (const std::string stack : {"encoder", "decoder"}) {
      out.emplace_back(stack + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                       Shape{buckets, heads});
      out.emplace_back(stack + ".final_layer_norm.weight", Shape{width});
      const bool encoder = stack == "encoder";
      for (Index i = 0; i < (encoder ? layers : decoder_layers); ++i) {
        const std::string layer = fmt::format("{}.block.{}.layer.", stack, i);
        attention(layer + "0.SelfAttention.");
        if (!encoder) attention(layer + "1.EncDecAttention.");
        const std::string read = layer + (encoder ? "1." : "2.") + "DenseReluDense.";
        for (const std::string each : {"wi_0", "wi_1"}) {
          if (gated) out.emplace_back(read + each + ".weight", Shape{hidden, width});
        }
        if (!gated) out.emplace_back(read + "wi.weight", Shape{hidden, width});
        out.emplace_back(read + "wo.weight", Shape{width, hidden});
        for (Index part = 0; part < (encoder ? 2 : 3); ++part) {
          out.emplace_back(fmt::format("{}{}.layer_norm.weight", layer, part), Shape{width});
        }
      }
    }
    if (!tied) out.emplace_back("lm_head.weight", Shape{words, width});
    return out;
  }

  Rows attended(const Weights& w, const std::string& name, const Rows& x, const Rows& y,
                const Heads& terms) const {
    return linear(w, name + "o",
                  attend(linear(w, name + "q", x), linear(w, name + "k", y),
                         linear(w, name + "v", y), terms));
  }
  Rows stack(const Weights& w, const std::string& name, Rows x, const Rows* memory) const {
    const Rows table =
        w.matrix(name + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight");
    Heads own{.heads = heads, .kv_heads = heads, .scale = 1};
    const bool encoder = memory == nullptr;
    own.bias = [&, encoder](Index h, Index i, Index j) {
      return table[static_cast<std::size_t>(t5_bucket(j - i, encoder, buckets, most))]
                  [static_cast<std::size_t>(h)];
    };
    if (!encoder) own.allowed = before;
    for (Index i = 0; i < (encoder ? layers : decoder_layers); ++i) {
      const std::string layer = fmt::format("{}.block.{}.layer.", name, i);
      Rows normed = rms_norm(w, layer + "0.layer_norm", x, 1e-6);
      x = plus(x, attended(w, layer + "0.SelfAttention.", normed, normed, own));
      if (!encoder) {
        normed = rms_norm(w, layer + "1.layer_norm", x, 1e-6);
        x = plus(x, attended(w, layer + "1.EncDecAttention.", normed, *memory,
                             {.heads = heads, .kv_heads = heads, .scale = 1}));
      }
      const std::string last = layer + (encoder ? "1." : "2."), read = last + "DenseReluDense.";
      normed = rms_norm(w, last + "layer_norm", x, 1e-6);
      const Rows inner = gated ? products(plain::map(linear(w, read + "wi_0", normed), gelu_tanh),
                                          linear(w, read + "wi_1", normed))
                               : plain::map(linear(w, read + "wi", normed), relu);
      x = plus(x, linear(w, read + "wo", inner));
    }
    return rms_norm(w, name + ".final_layer_norm", x, 1e-6);
  }
  Rows logits(const Weights& w) const {
    const Rows table = w.matrix("shared.weight");
    const Rows memory = stack(w, "encoder", plain::rows(table, kSource), nullptr);
    const Rows x = stack(w, "decoder", plain::rows(table, kTarget), &memory);
    return tied ? linear(w, "shared", times(x, 1 / std::sqrt(static_cast<double>(width))))
                : linear(w, "lm_head", x);
  }
  std::string config(const std::string& more = "") const {
    return fmt::format(
        R"({{"model_type": "t5", "vocab_size": {}, "d_model": {}, "d_kv": {}, "d_ff": {},
             "num_layers": {}, "num_decoder_layers": {}, "num_heads": {},
             "relative_attention_num_buckets": {}, "relative_attention_max_distance": {},
             "feed_forward_proj": "{}", "tie_word_embeddings": {}{}}})",
        words, width, head_width, hidden, layers, decoder_layers, heads, buckets, most,
        gated ? "gated-gelu" : "relu", tied, more);
  }
};

TEST(T5, GivesTheNumbersOfPlainLoops) {
  for (const T5& t5 : {T5(), T5{.gated = true, .tied = false}, T5{.gated = true}}) {
    const FamilyFolder folder(t5.config(), t5.sizes());
    expect_logits(folder.path(), t5.logits(folder.weights));
  }
}

TEST(T5, SizesAreBelievedOnceTensorsHaveThem) {
  const T5 t5;
  const FamilyFolder folder(t5.config(), t5.sizes());
  const auto refuses = [&](const T5& claimed, const std::string& message) {
    folder.write(claimed.config());
    EXPECT_ERROR_WITH(FormatError, message, load(folder.path()));
  };
  refuses({.buckets = 2147483646}, "relative_attention_bias.weight must be [2147483646, 3]");
  refuses({.decoder_layers = 2147483647}, "decoder.block.1.layer.0.SelfAttention.q.weight");
  refuses({.tied = false}, "lm_head.weight must be there");
  refuses({.gated = true}, "wi_0.weight must be there");
  folder.write(T5().config(R"(, "is_gated_act": 3)"));
  EXPECT_NO_THROW(load(folder.path()));  // says nothing of its own
}

struct Marian {
  bool shared = true;
  Index width = 6, heads = 3, hidden = 7, layers = 2, decoder_layers = 1, words = 11;

  NamedSizes sizes() const {
    NamedSizes out{{"model.encoder.embed_positions.weight", {16, width}},
                   {"final_logits_bias", {1, words}}};
    if (shared) {
      out.emplace_back("model.shared.weight", Shape{words, width});
    } else {
      out.emplace_back("model.encoder.embed_tokens.weight", Shape{words + 2, width});
      out.emplace_back("model.decoder.embed_tokens.weight", Shape{words, width});
    }
    const auto attention = [&](const std::string& name) {
      for (const std::string each : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
        add_linear(out, name + each, width, width, true);
      }
    };
    for (const std::string stack : {"encoder", "decoder"}) {
      const bool encoder = stack == "encoder";
      for (Index i = 0; i < (encoder ? layers : decoder_layers); ++i) {
        const std::string layer = fmt::format("model.{}.layers.{}.", stack, i);
        attention(layer + "self_attn.");
        add_norm(out, layer + "self_attn_layer_norm", width);
        if (!encoder) {
          attention(layer + "encoder_attn.");
          add_norm(out, layer + "encoder_attn_layer_norm", width);
        }
        add_linear(out, layer + "fc1", hidden, width, true);
        add_linear(out, layer + "fc2", width, hidden, true);
        add_norm(out, layer + "final_layer_norm", width);
      }
    }
    return out;
  }
  Rows attended(const Weights& w, const std::string& name, const Rows& x, const Rows& y,
                bool (*allowed)(Index, Index)) const {
    const double scale = 1 / std::sqrt(static_cast<double>(width / heads));
    return linear(w, name + "out_proj",
                  attend(linear(w, name + "q_proj", x), linear(w, name + "k_proj", y),
                         linear(w, name + "v_proj", y),
                         {.heads = heads, .kv_heads = heads, .scale = scale, .allowed = allowed}));
  }
  Rows stack(const Weights& w, const std::string& name, Rows x, const Rows* memory) const {
    constexpr auto kAll = [](Index, Index) { return true; };
    for (Index i = 0; i < (memory == nullptr ? layers : decoder_layers); ++i) {
      const std::string layer = fmt::format("model.{}.layers.{}.", name, i);
      const auto normed = [&](const std::string& by, const Rows& more) {
        return layer_norm(w, layer + by, plus(x, more), 1e-5);
      };
      x = normed("self_attn_layer_norm",
                 attended(w, layer + "self_attn.", x, x, memory == nullptr ? kAll : before));
      if (memory != nullptr) {
        x = normed("encoder_attn_layer_norm",
                   attended(w, layer + "encoder_attn.", x, *memory, kAll));
      }
      x = normed("final_layer_norm",
                 linear(w, layer + "fc2", plain::map(linear(w, layer + "fc1", x), silu)));
    }
    return x;
  }
  Rows logits(const Weights& w) const {
    const std::string source = shared ? "model.shared" : "model.encoder.embed_tokens",
                      target = shared ? "model.shared" : "model.decoder.embed_tokens";
    const auto embedded = [&](const std::string& table, const std::vector<Index>& ids) {
      return plus(times(plain::rows(w.matrix(table + ".weight"), ids),
                        std::sqrt(static_cast<double>(width))),
                  sinusoids(std::ssize(ids), width));
    };
    const Rows memory = stack(w, "encoder", embedded(source, kSource), nullptr);
    const Rows x = linear(w, target, stack(w, "decoder", embedded(target, kTarget), &memory));
    return plus(x, Rows(x.size(), w.matrix("final_logits_bias")[0]));
  }
  std::string config(const std::string& more = "") const {
    return fmt::format(
        R"({{"model_type": "marian", "vocab_size": {}, "decoder_vocab_size": {}, "d_model": {},
             "encoder_layers": {}, "decoder_layers": {}, "encoder_attention_heads": {},
             "decoder_attention_heads": {}, "encoder_ffn_dim": {}, "decoder_ffn_dim": {},
             "activation_function": "swish", "scale_embedding": true,
             "share_encoder_decoder_embeddings": {}, "bad_words_ids": [[10]]{}}})",
        shared ? words : words + 2, words, width, layers, decoder_layers, heads, heads, hidden,
        hidden, shared, more);
  }
};

TEST(Marian, GivesTheNumbersOfPlainLoops) {
  for (const Marian& marian : {Marian(), Marian{.shared = false}}) {
    const FamilyFolder folder(marian.config(), marian.sizes());
    expect_logits(folder.path(), marian.logits(folder.weights));
  }
}

TEST(Marian, DropsWeightsOfAttentionAsItsFileSays) {
  const Marian marian;
  const FamilyFolder folder(marian.config(R"(, "dropout": 0.5, "attention_dropout": 0.25)"),
                            marian.sizes());
  const auto model = load<SequenceModel>(folder.path());
  const auto dropped = [](const nn::Module& heads) {
    return dynamic_cast<const attention::MultiHead&>(heads).options().dropout;
  };
  EXPECT_EQ(dropped(model->encoder.layers[1].self_attn), 0.25);
  EXPECT_EQ(dropped(model->decoder.layers[0].self_attn), 0.25);
  EXPECT_EQ(dropped(model->decoder.layers[0].multihead_attn), 0.25);
  EXPECT_EQ(model->encoder.layers[1].dropout1.p(), 0.5);
}

TEST(Marian, AStepThatThrowsIsNone) {
  const Marian marian;
  const FamilyFolder folder(marian.config(), marian.sizes());
  const NoGrad scope;
  const auto model = load<SequenceModel>(folder.path());
  const Tensor ids = Array::from(kSource, Shape{1, std::ssize(kSource)}),
               word = Array::from(std::vector<Index>{7}),
               none = Array::from(std::vector<Index>{99});
  const auto decoding = model->start(ids, {std::ssize(kSource)}),
             other = model->start(ids, {std::ssize(kSource)});
  EXPECT_THROW(decoding->step(none, nullptr), IndexError);
  EXPECT_EQ(decoding->step(word, nullptr).to_vector<float>(),
            other->step(word, nullptr).to_vector<float>());
}

TEST(Marian, RefusesWhatItDoesNotKnow) {
  const Marian marian;
  const FamilyFolder folder(marian.config(), marian.sizes());
  const auto refuses = [&](const std::string& config, const std::string& message) {
    folder.write(config);
    EXPECT_ERROR_WITH(FormatError, message, load(folder.path()));
  };
  refuses(marian.config(R"(, "normalize_before": true)"), "normalize_before: true is not known");
  refuses(marian.config(R"(, "tie_word_embeddings": false)"), "tie_word_embeddings");
  refuses(Marian{.hidden = 9}.config(), "fc1.weight must be [9, 6] by config.json, not [7, 6]");
  refuses(Marian{.shared = false}.config(), "encoder.embed_tokens.weight must be there");
}

}  // namespace
}  // namespace heed::pretrained
