// The error tree. Everything the library throws derives from heed::Error, but for std::bad_alloc
// where memory for anything else than arrays and the tape is missing. The message is one line,
// whatever bytes a user's text brings (see quoted.h), that names the operator, the rule and what
// came, for example
//   matmul: inner sizes differ: a is f32[32, 128, 64], b is f32[32, 48, 96]; a's last (64) must ...
// What is thrown inside of a layer's Scope begins with the layer's path: "encoder.linear1: linear:
// ...".
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace heed {

/// Base of every exception thrown by the library.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message);
  ~Error() override;

  /// The path of the layer it was thrown in ("encoder.layers.2"), or empty; what() begins with it.
  std::string where() const;
  /// what() without the path: for who catches an error and throws another with more words.
  const char* message() const { return what() + text_; }

 private:
  std::size_t text_;  // where the text behind the path begins
};

/// Ranks, sizes or axes that do not fit, and sizes whose product overflows.
class ShapeError : public Error {
 public:
  explicit ShapeError(const std::string& message);
  ~ShapeError() override;
};

/// A dtype that the operator does not take, or two that differ.
class DTypeError : public Error {
 public:
  explicit DTypeError(const std::string& message);
  ~DTypeError() override;
};

/// An index (of an element, a class, a row) outside its range.
class IndexError : public Error {
 public:
  explicit IndexError(const std::string& message);
  ~IndexError() override;
};

/// An argument whose value makes no sense: a probability of 2, a stride of 0, zero layers.
class ValueError : public Error {
 public:
  explicit ValueError(const std::string& message);
  ~ValueError() override;
};

/// The tape was used in a way it cannot serve: a second backward pass over a freed graph, a write
/// in place to something that was kept, a second derivative that does not exist.
class GradError : public Error {
 public:
  explicit GradError(const std::string& message);
  ~GradError() override;
};

/// A file whose content breaks its format. The message begins with `path`, then the place.
class FormatError : public Error {
 public:
  /// `offset` is in bytes from the file's start.
  FormatError(const std::string& path, std::uint64_t offset, const std::string& what);
  ~FormatError() override;
  /// A text file: `line` counts from 1.
  static FormatError at_line(const std::string& path, std::uint64_t line, const std::string& what);

  const std::string& path() const { return path_; }
  /// Byte offset, or the line for errors made by at_line().
  std::uint64_t offset() const { return offset_; }

 private:
  FormatError(const std::string& path, std::uint64_t offset, const std::string& message, int);
  std::string path_;
  std::uint64_t offset_;
};

/// The operating system refused: carries its errno and the path.
class IoError : public Error {
 public:
  /// Message: "<path>: <action>: <text of code>".
  IoError(const std::string& path, const std::string& action, int code);
  ~IoError() override;

  const std::string& path() const { return path_; }
  int code() const { return code_; }

 private:
  std::string path_;
  int code_;
};

/// Memory could not be had, or the allocator's limit would be passed.
class OutOfMemory : public Error {
 public:
  explicit OutOfMemory(const std::string& message);
  ~OutOfMemory() override;
};

}  // namespace heed
