// Reading an .onnx file.
#pragma once

#include <string>
#include <string_view>

#include "model.h"

namespace heed::onnx {

/// The file's structs, with the numbers of all tensors, also of those that lie in files beside it
/// (in its folder only). What ONNX knows and Heed does not is refused by name: functions that the
/// model brings itself, sparse tensors, sequences, maps and optional values, tensors of strings, of
/// complex numbers and of less than 8 bits. Unknown fields are passed over, as Protocol Buffers
/// wants it. Whether the graph makes sense is check_graph()'s matter.
/// Throws FormatError with the place, and IoError. Memory follows the size of the files.
Model read_model(const std::string& path);
/// The same of a file's bytes; `path` is for errors and for the folder.
Model decode_model(std::string_view bytes, const std::string& path);

}  // namespace heed::onnx
