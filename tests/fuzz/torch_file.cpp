#include "../../io/torch_file.h"

#include "../../io/pickle.h"
#include "../../io/zip.h"
#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

constexpr std::size_t kPickle = 200;

}  // namespace

// A whole file, or, as a zip's checksums are seldom right, the pickle within one.
void torch_file(std::string_view input) {
  static InputFile file;
  if (!input.starts_with("PK")) {
    // An instruction of a byte is a value of 48 bytes and its place, in a list that grows twofold
    // and is there twice meanwhile; or a tuple of one, whose list takes as much as malloc() gives.
    accepts({"f"}, input.size(), {.fixed = 1 << 14, .factor = kPickle},
            [&] { io::read_pickle(input, "f"); });
    return;
  }
  const std::string& path = file.write(input);
  // The pickle may be packed, however seldom it is.
  accepts({path}, input.size(),
          {.fixed = 1 << 15, .factor = kPickle * std::size_t{io::ZipReader::kMostGrowth}},
          [&] { io::read_torch(path); });
}

}  // namespace heed::fuzz
