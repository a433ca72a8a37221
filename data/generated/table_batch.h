// Questions over tables as arrays, filled up with zeros.
#pragma once

#include "../../core/array.h"
#include "table_questions.h"

namespace heed::data {

struct TableBatch {
  Array words;                 ///< i64 [B, Q], places in table_words()
  std::vector<Index> lengths;  ///< of the questions
  Array numbers;               ///< f32 [B, N]
  Array left;                  ///< i64 [B, N]: the place of the word left of each; -1: no number
  Array table;                 ///< f32 [B, R, C]
  std::vector<Index> rows;     ///< of the tables
  Array names;                 ///< i64 [B, C]: of the columns, places in table_words()
  Array scalar;                ///< f32 [B]: the answers that are numbers, else 0
  Array cells;                 ///< f32 [B, R, C]: 1 in those that are cells
  Array is_scalar;             ///< bool [B]
};
/// Throws ValueError for none, and for tables of different numbers of columns.
TableBatch table_batch(const std::vector<TableQuestion>& questions);

}  // namespace heed::data
