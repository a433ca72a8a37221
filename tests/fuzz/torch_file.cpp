#include "../../io/torch_file.h"

#include "../../io/pickle.h"
#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {

// A whole file, or, as a zip's checksums are seldom right, the pickle within one.
void torch_file(std::string_view input) {
  static InputFile file;
  if (!input.starts_with("PK")) {
    // An instruction of a byte is a value, of which none is larger than a few others.
    accepts({"f"}, input.size(), {.fixed = 1 << 14, .factor = 1000},
            [&] { io::read_pickle(input, "f"); });
    return;
  }
  const std::string& path = file.write(input);
  accepts({path}, input.size(), {.fixed = 1 << 15, .factor = 4000}, [&] { io::read_torch(path); });
}

}  // namespace heed::fuzz
