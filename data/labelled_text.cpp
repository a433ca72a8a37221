#include "labelled_text.h"

#include <fmt/format.h>

#include <string_view>

#include "../core/error.h"
#include "../core/quoted.h"
#include "json_lines.h"
#include "tsv.h"

namespace heed::data {
namespace {

std::string format_by_name(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  }
  for (const std::string_view format : {"tsv", "jsonl"}) {
    if (path.ends_with(fmt::format(".{}", format))) return std::string(format);
  }
  return {};
}

}  // namespace

std::unique_ptr<LabelledTextReader> open_labelled_text(const std::string& path,
                                                       const LabelledTextOptions& options) {
  const std::string format = options.format.empty() ? format_by_name(path) : options.format;
  if (format == "tsv") return std::make_unique<TsvReader>(path, options.label, options.text);
  if (format == "jsonl")
    return std::make_unique<JsonLinesReader>(path, options.label, options.text);
  if (format.empty()) {
    throw ValueError(fmt::format("{}: the name tells no format; choose tsv or jsonl", path));
  }
  throw ValueError(
      fmt::format("{}: unknown format {}; known are tsv and jsonl", path, in_quotes(format)));
}

}  // namespace heed::data
