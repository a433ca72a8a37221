// Writing an .onnx file.
#pragma once

#include <cstddef>
#include <string>

#include "model.h"

namespace heed::onnx {

struct WriteOptions {
  /// Tensors of at least so many bytes go to a file beside the model, NAME.data (NAME.1.data ..
  /// where that is taken); none at first. ONNX's files end at 2 GiB.
  std::size_t external_from = static_cast<std::size_t>(-1);
};

/// Replaces or creates the file, whole or not at all (io/file.h); what lies beside it is written
/// before, and goes again where the file cannot be written. What so lay beside a model that is
/// replaced goes with it. Throws IoError, and ValueError for a model of 2 GiB and more and a tensor
/// whose numbers are not of its type.
void write_model(const std::string& path, const Model& model, const WriteOptions& options = {});
/// The file's bytes, all tensors in it.
std::string encode_model(const Model& model);

}  // namespace heed::onnx
