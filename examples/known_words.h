// Which words or tokens a model knows: kept beside it, so that a run that goes on cannot ask for
// others.
#pragma once

#include "../io/fields.h"

namespace command_line {

struct KnownWords {
  heed::Index min_count = 1;
  void fields(heed::io::Fields& f) {
    f.size("min_count", min_count, 1, 1 << 20, "a rarer word is unknown");
  }
};

struct KnownTokens {
  heed::Index vocabulary = 30000;
  void fields(heed::io::Fields& f) {
    f.size("vocabulary", vocabulary, 1, 1 << 24, "most frequent tokens kept");
  }
};

}  // namespace command_line
