#include "self_attention_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../core/error.h"
#include "../biases/alibi.h"
#include "../biases/t5_bias.h"
#include "../masks/rules.h"
#include "../normalisers/sparse.h"
#include "../scores/contextual.h"
#include "linear/attention_free_full.h"
#include "linear/linear_kinds.h"
#include "linear/reformer.h"
#include "linear/routing.h"
#include "transformer/differential_heads.h"
#include "transformer/forgetting_heads.h"
#include "transformer/latent_heads.h"
#include "transformer/multi_head.h"
#include "transformer/native_sparse_heads.h"
#include "transformer/synthesizer_kinds.h"
#include "transformer/transformer_xl.h"

namespace heed::attention {
namespace {

using Sizes = SelfAttentionSizes;
using Made = std::shared_ptr<SelfAttention>;

// Heads whose calls have a bias by offset or a mask beside what they are given.
class HeadsUnder : public MultiHead {
 public:
  HeadsUnder(const MultiHeadOptions& options, const std::shared_ptr<OffsetBias>& bias, Mask mask)
      : MultiHead(options),
        bias_(bias ? &shared_child("bias", bias) : nullptr),
        mask_(std::move(mask)) {}
  using MultiHead::operator();
  Attended operator()(const Tensor& x, const Terms& terms, KeyValueCache* cache) const override {
    Terms own = terms;
    if (own.position_bias == nullptr) own.position_bias = bias_;
    own.mask = own.mask & mask_;
    return MultiHead::operator()(x, own, cache);
  }

