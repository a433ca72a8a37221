#include "tensor_json.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>
#include <set>

#include "../core/error.h"
#include "../core/json_events.h"
#include "../core/quoted.h"
#include "../io/file.h"

namespace heed::pretrained {
namespace {

// The bytes of base64 (RFC 4648), strictly: padded, and nothing behind it.
std::string decode_base64(const std::string& text, const JsonEvents& file) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) file.fail("data is not base64: its length is no multiple of 4");
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t bits = 0;
    std::size_t padding = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      const bool pad = text[i] == '=' && at + 4 == text.size() && i >= at + 2;
      const std::size_t digit = pad ? 0 : kDigits.find(text[i]);
      if (digit == std::string_view::npos || (padding > 0 && !pad)) {
        file.fail(fmt::format("data is not base64 at character {}", i));
      }
      padding += pad ? 1 : 0;
      bits = bits << 6 | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t i = 0; i < 3 - padding; ++i) {
      out += static_cast<char>(bits >> (16 - 8 * i) & 0xFF);
    }
  }
  return out;
}

class TensorReader final : public JsonEvents {
 public:
  explicit TensorReader(const std::string& path) : JsonEvents(path, 0) {}

  void on_key(const std::string& key) override {
    (depth_ == 1 ? name_ : field_) = key;
    if (depth_ == 1) shape_.reset(), data_.reset(), kind_.reset();
  }
  void on_object_begin() override {
    if (depth_ == 2) unexpected("an object");
    ++depth_;
  }
  void on_object_end() override {
    if (--depth_ == 1 && name_ != "config") finish();
  }
  void on_array_begin() override {
    if (depth_ != 2 || field_ != "shape" || shape_) unexpected("an array");
    shape_ = Shape();
    in_shape_ = true;
  }
  void on_array_end() override { in_shape_ = false; }
  void on_int(std::int64_t number) override {
    if (in_shape_) {
      if (shape_->rank() == kMaxRank || number < 0)
        fail(in_quotes(name_) + ": a shape that cannot be");
      shape_->push_back(number);
    } else if (depth_ == 2 && name_ == "config") {
      out.sizes[field_] = number;
    } else {
      unexpected("an integer");
    }
  }
  void on_double(double) override {
    if (depth_ != 2 || name_ != "config") unexpected("a number with a fraction");
  }
  void on_string(const std::string& text) override {
    if (depth_ == 2 && name_ == "config") return;
    if (depth_ == 2 && field_ == "dtype" && !kind_) {
      kind_ = text;
    } else if (depth_ == 2 && field_ == "data" && !data_) {
      data_ = decode_base64(text, *this);
    } else {
      unexpected("a string");
    }
  }

  TensorFile out;

 private:
  void unexpected(const char* what) const override {
    fail(fmt::format("{} in {} of {}", what, in_quotes(field_), in_quotes(name_)));
  }
  void finish() {
    const std::string quoted = in_quotes(name_);
    if (!shape_ || !data_ || !kind_) fail(quoted + ": wants shape, dtype and data");
    if (*kind_ != "torch.float32") {
      fail(fmt::format("{}: numbers of {}, not of torch.float32", quoted, in_quotes(*kind_)));
    }
    if (!names_.insert(name_).second) fail(quoted + " is there twice");
    const auto found = static_cast<Index>(data_->size() / sizeof(float));
    bool fits = data_->size() % sizeof(float) == 0;
    try {
      fits = fits && shape_->numel() == found;
    } catch (const ShapeError&) {
      fits = false;
    }
    if (!fits) fail(fmt::format("{}: {} bytes for {}", quoted, data_->size(), to_string(*shape_)));
    static_assert(std::endian::native == std::endian::little);
    Array numbers = Array::empty(*shape_, DType::f32);
    if (found > 0) std::memcpy(numbers.mutable_data<float>(), data_->data(), data_->size());
    out.tensors.emplace_back(name_, Tensor(numbers));
  }

  int depth_ = 0;
  bool in_shape_ = false;
  std::string name_, field_;
  std::optional<Shape> shape_;
  std::optional<std::string> data_, kind_;
  std::set<std::string> names_;
};

}  // namespace

TensorFile read_tensor_json(const std::string& path) {
  TensorReader reader(path);
  read_json_object(io::read_file(path), reader);
  return std::move(reader.out);
}

}  // namespace heed::pretrained
