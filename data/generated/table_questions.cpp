#include "table_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

#include "../../core/error.h"
#include "../../core/quoted.h"

namespace heed::data {
namespace {

const std::vector<std::string> kNames = {"red",   "blue", "green", "white", "black",
                                         "brown", "pink", "grey",  "gold",  "cyan"};

// greater or lesser than which number, in which column.
struct Comparison {
  bool greater;
  Index column;
  double number;
  bool holds(double x) const { return greater ? x > number : x < number; }
};
struct Meaning {
  std::vector<Comparison> comparisons;
  bool both = false;  // both comparisons, else one of them
  std::string act, less = {};
  Index column = 0;  // of sum and print
};

bool known(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<double> number_of(const std::string& text) {
  double out = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc() || stop != end || !std::isfinite(out)) return std::nullopt;
  return out;
}

// A question's words and numbers, one after the other.
class Asked {
 public:
  Asked(const TableQuestion& from) : from_(from) {}  // NOLINT(google-explicit-constructor)
  bool end() const { return at_ == from_.words.size(); }
  std::string word() const { return end() ? "" : from_.words[at_]; }
  std::string take() { return end() ? "" : from_.words[at_++]; }
  Index column() {
    if (from_.columns == 1) return 0;
    const std::string name = take();
    const auto found = std::find(kNames.begin(), kNames.begin() + from_.columns, name);
    if (found == kNames.begin() + from_.columns) fail("a column's name is missing");
    return found - kNames.begin();
  }
  double number() {
    const auto place = static_cast<Index>(at_) - 1;
    for (std::size_t i = 0; i < from_.left.size(); ++i) {
      if (from_.left[i] == place) return ++numbers_, from_.numbers[i];
    }
    fail("a number is missing after " + in_quotes(from_.words[at_ - 1]));
  }
  void finish() const {
    if (!end()) fail(in_quotes(word()) + " is not understood");
    if (numbers_ != from_.numbers.size()) fail("a number stands where none belongs");
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw ValueError(fmt::format("table: {}: {}", in_short(in_text(from_)), why));
  }

 private:
  const TableQuestion& from_;
  std::size_t at_ = 0, numbers_ = 0;
};

Meaning meaning_of(const TableQuestion& question) {
  Asked asked(question);
  Meaning out;
  const auto is_action = [&] { return known({"sum", "count", "print"}, asked.word()); };
  while (!asked.end() && !is_action()) {
    const Index column = asked.column();
    const std::string word = asked.take();
    if (word != "greater" && word != "lesser") {
      asked.fail(in_quotes(word) + " stands where greater, lesser, sum, count or print should");
    }
    out.comparisons.push_back({word == "greater", column, asked.number()});
    if (out.comparisons.size() == 2 || is_action()) break;
    const std::string join = asked.take();
    if (join != "and" && join != "or") asked.fail("and, or, sum, count or print is missing");
    out.both = join == "and";
  }
  if (!is_action()) asked.fail("sum, count or print is missing");
  out.act = asked.take();
  if (out.comparisons.empty() && out.act != "print" && asked.word() == "diff") {
    asked.take();
    out.less = asked.take();
    if (out.less != (out.act == "sum" ? "count" : "sum")) asked.fail("diff is of sum and count");
  }
  if (out.act != "count" || out.less == "sum") out.column = asked.column();
  asked.finish();
  return out;
}

void check_columns(Index columns) {
  if (columns < 1 || columns > kMostColumns) {
    throw ValueError(fmt::format("table: {} columns, not 1 to {}", columns, kMostColumns));
  }
}

void answer(TableQuestion& question) {
  const Meaning meaning = meaning_of(question);
  const auto cell = [&](Index row, Index column) {
    return question.table[static_cast<std::size_t>(row * question.columns + column)];
  };
  question.scalar = meaning.act != "print";
  question.cells.assign(question.table.size(), false);
  double sum = 0, count = 0;
  for (Index row = 0; row < question.rows; ++row) {
    std::size_t met = 0;
    for (const Comparison& each : meaning.comparisons) met += each.holds(cell(row, each.column));
    const bool chosen =
        meaning.comparisons.empty() || (meaning.both ? met == meaning.comparisons.size() : met > 0);
    if (!chosen) continue;
    sum += cell(row, meaning.column);
    count += 1;
    if (!question.scalar) {
      question.cells[static_cast<std::size_t>(row * question.columns + meaning.column)] = true;
    }
  }
  if (question.scalar) question.answer = meaning.act == "sum" ? sum : count;
  if (!meaning.less.empty()) question.answer -= meaning.less == "sum" ? sum : count;
}

}  // namespace

const std::vector<std::string>& table_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> out = {"sum",     "count",  "print", "diff",
                                    "greater", "lesser", "and",   "or"};
    out.insert(out.end(), kNames.begin(), kNames.end());
    return out;
  }();
  return words;
}

