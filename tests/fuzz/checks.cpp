#include "checks.h"

#include <fmt/format.h>

#include "../../data/utf8.h"

namespace heed::fuzz {

void require_message(const FormatError& error) {
  const std::string message = error.what();
  require(message.starts_with(error.path() + ":"), "a message begins with the path");
  require(data::is_valid_utf8(message), "a message is UTF-8");
  for (const char c : message) {
    require(static_cast<unsigned char>(c) >= ' ' && c != 0x7F, "a message is one line");
  }
  require(message.size() < 2000, "a message is not long");
}

void require_within(const PeakMemory& memory, std::size_t input_bytes, MemoryBound bound) {
  const std::size_t held = memory.bytes();
  if (held <= bound.fixed + bound.factor * input_bytes) return;
  throw BrokenPromise(
      fmt::format("memory follows the input: {} bytes for an input of {}, not {} + {} x it", held,
                  input_bytes, bound.fixed, bound.factor));
}

}  // namespace heed::fuzz
