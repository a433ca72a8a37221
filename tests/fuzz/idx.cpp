#include "../../data/idx.h"

#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {

void idx(std::string_view input) {
  static InputFile file, copy;
  const std::string& path = file.write(input);
  data::IdxFile read;
  // Pieces of a megabyte, of which two are there while the vector grows.
  const bool accepted = accepts(
      {path}, input.size(), {.fixed = (2 << 20) + buffers(input), .factor = 2 * unpacked(input)},
      [&] { read = data::read_idx(path); });
  if (!accepted) return;
  require(read.bytes.size() == static_cast<std::size_t>(read.shape.numel()),
          "there are as many elements as the sizes say");
  std::string written = {0, 0, 8, static_cast<char>(read.shape.rank())};
  for (const Index size : read.shape) {
    for (int shift = 24; shift >= 0; shift -= 8) written += static_cast<char>(size >> shift);
  }
  written.append(read.bytes.begin(), read.bytes.end());
  const data::IdxFile again = data::read_idx(copy.write(written));
  require(again.shape == read.shape && again.bytes == read.bytes, "images read back equal");
}

}  // namespace heed::fuzz
