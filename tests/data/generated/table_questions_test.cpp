#include "../../../data/generated/table_questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "../../../core/error.h"
#include "../../../data/generated/table_batch.h"
#include "../../support/throws.h"

namespace heed::data {
namespace {

double number(const std::string& question) {
  const TableQuestion found = read_table_question(question + " | 1; 2.5; -4; 3", 1);
  EXPECT_TRUE(found.scalar) << question;
  return found.answer;
}
std::vector<bool> cells(const std::string& question) {
  const TableQuestion found = read_table_question(question + " | 1; 2.5; -4; 3", 1);
  EXPECT_FALSE(found.scalar) << question;
  return found.cells;
}

TEST(TableQuestions, AreAnsweredByTheirDefinition) {
  EXPECT_DOUBLE_EQ(number("sum"), 2.5);
  EXPECT_DOUBLE_EQ(number("count"), 4);
  EXPECT_DOUBLE_EQ(number("greater 1 sum"), 5.5);
  EXPECT_DOUBLE_EQ(number("lesser 2.5 count"), 2);
  EXPECT_DOUBLE_EQ(number("greater -4 and lesser 3 sum"), 3.5);
  EXPECT_DOUBLE_EQ(number("lesser 0 or greater 2.5 count"), 2);
  EXPECT_DOUBLE_EQ(number("sum diff count"), -1.5);
  EXPECT_DOUBLE_EQ(number("count diff sum"), 1.5);
  EXPECT_EQ(cells("print"), (std::vector<bool>{true, true, true, true}));
  EXPECT_EQ(cells("greater 1 print"), (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(cells("lesser -3 or greater 2.5 print"), (std::vector<bool>{false, false, true, true}));
  const TableQuestion two = read_table_question("red greater 1 sum blue | 1 5; 2 7; 3 -1", 2);
  EXPECT_DOUBLE_EQ(two.answer, 6);
  EXPECT_EQ(in_text(two), "red greater 1 sum blue");
  EXPECT_EQ(answer_in_text(two, true, 6, {}), "6.00");
  EXPECT_EQ(answer_in_text(two, false, 6, {0.6, 0, 0.5, 1, 0, 0}), "cells: 1 7");
}

// Each comparison, and what is summed, has a column of its own; "count" has none.
TEST(TableQuestions, AreOfTheColumnsTheyName) {
  const auto of_three = [](const std::string& question) {
    return read_table_question(question + " | 1 5 -2; 2 7 0; 3 -1 4; 9 0 1", 3);
  };
  EXPECT_DOUBLE_EQ(of_three("red greater 1 and blue lesser 1 sum green").answer, 5);
  EXPECT_DOUBLE_EQ(of_three("green lesser 0 or red greater 2 sum blue").answer, 4);
  EXPECT_DOUBLE_EQ(of_three("green greater 0 count").answer, 2);
  EXPECT_DOUBLE_EQ(of_three("sum diff count blue").answer, 7);
  EXPECT_DOUBLE_EQ(of_three("count diff sum green").answer, 1);
  const TableQuestion printed = of_three("blue greater 4 print red");
  EXPECT_FALSE(printed.scalar);
  EXPECT_EQ(printed.answer, 0);
  EXPECT_EQ(printed.cells, (std::vector<bool>{true, false, false, true, false, false, false, false,
                                              false, false, false, false}));
  const TableQuestion counted = of_three("count");
  EXPECT_EQ(counted.rows, 4);
  EXPECT_EQ(counted.columns, 3);
  EXPECT_EQ(counted.cells, std::vector<bool>(12, false));
  EXPECT_EQ(column_name(0), "red");
  EXPECT_EQ(table_words().back(), column_name(kMostColumns - 1));
  EXPECT_EQ(in_text(of_three("red greater -2.5 and blue lesser 1 print green")),
            "red greater -2.5 and blue lesser 1 print green");
}

TEST(TableQuestions, AreDrawnOfAllKindsAndReadBack) {
  Generator generator(3);
  std::set<std::string> kinds;
  for (const Index columns : {1, 3}) {
    for (const TableQuestion& each :
         draw_table_questions(401, {.columns = columns, .rows = {2, 7}}, generator)) {
      EXPECT_TRUE(each.rows >= 2 && each.rows <= 7);
      EXPECT_TRUE(std::is_sorted(each.numbers.begin(), each.numbers.end()));
      std::string line = in_text(each) + " |", kind;
      for (std::size_t i = 0; i < each.table.size(); ++i) {
        EXPECT_LE(std::abs(each.table[i]), 10);
        line += (i > 0 && i % static_cast<std::size_t>(columns) == 0 ? " ; " : " ") +
                std::to_string(each.table[i]);
      }
      const TableQuestion again = read_table_question(line, columns);
      EXPECT_EQ(again.scalar, each.scalar);
      EXPECT_EQ(again.cells, each.cells) << line;
      EXPECT_NEAR(again.answer, each.answer, 1e-9) << line;
      for (const std::string& word : each.words) kind += word + ' ';
      if (columns == 1) kinds.insert(kind);
    }
  }
  EXPECT_EQ(kinds.size(), 17U);
}

TEST(TableQuestions, AreBatches) {
  const TableBatch batch = table_batch({read_table_question("greater 1 and lesser 3 sum | 1; 2", 1),
                                        read_table_question("print | 1; 2; 5", 1)});
  EXPECT_EQ(batch.words.to_vector<Index>(), (std::vector<Index>{4, 6, 5, 0, 2, 0, 0, 0}));
  EXPECT_EQ(batch.lengths, (std::vector<Index>{4, 1}));
  EXPECT_EQ(batch.numbers.to_vector<float>(), (std::vector<float>{1, 3, 0, 0}));
  EXPECT_EQ(batch.left.to_vector<Index>(), (std::vector<Index>{0, 2, -1, -1}));
  EXPECT_EQ(batch.table.to_vector<float>(), (std::vector<float>{1, 2, 0, 1, 2, 5}));
  EXPECT_EQ(batch.rows, (std::vector<Index>{2, 3}));
  EXPECT_EQ(batch.names.to_vector<Index>(), (std::vector<Index>{8, 8}));
  EXPECT_EQ(batch.scalar.to_vector<float>(), (std::vector<float>{2, 0}));
  EXPECT_EQ(batch.cells.to_vector<float>(), (std::vector<float>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(batch.is_scalar.to_vector<bool>(), (std::vector<bool>{true, false}));
  const TableBatch least = table_batch({read_table_question("sum | 7", 1)});
  EXPECT_EQ(least.words.shape(), (Shape{1, 1}));
  EXPECT_EQ(least.left.to_vector<Index>(), std::vector<Index>{-1});  // the one that is not there
  EXPECT_EQ(least.table.shape(), (Shape{1, 1, 1}));
  TableQuestion other = read_table_question("sum | 7", 1);
  other.words = {"most"};
  EXPECT_ERROR(ValueError, "table: \"most\" is no word of questions", table_batch({other}));
  EXPECT_ERROR_WITH(ValueError, "table: no questions", table_batch({}));
  EXPECT_ERROR_WITH(
      ValueError, "table: tables of different numbers of columns",
      table_batch({read_table_question("sum | 1", 1), read_table_question("sum red | 1 2", 2)}));
}

TEST(TableQuestions, RefuseWhatIsNone) {
  const auto read = [](const char* line) { read_table_question(line, 1); };
  EXPECT_ERROR_WITH(ValueError, "table: no | between", read("sum 1"));
  EXPECT_ERROR_WITH(ValueError, "table: \"most\" is no word of questions", read("most | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: \"2\" is no word of questions", read("2 | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: \"x\" is no number", read("sum | x"));
  EXPECT_ERROR_WITH(ValueError, "table: row 2 has 2 numbers, not 1", read("sum | 1; 1 2"));
  EXPECT_ERROR_WITH(ValueError, "table: it has no rows", read("sum |"));
  EXPECT_ERROR_WITH(ValueError, "table: : sum, count or print is missing", read(" | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: greater: a number is missing after \"greater\"",
                    read("greater | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: greater 1: and, or, sum, count or print is missing",
                    read("greater 1 | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: greater 1 lesser 2 sum: and, or",
                    read("greater 1 lesser 2 sum | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: sum 3: a number stands where none belongs",
                    read("sum 3 | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: sum sum: \"sum\" is not understood", read("sum sum | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: sum diff sum: diff is of sum and count",
                    read("sum diff sum | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: and sum: \"and\" stands where", read("and sum | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: sum: a column's name is missing",
                    read_table_question("sum | 1 2", 2));
  EXPECT_ERROR_WITH(ValueError, "table: \"inf\" is no number", read("sum | inf"));
  EXPECT_ERROR_WITH(ValueError, "table: \"1x\" is no number", read("sum | 1x"));
  EXPECT_ERROR_WITH(ValueError, "table: \"nan\" is no word of questions", read("greater nan | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: print diff count: \"diff\" is not understood",
                    read("print diff count | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: greater 1 sum diff count: \"diff\" is not understood",
                    read("greater 1 sum diff count | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: count diff count: diff is of sum and count",
                    read("count diff count | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: greater 1 or lesser 2 and: sum, count or print is missing",
                    read("greater 1 or lesser 2 and | 1"));
  EXPECT_ERROR_WITH(ValueError, "table: green greater 1 sum red: a column's name is missing",
                    read_table_question("green greater 1 sum red | 1 2", 2));
  Generator generator(5);
  for (const Index columns : {Index{0}, Index{11}}) {
    const std::string message = "table: " + std::to_string(columns) + " columns, not 1 to 10";
    EXPECT_ERROR_WITH(ValueError, message, draw_table_question({.columns = columns}, generator));
    EXPECT_ERROR_WITH(ValueError, message, read_table_question("sum red | 1", columns));
  }
  EXPECT_EQ(draw_table_question({.columns = 10}, generator).columns, 10);
  EXPECT_ERROR_WITH(ValueError, "table: a range of 0 makes no table",
                    draw_table_question({.range = 0}, generator));
  EXPECT_ERROR_WITH(ValueError, "table: a range of nan makes no table",
                    draw_table_question({.range = std::nan("")}, generator));
  EXPECT_ERROR_WITH(ValueError, "lengths: none from 3 to 2",
                    draw_table_question({.rows = {3, 2}}, generator));
}

// Words, numbers and cells of each, and nothing of what fills them up.
TEST(TableQuestions, AreReadOneAfterTheOtherWithoutPadding) {
  const TableBatch batch = table_batch(
      {read_table_question("sum | 1; 2", 1), read_table_question("greater 1 sum | 1; 3; 5", 1)});
  const TableSteps steps = table_steps(batch);  // 2 words, 1 number, 3 cells
  EXPECT_EQ(steps.given.to_vector<Index>(), (std::vector<Index>{0, 3, 4, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(steps.offsets, (std::vector<Index>{0, 3, 9}));
  EXPECT_EQ(steps.cells.shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(steps.cells.to_vector<Index>(), (std::vector<Index>{1, 2, 0, 6, 7, 8}));
  EXPECT_EQ(steps.there.to_vector<bool>(),
            (std::vector<bool>{true, true, false, true, true, true}));
}

}  // namespace
}  // namespace heed::data
