// From one type to another. f16 and bf16 are f32 here; integers are i64, and wrap around where the
// type that a file names is narrower.
#include "../../autograd/ops/shape/shape.h"
#include "../integers.h"
#include "operators.h"

namespace heed::onnx {
namespace {

int bits_of(DataType type) {
  switch (type) {
    case DataType::u8:
    case DataType::i8: return 8;
    case DataType::u16:
    case DataType::i16: return 16;
    case DataType::u32:
    case DataType::i32: return 32;
    default: return 64;
  }
}
bool has_sign(DataType type) {
  return type != DataType::u8 && type != DataType::u16 && type != DataType::u32;
}

Operation cast(NodeReader& node) {
  node.inputs(1, 1);
  const std::int64_t given = node.integer("to");
  const auto type = static_cast<DataType>(given < 0 || given > 255 ? 255 : given);
  node.ignore("saturate");    // of floating types of 8 bits
  node.ignore("round_mode");  // likewise
  const auto dtype = dtype_of(type);
  if (!dtype) node.fail("a cast to " + onnx::name(type) + " is not supported");
  return one([type, dtype = *dtype](const std::vector<Tensor>& in, const Run& run) {
    const Tensor out = to(in[0], run.dtype(dtype));
    const int bits = bits_of(type);
    return dtype == DType::i64 && bits < 64 ? Tensor(wrapped(out.array(), bits, has_sign(type)))
                                            : out;
  });
}
Operation cast_like(NodeReader& node) {
  node.inputs(2, 2);
  node.ignore("saturate");
  node.ignore("round_mode");
  return one([](const std::vector<Tensor>& in, const Run&) { return to(in[0], in[1].dtype()); });
}
Operation identity(NodeReader& node) {
  node.inputs(1, 1);
  return of_one([](const Tensor& x) { return x; });
}

}  // namespace

void add_conversions(Makers& to) {
  to["Cast"] = cast;
  to["CastLike"] = cast_like;
  to["Identity"] = identity;
}

}  // namespace heed::onnx
