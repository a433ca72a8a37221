// The first byte chooses the columns, or their names.
#include "../../data/tsv.h"

#include <fmt/format.h>

#include "checks.h"
#include "input_file.h"
#include "labelled.h"
#include "targets.h"

namespace heed::fuzz {

void tsv(std::string_view input) {
  static InputFile file, copy;
  if (input.empty()) return;
  constexpr struct {
    const char *label, *text;
  } kColumns[] = {{"1", "2"}, {"2", "1"}, {"", "1"}, {"", "3"}, {"y", "x"}, {"", "x"}, {"1", "x"}};
  const auto& chosen = kColumns[static_cast<unsigned char>(input[0]) % std::size(kColumns)];
  const std::string& path = file.write(input.substr(1));
  std::vector<data::LabelledText> read;
  const bool accepted = accepts(
      {path}, input.size(),
      {.fixed = buffers(input.substr(1)), .factor = 100 * unpacked(input.substr(1))}, [&] {
        read = read_labelled(path, {.format = "tsv", .label = chosen.label, .text = chosen.text});
      });
  if (!accepted) return;
  std::string lines;
  for (const data::LabelledText& each : read)
    lines += fmt::format("z\t{}\t{}\tz\n", each.label, each.text);
  const std::string& written = copy.write(lines);
  const data::LabelledTextOptions columns = {
      .format = "tsv", .label = *chosen.label == '\0' ? "" : "2", .text = "3"};
  require(equal_texts(read, read_labelled(written, columns)), "texts read back equal");
}

}  // namespace heed::fuzz
