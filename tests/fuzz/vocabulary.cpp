#include "../../data/vocabulary.h"

#include "checks.h"
#include "targets.h"

namespace heed::fuzz {

void vocabulary(std::string_view input) {
  data::Vocabulary read;
  const bool accepted = accepts({"f"}, input.size(), {.fixed = 1 << 14, .factor = 100},
                                [&] { read = data::Vocabulary::parse(input, "f"); });
  if (!accepted) return;
  require(read.serialize() == input, "a vocabulary is written as it was");
  for (Index id = 0; id < read.size(); ++id) {
    require(read.id(read.word(id)) == id, "each word has its number");
  }
}

}  // namespace heed::fuzz
