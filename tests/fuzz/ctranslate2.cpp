#include "../../pretrained/ctranslate2_file.h"

#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {

void ctranslate2(std::string_view input) {
  static InputFile file;
  const std::string& path = file.write(input);
  pretrained::CTranslate2Variables read;
  // A variable of one byte is an Array with a storage of its own.
  const bool accepted = accepts({path}, input.size(), {.fixed = 1 << 14, .factor = 100},
                                [&] { read = pretrained::read_ctranslate2_file(path); });
  if (!accepted) return;
  Index numbers = 0;
  for (const auto& [name, array] : read) numbers += array.numel();
  require(numbers <= static_cast<Index>(input.size() / 4), "numbers are in the file");
}

}  // namespace heed::fuzz
