#include "../../io/npz.h"

#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {

void npz(std::string_view input) {
  static InputFile file;
  const std::string& path = file.write(input);
  io::NamedArrays read;
  // What is deflated may grow, as far as the reader lets it.
  const bool accepted = accepts({path}, input.size(), {.fixed = 1 << 14, .factor = 3000},
                                [&] { read = io::read_npz(path); });
  if (!accepted) return;
  Index numbers = 0;
  for (const auto& [name, array] : read) numbers += array.numel();
  require(numbers <= static_cast<Index>(input.size() * io::ZipReader::kMostGrowth),
          "numbers are in the file");
}

}  // namespace heed::fuzz
