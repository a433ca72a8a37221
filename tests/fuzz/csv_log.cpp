// The first byte is the step after which the log goes on.
#include "checks.h"
#include "kept_log.h"
#include "targets.h"

namespace heed::fuzz {

void csv_log(std::string_view input) {
  if (input.empty()) return;
  const std::int64_t step = static_cast<unsigned char>(input[0]);
  std::optional<train::KeptRows> kept;
  // An empty field is a text, in a list that grows twofold and is there twice meanwhile.
  const bool accepted = accepts({"f"}, input.size(), {.fixed = 1 << 14, .factor = 200},
                                [&] { kept = train::kept_csv_rows(input.substr(1), "f", step); });
  if (!accepted || !kept) return;
  const auto again = train::kept_csv_rows(kept->content, "g", step);
  require(again.has_value() && again->columns == kept->columns, "columns stay");
  require_kept(*kept, *again, step);
}

}  // namespace heed::fuzz
