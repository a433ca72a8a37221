#include "tensor_value.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::onnx {
namespace {

// How a type is held in raw_data.
std::optional<io::Element> element_of(DataType type) {
  switch (type) {
    case DataType::f32: return io::Element::f32;
    case DataType::u8: return io::Element::u8;
    case DataType::i8: return io::Element::i8;
    case DataType::u16: return io::Element::u16;
    case DataType::i16: return io::Element::i16;
    case DataType::i32: return io::Element::i32;
    case DataType::i64: return io::Element::i64;
    case DataType::boolean: return io::Element::boolean;
    case DataType::f16: return io::Element::f16;
    case DataType::f64: return io::Element::f64;
    case DataType::u32: return io::Element::u32;
    case DataType::u64: return io::Element::u64;
    case DataType::bf16: return io::Element::bf16;
    case DataType::undefined:
    case DataType::string: break;
  }
  return {};
}

// Of integers, what they may be.
struct Range {
  std::int64_t least, most;
};
Range range_of(DataType type) {
  switch (type) {
    case DataType::u8: return {0, 255};
    case DataType::i8: return {-128, 127};
    case DataType::f16:
    case DataType::bf16:  // their bits
    case DataType::u16: return {0, 65535};
    case DataType::i16: return {-32768, 32767};
    case DataType::i32:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case DataType::boolean: return {0, 1};
    case DataType::u32: return {0, std::numeric_limits<std::uint32_t>::max()};
    case DataType::u64: return {0, std::numeric_limits<std::int64_t>::max()};
    default: break;
  }
  return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
}

// The numbers of onnx.proto's fields of this message.
enum Field : std::uint64_t {
  dims = 1,
  data_type = 2,
  segment = 3,
  float_data = 4,
  int32_data = 5,
  string_data = 6,
  int64_data = 7,
  own_name = 8,
  raw_data = 9,
  double_data = 10,
  uint64_data = 11,
  external_data = 13,
  data_location = 14
};

// Which of the lists has the numbers of a type.
Field list_of(DataType type) {
  switch (type) {
    case DataType::f32: return float_data;
    case DataType::f64: return double_data;
    case DataType::i64: return int64_data;
    case DataType::u32:
    case DataType::u64: return uint64_data;
    default: return int32_data;
  }
}
std::uint64_t kind_of(std::uint64_t list) {
  return list == float_data ? 5 : list == double_data ? 1 : 0;
}

class Reader {
 public:
  Reader(const std::string& path, std::uint64_t place, ExternalData& external)
      : path_(path), place_(place), external_(external) {}

