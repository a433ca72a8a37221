#include "model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace heed::onnx {
namespace {

constexpr std::array<const char*, 24> kNames = {
    "UNDEFINED",      "FLOAT",      "UINT8",          "INT8",       "UINT16",   "INT16",
    "INT32",          "INT64",      "STRING",         "BOOL",       "FLOAT16",  "DOUBLE",
    "UINT32",         "UINT64",     "COMPLEX64",      "COMPLEX128", "BFLOAT16", "FLOAT8E4M3FN",
    "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",      "INT4",     "FLOAT4E2M1"};

}  // namespace

std::string name(DataType type) {
  const auto number = static_cast<std::size_t>(type);
  return number < kNames.size() ? kNames[number] : fmt::format("type {}", number);
}

std::optional<DType> dtype_of(DataType type) {
  switch (type) {
    case DataType::f32:
    case DataType::f16:
    case DataType::bf16: return DType::f32;
    case DataType::f64: return DType::f64;
    case DataType::boolean: return DType::boolean;
    case DataType::u8:
    case DataType::i8:
    case DataType::u16:
    case DataType::i16:
    case DataType::i32:
    case DataType::i64:
    case DataType::u32:
    case DataType::u64: return DType::i64;
    case DataType::undefined:
    case DataType::string: break;
  }
  return {};
}

DataType data_type_of(DType dtype) {
  switch (dtype) {
    case DType::f32: return DataType::f32;
    case DType::f64: return DataType::f64;
    case DType::i64: return DataType::i64;
    case DType::bf16: return DataType::bf16;
    case DType::boolean: break;
  }
  return DataType::boolean;
}

TensorValue tensor_value(std::string name, const Array& array) {
  // What reads bf16 here reads it as f32; operators of ONNX want one dtype.
  const Array wide = array.widened();
  return {.name = std::move(name), .type = data_type_of(wide.dtype()), .array = wide};
}

const Attribute* Node::attribute(std::string_view wanted) const {
  const auto found =
      std::find_if(attributes.begin(), attributes.end(),
                   [&](const Attribute& attribute) { return attribute.name == wanted; });
  return found == attributes.end() ? nullptr : &*found;
}

}  // namespace heed::onnx
