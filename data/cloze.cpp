#include "cloze.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "../core/error.h"
#include "../core/quoted.h"
#include "text_file.h"
#include "utf8.h"

namespace heed::data {
namespace {

constexpr std::string_view kBar = "|||", kWide = "\u3000";

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

// The number that is all of the text; -1: it is none.
Index number_in(std::string_view text) {
  Index out = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() ? out : -1;
}

// K of "<qid_K>"; -1: it is none.
Index query_id(std::string_view text) {
  constexpr std::string_view begin = "<qid_";
  if (!text.starts_with(begin) || !text.ends_with('>')) return -1;
  return number_in(text.substr(begin.size(), text.size() - begin.size() - 1));
}

void check_text(const std::string& path, std::uint64_t line, std::string_view text) {
  if (!is_valid_utf8(text)) fail_at(path, line, "is not UTF-8");
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
  if (control) fail_at(path, line, "has a control character");
}

void add_word(std::vector<std::string>& words, std::string_view word) {
  for (std::size_t at = 0; (at = word.find(kBlank)) != std::string_view::npos;) {
    if (at > 0) words.emplace_back(word.substr(0, at));
    words.emplace_back(kBlank);
    word.remove_prefix(at + std::string_view(kBlank).size());
  }
  if (!word.empty()) words.emplace_back(word);
}

}  // namespace

std::vector<std::string> cloze_words(std::string_view text) {
  std::vector<std::string> out;
  std::size_t begin = 0, at = 0;
  while (at < text.size()) {
    const std::size_t skip = text[at] == ' ' ? 1 : text.substr(at).starts_with(kWide) ? 3 : 0;
    if (skip == 0) {
      ++at;
      continue;
    }
    add_word(out, text.substr(begin, at - begin));
    begin = at += skip;
  }
  add_word(out, text.substr(begin));
  return out;
}

void check_cloze(const Cloze& row, const std::string& path, const ClozeOptions& options) {
  const auto fail = [&](const std::string& what) { fail_at(path, row.line, what); };
  const auto stands = [&](const std::string& word) {
    return std::any_of(row.passage.begin(), row.passage.end(), [&](const auto& sentence) {
      return std::find(sentence.begin(), sentence.end(), word) != sentence.end();
    });
  };
  const auto check_length = [&](const char* kind, Index words, Index most) {
    if (words > most) fail(fmt::format("a {} of {} words, above {}", kind, words, most));
  };
  if (passage_length(row) == 0) fail("no passage before the query");
  check_length("passage", passage_length(row), options.passage);
  check_length("query", static_cast<Index>(row.query.size()), options.query);
  if (row.query.empty()) fail("the query has no words");
  const auto blanks = std::count(row.query.begin(), row.query.end(), kBlank);
  if (blanks > 1) fail(fmt::format("{} blanks in the query", blanks));
  if (blanks == 0 && !options.questions) fail(fmt::format("no {} in the query", kBlank));
  if (row.answer == kBlank || (!row.answer.empty() && !stands(row.answer))) {
    fail("the answer " + in_quotes(row.answer) + " is no word of the passage");
  }
}

std::vector<std::string> passage_words(const Cloze& row) {
  std::vector<std::string> out;
  for (const auto& sentence : row.passage) out.insert(out.end(), sentence.begin(), sentence.end());
  return out;
}

Index passage_length(const Cloze& row) {
  std::size_t out = 0;
  for (const auto& sentence : row.passage) out += sentence.size();
  return static_cast<Index>(out);
}

std::vector<std::string> different_words(const Cloze& row) {
  std::vector<std::string> out;
  std::unordered_set<std::string> seen;
  for (std::string& word : passage_words(row)) {
    if (seen.insert(word).second) out.push_back(std::move(word));
  }
  return out;
}

std::string most_frequent_word(const Cloze& row) {
  std::unordered_map<std::string, Index> counts;
  for (std::string& word : passage_words(row)) ++counts[std::move(word)];
  std::string out;
  Index most = 0;
  for (const std::string& word : different_words(row)) {
    const bool asked = std::find(row.query.begin(), row.query.end(), word) != row.query.end();
    if (asked || word == kBlank || decode_utf8(word, 0).length == word.size()) continue;
    if (counts[word] > most) {
      most = counts[word];
      out = word;
    }
  }
  return out;
}

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

void ClozeLines::take_answer(std::string_view text) {
  const auto words = cloze_words(text);
  if (words.size() != 1) fail(fmt::format("an answer of {} words, not 1", words.size()));
  row_.answer = words[0];
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
  if (number_in(parts[0]) != ++numbered_) {
    fail(fmt::format("the line's number is {}, not {}", in_quotes(parts[0]), numbered_));
  }
  if (parts.size() == 3) {
    take_query(parts[1]);
    take_answer(parts[2]);
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
      const auto words = cloze_words(parts[1]);
      if (words.size() != 1) fail(fmt::format("an answer of {} words, not 1", words.size()));
      row.answer = words[0];
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