const std::string& column_name(Index column) { return kNames.at(static_cast<std::size_t>(column)); }

TableQuestion draw_table_question(const TableOptions& o, Generator& generator) {
  check_columns(o.columns);
  if (!(o.range > 0)) {
    throw ValueError(fmt::format("table: a range of {} makes no table", o.range));
  }
  TableQuestion out;
  out.columns = o.columns;
  out.rows = o.rows.draw(generator);
  // Two digits behind the point, as a person would write them.
  const auto number = [&] {
    return std::round(100 * o.range * (2 * generator.uniform() - 1)) / 100;
  };
  for (Index i = 0; i < out.rows * out.columns; ++i) out.table.push_back(number());
  const auto say_column = [&] {
    const Index column = generator.below(o.columns);
    if (o.columns > 1) out.words.push_back(column_name(column));
  };
  const auto compare = [&](const char* word) {
    say_column();
    out.left.push_back(static_cast<Index>(out.words.size()));
    out.words.emplace_back(word);
    out.numbers.push_back(number());
  };
  const Index which = generator.below(17), condition = which / 3;
  if (condition == 5) {
    out.words = {which == 15 ? "sum" : "count", "diff", which == 15 ? "count" : "sum"};
    say_column();
  } else {
    if (condition == 1 || condition == 3) compare("greater");
    if (condition == 2 || condition == 4) compare("lesser");
    if (condition > 2) {
      out.words.emplace_back(condition == 3 ? "and" : "or");
      compare(condition == 3 ? "lesser" : "greater");
    }
    std::sort(out.numbers.begin(), out.numbers.end());
    const std::string& act = table_words()[static_cast<std::size_t>(which % 3)];
    out.words.push_back(act);
    if (act != "count") say_column();
  }
  answer(out);
  return out;
}

std::vector<TableQuestion> draw_table_questions(Index count, const TableOptions& options,
                                                Generator& generator) {
  std::vector<TableQuestion> out;
  for (Index i = 0; i < count; ++i) out.push_back(draw_table_question(options, generator));
  return out;
}

TableQuestion read_table_question(const std::string& line, Index columns) {
  check_columns(columns);
  const std::size_t bar = line.find('|');
  if (bar == std::string::npos) throw ValueError("table: no | between the question and its table");
  TableQuestion out;
  out.columns = columns;
  std::istringstream question(line.substr(0, bar)), table(line.substr(bar + 1));
  for (std::string word; question >> word;) {
    if (known(table_words(), word)) {
      out.words.push_back(word);
    } else if (const auto number = number_of(word); number && !out.words.empty()) {
      out.left.push_back(static_cast<Index>(out.words.size()) - 1);
      out.numbers.push_back(*number);
    } else {
      throw ValueError(fmt::format("table: {} is no word of questions", in_quotes(word)));
    }
  }
  for (std::string row; std::getline(table, row, ';');) {
    std::istringstream cells(row);
    Index found = 0;
    for (std::string word; cells >> word; ++found) {
      const auto number = number_of(word);
      if (!number) throw ValueError(fmt::format("table: {} is no number", in_quotes(word)));
      out.table.push_back(*number);
    }
    ++out.rows;
    if (found != columns) {
      throw ValueError(
          fmt::format("table: row {} has {} numbers, not {}", out.rows, found, columns));
    }
  }
  if (out.rows == 0) throw ValueError("table: it has no rows");
  answer(out);
  return out;
}

std::string answer_in_text(const TableQuestion& question, bool scalar, double number,
                           const std::vector<double>& cells) {
  if (scalar) return fmt::format("{:.2f}", number);
  std::string out = "cells:";
  for (std::size_t i = 0; i < std::min(cells.size(), question.table.size()); ++i) {
    if (cells[i] > 0.5) out += fmt::format(" {}", question.table[i]);
  }
  return out;
}

std::string in_text(const TableQuestion& question) {
  std::string out;
  for (std::size_t i = 0; i < question.words.size(); ++i) {
    if (i > 0) out += ' ';
    out += question.words[i];
    for (std::size_t n = 0; n < question.left.size(); ++n) {
      if (question.left[n] == static_cast<Index>(i)) {
        out += fmt::format(" {}", question.numbers[n]);
      }
    }
  }
  return out;
}

}  // namespace heed::data
