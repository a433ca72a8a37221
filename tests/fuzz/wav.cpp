#include "../../data/wav.h"

#include <cmath>

#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {

void wav(std::string_view input) {
  if (!data::has_sound()) return;
  static InputFile file, copy;
  const std::string& path = file.write(input);
  data::Sound read;
  const bool accepted = accepts({path}, input.size(), {.fixed = 1 << 20, .factor = 8},
                                [&] { read = data::read_wav(path); });
  if (!accepted) return;
  require(read.rate >= 1000 && read.rate <= 192000, "the rate is one of sounds");
  require(!read.samples.empty() && read.seconds() <= 60, "there are samples, and not too many");
  for (const float x : read.samples) require(std::isfinite(x), "samples are finite");
  const std::string written = data::encode_wav(read);
  const data::Sound again = data::read_wav(copy.write(written));
  require(again.rate == read.rate && again.samples.size() == read.samples.size(),
          "a sound reads back as long");
  require(data::encode_wav(again) == written, "16 bits read back equal");
}

}  // namespace heed::fuzz
