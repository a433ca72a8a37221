#include "mechanisms.h"

#include "../../../attention/attention.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../nn/gru.h"
#include "../../../nn/init.h"

namespace heed::attention {
namespace {

using Lengths = std::vector<Index>;
constexpr DType kDType = DType::f64;

Mask padding(const Lengths& lengths, const Tensor& keys) {
  return Mask::lengths(lengths, keys.size(1));
}

Mechanism multi_head(Index kv_heads, bool rotary, bool self) {
  auto made = std::make_shared<MultiHead>(MultiHeadOptions{
      .width = kE, .heads = 3, .kv_heads = kv_heads, .rotary = rotary, .dtype = kDType});
  Mechanism out{.modules = {made}, .self = self, .by_place = rotary, .projects = true};
  out.name = "multi_head";
  if (self) {
    out.causal = [=](const Tensor& x) { return (*made)(x, {.mask = Mask::causal()}).context; };
  }
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Terms call{.mask = padding(lengths, keys), .need_weights = weights};
    return self ? (*made)(keys, call) : (*made)(query, keys, keys, call);
  };
  return out;
}

// Options of the heads, one in each row; what they add to a call is in the terms.
Mechanism heads_with(const std::string& option) {
  MultiHeadOptions options{.width = kE, .heads = 3, .kv_heads = 1, .dtype = kDType};
  Terms terms;
  auto cap = std::make_shared<Tensor>(tensor({1.3}, {1}, kDType).set_requires_grad());
  if (option == "sinks") options.sinks = true;
  if (option == "soft_cap") terms.map = maps::soft_cap(*cap);
  if (option == "slopes") terms.map = maps::slopes(tensor({0.3, 0.1, -0.2}, {3}, kDType));
  if (option == "rule") {
    terms.mask = Mask::rule([](auto q, auto k, auto, auto head) { return (q + k) % 4 != head; });
  }
  if (option == "additive") options.score = std::make_shared<Additive>(2, 2, 3, true, kDType);
  if (option == "entmax") {
    options.normaliser = std::make_shared<Entmax>(EntmaxOptions{.alpha = 1.3, .dtype = kDType});
  }
  if (option == "plus_one") options.normaliser = std::make_shared<SoftmaxPlusOne>();
  if (option == "qk_norm") options.qk_norm = QkNorm::rms;
  if (option == "gate") options.gate = true;
  if (option == "widths") options.head_width = 3, options.value_head_width = 2;
  auto made = std::make_shared<MultiHead>(options);
  Mechanism out{.modules = {made}, .self = true, .projects = true, .name = "multi_head"};
  out.by_place = option == "slopes" || option == "rule";
  out.sums_to_one = option != "sinks" && option != "plus_one";
  out.causal = [=](const Tensor& x) {
    Terms call = terms;
    call.mask = terms.mask & Mask::causal();
    return (*made)(x, call).context;
  };
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    Terms call = terms;
    call.mask = terms.mask & padding(lengths, keys);
    call.need_weights = weights;
    return (*made)(keys, call);
  };
  return out;
}

Mechanism local(LocalKind kind, bool gaussian, std::shared_ptr<Score> score) {
  auto made = std::make_shared<Local>(LocalOptions{.kind = kind,
                                                   .half_width = 2,
                                                   .gaussian = gaussian,
                                                   .score = score,
                                                   .query_width = kE,
                                                   .hidden = 2,
                                                   .dtype = kDType});
  Mechanism out{.modules = {made}, .by_place = true};
  out.name = "local";
  if (score) out.modules.push_back(score);
  out.sums_to_one = kind == LocalKind::monotonic && !gaussian;
  out.key_axis = score && score->per_feature() ? -2 : -1;
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    LocalCall call{.terms = {.need_weights = weights}};
    if (kind == LocalKind::monotonic && !gaussian) {
      // Near the beginning, so that no window is beyond a short sentence.
      call.positions = full(Shape{query.size(0), query.size(1)}, 1.3, kDType);
    }
    return (*made)(query, keys, keys, lengths, call);
  };
  return out;
}

std::shared_ptr<Score> score(const std::string& name) {
  if (name == "dot") return std::make_shared<Dot>();
  if (name == "general") return std::make_shared<General>(kE, kE, kDType);
  if (name == "additive") return std::make_shared<Additive>(kE, kE, 3, true, kDType);
  if (name == "location_based") return std::make_shared<LocationBased>(kE, 10, kDType);
  if (name == "feature_wise") return std::make_shared<FeatureWise>(kE, kE, 2, kE, kDType);
  throw ValueError("score: " + name + " is none");
}

Mechanism synthesizer(const std::vector<SynthesizerKind>& kinds) {
  auto made = std::make_shared<Synthesizer>(SynthesizerOptions{
      .width = kE, .heads = 3, .max_length = 10, .kinds = kinds, .rank = 2, .dtype = kDType});
  Mechanism out{.modules = {made}, .self = true, .projects = true};
  out.by_place = kinds != std::vector{SynthesizerKind::dot_product};
  out.name = "synthesizer";
  out.causal = [=](const Tensor& x) { return (*made)(x, {.mask = Mask::causal()}).context; };
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, {.mask = padding(lengths, keys), .need_weights = weights});
  };
  return out;
}

