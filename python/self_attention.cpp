// heed.attention: a stack's self-attention by one name, and the kinds that are not made of
// MultiHead alone.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_FIELDS(SelfAttentionSizes, width, heads, max_length, dropout, dtype, rotary)
HEED_GIVES(SelfAttentionKind, name, rotary, steps, packed, sums_up, by_length)
HEED_FIELDS(DifferentialHeadsOptions, kind, width, heads, head_width, kv_heads, layer, rotary,
            rotary_options, dropout, dtype)
HEED_FIELDS(ForgettingHeadsOptions, width, heads, head_width, dropout, dtype)
HEED_FIELDS(LatentHeadsOptions, width, heads, latent, query_latent, head_width, rotary_width,
            value_width, dropout, rotary, dtype)
HEED_FIELDS(NativeSparseOptions, width, heads, kv_heads, head_width, block, stride, hidden,
            selected_block, selected, initial, local, window, rotary, rotary_options, dropout,
            dtype)
HEED_FIELDS(SynthesizerOptions, width, heads, max_length, kinds, rank, factor, dropout, dtype)

std::shared_ptr<SelfAttention> self_attention_of(const std::string& name,
                                                 const SelfAttentionSizes& sizes, Index layer) {
  const auto maker = self_attention_maker(name, sizes);
  if (maker) return maker(layer);
  return std::make_shared<MultiHead>(MultiHeadOptions{.width = sizes.width,
                                                      .heads = sizes.heads,
                                                      .dropout = sizes.dropout,
                                                      .rotary = sizes.rotary,
                                                      .dtype = sizes.dtype});
}

namespace {

template <class T, class... Parts>
Mechanism<T, SelfAttention> kind(py::module_& m, const char* what, const char* names = "") {
  Mechanism<T, SelfAttention> out(m, what);
  out.template init<Parts...>(names);
  return out;
}

void bind_kinds(py::module_& m) {
  record<SelfAttentionKind>(m, "What can be done with a kind of self-attention.");
  function(m, "self_attention_kinds", "", &self_attention_kinds,
           "The kinds of causal self-attention by their names.");
  function(
      m, "self_attention", "name, layer=0",
      [](const std::string& name, Index layer, const SelfAttentionSizes& sizes) {
        return self_attention_of(name, sizes, layer);
      },
      "The kind of that name, made for a stack's layer: self_attention(\"ssd\", width=64, "
      "heads=4). "
      "max_length is that of the longest text, by which the kinds that are by_length are made. "
      "Raises ValueError for names that there are not, and where max_length is needed.");
}

void bind_other_heads(py::module_& m) {
  kind<DifferentialHeads, DifferentialHeadsOptions>(
      m, "What one softmax gives less a share of another's (Ye et al. 2025).")
      .method("lambda_", "", &DifferentialHeads::lambda, "The share, of v1.");
  kind<ForgettingHeads, ForgettingHeadsOptions>(m, "Forgetting Transformer (Lin et al. 2025).")
      .method("log_gates", "input", &ForgettingHeads::log_gates, "[B, H, T].");
  kind<LatentHeads, LatentHeadsOptions>(
      m, "Multi-head latent attention (DeepSeek-V2 2024): a cache of latents.")
      .method(
          "absorbed", "input, cache",
          [](const LatentHeads& f, const Tensor& x, KeyValueCache* cache, const Terms& terms) {
            return f.absorbed(x, terms, cache);
          },
          "As it decodes, without keys and values of all heads.");
  kind<NativeSparseHeads, NativeSparseOptions>(m, "Native sparse attention (Yuan et al. 2025).")
      .method("chosen", "input", &NativeSparseHeads::chosen,
              "The blocks each query chooses, i64 [B, kv_heads, T, n]; -1: none.");
  kind<Synthesizer, SynthesizerOptions>(m, "Scores without pairs of tokens (Tay et al. 2021).");
}

}  // namespace

void bind_self_attention(py::module_& m) {
  bind_kinds(m);
  bind_other_heads(m);
}

}  // namespace heed::python
