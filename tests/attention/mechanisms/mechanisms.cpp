#include "mechanisms.h"

#include "../../../attention/attention.h"
#include "../../../autograd/ops/elementwise.h"
#include "../../../autograd/ops/shape.h"
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
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const MultiHeadCall call{.mask = padding(lengths, keys), .need_weights = weights};
    return self ? (*made)(keys, call) : (*made)(query, keys, keys, call);
  };
  return out;
}

Mechanism local(LocalKind kind, bool gaussian, std::shared_ptr<Score> score) {
  auto made = std::make_shared<Local>(LocalOptions{.kind = kind,
                                                   .half_width = 2,
                                                   .gaussian = gaussian,
                                                   .score = score.get(),
                                                   .query_width = kE,
                                                   .hidden = 2,
                                                   .dtype = kDType});
  Mechanism out{.modules = {made}, .by_place = true};
  if (score) out.modules.push_back(score);
  out.sums_to_one = kind == LocalKind::monotonic && !gaussian;
  out.key_axis = score && score->per_feature() ? -2 : -1;
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    LocalCall call{.need_weights = weights};
    if (kind == LocalKind::monotonic && !gaussian) {
      // Near the beginning, so that no window is beyond a short sentence.
      call.positions = full(Shape{query.size(0), query.size(1)}, 1.3, kDType);
    }
    return (*made)(query, keys, keys, lengths, call);
  };
  return out;
}

Mechanism synthesizer(const std::vector<SynthesizerKind>& kinds) {
  auto made = std::make_shared<Synthesizer>(SynthesizerOptions{
      .width = kE, .heads = 3, .max_length = 10, .kinds = kinds, .rank = 2, .dtype = kDType});
  Mechanism out{.modules = {made}, .self = true, .projects = true};
  out.by_place = kinds != std::vector{SynthesizerKind::dot_product};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, padding(lengths, keys), weights);
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
  Mechanism out{.modules = {made, gru}, .pools = true, .by_place = true};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const auto read = (*made)(keys, {lengths, Lengths(lengths.size(), 1)}, weights);
    return Attended{read.context, weights ? read.weights[0] : Tensor()};
  };
  return out;
}

Mechanism source_to_token() {
  auto made = std::make_shared<SourceToToken>(kE, 3, kDType);
  Mechanism out{.modules = {made}, .pools = true, .key_axis = -2};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, padding(lengths, keys), weights);
  };
  return out;
}

Mechanism token_to_token() {
  auto made = std::make_shared<TokenToToken>(kE, 3, kDType);
  Mechanism out{.modules = {made}, .self = true, .key_axis = -2};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, padding(lengths, keys), weights);
  };
  return out;
}

Mechanism pooling() {
  auto made = std::make_shared<Pooling>(kE, 3, kDType);
  Mechanism out{.modules = {made}, .pools = true};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, padding(lengths, keys), weights);
  };
  return out;
}

// Keys as cells one below the other, or as boxes.
Mechanism spatial(bool grid) {
  auto score = std::make_shared<Additive>(kE, kE, 3, false, kDType);
  Mechanism out{.modules = {score}};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const AttendOptions options{.score = score.get(), .need_weights = weights};
    const Shape places{keys.size(0), keys.size(1)};
    const Tensor real = padding(lengths, keys).tensor(places);
    if (!grid) return box_attention(query, keys, options, real);
    Attended seen =
        grid_attention(query, unsqueeze(transpose(keys, 1, 2), -1), options, unsqueeze(real, -1));
    if (weights) seen.weights = squeeze(seen.weights, -1);
    return seen;
  };
  return out;
}

Mechanism pointer() {
  auto made = std::make_shared<Pointer>(kE, kE, 3, kDType);
  Mechanism out{.modules = {made}};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    // What it points to, as a context.
    const Tensor p = exp((*made)(query, keys, padding(lengths, keys)));
    return Attended{p, weights ? p : Tensor()};
  };
  return out;
}

Mechanism coverage() {
  auto made = std::make_shared<Coverage>(kE, kE, 3, kDType);
  Mechanism out{.modules = {made}};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Covered seen = (*made)(query, keys, keys, padding(lengths, keys));
    // The loss beside the context: all of it is checked.
    return Attended{concat({seen.context, unsqueeze(seen.loss, -1)}, -1),
                    weights ? seen.weights : Tensor()};
  };
  return out;
}

Mechanism made(const std::string& name) {
  using Kind = SynthesizerKind;
  if (name == "multi_head") return multi_head(3, false, false);
  if (name == "multi_head_self") return multi_head(3, false, true);
  if (name == "multi_head_rotary") return multi_head(3, true, true);
  if (name == "multi_query") return multi_head(1, false, false);
  if (name == "local_m") return local(LocalKind::monotonic, false, nullptr);
  if (name == "local_m_gaussian") return local(LocalKind::monotonic, true, nullptr);
  if (name == "local_p") return local(LocalKind::predictive, true, nullptr);
  if (name == "local_p_general") {
    return local(LocalKind::predictive, true, std::make_shared<General>(kE, kE, kDType));
  }
  if (name == "local_p_additive") {
    return local(LocalKind::predictive, true, std::make_shared<Additive>(kE, kE, 3, true, kDType));
  }
  if (name == "local_m_feature_wise") {
    return local(LocalKind::monotonic, false, std::make_shared<FeatureWise>(kE, kE, 2, kE, kDType));
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
  if (name == "pooling") return pooling();
  if (name == "hierarchical") return hierarchical();
  if (name == "source_to_token") return source_to_token();
  if (name == "token_to_token") return token_to_token();
  if (name == "grid_attention") return spatial(true);
  if (name == "box_attention") return spatial(false);
  if (name == "pointer") return pointer();
  if (name == "coverage") return coverage();
  throw ValueError("mechanism: " + name + " is none");
}

}  // namespace

const std::vector<std::string> kMechanisms = {
    "multi_head",
    "multi_head_self",
    "multi_head_rotary",
    "multi_query",
    "local_m",
    "local_m_gaussian",
    "local_p",
    "local_p_general",
    "local_p_additive",
    "local_m_feature_wise",
    "synthesizer_dense",
    "synthesizer_random",
    "synthesizer_fixed_random",
    "synthesizer_factorised_dense",
    "synthesizer_factorised_random",
    "synthesizer_dot_product",
    "synthesizer_mixture",
    "pooling",
    "hierarchical",
    "source_to_token",
    "token_to_token",
    "pointer",
    "coverage",
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