  TensorValue read(ProtobufMessage message) {
    for (ProtobufField field; message.next(field);) take(message, field);
    what_ = "tensor " + in_quotes(out_.name);
    const auto element = element_of(out_.type);
    if (!element) fail("is of type " + onnx::name(out_.type) + ", which cannot be read");
    try {
      static_cast<void>(shape_.numel());
    } catch (const ShapeError&) {
      fail("has a number of elements that overflows");
    }
    const int forms = (raw_ ? 1 : 0) + (lists_.empty() ? 0 : 1) + (external_form_ ? 1 : 0);
    if (forms > 1) fail("has its numbers in more than one form");
    if (external_form_) {
      out_.array = external_.read(piece_, *element, shape_, place_, what_);
    } else if (raw_) {
      out_.array = io::decode_elements(*element, shape_, raw_->bytes, {path_, raw_->place, what_});
    } else {
      read_lists();
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const {
    throw FormatError(path_, place_, what_ + " " + text);
  }

  void add_size(std::uint64_t size) {
    if (size > static_cast<std::uint64_t>(INT64_MAX)) fail("has a size below 0");
    if (shape_.rank() == kMaxRank) fail(fmt::format("has more than {} axes", kMaxRank));
    shape_.push_back(static_cast<Index>(size));
  }

  void take(const ProtobufMessage& message, const ProtobufField& field) {
    switch (field.number) {
      case dims:
        if (field.kind == 2) {
          ProtobufMessage packed(field.bytes, path_, field.place);
          for (std::uint64_t size; packed.next_packed(0, size);) add_size(size);
        } else {
          message.want(field, 0, "a tensor's size");
          add_size(field.value);
        }
        break;
      case data_type:
        message.want(field, 0, "a tensor's type");
        out_.type = static_cast<DataType>(field.value > 255 ? 255 : field.value);
        break;
      case segment: fail("is cut into segments");
      case float_data:
      case int32_data:
      case int64_data:
      case double_data:
      case uint64_data:
        if (field.kind != 2) message.want(field, kind_of(field.number), "a tensor's number");
        lists_.push_back(field);
        break;
      case string_data: break;  // its type is refused
      case own_name:
        message.want(field, 2, "a tensor's name");
        out_.name = field.bytes;
        what_ = "tensor " + in_quotes(out_.name);
        break;
      case raw_data:
        message.want(field, 2, "raw_data");
        raw_ = field;
        break;
      case external_data:
        message.want(field, 2, "external_data");
        external_entry(ProtobufMessage(field.bytes, path_, field.place));
        break;
      case data_location:
        message.want(field, 0, "data_location");
        if (field.value > 1) fail(fmt::format("has a data_location of {}", field.value));
        external_form_ = field.value == 1;
        break;
      default: break;
    }
  }

  void external_entry(ProtobufMessage entry) {
    std::string_view key, value;
    for (ProtobufField field; entry.next(field);) {
      if (field.number != 1 && field.number != 2) continue;
      entry.want(field, 2, "external_data");
      (field.number == 1 ? key : value) = field.bytes;
    }
    const auto number = [&](std::uint64_t& to) {
      const auto end = std::from_chars(value.data(), value.data() + value.size(), to);
      if (value.empty() || end.ec != std::errc() || end.ptr != value.data() + value.size() ||
          to > static_cast<std::uint64_t>(INT64_MAX))
        fail(fmt::format("has as {} {}", key, in_quotes(value)));
    };
    if (key == "location") piece_.location = value;
    if (key == "offset") number(piece_.offset);
    if (key == "length") number(piece_.length);
  }

  void read_lists() {
    const Field wanted = list_of(out_.type);
    const std::uint64_t kind = kind_of(wanted);
    std::uint64_t count = 0;  // read first, so that no size is believed
    for (const ProtobufField& list : lists_) {
      // Complex numbers apart, a tensor's numbers are in one list; a few writers keep u32 in
      // another.
      if (list.number != wanted) fail(fmt::format("has its numbers in field {}", list.number));
      if (list.kind != 2) {
        ++count;
      } else {
        ProtobufMessage packed(list.bytes, path_, list.place);
        for (std::uint64_t number; packed.next_packed(kind, number);) ++count;
      }
    }
    if (count != static_cast<std::uint64_t>(shape_.numel()))
      fail(fmt::format("has {} numbers for {}", count, to_string(shape_)));
    out_.array = Array::empty(shape_, *dtype_of(out_.type));
    std::uint64_t at = 0;
    for (const ProtobufField& list : lists_) {
      if (list.kind != 2) {
        put(at++, list.value);
        continue;
      }
      ProtobufMessage packed(list.bytes, path_, list.place);
      for (std::uint64_t number; packed.next_packed(kind, number);) put(at++, number);
    }
  }

  void put(std::uint64_t at, std::uint64_t value) {
    if (out_.type == DataType::f32) {
      out_.array.mutable_data<float>()[at] =
          std::bit_cast<float>(static_cast<std::uint32_t>(value));
      return;
    }
    if (out_.type == DataType::f64) {
      out_.array.mutable_data<double>()[at] = std::bit_cast<double>(value);
      return;
    }
    const auto number = static_cast<std::int64_t>(value);
    const Range range = range_of(out_.type);
    if (number < range.least || number > range.most)
      fail(fmt::format("is of {} and has the number {}", onnx::name(out_.type), number));
    if (out_.type == DataType::f16 || out_.type == DataType::bf16) {
      const auto bits = static_cast<std::uint16_t>(number);
      out_.array.mutable_data<float>()[at] = out_.type == DataType::f16
                                                 ? io::half_to_float(bits)
                                                 : float{std::bit_cast<BFloat16>(bits)};
    } else if (out_.type == DataType::boolean) {
      out_.array.mutable_data<bool>()[at] = number != 0;
    } else {
      out_.array.mutable_data<std::int64_t>()[at] = number;
    }
  }

  const std::string& path_;
  std::uint64_t place_;
  ExternalData& external_;
  TensorValue out_;
  Shape shape_;
  std::string what_ = "a tensor";
  std::optional<ProtobufField> raw_;
  std::vector<ProtobufField> lists_;
  bool external_form_ = false;
  ExternalPiece piece_;
};

}  // namespace

TensorValue read_tensor_value(ProtobufMessage message, const std::string& path, std::uint64_t place,
                              ExternalData& external) {
  return Reader(path, place, external).read(message);
}

std::size_t raw_bytes_of(const TensorValue& tensor) {
  const auto element = element_of(tensor.type);
  if (!tensor.array.defined() || !element || dtype_of(tensor.type) != tensor.array.dtype()) {
    throw ValueError(fmt::format("onnx: tensor {}: {} is not written as {}", in_quotes(tensor.name),
                                 describe(tensor.array), onnx::name(tensor.type)));
  }
  return static_cast<std::size_t>(tensor.array.numel()) * io::bytes_of(*element);
}

void write_raw(const TensorValue& tensor, char* to) {
  const io::Element element = *element_of(tensor.type);
  if (tensor.array.dtype() != DType::i64 || tensor.type == DataType::i64) {
    io::encode_elements(element, tensor.array, to);
    return;
  }
  const Array dense = tensor.array.contiguous();
  const Range range = range_of(tensor.type);
  const std::size_t width = io::bytes_of(element);
  const std::int64_t* const from = dense.data<std::int64_t>();
  for (Index i = 0; i < dense.numel(); ++i) {
    if (from[i] < range.least || from[i] > range.most) {
      throw ValueError(fmt::format("onnx: tensor {}: {} is not written as {}",
                                   in_quotes(tensor.name), from[i], onnx::name(tensor.type)));
    }
    std::memcpy(to + static_cast<std::size_t>(i) * width, from + i, width);  // the lower bytes
  }
}

}  // namespace heed::onnx
