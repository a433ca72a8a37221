#include "../../io/config.h"

#include "checks.h"
#include "targets.h"

namespace heed::fuzz {

void config(std::string_view input) {
  io::Config read;
  const bool accepted = accepts({"f"}, input.size(), {.fixed = 1 << 14, .factor = 60},
                                [&] { read = io::Config::parse(input, "f"); });
  if (!accepted) return;
  const std::string written = read.to_json();
  require(io::Config::parse(written, "g").to_json() == written, "settings read back equal");
  // Every setting has exactly one kind, but that whole numbers are numbers.
  for (const char* key : {"a", "embedding", "model", ""}) {
    if (!read.has(key)) continue;
    const auto is = [&](auto get) { return accepts({"f"}, input.size(), {1 << 14, 60}, get); };
    const bool whole = is([&] { read.get_int(key); });
    const int kinds = is([&] { read.get_bool(key); }) + is([&] { read.get_double(key); }) +
                      is([&] { read.get_string(key); });
    require(kinds == 1, "a setting has one kind");
    require(!whole || is([&] { read.get_double(key); }), "a whole number is a number");
  }
}

}  // namespace heed::fuzz
