// A model in several safetensors files, beside an index that says which tensor is in which, as
// Hugging Face's programs write those that are large:
//
//   {"metadata": {"total_size": 24}, "weight_map": {"layer.weight": "model-00001-of-00002.safetensors", ...}}
#pragma once

#include <string>

#include "safetensors.h"

namespace heed::io {

inline constexpr const char* kIndexEnding = ".safetensors.index.json";

/// Which file, in the index' folder, has which tensor. Strict: throws FormatError for an index of
/// another form, one that names nothing, and one that names a file elsewhere; IoError.
std::map<std::string, std::string> read_shard_index(const std::string& index_path);

/// The tensors of all files, which stand in the index' folder. Strict: throws FormatError for an
/// index of another form or that names a file elsewhere, for a tensor that is not where the index
/// has it, and for one that the index does not know; IoError.
Safetensors read_sharded_safetensors(const std::string& index_path);

/// `folder`/model.safetensors, or what model.safetensors.index.json in it says. Throws as these;
/// IoError where there is neither.
Safetensors read_model_safetensors(const std::string& folder);

}  // namespace heed::io
