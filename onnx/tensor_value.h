// TensorProto: the numbers of a tensor, in each of the forms that ONNX has for them. Internal to
// onnx.
#pragma once

#include <string>

#include "../core/protobuf.h"
#include "external_data.h"
#include "model.h"

namespace heed::onnx {

/// raw_data, one of the typed lists, or a piece of a file beside the model. Throws FormatError for
/// a type that has no dtype here, numbers that are not as many as the shape says, or that do not
/// fit their type, and IoError. Memory follows the bytes that are there.
TensorValue read_tensor_value(ProtobufMessage message, const std::string& path, std::uint64_t place,
                              ExternalData& external);

/// How many bytes they take as raw_data. Throws ValueError unless the array is of the type's dtype.
std::size_t raw_bytes_of(const TensorValue& tensor);
/// As raw_data, to `to`. Throws ValueError for integers that do not fit.
void write_raw(const TensorValue& tensor, char* to);

}  // namespace heed::onnx
