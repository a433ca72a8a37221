// A safetensors file that is larger than one wants in memory: mapped, and read tensor by tensor.
//
//   const io::SafetensorsFile file("model.safetensors");
//   for (const auto& [name, shape] : file.shapes()) { if (wanted(name)) use(file.read(name)); }
#pragma once

#include <memory>
#include <string>

#include "safetensors.h"

namespace heed::io {

class SafetensorsFile {
 public:
  /// Reads the header alone. Strict: throws IoError, also for what is no regular file, and
  /// FormatError as decode_safetensors().
  explicit SafetensorsFile(const std::string& path);
  SafetensorsFile(SafetensorsFile&&) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&&) noexcept;
  ~SafetensorsFile();

  /// In the header's order.
  NamedShapes shapes() const;
  const std::map<std::string, std::string>& metadata() const;
  bool has(const std::string& name) const;
  /// A copy of the numbers. Throws ValueError for a name that is not there, FormatError for a BOOL
  /// that is none, and for a file that has been cut meanwhile.
  Array read(const std::string& name) const;

 private:
  struct Mapped;
  std::unique_ptr<Mapped> mapped_;
};

}  // namespace heed::io
