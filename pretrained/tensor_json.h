// Tensors in a JSON object: {"name": {"shape": [2, 3], "dtype": "torch.float32", "data": base64}},
// and beside them "config": {"key": number or text}.
#pragma once

#include <map>
#include <string>

#include "../nn/module.h"

namespace heed::pretrained {

struct TensorFile {
  nn::NamedTensors tensors;
  std::map<std::string, Index> sizes;  ///< the whole numbers of "config"
};

/// Throws IoError, FormatError with `path`.
TensorFile read_tensor_json(const std::string& path);

}  // namespace heed::pretrained
