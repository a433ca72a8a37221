#include "cloze_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "../core/error.h"
#include "../core/number_in.h"
#include "../core/quoted.h"
#include "text_file.h"
#include "utf8.h"

namespace heed::data {
namespace {

constexpr std::string_view kBar = "|||";

[[noreturn]] void fail_at(const std::string& path, std::uint64_t line, const std::string& what) {
  throw FormatError::at_line(path, line, "cloze: " + what);
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// What stands between the bars of a line.
std::vector<std::string_view> parts_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; (at = line.find(kBar)) != std::string_view::npos;) {
    out.push_back(trimmed(line.substr(0, at)));
    line.remove_prefix(at + kBar.size());
  }
  out.push_back(trimmed(line));
  return out;
}

// K of "<qid_K>"; -1: it is none.
Index query_id(std::string_view text) {
  constexpr std::string_view begin = "<qid_";
  if (!text.starts_with(begin) || !text.ends_with('>')) return -1;
  return number_in<Index>(text.substr(begin.size(), text.size() - begin.size() - 1)).value_or(-1);
}

void check_text(const std::string& path, std::uint64_t line, std::string_view text) {
  if (!is_valid_utf8(text)) fail_at(path, line, "is not UTF-8");
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
  if (control) fail_at(path, line, "has a control character");
}

// The one word of an answer.
std::string answer_in(std::string_view text, const std::string& path, std::uint64_t line) {
  auto words = cloze_words(text);
  if (words.size() != 1)
    fail_at(path, line, fmt::format("an answer of {} words, not 1", words.size()));
  return std::move(words[0]);
}

}  // namespace

void ClozeLines::fail(const std::string& what) const { fail_at(path_, line_, what); }

void ClozeLines::take_sentence(std::string_view text) {
  row_.passage.push_back(cloze_words(text));
  words_ += static_cast<Index>(row_.passage.back().size());
  if (words_ > kLongestCloze) fail(fmt::format("a passage of more than {} words", kLongestCloze));
  if (row_.passage.back().empty()) row_.passage.pop_back();
  row_.line = line_;
}

void ClozeLines::take_query(std::string_view text) {
  row_.query = cloze_words(text);
  if (static_cast<Index>(row_.query.size()) > kLongestCloze) {
    fail(fmt::format("a query of more than {} words", kLongestCloze));
  }
  row_.line = line_;
  whole_ = true;
}

bool ClozeLines::take(std::string_view line, std::uint64_t number) {
  line_ = number;
  if (std::exchange(whole_, false)) {
    row_ = {};
    numbered_ = words_ = 0;
  }
  check_text(path_, number, line);
  const auto parts = parts_of(line);
  if (plain_ && parts.size() == 1 && numbered_ == 0) {
    if (cloze_words(line).empty()) return finish();
    take_sentence(line);
    return false;
  }
  if (numbered_ == 0 && !row_.passage.empty()) fail("numbered lines follow plain ones");
  const Index id = query_id(parts[0]);
  if (id >= 0 && parts.size() == 2) {
    row_.id = id;
    take_query(parts[1]);
    return true;
  }
  if (id >= 0 || parts.size() < 2 || parts.size() > 3) {
    fail("neither \"N ||| sentence\", \"N ||| query ||| answer\" nor \"<qid_N> ||| query\"");
  }
  if (number_in<Index>(parts[0]) != ++numbered_) {
    fail(fmt::format("the line's number is {}, not {}", in_quotes(parts[0]), numbered_));
  }
  if (parts.size() == 3) {
    take_query(parts[1]);
    row_.answer = answer_in(parts[2], path_, line_);
    return true;
  }
  take_sentence(parts[1]);
  return false;
}

bool ClozeLines::finish() {
  if (whole_ || (numbered_ == 0 && row_.passage.empty())) return false;
  if (numbered_ > 0) fail("sentences without a query");
  row_.query = std::move(row_.passage.back());
  row_.passage.pop_back();
  return whole_ = true;
}

ClozeFile read_cloze(const std::string& path, const std::string& answers,
                     const ClozeOptions& options, bool leave_out) {
  TextFile file(path);
  std::unique_ptr<TextFile> answered;
  if (!answers.empty()) answered = std::make_unique<TextFile>(answers);
  ClozeLines lines(path);
  ClozeFile out;
  std::string line;
  while (file.next(line)) {
    if (!lines.take(line, file.line())) continue;
    Cloze row = lines.row();
    if (answered) {
      const auto fail = [&](const std::string& what) {
        fail_at(answers, std::max<std::uint64_t>(answered->line(), 1), what);
      };
      if (!answered->next(line)) fail(fmt::format("no answer to <qid_{}>", row.id));
      check_text(answers, answered->line(), line);
      const auto parts = parts_of(line);
      if (parts.size() != 2 || query_id(parts[0]) < 0) fail("is not \"<qid_N> ||| answer\"");
      if (query_id(parts[0]) != row.id) {
        fail(fmt::format("answers <qid_{}>, not <qid_{}>", query_id(parts[0]), row.id));
      }
      row.answer = answer_in(parts[1], answers, answered->line());
    }
    try {
      check_cloze(row, path, options);
    } catch (const FormatError&) {
      if (!leave_out) throw;
      ++out.left_out;
      continue;
    }
    out.rows.push_back(std::move(row));
  }
  lines.finish();
  if (answered && answered->next(line)) {
    fail_at(answers, answered->line(), "an answer to no query");
  }
  if (out.rows.empty()) fail_at(path, file.line() + 1, "the file has no query");
  return out;
}

}  // namespace heed::data
