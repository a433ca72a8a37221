// Adapters by themselves (nn/lora.h), as safetensors: names, ranks and the scale are in the file.
#pragma once

#include <string>

#include "../nn/lora.h"

namespace heed::io {

/// Throws ValueError for a model without adapters, IoError.
void save_lora(const std::string& path, nn::Module& model);
/// Puts adapters beside the layers that the file names, with its scale and dropout, and freezes the
/// rest. A model that has these only loads them: its scale must be the file's, its dropout, which
/// decides nothing but further training, stays. Throws IoError, FormatError for anything that does
/// not fit, and then has changed nothing.
void load_lora(const std::string& path, nn::Module& model);

}  // namespace heed::io
