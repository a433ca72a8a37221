// Mechanisms in linear time behind the face.
#include "../../../attention/mechanisms/linear/attention_free_full.h"
#include "../../../attention/mechanisms/linear/fastformer.h"
#include "../../../attention/mechanisms/linear/linformer.h"
#include "../../../attention/mechanisms/linear/luna.h"
#include "../../../attention/mechanisms/linear/nystromformer.h"
#include "../../../attention/mechanisms/linear/reformer.h"
#include "../../../attention/mechanisms/linear/routing.h"
#include "../../../attention/mechanisms/linear/sinkhorn_blocks.h"
#include "../../../attention/mechanisms/transformer/transformer_encoder.h"
#include "linear/makers.h"
#include "mechanisms.h"

namespace heed::attention {
namespace {

using Lengths = std::vector<Index>;

Mechanism fast_weights(const std::string& name) {
  const std::shared_ptr<FastWeightsAttention> made =
      linear_makers()(name, {.width = kE,
                             .heads = 2,
                             .head_width = 2,
                             .value_head_width = 3,
                             .chunk = 2,
                             .dtype = mechanism_dtype()});
  Mechanism out{.modules = {made}, .self = true, .projects = true};
  out.name = name == "performer_hyperbolic" ? "performer" : name;
  const bool features = out.name == "linear_attention" || out.name == "performer";
  const bool both_ways = features || name == "cos_former" || name == "attention_free";
  out.by_place = !features && name != "attention_free";
  out.sums_to_one = both_ways && name != "cos_former";  // whose features may all be 0
  out.any_sign = out.sums_to_any = out.always_causal = !both_ways;
  out.causal = [=](const Tensor& x) { return (*made)(x, {.mask = Mask::causal()}).context; };
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, {.mask = padding(lengths, keys), .need_weights = weights});
  };
  return out;
}

// What looks both ways, and keeps nothing.
Mechanism both_ways(const std::string& name, const std::shared_ptr<SelfAttention>& made) {
  Mechanism out{.modules = {made}, .self = true, .projects = true, .name = name};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, {.mask = padding(lengths, keys), .need_weights = weights});
  };
  return out;
}

// AFT-full, and AFT-local with a window; w itself, or its factors.
Mechanism attention_free(Index window, Index rank) {
  const auto made =
      std::make_shared<AttentionFreeFull>(AttentionFreeFullOptions{.width = kE,
                                                                   .max_length = 10,
                                                                   .window = window,
                                                                   .rank = rank,
                                                                   .block = 2,
                                                                   .dtype = mechanism_dtype()});
  Mechanism out = both_ways("attention_free_full", made);
  out.by_place = true;
  out.causal = [=](const Tensor& x) { return (*made)(x, {.mask = Mask::causal()}).context; };
  return out;
}

Mechanism fastformer() {
  Mechanism out = both_ways("fastformer", std::make_shared<Fastformer>(kE, 3, mechanism_dtype()));
  out.residual = true;
  return out;
}

Mechanism linformer() {
  Mechanism out = both_ways(
      "linformer",
      std::make_shared<Linformer>(LinformerOptions{
          .width = kE, .heads = 3, .max_length = 7, .rank = 2, .dtype = mechanism_dtype()}));
  out.by_place = out.any_sign = out.sums_to_any = true;
  out.sums_to_one = false;
  return out;
}

Mechanism nystromformer() {
  Mechanism out = both_ways(
      "nystromformer", std::make_shared<Nystromformer>(NystromformerOptions{
                           .width = kE, .heads = 3, .landmarks = 3, .dtype = mechanism_dtype()}));
  out.by_place = out.any_sign = out.sums_to_any = true;
  out.sums_to_one = false;
  return out;
}

Mechanism luna() { return both_ways("luna", std::make_shared<Luna>(kE, 3, 2, mechanism_dtype())); }

// Two layers, the first of which gives its pack to the second.
Mechanism luna_layers() {
  const DType dtype = mechanism_dtype();
  auto made = std::make_shared<TransformerEncoder>(
      2, TransformerOptions{
             .width = kE,
             .hidden = 4,
             .dropout = 0,
             .activation = Activation::gelu,
             .dtype = dtype,
             .self_attention =
                 luna_stack({.width = kE, .heads = 3, .length = 2, .layers = 2, .dtype = dtype})});
  Mechanism out{.modules = {made}, .self = true, .projects = true, .residual = true};
  out.name = "transformer_encoder";
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const StackOutput seen =
        (*made)(keys, {.mask = padding(lengths, keys), .need_weights = weights});
    return Attended{seen.output, weights ? seen.weights.back() : Tensor()};
  };
  return out;
}

// A place beyond the end is in no bucket: its weights are 0.
Mechanism in_buckets(const std::string& name, const std::shared_ptr<SelfAttention>& made) {
  Mechanism out = both_ways(name, made);
  out.sums_to_one = false;
  return out;
}

Mechanism reformer() {
  return in_buckets(
      "reformer",
      std::make_shared<Reformer>(ReformerOptions{
          .width = kE, .heads = 3, .buckets = 2, .rounds = 2, .dtype = mechanism_dtype()}));
}

Mechanism routing() {
  return in_buckets("routing",
                    std::make_shared<Routing>(RoutingOptions{
                        .width = kE, .heads = 2, .centroids = 2, .dtype = mechanism_dtype()}));
}

Mechanism sinkhorn() {
  Mechanism out = both_ways(
      "sinkhorn_blocks",
      std::make_shared<SinkhornBlocks>(SinkhornBlocksOptions{
          .width = kE, .heads = 3, .block = 2, .max_blocks = 4, .dtype = mechanism_dtype()}));
  out.by_place = true;
  out.sums_to_one = false;
  return out;
}

}  // namespace

Registry<Mechanism> linear_mechanisms() {
  Registry<Mechanism> out({});
  for (const std::string& name : linear_makers()) {
    out.add({{name.c_str(), [name] { return fast_weights(name); }}});
  }
  return out.add({{"attention_free_full", [] { return attention_free(0, 0); }},
                  {"attention_free_full_factorised", [] { return attention_free(0, 2); }},
                  {"attention_free_local", [] { return attention_free(2, 0); }},
                  {"attention_free_local_factorised", [] { return attention_free(2, 2); }},
                  {"fastformer", fastformer},
                  {"linformer", linformer},
                  {"nystromformer", nystromformer},
                  {"luna", luna},
                  {"luna_stack", luna_layers},
                  {"reformer", reformer},
                  {"routing", routing},
                  {"sinkhorn_blocks", sinkhorn}});
}

}  // namespace heed::attention
