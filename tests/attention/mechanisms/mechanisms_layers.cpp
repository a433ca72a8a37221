// What today's decoders have in the place of multi-head attention.
#include "../../../attention/mechanisms/memory/memorizing.h"
#include "../../../attention/mechanisms/transformer/differential_heads.h"
#include "../../../attention/mechanisms/transformer/forgetting_heads.h"
#include "../../../attention/mechanisms/transformer/latent_heads.h"
#include "../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../attention/mechanisms/transformer/native_sparse_heads.h"
#include "../../../attention/mechanisms/transformer/transformer_encoder.h"
#include "../../../attention/mechanisms/transformer/transformer_xl.h"
#include "../../../attention/mechanisms/transformer/value_residual_heads.h"
#include "../../../attention/scores/contextual.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "mechanisms.h"

namespace heed::attention {
namespace {

using Lengths = std::vector<Index>;
const DType& kDType = mechanism_dtype();

// Any module with the face of a layer's self-attention.
Mechanism layer(const std::shared_ptr<SelfAttention>& made, const std::string& name) {
  Mechanism out{.modules = {made}, .self = true, .projects = true, .name = name};
  out.causal = [=](const Tensor& x) { return (*made)(x, {.mask = Mask::causal()}).context; };
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, {.mask = padding(lengths, keys), .need_weights = weights});
  };
  return out;
}

Mechanism latent(bool absorbed, Index rotary_width) {
  auto made = std::make_shared<LatentHeads>(LatentHeadsOptions{.width = kE,
                                                               .heads = 3,
                                                               .latent = 4,
                                                               .query_latent = 3,
                                                               .head_width = 3,
                                                               .rotary_width = rotary_width,
                                                               .value_width = 2,
                                                               .dtype = kDType});
  Mechanism out = layer(made, "latent_heads");
  out.by_place = rotary_width > 0;
  if (!absorbed) return out;
  out.causal = [=](const Tensor& x) { return made->absorbed(x, {.mask = Mask::causal()}).context; };
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return made->absorbed(keys, {.mask = padding(lengths, keys), .need_weights = weights});
  };
  return out;
}

Mechanism differential(DifferentialKind kind) {
  const bool v1 = kind == DifferentialKind::v1;
  Mechanism out =
      layer(std::make_shared<DifferentialHeads>(DifferentialHeadsOptions{.kind = kind,
                                                                         .width = kE,
                                                                         .heads = v1 ? 3 : 2,
                                                                         .head_width = 2,
                                                                         .kv_heads = v1 ? 3 : 1,
                                                                         .layer = 1,
                                                                         .dtype = kDType}),
            "differential_heads");
  out.sums_to_one = false;
  out.any_sign = true;
  return out;
}

Mechanism forgetting() {
  Mechanism out = layer(std::make_shared<ForgettingHeads>(
                            ForgettingHeadsOptions{.width = kE, .heads = 3, .dtype = kDType}),
                        "forgetting_heads");
  out.by_place = out.always_causal = true;
  return out;
}

Mechanism native_sparse() {
  Mechanism out = layer(std::make_shared<NativeSparseHeads>(NativeSparseOptions{.width = kE,
                                                                                .heads = 2,
                                                                                .kv_heads = 1,
                                                                                .block = 2,
                                                                                .stride = 1,
                                                                                .hidden = 2,
                                                                                .selected_block = 2,
                                                                                .selected = 2,
                                                                                .initial = 0,
                                                                                .local = 1,
                                                                                .window = 2,
                                                                                .dtype = kDType}),
                        "native_sparse_heads");
  out.by_place = out.always_causal = true;
  return out;
}

// Two layers of ValueResidualHeads, the first of which gives its values to the second.
Mechanism value_residual_heads(bool single) {
  auto made = std::make_shared<TransformerEncoder>(
      2, TransformerOptions{
             .width = kE,
             .hidden = 4,
             .dropout = 0,
             .activation = Activation::gelu,
             .dtype = kDType,
             .self_attention = value_residual(
                 {.width = kE, .heads = 3, .layers = 2, .single = single, .dtype = kDType})});
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

Mechanism transformer_xl() {
  auto made = std::make_shared<TransformerXLHeads>(
      TransformerXLOptions{.width = kE, .heads = 3, .dtype = kDType});
  Mechanism out{.modules = {made}, .self = true, .by_place = true, .projects = true};
  out.always_causal = true;
  out.name = "transformer_xl";
  out.causal = [=](const Tensor& x) { return (*made)(x).context; };
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, Tensor(), {.mask = padding(lengths, keys), .need_weights = weights});
  };
  return out;
}

// Beside a store of what was read before, the same for all rows, so that nobody sees nothing.
Mechanism memorizing() {
  auto made = std::make_shared<Memorizing>(
      MemorizingOptions{.width = kE, .heads = 3, .nearest = 7, .dtype = kDType});
  Mechanism out{.modules = {made}, .self = true, .by_place = true, .projects = true};
  out.residual = out.always_causal = true;
  out.name = "memorizing";
  const auto filled = [](Index batch, DType dtype) {
    Generator generator(4);
    const auto past = [&] {
      return expand(Tensor(generator.normal({1, 3, 4, 2}, 0, 1, dtype)), {batch, 3, 4, 2});
    };
    const Tensor keys = past(), values = past();
    return Memorizing::Store{keys, values, Tensor(Array::full({batch, 4}, 1, DType::boolean))};
  };
  out.causal = [=](const Tensor& x) {
    Memorizing::Store store = filled(x.size(0), x.dtype());
    return (*made)(x, store).context;
  };
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Tensor real =
        padding(lengths, keys).tensor(Shape{keys.size(0), keys.size(1)}, "memorizing");
    Memorizing::Store store = filled(keys.size(0), keys.dtype());
    return (*made)(keys, store, {.need_weights = weights}, real);
  };
  return out;
}

Mechanism contextual() {
  Mechanism out =
      layer(std::make_shared<MultiHead>(MultiHeadOptions{
                .width = kE,
                .heads = 3,
                .score = std::make_shared<ContextualPositions>(2, 4, std::nullopt, kDType),
                .dtype = kDType}),
            "multi_head");
  out.by_place = true;
  return out;
}

}  // namespace

Registry<Mechanism> layer_mechanisms() {
  return {
      {"latent_heads", [] { return latent(false, 2); }},
      {"latent_heads_without_positions", [] { return latent(false, 0); }},
      {"latent_heads_absorbed", [] { return latent(true, 2); }},
      {"differential_heads", [] { return differential(DifferentialKind::v1); }},
      {"differential_heads_v2", [] { return differential(DifferentialKind::v2); }},
      {"forgetting_heads", forgetting},
      {"native_sparse_heads", native_sparse},
      {"value_residual_heads", [] { return value_residual_heads(false); }},
      {"value_residual_heads_single", [] { return value_residual_heads(true); }},
      {"heads_with_contextual_positions", contextual},
      {"transformer_xl", transformer_xl},
      {"memorizing", memorizing},
  };
}

}  // namespace heed::attention
