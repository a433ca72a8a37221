#include "self_attention_kinds.h"

#include "../transformer/synthesizer_kinds.h"
#include "linear_kinds.h"

namespace heed::attention {

std::function<std::shared_ptr<SelfAttention>(Index layer)> self_attention_maker(
    const std::string& name, const SelfAttentionSizes& o) {
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