// Words to sentences, and each sentence a document of its own.
Mechanism hierarchical() {
  auto gru = std::make_shared<nn::GRU>(
      nn::GRUOptions{.input = kE, .hidden = 2, .bidirectional = true, .dtype = kDType});
  auto made = std::make_shared<Hierarchical>(
      std::vector<HierarchicalLevel>{
          {.width = 4,
           .encode = [gru](const Tensor& x, const Lengths& n) { return (*gru)(x, n).output; }},
          {.width = 4, .hidden = 3}},
      kDType);
  Mechanism out{.modules = {made, gru}, .pools = true, .by_place = true, .name = "hierarchical"};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const auto read = (*made)(keys, {lengths, Lengths(lengths.size(), 1)}, weights);
    return Attended{read.context, weights ? read.weights[0] : Tensor()};
  };
  return out;
}

Mechanism source_to_token() {
  auto made = std::make_shared<SourceToToken>(kE, 3, kDType);
  Mechanism out{.modules = {made}, .pools = true, .key_axis = -2, .name = "source_to_token"};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, padding(lengths, keys), weights);
  };
  return out;
}

Mechanism token_to_token() {
  auto made = std::make_shared<TokenToToken>(kE, 3, kDType);
  Mechanism out{.modules = {made}, .self = true, .key_axis = -2, .name = "token_to_token"};
  out.causal = [=](const Tensor& x) { return (*made)(x, Mask::causal()).context; };
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, padding(lengths, keys), weights);
  };
  return out;
}

Mechanism pooling() {
  auto made = std::make_shared<AttentionPooling>(kE, 3, kDType);
  Mechanism out{.modules = {made}, .pools = true, .name = "pooling"};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, padding(lengths, keys), weights);
  };
  return out;
}

// Keys as cells one below the other, or as boxes.
Mechanism spatial(bool grid) {
  auto score = std::make_shared<Additive>(kE, kE, 3, false, kDType);
  Mechanism out{.modules = {score}, .name = grid ? "grid_attention" : "box_attention"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Terms options{.need_weights = weights};
    const Shape places{static_cast<Index>(lengths.size()), keys.size(1)};
    const Tensor real = padding(lengths, keys).tensor(places);
    if (!grid) return box_attention(*score, query, keys, options, real);
    Attended seen = grid_attention(*score, query, unsqueeze(transpose(keys, 1, 2), -1), options,
                                   unsqueeze(real, -1));
    if (weights) seen.weights = squeeze(seen.weights, -1);
    return seen;
  };
  return out;
}

Mechanism pointer() {
  auto made = std::make_shared<Pointer>(kE, kE, 3, kDType);
  Mechanism out{.modules = {made}, .name = "pointer"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    // What it points to, as a context.
    const Tensor p = exp((*made)(query, keys, padding(lengths, keys)));
    return Attended{p, weights ? p : Tensor()};
  };
  return out;
}

Mechanism coverage() {
  auto made = std::make_shared<Coverage>(kE, kE, 3, kDType);
  Mechanism out{.modules = {made}, .name = "coverage"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const CoverageOutput seen = (*made)(query, keys, keys, padding(lengths, keys));
    // The loss beside the context: all of it is checked.
    return Attended{concat({seen.context, unsqueeze(seen.loss, -1)}, -1),
                    weights ? seen.weights : Tensor()};
  };
  return out;
}

TransformerOptions small(bool pre_norm) {
  return {.width = kE,
          .heads = 3,
          .hidden = 4,
          .dropout = 0,
          .pre_norm = pre_norm,
          .activation = Activation::gelu,
          .dtype = kDType};
}

Mechanism encoder(bool pre_norm) {
  auto made = std::make_shared<TransformerEncoder>(2, small(pre_norm), pre_norm);
  Mechanism out{.modules = {made}, .self = true, .projects = true, .residual = true};
  out.name = "transformer_encoder";
  out.causal = [=](const Tensor& x) { return (*made)(x, {.mask = Mask::causal()}).output; };
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const StackOutput seen =
        (*made)(keys, {.mask = padding(lengths, keys), .need_weights = weights});
    return Attended{seen.output, weights ? seen.weights.back() : Tensor()};
  };
  return out;
}

// Targets as queries, blind to each other, over a source.
Mechanism decoder(bool pre_norm) {
  auto made = std::make_shared<TransformerDecoder>(2, small(pre_norm), pre_norm);
  Mechanism out{.modules = {made}, .projects = true, .residual = true};
  out.name = "transformer_decoder";
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const StackOutput seen = (*made)(query, keys, {.mask = Mask::causal()},
                                     {.mask = padding(lengths, keys), .need_weights = weights});
    return Attended{seen.output, weights ? seen.weights.back() : Tensor()};
  };
  return out;
}

