#include "../../pretrained/llama2c_file.h"

#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {

void llama2c(std::string_view input) {
  static InputFile file;
  const std::string& path = file.write(input);
  pretrained::Llama2cFile read;
  // The file's bytes, and as much in arrays.
  const bool accepted = accepts({path}, input.size(), {.fixed = 1 << 14, .factor = 8},
                                [&] { read = pretrained::read_llama2c_file(path); });
  if (!accepted) return;
  require(read.wq.shape() == Shape({read.layers, read.width, read.width}), "wq has its shape");
  require(read.embedding.numel() + read.w1.numel() <= static_cast<Index>(input.size() / 4),
          "numbers are in the file");
}

}  // namespace heed::fuzz
