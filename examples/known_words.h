// Which words a model knows: kept beside it, so that a run that goes on cannot ask for
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

}  // namespace command_line