Mechanism made(const std::string& name) {
  using Kind = SynthesizerKind;
  if (name == "multi_head") return multi_head(3, false, false);
  if (name == "multi_head_self") return multi_head(3, false, true);
  if (name == "multi_head_rotary") return multi_head(3, true, true);
  if (name == "multi_query") return multi_head(1, false, false);
  if (name.starts_with("heads_with_")) return heads_with(name.substr(11));
  if (name == "local_m") return local(LocalKind::monotonic, false, nullptr);
  if (name == "local_m_gaussian") return local(LocalKind::monotonic, true, nullptr);
  if (name == "local_p") return local(LocalKind::predictive, true, nullptr);
  if (name.starts_with("local_m_")) {
    return local(LocalKind::monotonic, false, score(name.substr(8)));
  }
  if (name.starts_with("local_p_")) {
    return local(LocalKind::predictive, true, score(name.substr(8)));
  }
  if (name == "synthesizer_dense") return synthesizer({Kind::dense});
  if (name == "synthesizer_random") return synthesizer({Kind::random});
  if (name == "synthesizer_fixed_random") return synthesizer({Kind::fixed_random});
  if (name == "synthesizer_factorised_dense") return synthesizer({Kind::factorised_dense});
  if (name == "synthesizer_factorised_random") return synthesizer({Kind::factorised_random});
  if (name == "synthesizer_dot_product") return synthesizer({Kind::dot_product});
  if (name == "synthesizer_mixture") {
    return synthesizer({Kind::dot_product, Kind::factorised_random, Kind::dense});
  }
  if (name == "transformer_encoder") return encoder(false);
  if (name == "transformer_encoder_pre_norm") return encoder(true);
  if (name == "transformer_decoder") return decoder(false);
  if (name == "transformer_decoder_pre_norm") return decoder(true);
  if (name == "pooling") return pooling();
  if (name == "hierarchical") return hierarchical();
  if (name == "source_to_token") return source_to_token();
  if (name == "token_to_token") return token_to_token();
  if (name == "grid_attention") return spatial(true);
  if (name == "box_attention") return spatial(false);
  if (name == "pointer") return pointer();
  if (name == "coverage") return coverage();
  if (Mechanism pairs = pair_mechanism(name); !pairs.modules.empty()) return pairs;
  if (Mechanism words = decoder_mechanism(name); !words.modules.empty()) return words;
  if (Mechanism memory = memory_mechanism(name); !memory.modules.empty()) return memory;
  throw ValueError("mechanism: " + name + " is none");
}

}  // namespace

const std::vector<std::string> kMechanisms = {
    "multi_head",
    "multi_head_self",
    "multi_head_rotary",
    "multi_query",
    "heads_with_sinks",
    "heads_with_soft_cap",
    "heads_with_slopes",
    "heads_with_rule",
    "heads_with_additive",
    "heads_with_entmax",
    "heads_with_plus_one",
    "heads_with_qk_norm",
    "heads_with_gate",
    "heads_with_widths",
    "local_m",
    "local_m_gaussian",
    "local_p",
    "local_m_dot",
    "local_m_general",
    "local_m_additive",
    "local_m_location_based",
    "local_m_feature_wise",
    "local_p_dot",
    "local_p_general",
    "local_p_additive",
    "local_p_location_based",
    "local_p_feature_wise",
    "synthesizer_dense",
    "synthesizer_random",
    "synthesizer_fixed_random",
    "synthesizer_factorised_dense",
    "synthesizer_factorised_random",
    "synthesizer_dot_product",
    "synthesizer_mixture",
    "transformer_encoder",
    "transformer_encoder_pre_norm",
    "transformer_decoder",
    "transformer_decoder_pre_norm",
    "pooling",
    "hierarchical",
    "source_to_token",
    "token_to_token",
    "pointer",
    "coverage",
    "bahdanau_decoder",
    "luong_decoder",
    "luong_decoder_fed",
    "luong_decoder_local_m",
    "luong_decoder_local_p",
    "location_aware_decoder",
    "location_aware_decoder_smooth_window",
    "location_aware_decoder_sharp",
    "pointer_generator",
    "pointer_generator_uncovered",
    "conv_seq2seq",
    "co_attention_parallel",
    "co_attention_alternating",
    "co_attention_hierarchy",
    "attention_over_attention",
    "coupled",
    "word_by_word",
    "smoothed_attention",
    "key_value_memory",
    "lstmn",
    "lstmn_span",
    "lstmn_shallow",
    "lstmn_deep",
    "grid_attention",
    "box_attention",
};

std::vector<Tensor> Mechanism::parameters() const {
  std::vector<Tensor> out;
  for (const auto& part : modules) {
    for (const Tensor& parameter : part->parameters()) out.push_back(parameter);
  }
  return out;
}

Mechanism mechanism(const std::string& name) {
  manual_seed(41);
  Mechanism out = made(name);
  for (const Tensor& parameter : out.parameters()) nn::normal_(parameter, 0, 0.5);
  return out;
}

}  // namespace heed::attention
