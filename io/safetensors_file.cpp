#include "safetensors_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <unordered_map>
#include <utility>

#include "../core/error.h"
#include "../core/quoted.h"
#include "safetensors_header.h"

namespace heed::io {

struct SafetensorsFile::Mapped {
  explicit Mapped(const std::string& given) : path(given) {
    // A pipe is refused, not waited for.
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) throw IoError(path, "cannot open", errno);
    try {
      map();
      layout = read_safetensors_layout({bytes, size}, path);
      for (std::size_t i = 0; i < layout.header.entries.size(); ++i) {
        places.emplace(layout.header.entries[i].name, i);
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ~Mapped() { release(); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  struct stat state() const {
    struct stat out {};
    if (::fstat(descriptor, &out) != 0) throw IoError(path, "cannot look at", errno);
    return out;
  }
  void map() {
    const struct stat now = state();
    if (!S_ISREG(now.st_mode)) {
      throw IoError(path, "cannot map", S_ISDIR(now.st_mode) ? EISDIR : EINVAL);
    }
    size = static_cast<std::size_t>(now.st_size);
    if (size == 0) return;
    void* const begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (begin == MAP_FAILED) throw IoError(path, "cannot map", errno);
    bytes = static_cast<const char*>(begin);
  }
  void release() {
    if (bytes != nullptr) ::munmap(const_cast<char*>(bytes), size);
    ::close(descriptor);
  }

  std::string path;
  int descriptor = -1;
  const char* bytes = nullptr;
  std::size_t size = 0;
  SafetensorsLayout layout;
  std::unordered_map<std::string, std::size_t> places;
};

SafetensorsFile::SafetensorsFile(const std::string& path)
    : mapped_(std::make_unique<Mapped>(path)) {}
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;
SafetensorsFile& SafetensorsFile::operator=(SafetensorsFile&&) noexcept = default;
SafetensorsFile::~SafetensorsFile() = default;

NamedShapes SafetensorsFile::shapes() const {
  NamedShapes out;
  for (const SafetensorsEntry& entry : mapped_->layout.header.entries) {
    out.emplace_back(entry.name, entry.shape);
  }
  return out;
}

const std::map<std::string, std::string>& SafetensorsFile::metadata() const {
  return mapped_->layout.header.metadata;
}

bool SafetensorsFile::has(const std::string& name) const { return mapped_->places.contains(name); }

Array SafetensorsFile::read(const std::string& name) const {
  const Mapped& file = *mapped_;
  const auto found = file.places.find(name);
  if (found == file.places.end()) throw ValueError(file.path + ": no tensor " + in_quotes(name));
  // What is mapped beyond a file's end is not there to be read.
  if (static_cast<std::size_t>(file.state().st_size) < file.size) {
    throw FormatError(file.path, 0, "the file has been cut since it was opened");
  }
  return read_safetensors_entry(file.layout.header.entries[found->second], {file.bytes, file.size},
                                file.layout.data_begin, file.path);
}

}  // namespace heed::io
