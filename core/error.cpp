#include "error.h"

#include <fmt/format.h>

#include <system_error>

#include "quoted.h"

namespace heed {

// Constructors and destructors stand here, so that the classes are made once, not in every file
// that throws one.
Error::Error(const std::string& message) : std::runtime_error(one_line(message)) {}
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
