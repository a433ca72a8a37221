// An ONNX file as plain structs: a graph of nodes, the numbers that it begins with, and what goes
// in and out. Values are known by their names; an empty one is an input that is left out.
// Format: onnx.proto of the ONNX project (IR versions 3 to 13).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../core/array.h"

namespace heed::onnx {

/// TensorProto.DataType, under its numbers there.
enum class DataType : std::uint8_t {
  undefined = 0,
  f32 = 1,
  u8 = 2,
  i8 = 3,
  u16 = 4,
  i16 = 5,
  i32 = 6,
  i64 = 7,
  string = 8,
  boolean = 9,
  f16 = 10,
  f64 = 11,
  u32 = 12,
  u64 = 13,
  bf16 = 16
};

/// "FLOAT", "INT64" .. as ONNX names it; "type 23" for a number that is none of the above.
std::string name(DataType type);
/// What its numbers are here: f16 and bf16 are f32, integers of any width i64. None for strings,
/// complex numbers and types of fewer than 8 bits or of 8 that float.
std::optional<DType> dtype_of(DataType type);
/// How an array is held exactly.
DataType data_type_of(DType dtype);

/// A tensor in a file. Its numbers are of dtype_of(type).
struct TensorValue {
  std::string name = {};
  DataType type = DataType::undefined;
  Array array = {};
};
/// One that is held exactly.
TensorValue tensor_value(std::string name, const Array& array);

struct Graph;

struct Attribute {
  using Value =
      std::variant<std::int64_t, float, std::string, TensorValue, std::vector<std::int64_t>,
                   std::vector<float>, std::vector<std::string>, std::shared_ptr<Graph>>;
  std::string name = {};
  Value value = {};
};

struct Node {
  std::string op_type = {};  ///< "Gemm"
  std::string name = {};     ///< may be empty
  std::string domain = {};   ///< empty: ONNX's own operators
  std::vector<std::string> inputs = {};
  std::vector<std::string> outputs = {};
  std::vector<Attribute> attributes = {};
  std::string doc = {};
  std::uint64_t place = 0;  ///< in the file that it was read from, for errors

  /// None where there is none of this name.
  const Attribute* attribute(std::string_view wanted) const;
};

/// A size that is known, or that has a name ("batch"), or an empty one.
using Dim = std::variant<std::int64_t, std::string>;

struct ValueInfo {
  std::string name = {};
  DataType type = DataType::undefined;
  std::optional<std::vector<Dim>> shape = {};  ///< none: of any rank
};

struct Graph {
  std::string name = {};
  std::vector<Node> nodes = {};
  std::vector<TensorValue> initializers = {};
  std::vector<ValueInfo> inputs = {}, outputs = {};
  std::vector<ValueInfo> values = {};  ///< what is said of values between
  std::string doc = {};
};

struct Model {
  std::int64_t ir_version = 8;
  std::string producer_name = {}, producer_version = {};
  std::string domain = {};
  std::int64_t model_version = 0;
  std::string doc = {};
  std::map<std::string, std::int64_t> opsets = {};  ///< domain, version; "" is ONNX's own
  std::map<std::string, std::string> metadata = {};
  Graph graph = {};
};

}  // namespace heed::onnx
