#include "../../io/gguf.h"

#include "checks.h"
#include "targets.h"

namespace heed::fuzz {

void gguf(std::string_view input) {
  io::GgufFile read;
  // A setting of 13 bytes is a node of a map; Q4_0 is seven times as large as f32.
  const bool accepted = accepts({"f"}, input.size(), {.fixed = 1 << 13, .factor = 100},
                                [&] { read = io::decode_gguf(input, "f"); });
  if (!accepted) return;
  Index numbers = 0;
  for (const auto& [name, array] : read.arrays) numbers += array.numel();
  require(numbers <= static_cast<Index>(2 * input.size()), "numbers are in the file");
}

}  // namespace heed::fuzz
