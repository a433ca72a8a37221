// Generated questions over a table of numbers, in the manner of the synthetic ones by which the
// neural programmer was taught (Neelakantan, Le, Sutskever 2016). A question is a condition and
// what to do with the rows for which it holds:
//
//   (nothing) | greater N | lesser N | greater N and lesser N | lesser N or greater N
//   sum | count | print                       and without condition: sum diff count | count diff sum
//
// "sum" adds up the rows' numbers, "count" counts the rows, "print" gives their cells, "a diff b"
// is a less b. Of several columns a word names one before each comparison and after sum and print:
// "red greater 2.5 sum blue".
#pragma once

#include <string>
#include <vector>

#include "../../core/generator.h"
#include "lengths.h"

namespace heed::data {

struct TableOptions {
  Index columns = 1;
  Lengths rows = {30, 100};
  double range = 10;  ///< numbers are from -range to range
};

struct TableQuestion {
  std::vector<std::string> words;  ///< without the numbers
  std::vector<double> numbers;     ///< of the question
  std::vector<Index> left;         ///< the place of the word left of each
  Index rows = 0, columns = 0;
  std::vector<double> table;  ///< row-major
  bool scalar = true;         ///< the answer is a number, else cells
  double answer = 0;
  std::vector<bool> cells = {};  ///< of the table
};

/// All words of questions, in a fixed order; columns of more than one have names, the last of the
/// words.
const std::vector<std::string>& table_words();
constexpr Index kMostColumns = 10;
/// The name of a column; of a table of one "" is said.
const std::string& column_name(Index column);

/// The next question of the generator's stream; of two numbers the first is the lower one, so that
/// the condition leaves some rows out. Throws ValueError unless 1 <= columns <= 10
/// and range > 0.
TableQuestion draw_table_question(const TableOptions& options, Generator& generator);

std::vector<TableQuestion> draw_table_questions(Index count, const TableOptions& options,
                                                Generator& generator);

/// From a line: the question, " | ", then the table, rows separated by semicolons:
/// "greater 2.5 sum | 1; 3; 4". The answer is that of the definition. Throws ValueError for what is
/// none, for rows of another number of columns, and for a number that is not from 1 to 10.
TableQuestion read_table_question(const std::string& line, Index columns);

/// What is said of its table: "7.50", or "cells: 3 4", those of more than 0.5.
std::string answer_in_text(const TableQuestion& question, bool scalar, double number,
                           const std::vector<double>& cells);
/// "greater 2.5 sum".
std::string in_text(const TableQuestion& question);

}  // namespace heed::data
