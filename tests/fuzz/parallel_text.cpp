// The first byte chooses the options and whether the rest is one file of columns, or two files with
// a byte FF between.
#include "../../data/parallel_text.h"

#include "../../data/utf8.h"
#include "checks.h"
#include "input_file.h"
#include "pieces.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + '\n';
  return out;
}

// Of two files, either of which may be packed.
MemoryBound bound_of(std::string_view a, std::string_view b) {
  return {.fixed = buffers(a) + buffers(b), .factor = 100 * unpacked(a) * unpacked(b)};
}

}  // namespace

void parallel_text(std::string_view input) {
  static InputFile first, second;
  Pieces pieces(input);
  const std::uint8_t choice = pieces.byte();
  const data::ParallelOptions options = {.skip_empty = (choice & 2) != 0,
                                         .max_words = (choice & 4) != 0 ? 3 : 0,
                                         .max_ratio = (choice & 8) != 0 ? 1.5 : 0.0};
  data::ParallelText read;
  if ((choice & 1) != 0) {
    const std::string_view whole = pieces.rest();
    const std::string& path = first.write(whole);
    if (!accepts({path}, input.size(), bound_of(whole, {}),
                 [&] { read = data::read_parallel_tsv(path, options); })) {
      return;
    }
  } else {
    const std::string source = pieces.text();
    const std::string_view target = pieces.rest();
    const std::string &a = first.write(source), &b = second.write(target);
    if (!accepts({a, b}, input.size(), bound_of(source, target),
                 [&] { read = data::read_parallel(a, b, options); })) {
      return;
    }
  }
  require(read.source.size() == read.target.size() && read.source.size() == read.lines.size(),
          "lines come in pairs");
  for (std::size_t i = 0; i < read.lines.size(); ++i) {
    require(i == 0 || read.lines[i] > read.lines[i - 1], "pairs come in order");
    require(data::is_valid_utf8(read.source[i]) && data::is_valid_utf8(read.target[i]),
            "texts are UTF-8");
  }
  const auto is_whole = [](const std::string& line) {
    return !line.ends_with('\r') && !line.starts_with("\xEF\xBB\xBF") && !is_zstd(line);
  };
  const bool whole = std::all_of(read.source.begin(), read.source.end(), is_whole) &&
                     std::all_of(read.target.begin(), read.target.end(), is_whole);
  if (read.lines.empty() || !whole) return;
  const std::string &a = first.write(joined(read.source)), &b = second.write(joined(read.target));
  const data::ParallelText again = data::read_parallel(a, b, options);
  require(again.repaired + again.empty + again.too_long + again.unequal == 0,
          "pairs that were kept are kept");
  require(again.source == read.source && again.target == read.target, "pairs read back equal");
}

}  // namespace heed::fuzz
