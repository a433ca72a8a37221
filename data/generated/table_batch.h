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

/// Words, numbers and cells read one after the other, [B, Q + N + R C] places, without padding.
struct TableSteps {
  Array given;                 ///< i64: the places, of B (Q + N + R C), that are no padding
  std::vector<Index> offsets;  ///< where each question's begin among them; B + 1
  Array cells;                 ///< i64 [B, R, C]: where each cell stands among them; padding: 0
  Array there;                 ///< bool [B, R, C]: false in padding
};
TableSteps table_steps(const TableBatch& batch);

}  // namespace heed::data
