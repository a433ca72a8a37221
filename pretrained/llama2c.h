// A model of LLaMA's kind (Touvron et al. 2023) out of a file of llama2.c (llama2c_file.h).
#pragma once

#include <memory>
#include <string>

#include "decoder_only.h"

namespace heed::pretrained {

/// In eval mode. Throws IoError, FormatError with `path`.
std::unique_ptr<DecoderOnly> read_llama2c(const std::string& path);
/// Such a model as such a file, whole or not at all; numbers of another dtype are rounded to f32,
/// the format's only one. Throws ValueError for a model of another kind,
/// IoError.
void write_llama2c(const std::string& path, const DecoderOnly& model);

}  // namespace heed::pretrained