 private:
  const OffsetBias* bias_;
  Mask mask_;
};

MultiHeadOptions heads(const Sizes& o) {
  return {.width = o.width,
          .heads = o.heads,
          .dropout = o.dropout,
          .rotary = o.rotary,
          .dtype = o.dtype};
}

// Heads that change(options) has changed.
template <auto change>
Made changed(const Sizes& o, Index) {
  MultiHeadOptions options = heads(o);
  change(options, o);
  return std::make_shared<MultiHead>(options);
}

Made under(const Sizes& o, const std::shared_ptr<OffsetBias>& bias, const Mask& mask) {
  return std::make_shared<HeadsUnder>(heads(o), bias, mask);
}

Index head_width(const Sizes& o) { return std::max<Index>(1, o.width / o.heads); }
Index half_of(Index heads) { return heads % 2 == 0 ? heads / 2 : heads; }
// An eighth of the longest text: what a window holds, and how many keys are the best.
Index some(const Sizes& o) { return std::max<Index>(1, o.max_length / 8); }

Made differential(const Sizes& o, Index layer, DifferentialKind kind) {
  const bool v1 = kind == DifferentialKind::v1;
  return std::make_shared<DifferentialHeads>(
      DifferentialHeadsOptions{.kind = kind,
                               .width = o.width,
                               .heads = v1 ? half_of(o.heads) : o.heads,
                               .layer = layer,
                               .rotary = o.rotary,
                               .dropout = o.dropout,
                               .dtype = o.dtype});
}

Made latent(const Sizes& o, Index) {
  return std::make_shared<LatentHeads>(
      LatentHeadsOptions{.width = o.width,
                         .heads = o.heads,
                         .latent = std::max<Index>(1, o.width / 2),
                         .head_width = head_width(o),
                         .rotary_width = o.rotary ? 2 * ((head_width(o) + 3) / 4) : 0,
                         .dropout = o.dropout,
                         .dtype = o.dtype});
}

// AFT-full with w in factors, as the paper has it, or AFT-local with a window.
Made attention_free(const Sizes& o, Index window, Index rank) {
  return std::make_shared<AttentionFreeFull>(AttentionFreeFullOptions{.width = o.width,
                                                                      .max_length = o.max_length,
                                                                      .window = window,
                                                                      .rank = rank,
                                                                      .dtype = o.dtype});
}

// Blocks and a window that are a quarter of the longest text at most.
Made native_sparse(const Sizes& o, Index) {
  const Index block = std::clamp<Index>(o.max_length / 16 * 2, 2, 32);
  return std::make_shared<NativeSparseHeads>(
      NativeSparseOptions{.width = o.width,
                          .heads = o.heads,
                          .block = block,
                          .stride = block / 2,
                          .selected_block = block,
                          .selected = 4,
                          .window = std::max<Index>(1, std::min<Index>(o.max_length / 4, 512)),
                          .rotary = o.rotary,
                          .dropout = o.dropout,
                          .dtype = o.dtype});
}

struct Kind {
  const char* name;
  bool rotary, steps, packed;
  Made (*make)(const Sizes& o, Index layer);
  bool by_length = false;
};

using Options = MultiHeadOptions;
const Kind kKinds[] = {
    {"gated", true, true, true, changed<[](Options& h, const Sizes&) { h.gate = true; }>},
    {"grouped-query", true, true, true,
     changed<[](Options& h, const Sizes& o) { h.kv_heads = o.heads % 2 == 0 ? o.heads / 2 : 1; }>},
    {"multi-query", true, true, true, changed<[](Options& h, const Sizes&) { h.kv_heads = 1; }>},
    {"latent", true, true, true, latent},
    {"differential", true, true, true,
     [](const Sizes& o, Index layer) { return differential(o, layer, DifferentialKind::v1); }},
    {"differential-v2", true, true, true,
     [](const Sizes& o, Index layer) { return differential(o, layer, DifferentialKind::v2); }},
    {"forgetting", false, true, true,
     [](const Sizes& o, Index) -> Made {
       return std::make_shared<ForgettingHeads>(ForgettingHeadsOptions{
           .width = o.width, .heads = o.heads, .dropout = o.dropout, .dtype = o.dtype});
     }},
    {"native-sparse", true, true, false, native_sparse, true},
    {"cope", false, true, true, changed<[](Options& h, const Sizes& o) {
       h.score = std::make_shared<ContextualPositions>(
           head_width(o), std::min<Index>(o.max_length, 64), std::nullopt, o.dtype);
     }>,
     true},
    {"transformer-xl", false, true, true,
     [](const Sizes& o, Index) -> Made {
       return std::make_shared<TransformerXLHeads>(TransformerXLOptions{
           .width = o.width, .heads = o.heads, .dropout = o.dropout, .dtype = o.dtype});
     }},
    {"relative", false, true, true, changed<[](Options& h, const Sizes& o) {
       h.relative = std::make_shared<RelativePositions>(RelativeOptions{
           .key_width = head_width(o), .value_width = head_width(o), .dtype = o.dtype});
     }>},
    {"alibi", false, true, true,
     [](const Sizes& o, Index) {
       return under(o, std::make_shared<Alibi>(o.heads, o.dtype), Mask());
     }},
    {"t5", false, true, true,
     [](const Sizes& o, Index) {
       return under(o,
                    std::make_shared<T5Bias>(
                        T5Options{.heads = o.heads, .bidirectional = false, .dtype = o.dtype}),
                    Mask());
     }},
    {"window", true, true, true,
     [](const Sizes& o, Index) { return under(o, nullptr, Mask::window(some(o), 0)); }, true},
    {"strided", true, true, true,
     [](const Sizes& o, Index) {
       const double root = std::sqrt(static_cast<double>(o.max_length));
       return under(o, nullptr, masks::strided(static_cast<Index>(root)));
     },
     true},
    {"qk-norm", true, true, true,
     changed<[](Options& h, const Sizes&) { h.qk_norm = QkNorm::rms; }>},
    {"sinks", true, true, true, changed<[](Options& h, const Sizes&) { h.sinks = true; }>},
    {"persistent", true, true, true,
     changed<[](Options& h, const Sizes&) { h.extras.slots = 16; }>},
    {"sparsemax", true, true, true,
     changed<[](Options& h, const Sizes&) { h.normaliser = std::make_shared<Sparsemax>(); }>},
    {"entmax", true, true, true,
     changed<[](Options& h, const Sizes&) { h.normaliser = std::make_shared<Entmax>(); }>},
    {"top-k", true, true, true,
     changed<[](Options& h, const Sizes& o) { h.normaliser = std::make_shared<TopK>(some(o)); }>,
     true},
    {"aft-full", false, true, false, [](const Sizes& o, Index) { return attention_free(o, 0, 32); },
     true},
    {"aft-local", false, true, false,
     [](const Sizes& o, Index) { return attention_free(o, some(o), 0); }, true},
    {"reformer", false, false, false,
     [](const Sizes& o, Index) -> Made {
       return std::make_shared<Reformer>(
           ReformerOptions{.width = o.width, .heads = o.heads, .dtype = o.dtype});
     }},
    {"routing", false, false, false,
     [](const Sizes& o, Index) -> Made {
       return std::make_shared<Routing>(
           RoutingOptions{.width = o.width, .heads = o.heads, .dtype = o.dtype});
     }},
};

constexpr const char* kSynthesizers[] = {"synthesizer-dense", "synthesizer-random",
                                         "synthesizer-fixed-random", "synthesizer-factorised-dense",
                                         "synthesizer-factorised-random"};

const Kind* found(const std::string& name) {
  const auto at = std::find_if(std::begin(kKinds), std::end(kKinds),
                               [&](const Kind& kind) { return name == kind.name; });
  return at == std::end(kKinds) ? nullptr : at;
}

}  // namespace

const std::vector<SelfAttentionKind>& self_attention_kinds() {
  static const std::vector<SelfAttentionKind> all = [] {
    std::vector<SelfAttentionKind> out = {self_attention_kind("dot")};
    for (const Kind& kind : kKinds) out.push_back(self_attention_kind(kind.name));
    for (const std::string& name : linear_kinds()) out.push_back(self_attention_kind(name));
    for (const char* name : kSynthesizers) out.push_back(self_attention_kind(name));
    return out;
  }();
  return all;
}

SelfAttentionKind self_attention_kind(const std::string& name) {
  if (const Kind* kind = found(name)) {
    return {.name = name,
            .rotary = kind->rotary,
            .steps = kind->steps,
            .packed = kind->packed,
            .by_length = kind->by_length};
  }
  if (is_linear_kind(name)) {
    return {.name = name, .steps = true, .sums_up = true, .by_length = name == "cosformer"};
  }
  const bool dot = synthesizer_kinds(name).empty();
  return {.name = name, .rotary = dot, .steps = dot, .packed = dot, .by_length = !dot};
}

std::function<std::shared_ptr<SelfAttention>(Index layer)> self_attention_maker(
    const std::string& name, const SelfAttentionSizes& o) {
  const SelfAttentionKind all = self_attention_kind(name);
  if (o.rotary && !all.rotary) {
    throw ValueError(
        fmt::format("self_attention: rotary positions turn queries and keys, not {}", name));
  }
  if (all.by_length && o.max_length < 1) {
    throw ValueError(fmt::format(
        "self_attention: {} is made by max_length, that of the longest text, which is {}", name,
        o.max_length));
  }
  if (const Kind* kind = found(name)) {
    return [=](Index layer) { return kind->make(o, layer); };
  }
  if (is_linear_kind(name)) {
    return [=](Index) {
      return make_linear(name, {.width = o.width, .heads = o.heads, .dtype = o.dtype},
                         o.max_length);
    };
  }
  const SynthesizerKinds kinds = synthesizer_kinds(name);
  if (kinds.empty()) return {};
  return [=](Index) {
    return std::make_shared<Synthesizer>(SynthesizerOptions{.width = o.width,
                                                            .heads = o.heads,
                                                            .max_length = o.max_length,
                                                            .kinds = kinds,
                                                            .dropout = o.dropout,
                                                            .dtype = o.dtype});
  };
}

}  // namespace heed::attention
