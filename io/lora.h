// Adapters by themselves (nn/lora.h), as safetensors: names, ranks and the scale are in the file.
#pragma once

#include <string>

#include "../nn/lora.h"

namespace heed::io {

/// Throws ValueError for a model without adapters, IoError.
void save_lora(const std::string& path, nn::Module& model);
/// Puts adapters beside the layers that the file names, and freezes the rest; a model that has
/// these only loads them. Throws IoError, FormatError for anything that does not fit: of what was
/// put there, nothing acts then.
void load_lora(const std::string& path, nn::Module& model);

}  // namespace heed::io
