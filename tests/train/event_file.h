// Reads event files back: the record format with its checks, and protocol buffers, written from
// their descriptions and apart from what writes them.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace heed::event_file {

/// Bit by bit, from the polynomial as it stands in RFC 3720.
inline std::uint32_t crc(const std::string& bytes) {
  std::uint32_t rest = 0xFFFFFFFF;
  for (const char c : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const std::uint32_t in = (static_cast<unsigned char>(c) >> bit) & 1;
      const bool carry = ((rest & 1) ^ in) != 0;
      rest >>= 1;
      if (carry) rest ^= 0x82F63B78;
    }
  }
  return ~rest;
}

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  if (at + sizeof(T) > bytes.size()) throw std::runtime_error("cut short");
  T out;
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

inline void check(const std::string& bytes, std::uint32_t masked) {
  const std::uint32_t turned = masked - 0xa282ead8;
  if (((turned >> 17) | (turned << 15)) != crc(bytes)) throw std::runtime_error("wrong check");
}

/// What the records of a file hold. Throws std::runtime_error for what is no such file.
inline std::vector<std::string> records(const std::string& file) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < file.size();) {
    const auto length = number_at<std::uint64_t>(file, at);
    check(file.substr(at, 8), number_at<std::uint32_t>(file, at + 8));
    if (length > file.size()) throw std::runtime_error("cut short");
    out.push_back(file.substr(at + 12, length));
    check(out.back(), number_at<std::uint32_t>(file, at + 12 + length));
    at += 16 + length;
  }
  return out;
}

/// The fields of a message by number: varints, doubles and floats as numbers, the rest as bytes.
struct Message {
  std::map<int, std::vector<std::uint64_t>> numbers;
  std::map<int, std::vector<double>> reals;
  std::map<int, std::vector<std::string>> texts;

  explicit Message(const std::string& bytes) {
    std::size_t at = 0;
    const auto varint = [&] {
      std::uint64_t value = 0;
      for (int shift = 0;; shift += 7) {
        if (at >= bytes.size() || shift > 63) throw std::runtime_error("no varint");
        const auto byte = static_cast<unsigned char>(bytes[at++]);
        value |= std::uint64_t{byte & 0x7Fu} << shift;
        if (byte < 0x80) return value;
      }
    };
    while (at < bytes.size()) {
      const std::uint64_t key = varint();
      const int field = static_cast<int>(key >> 3);
      switch (key & 7) {
        case 0: numbers[field].push_back(varint()); break;
        case 1:
          reals[field].push_back(number_at<double>(bytes, at));
          at += 8;
          break;
        case 2: {
          const std::uint64_t length = varint();
          if (length > bytes.size() - at) throw std::runtime_error("cut short");
          texts[field].push_back(bytes.substr(at, length));
          at += length;
          break;
        }
        case 5:
          reals[field].push_back(static_cast<double>(number_at<float>(bytes, at)));
          at += 4;
          break;
        default: throw std::runtime_error("no such type");
      }
    }
  }
  Message at(int field) const { return Message(texts.at(field).at(0)); }
  const std::string& text(int field) const { return texts.at(field).at(0); }
  std::uint64_t number(int field) const { return numbers.at(field).at(0); }
  double real(int field) const { return reals.at(field).at(0); }
};

inline std::vector<double> packed(const std::string& bytes) {
  std::vector<double> out;
  for (std::size_t at = 0; at < bytes.size(); at += 8) out.push_back(number_at<double>(bytes, at));
  return out;
}

}  // namespace heed::event_file
