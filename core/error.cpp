#include "error.h"

#include <fmt/format.h>

#include <system_error>

#include "quoted.h"
#include "scope.h"

namespace heed {

namespace {

// "encoder.layers.2: "
std::string place() {
  const std::string path = Scope::path();
  return path.empty() ? path : one_line(path) + ": ";
}

// What the last error of this thread said that had a path.
thread_local std::string t_last;

// The path once, also where `message` quotes an error that was thrown here just before.
std::string placed(const std::string& message) {
  const std::string before = place();
  std::string text = one_line(message);
  if (before.empty()) return text;
  const auto nowhere = std::string::npos;
  const std::size_t again = t_last.starts_with(before) ? text.find(t_last) : nowhere;
  if (again != nowhere) text.erase(again, before.size());
  return t_last = before + text;
}

}  // namespace

// Constructors and destructors stand here, so that the classes are made once, not in every file
// that throws one.
Error::Error(const std::string& message)
    : std::runtime_error(placed(message)), text_(place().size()) {}
std::string Error::where() const {
  return text_ == 0 ? std::string() : std::string(what(), text_ - 2);
}
Error::~Error() = default;
ShapeError::ShapeError(const std::string& message) : Error(message) {}
ShapeError::~ShapeError() = default;
DTypeError::DTypeError(const std::string& message) : Error(message) {}
DTypeError::~DTypeError() = default;
IndexError::IndexError(const std::string& message) : Error(message) {}
IndexError::~IndexError() = default;
ValueError::ValueError(const std::string& message) : Error(message) {}
ValueError::~ValueError() = default;
GradError::GradError(const std::string& message) : Error(message) {}
GradError::~GradError() = default;
OutOfMemory::OutOfMemory(const std::string& message) : Error(message) {}
OutOfMemory::~OutOfMemory() = default;
FormatError::~FormatError() = default;
IoError::~IoError() = default;

FormatError::FormatError(const std::string& path, std::uint64_t offset, const std::string& message,
                         int)
    : Error(message), path_(path), offset_(offset) {}

FormatError::FormatError(const std::string& path, std::uint64_t offset, const std::string& what)
    : FormatError(path, offset, fmt::format("{}: at byte {}: {}", path, offset, what), 0) {}

FormatError FormatError::at_line(const std::string& path, std::uint64_t line,
                                 const std::string& what) {
  return FormatError(path, line, fmt::format("{}:{}: {}", path, line, what), 0);
}

IoError::IoError(const std::string& path, const std::string& action, int code)
    : Error(fmt::format("{}: {}: {}", path, action, std::generic_category().message(code))),
      path_(path),
      code_(code) {}

}  // namespace heed
