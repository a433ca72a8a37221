// The first byte chooses whether queries may be questions and whether rows are left out; what
// stands behind a line of "====" is the file of answers.
#include "../../data/cloze_file.h"

#include <fmt/format.h>

#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

struct Written {
  std::string rows, answers;
};

Written written(const std::vector<data::Cloze>& rows, bool answered) {
  Written out;
  for (const data::Cloze& row : rows) {
    std::size_t number = 0;
    for (const auto& sentence : row.passage) {
      out.rows += fmt::format("{} ||| {}\n", ++number, joined(sentence));
    }
    if (row.id < 0) {
      out.rows += fmt::format("{} ||| {} ||| {}\n", ++number, joined(row.query), row.answer);
    } else {
      out.rows += fmt::format("<qid_{}> ||| {}\n", row.id, joined(row.query));
      if (answered) out.answers += fmt::format("<qid_{}> ||| {}\n", row.id, row.answer);
    }
  }
  return out;
}

}  // namespace

void cloze(std::string_view input) {
  static InputFile file, other, copy, other_copy;
  if (input.empty()) return;
  const int flags = static_cast<unsigned char>(input[0]);
  const data::ClozeOptions options{.questions = flags % 2 == 1};
  const bool leave_out = flags / 2 % 2 == 1;
  std::string_view content = input.substr(1), answers;
  constexpr std::string_view kBetween = "\n====\n";
  const std::size_t at = content.find(kBetween);
  const bool answered = at != std::string_view::npos;
  if (answered) {
    answers = content.substr(at + kBetween.size());
    content = content.substr(0, at);
  }
  const std::string& path = file.write(content);
  const std::string answers_path = answered ? other.write(answers) : "";
  data::ClozeFile read;
  // A word of one letter is a string, in a row and in its copy.
  const bool accepted =
      accepts({path, answers_path}, input.size(),
              {.fixed = buffers(content) + buffers(answers),
               .factor = 400 * std::max(unpacked(content), unpacked(answers))},
              [&] { read = data::read_cloze(path, answers_path, options, leave_out); });
  if (!accepted) return;
  require(!read.rows.empty(), "a file has rows");
  require(leave_out || read.left_out == 0, "nothing is left out unasked");
  std::uint64_t line = 0;
  for (const data::Cloze& row : read.rows) {
    require(row.line > line, "rows stand one behind the other");
    line = row.line;
    data::check_cloze(row, path, options);

    require(data::passage_length(row) == static_cast<Index>(data::passage_words(row).size()),
            "a passage's words are counted");
  }
  const Written text = written(read.rows, answered);
  const auto again = data::read_cloze(copy.write(text.rows),
                                      answered ? other_copy.write(text.answers) : "", options);
  const Written twice = written(again.rows, answered);
  require(twice.rows == text.rows && twice.answers == text.answers, "rows read back equal");
}

}  // namespace heed::fuzz
