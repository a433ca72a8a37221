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
const DType& kDType = mechanism_dtype();

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
  if (option == "longformer") terms.mask = masks::longformer({.window = 2, .globals = 1});
  if (option == "bigbird") {
    Generator draws(5);  // by which the last place sees the one in the middle
    terms.mask = masks::bigbird(kK, {.block = 1, .window = 1, .globals = 1, .randoms = 1}, draws);
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
  out.by_place =
      option == "slopes" || option == "rule" || option == "longformer" || option == "bigbird";
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
      call.positions = full(Shape{query.size(0), query.size(1)}, 1.3, query.dtype());
    }
    return (*made)(query, keys, keys, lengths, call);
  };
  return out;
}

Mechanism local_m(const std::string& score) {
  return local(LocalKind::monotonic, false, kScores(score, kE));
}
Mechanism local_p(const std::string& score) {
  return local(LocalKind::predictive, true, kScores(score, kE));
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

using Kind = SynthesizerKind;
const Registry<Mechanism> kOnes = {
    {"multi_head", [] { return multi_head(3, false, false); }},
    {"multi_head_self", [] { return multi_head(3, false, true); }},
    {"multi_head_rotary", [] { return multi_head(3, true, true); }},
    {"multi_query", [] { return multi_head(1, false, false); }},
    {"heads_with_sinks", [] { return heads_with("sinks"); }},
    {"heads_with_soft_cap", [] { return heads_with("soft_cap"); }},
    {"heads_with_slopes", [] { return heads_with("slopes"); }},
    {"heads_with_rule", [] { return heads_with("rule"); }},
    {"heads_with_longformer", [] { return heads_with("longformer"); }},
    {"heads_with_bigbird", [] { return heads_with("bigbird"); }},
    {"heads_with_additive", [] { return heads_with("additive"); }},
    {"heads_with_entmax", [] { return heads_with("entmax"); }},
    {"heads_with_plus_one", [] { return heads_with("plus_one"); }},
    {"heads_with_qk_norm", [] { return heads_with("qk_norm"); }},
    {"heads_with_gate", [] { return heads_with("gate"); }},
    {"heads_with_widths", [] { return heads_with("widths"); }},
    {"local_m", [] { return local(LocalKind::monotonic, false, nullptr); }},
    {"local_m_gaussian", [] { return local(LocalKind::monotonic, true, nullptr); }},
    {"local_p", [] { return local(LocalKind::predictive, true, nullptr); }},
    {"local_m_dot", [] { return local_m("dot"); }},
    {"local_m_general", [] { return local_m("general"); }},
    {"local_m_additive", [] { return local_m("additive_bias"); }},
    {"local_m_location_based", [] { return local_m("location_based"); }},
    {"local_m_feature_wise", [] { return local_m("feature_wise"); }},
    {"local_p_dot", [] { return local_p("dot"); }},
    {"local_p_general", [] { return local_p("general"); }},
    {"local_p_additive", [] { return local_p("additive_bias"); }},
    {"local_p_location_based", [] { return local_p("location_based"); }},
    {"local_p_feature_wise", [] { return local_p("feature_wise"); }},
    {"synthesizer_dense", [] { return synthesizer({Kind::dense}); }},
    {"synthesizer_random", [] { return synthesizer({Kind::random}); }},
    {"synthesizer_fixed_random", [] { return synthesizer({Kind::fixed_random}); }},
    {"synthesizer_factorised_dense", [] { return synthesizer({Kind::factorised_dense}); }},
    {"synthesizer_factorised_random", [] { return synthesizer({Kind::factorised_random}); }},
    {"synthesizer_dot_product", [] { return synthesizer({Kind::dot_product}); }},
    {"synthesizer_mixture",
     [] {
       return synthesizer({Kind::dot_product, Kind::factorised_random, Kind::dense});
     }},
    {"transformer_encoder", [] { return encoder(false); }},
    {"transformer_encoder_pre_norm", [] { return encoder(true); }},
    {"transformer_decoder", [] { return decoder(false); }},
    {"transformer_decoder_pre_norm", [] { return decoder(true); }},
    {"pooling", pooling},
    {"hierarchical", hierarchical},
    {"source_to_token", source_to_token},
    {"token_to_token", token_to_token},
    {"pointer", pointer},
    {"coverage", coverage},
};
const Registry<Mechanism> kFunctions = {
    {"grid_attention", [] { return spatial(true); }},
    {"box_attention", [] { return spatial(false); }},
};

Registry<Mechanism> in_group(const std::string& group, const Registry<Mechanism>& part) {
  Registry<Mechanism> out({});
  for (const std::string& name : part) {
    out.add({{name.c_str(), [=] {
                Mechanism made = part(name);
                made.group = group;
                return made;
              }}});
  }
  return out;
}

}  // namespace

const Registry<Mechanism> kMechanisms =
    in_group("transformer, pooling, pointers", kOnes)
        .add(in_group("decoders", decoder_mechanisms()))
        .add(in_group("pairs", pair_mechanisms()))
        .add(in_group("memory", memory_mechanisms()))
        .add(in_group("linear time", linear_mechanisms()))
        .add(in_group("graphs and structures", graph_mechanisms()))
        .add(in_group("sets", set_mechanisms()))
        .add(in_group("layers of decoders", layer_mechanisms()))
        .add(in_group("transformer, pooling, pointers", kFunctions));

DType& mechanism_dtype() {
  static DType dtype = DType::f64;
  return dtype;
}

std::vector<Tensor> Mechanism::parameters() const {
  std::vector<Tensor> out;
  for (const auto& part : modules) {
    for (const Tensor& parameter : part->parameters()) out.push_back(parameter);
  }
  return out;
}

Mechanism mechanism(const std::string& name) {
  manual_seed(41);
  Mechanism out = kMechanisms(name);
  for (const Tensor& parameter : out.parameters()) nn::normal_(parameter, 0, 0.5);
  return out;
}

}  // namespace heed::attention
