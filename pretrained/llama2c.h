// The files of llama2.c (github.com/karpathy/llama2.c), the first version of its format: a model of
// LLaMA's kind (Touvron et al. 2023). Its tokens: scored_tokens.h.
//
//   int32 width, hidden, layers, heads, heads of keys and values, vocabulary, context; then f32:
//   token embedding, attention's norms, wq, wk, wv, wo, the feed-forward parts' norms, w1, w2, w3
//   (each of all layers), the last norm, two tables of rotary positions that nobody needs; the head's
//   matrix where the vocabulary's size is negative
//
// Numbers are little-endian. What a file claims is believed only as far as its bytes go.
#pragma once

#include <memory>
#include <string>

#include "decoder_only.h"

namespace heed::pretrained {

/// Throws IoError, FormatError with `path`.
std::unique_ptr<DecoderOnly> read_llama2c(const std::string& path);

}  // namespace heed::pretrained
