// heed.attention: self-attention in less than quadratic time.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_FIELDS(LinearOptions, width, heads, head_width, value_head_width, bias, chunk, dtype)
HEED_FIELDS(PerformerOptions, features, kind)
HEED_FIELDS(FastWeights, q, k, v, log_decay, beta, bonus)
HEED_GIVES(FastWeightsOutput, y, state)
HEED_FIELDS(AttentionFreeFullOptions, width, max_length, window, rank, block, dtype)
HEED_FIELDS(LunaOptions, width, heads, length, layers, dtype)
HEED_FIELDS(LinformerOptions, width, heads, max_length, rank, dtype)
HEED_FIELDS(NystromformerOptions, width, heads, landmarks, iterations, dtype)
HEED_FIELDS(ReformerOptions, width, heads, buckets, rounds, dtype)
HEED_FIELDS(RoutingOptions, width, heads, centroids, dtype)
HEED_FIELDS(SinkhornBlocksOptions, width, heads, block, max_blocks, hidden, iterations, dtype)

namespace {

template <class T, class... Parts>
Mechanism<T, FastWeightsAttention> fast(py::module_& m, const char* what, const char* names = "") {
  Mechanism<T, FastWeightsAttention> out(m, what);
  out.template init<Parts...>(names);
  return out;
}
template <class T, class... Parts>
Mechanism<T, SelfAttention> other(py::module_& m, const char* what, const char* names = "") {
  Mechanism<T, SelfAttention> out(m, what);
  out.template init<Parts...>(names);
  return out;
}

void bind_fast_weights(py::module_& m) {
  record<FastWeightsOutput>(m, "y [.., T, V] and the state [.., K, V] behind the last step.");
  function(
      m, "fast_weights", "form='chunked', state=, chunk=64",
      [](const FastWeights& steps, LinearForm form, const Tensor& state, Index chunk) {
        return fast_weights(steps, form, state, chunk);
      },
      "The recurrence behind causal attention in linear time: q, k [.., T, K], v [.., T, V], "
      "log_decay [.., T, 1 or K], beta [.., T, 1] (the delta rule), bonus [.., 1, K]. Forms: "
      "chunked, recurrent, quadratic (Schlag et al. 2021, Yang et al. 2024).");
  function(m, "fast_weights_matrix", "", &fast_weights_matrix,
           "W [.., T, T] with y = W v: what would be the weights.");
  Mechanism<FastWeightsAttention, SelfAttention>(
      m, "Self-attention over a state in the place of keys: [B, T, E] -> [B, T, E].");
  fast<LinearAttention, const LinearOptions&>(m,
                                              "Features elu(x) + 1 (Katharopoulos et al. 2020).");
  fast<CosFormer, const LinearOptions&, Index>(m, "cosFormer (Qin et al. 2022).", "max_length");
  fast<Performer, const LinearOptions&, const PerformerOptions&>(
      m, "FAVOR+: softmax in expectation (Choromanski et al. 2021).")
      .method("redraw", "generator", &Performer::redraw, "Other random rows.");
  fast<AttentionFree, Index, Index, DType>(m, "AFT-simple (Zhai et al. 2021).",
                                           "width, chunk=64, dtype");
  fast<LunaCausal, const LinearOptions&, Index>(m, "Luna, causal (Ma et al. 2021).", "length");
  fast<RetNet, const LinearOptions&>(m, "Retention (Sun et al. 2023).");
  fast<GatedLinearAttention, const LinearOptions&, Index>(m, "GLA (Yang et al. 2024).", "rank=16");
  fast<StateSpaceDuality, const LinearOptions&, Index>(m, "Mamba-2's layer (Dao and Gu 2024).",
                                                       "convolution=4");
  fast<DeltaNet, const LinearOptions&, Index>(m, "The delta rule (Schlag et al. 2021).",
                                              "convolution=4");
  fast<GatedDeltaNet, const LinearOptions&, Index>(
      m, "The delta rule, with forgetting (Yang et al. 2025).", "convolution=4");
  fast<RWKV6, const LinearOptions&, Index>(m, "RWKV-6's time mixing (Peng et al. 2024).",
                                           "rank=32");
}

void bind_others(py::module_& m) {
  other<AttentionFreeFull, AttentionFreeFullOptions>(m,
                                                     "AFT-full and AFT-local (Zhai et al. 2021).")
      .method("biases", "query, queries, key, keys", &AttentionFreeFull::biases,
              "w [queries, keys] of places from query and key on.");
  other<Fastformer, Index, Index, DType>(m, "Two poolings (Wu et al. 2021).",
                                         "width, heads, dtype");
  other<Linformer, LinformerOptions>(m, "Keys of few rows (Wang et al. 2020).");
  other<Luna, Index, Index, Index, DType>(m, "Packed and unpacked (Ma et al. 2021).",
                                          "width, heads, length, dtype");
  function(m, "luna_stack", "", &luna_stack,
           "The pack of a layer for the next one (Ma et al. 2021): what a stack's self_attention= "
           "takes.");
  other<Nystromformer, NystromformerOptions>(m, "By landmarks (Xiong et al. 2021).");
  other<SinkhornBlocks, SinkhornBlocksOptions>(m, "Sorted blocks (Tay et al. 2020).");
  other<Reformer, ReformerOptions>(m, "Buckets by hashing (Kitaev et al. 2020).")
      .method("redraw", "generator", &Reformer::redraw, "Other random rotations.");
  other<Routing, RoutingOptions>(m, "Places of the same centroid (Roy et al. 2021).")
      .method("refit", "input, decay=0.999", &Routing::refit,
              "Moves the centroids towards what is nearest to them in [B, T, E].");
}

}  // namespace

void bind_linear(py::module_& m) {
  bind_fast_weights(m);
  bind_others(m);
}

}  // namespace heed::python
