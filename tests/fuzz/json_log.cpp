// The first byte is the step after which the log goes on.
#include "checks.h"
#include "kept_log.h"
#include "targets.h"

namespace heed::fuzz {

void json_log(std::string_view input) {
  if (input.empty()) return;
  const std::int64_t step = static_cast<unsigned char>(input[0]);
  train::KeptRows kept;
  const bool accepted = accepts({"f"}, input.size(), {.fixed = 1 << 14, .factor = 200},
                                [&] { kept = train::kept_json_rows(input.substr(1), "f", step); });
  if (!accepted) return;
  require_kept(kept, train::kept_json_rows(kept.content, "g", step), step);
  // Written anew, as where more of it comes.
  const train::KeptRows anew = train::kept_json_rows(train::json_line(kept.last), "g", step);
  require(anew.last.fields == kept.last.fields, "a row reads back equal");
}

}  // namespace heed::fuzz
