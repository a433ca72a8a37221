#include "babi.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "../core/error.h"
#include "../core/quoted.h"
#include "text_file.h"
#include "utf8.h"

namespace heed::data {
namespace {

constexpr std::size_t kNoSentence = SIZE_MAX;

// The number that `text` begins with, which is taken off it; 0: none that is positive.
std::uint64_t take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{}) return 0;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path) {}

  std::vector<BabiStory> read() {
    std::string line;
    while (file_.next(line)) take(line);
    if (stories_.empty()) fail_at(file_.line() + 1, "the file has no story");
    finish(file_.line());
    return std::move(stories_);
  }

 private:
  [[noreturn]] void fail_at(std::uint64_t line, const std::string& what) const {
    throw FormatError::at_line(file_.path(), line, "babi: " + what);
  }
  [[noreturn]] void fail(const std::string& what) const { fail_at(file_.line(), what); }

  // The story that ends at `line`.
  void finish(std::uint64_t line) const {
    if (stories_.back().questions.empty())
      fail_at(line, "the story that ends here has no question");
  }

  void take(std::string_view line) {
    if (!is_valid_utf8(line)) fail("is not UTF-8");
    const bool control = std::any_of(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
    });
    if (control) fail("has a control character");
    const std::uint64_t number = take_number(line);
    if (number == 0 || line.empty() || line.front() != ' ') {
      fail("does not begin with its number and a space");
    }
    const std::uint64_t next = sentence_of_.size() + 1;
    if (number == 1) {
      if (!stories_.empty()) finish(file_.line() - 1);
      stories_.emplace_back();
      sentence_of_.clear();
    } else if (number != next || stories_.empty()) {
      fail(stories_.empty() ? fmt::format("is number {}; the first must be 1", number)
                            : fmt::format("is number {}; the next must be {} or 1", number, next));
    }
    const std::size_t tab = line.find('\t');
    BabiStory& story = stories_.back();
    if (tab != std::string_view::npos) {
      ask(line.substr(0, tab), line.substr(tab + 1));
      sentence_of_.push_back(kNoSentence);
    } else {
      sentence_of_.push_back(story.sentences.size());
      story.sentences.push_back(words_of(line, '.', "sentence"));
    }
  }

  std::vector<std::string> words_of(std::string_view text, char end, const char* what) const {
    text = trimmed(text);
    if (text.empty() || text.back() != end) fail(fmt::format("a {} must end in {}", what, end));
    text.remove_suffix(1);
    std::vector<std::string> words;
    for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
      const std::size_t space = std::min(text.find(' '), text.size());
      words.push_back(in_lower_case(text.substr(0, space)));
      text.remove_prefix(space);
    }
    if (words.empty()) fail(fmt::format("a {} has no words", what));
    return words;
  }

  void ask(std::string_view text, std::string_view rest) {
    BabiQuestion question;
    question.words = words_of(text, '?', "question");
    const std::size_t tab = rest.find('\t');
    if (tab == std::string_view::npos || rest.find('\t', tab + 1) != std::string_view::npos) {
      fail("a question must have three columns: itself, its answer, the lines that it rests on");
    }
    question.answer = in_lower_case(trimmed(rest.substr(0, tab)));
    if (question.answer.empty()) fail("a question has no answer");
    BabiStory& story = stories_.back();
    question.known = story.sentences.size();
    question.line = file_.line();
    for (rest = trimmed(rest.substr(tab + 1)); !rest.empty(); rest = trimmed(rest)) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      const std::uint64_t support = take_number(rest);
      const bool whole = support > 0 && (rest.empty() || rest.front() == ' ');
      if (!whole || support > sentence_of_.size() || sentence_of_[support - 1] == kNoSentence) {
        fail(fmt::format("{} is no sentence before the question", in_quotes(word)));
      }
      question.supports.push_back(sentence_of_[support - 1]);
    }
    story.questions.push_back(std::move(question));
  }

  TextFile file_;
  std::vector<BabiStory> stories_;
  std::vector<std::size_t> sentence_of_;  // of each line of the story so far
};

}  // namespace

std::vector<BabiStory> read_babi(const std::string& path) { return Reader(path).read(); }

}  // namespace heed::data
