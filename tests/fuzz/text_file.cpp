// The first byte chooses: the rest as it stands, which may be gzip or zstd, or packed by us.
#include "../../data/text_file.h"

#include "../support/gzip.h"
#include "../support/zstd.h"
#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

// All lines with their ends; from one of the first on they are read twice.
std::string lines_of(const std::string& path, std::uint64_t middle) {
  data::TextFile file(path);
  std::string out, line;
  std::uint64_t count = 0;
  data::TextPlace place;
  std::size_t before = 0;
  while (file.next(line)) {
    require(file.line() == ++count, "lines are counted from 1");
    require(line.find('\n') == std::string::npos, "a line has no end in it");
    out.append(line) += '\n';
    if (count == middle) {
      place = file.place();
      before = out.size();
    }
  }
  file.go_to(place);
  std::size_t at = before;
  while (file.next(line)) {
    line += '\n';
    require(out.compare(at, line.size(), line) == 0, "the same lines come again");
    at += line.size();
  }
  require(at == out.size() && file.line() == count, "all of them come again");
  return out;
}

// What lines_of() a plain file are.
std::string plain_lines(std::string_view content) {
  std::string out;
  for (std::size_t at = 0; at < content.size(); ++at) {
    const bool ends = at + 1 == content.size() || content[at + 1] == '\n';
    if (content[at] != '\r' || !ends) out += content[at];
  }
  if (!content.empty() && content.back() != '\n') out += '\n';
  return out.starts_with("\xEF\xBB\xBF") ? out.substr(3) : out;
}

}  // namespace

void text_file(std::string_view input) {
  static InputFile file;
  const char how = input.empty() ? 'p' : input[0];
  const std::string_view content = input.substr(input.empty() ? 0 : 1);
  const std::string& path = file.write(how == 'z'   ? gzip(content)
                                       : how == 's' ? zstd(content)
                                                    : std::string(content));
  std::string lines;
  const bool accepted =
      accepts({path}, content.size(), {.fixed = buffers(content), .factor = 8 * unpacked(content)},
              [&] { lines = lines_of(path, content.size() % 5); });
  const bool plain = how == 'z' || how == 's' || unpacked(content) == 1;
  require(accepted || !plain, "every plain text is accepted");
  require(!plain || lines == plain_lines(content), "the lines are those of the file");
}

}  // namespace heed::fuzz
