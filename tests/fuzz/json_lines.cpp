// The first byte chooses the fields.
#include "../../data/json_lines.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "checks.h"
#include "input_file.h"
#include "labelled.h"
#include "targets.h"

namespace heed::fuzz {

void json_lines(std::string_view input) {
  static InputFile file, copy;
  if (input.empty()) return;
  constexpr struct {
    const char *label, *text;
  } kFields[] = {{"y", "x"}, {"", "x"}, {"y", "x,z"}, {"x", "x"}, {"", "x,x"}};
  const auto& chosen = kFields[static_cast<unsigned char>(input[0]) % std::size(kFields)];
  const std::string& path = file.write(input.substr(1));
  std::vector<data::LabelledText> read;
  const bool accepted = accepts(
      {path}, input.size(),
      {.fixed = buffers(input.substr(1)), .factor = 100 * unpacked(input.substr(1))}, [&] {
        read = read_labelled(path, {.format = "jsonl", .label = chosen.label, .text = chosen.text});
      });
  if (!accepted) return;
  std::string lines;
  for (const data::LabelledText& each : read) {
    lines += nlohmann::json({{"y", each.label}, {"x", each.text}}).dump() + '\n';
  }
  const std::string& written = copy.write(lines);
  const data::LabelledTextOptions fields = {
      .format = "jsonl", .label = *chosen.label == '\0' ? "" : "y", .text = "x"};
  require(equal_texts(read, read_labelled(written, fields)), "texts read back equal");
}

}  // namespace heed::fuzz
