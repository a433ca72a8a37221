#include "../../io/safetensors.h"

#include "checks.h"
#include "equal_arrays.h"
#include "targets.h"

namespace heed::fuzz {

void safetensors(std::string_view input) {
  io::Safetensors read;
  // An entry of 60 bytes of JSON becomes an Array with a storage of its own; F16 doubles.
  const bool accepted = accepts({"f"}, input.size(), {.fixed = 1 << 16, .factor = 40},
                                [&] { read = io::decode_safetensors(input, "f"); });
  if (!accepted) return;
  const std::string written = io::encode_safetensors(read.arrays, read.metadata);
  const io::Safetensors again = io::decode_safetensors(written, "g");
  require(equal(read.arrays, again.arrays), "arrays read back equal");
  require(read.metadata == again.metadata, "metadata read back equal");
  require(io::encode_safetensors(again.arrays, again.metadata) == written,
          "what was written is written the same");
}

}  // namespace heed::fuzz
