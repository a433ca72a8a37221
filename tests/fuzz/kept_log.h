// What holds for what logs keep of their files.
#pragma once

#include "../../train/kept_rows.h"
#include "checks.h"

namespace heed::fuzz {

/// `again`: what is kept of what was kept.
inline void require_kept(const train::KeptRows& kept, const train::KeptRows& again,
                         std::int64_t step) {
  require(kept.last.step <= step, "later steps are dropped");
  require(again.content == kept.content, "what was kept is kept");
  require(again.last.step == kept.last.step && again.last.fields == kept.last.fields &&
              again.last.written == kept.last.written,
          "the last row stays");
  require(kept.content.ends_with(kept.last.written > 0 ? "\n" : ""), "lines are whole");
  require(kept.last.written <= kept.content.size(), "the last row is in the file");
}

}  // namespace heed::fuzz
