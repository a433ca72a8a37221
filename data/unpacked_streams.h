// What an UnpackedFile reads from. For its .cpp files.
#pragma once

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "unpacked_file.h"

namespace heed::data {

struct UnpackedFile::Stream {
  virtual ~Stream() = default;
  virtual std::size_t read(char* to, std::size_t count) = 0;
  virtual void go_to(std::uint64_t from, std::uint64_t to) = 0;
};

namespace detail {

inline constexpr unsigned kPackedBuffer = 1u << 16;

/// An open file, closed at the end.
struct Descriptor {
  explicit Descriptor(int opened) : number(opened) {}
  Descriptor(Descriptor&& other) noexcept : number(std::exchange(other.number, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  int number;
};

/// Plain or gzip.
std::unique_ptr<UnpackedFile::Stream> gzip_stream(const std::string& path, Descriptor file);
std::unique_ptr<UnpackedFile::Stream> zstd_stream(const std::string& path, Descriptor file);

}  // namespace detail

}  // namespace heed::data
