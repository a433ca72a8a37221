// The neural programmer (Neelakantan, Le, Sutskever 2016): reads a question, then attends to a list
// of built-in operations and to the columns of a table, T times; what the attended operations make
// of the attended column and of the rows chosen so far is the answer, all of it differentiable.
//
//   z_i = tanh(W [V(w_i); z_{i-1}]), q the last of them               question RNN; numbers left out
//   a^op_t = softmax(U tanh(W^op [q; h_t]))                           operations, U [9, d]
//   a^col_t = softmax(P tanh(W^col [q; h_t]))                         columns, P their names' V
//   h_{t+1} = tanh(W^h [U^T a^op_t; P^T a^col_t; h_t]), h_1 = 0       history RNN
//
//   sum_t[j] = sum_i r_{t-1}[i] table[i][j]    count_t = sum_i r_{t-1}[i]
//   difference_t = scalar_{t-3} - scalar_{t-1}
//   greater[i][j] = table[i][j] > pivot        lesser[i][j] = table[i][j] < pivot
//   and_t[i] = min(r_{t-1}[i], r_{t-2}[i])     or_t[i] = max(r_{t-1}[i], r_{t-2}[i])
//   assign_t[i][j] = r_{t-1}[i]                reset_t[i] = 1
//
//   scalar_t = a(count) count_t + a(difference) difference_t + sum_j a^col[j] a(sum) sum_t[j]
//   lookup_t[i][j] = a^col[j] a(assign) assign_t[i][j]
//   r_t[i] = a(and) and_t[i] + a(or) or_t[i] + a(reset)
//            + sum_j a^col[j] (a(greater) greater[i][j] + a(lesser) lesser[i][j])
//
// with r_t the rows chosen (the paper's row_select_t), r_0 = r_{-1} = 1, scalar 0 before the first
// step. The answers are scalar_T and lookup_T. Each of greater and lesser has weights over the
// numbers of the question, beta = softmax(Z U(op)), Z the question RNN's states at the words left
// of the numbers. The paper compares with the pivot sum_n beta_n number_n; we take the mean of the
// comparisons, sum_n beta_n (table[i][j] > number_n): the same where one beta is 1, and beta has a
// gradient. With `hard` each softmax is 1 at its largest and 0 elsewhere, as in the paper's test.
#pragma once

#include <array>
#include <vector>

#include "../../../nn/embedding.h"
#include "../../../nn/linear.h"
#include "../../../nn/rnn.h"

namespace heed::attention {

/// In the order of U's rows.
inline constexpr std::array kTableOperations = {"sum", "count", "difference", "greater", "lesser",
                                                "and", "or",    "assign",     "reset"};

struct NeuralProgrammerOptions {
  Index vocabulary = 0;  ///< of questions and columns' names
  Index width = 64;      ///< d, of everything
  Index steps = 4;       ///< T
  DType dtype = DType::f32;
};

struct TableQuestions {
  Tensor words;                     ///< i64 [B, Q], numbers left out
  std::vector<Index> lengths = {};  ///< words of each; none: Q
  Tensor numbers;                   ///< [B, N]: those of the question
  Tensor left;                   ///< i64 [B, N]: the place of the word left of each; -1: no number
  Tensor table;                  ///< [B, R, C]
  std::vector<Index> rows = {};  ///< of each table; none: R
  Tensor names;                  ///< i64 [B, C]: words
};

/// What is said of a table: a number, or some of its cells.
struct TableAnswers {
  Tensor scalar;     ///< [B]
  Tensor cells;      ///< [B, R, C], in [0, 1]
  Tensor is_scalar;  ///< [B], in [0, 1], or bool: whether it is the number
};

struct NeuralProgrammerOutput {
  TableAnswers answers;    ///< scalar_T, lookup_T, 1 - a^op_T(assign); 0 in the padding
  Tensor operations = {};  ///< a^op, [B, T, 9]
  Tensor columns = {};     ///< a^col, [B, T, C]
  Tensor rows = {};        ///< r, [B, T, R]; 0 in the padding
  Tensor pivots = {};      ///< beta of greater and of lesser, [B, 2, N]
};

struct TableLossOptions {
  double delta = 1;   ///< of the Huber loss of numbers
  double cells = 50;  ///< weight of the cells' mean cross entropy
  double kind = 0;    ///< weight of is_scalar's cross entropy; the paper has none
};
/// The paper's loss: Huber's where a number is wanted, else the cells' cross entropy, over the
/// first rows[b] rows, 0 without any; the mean over the batch. `wanted`: cells 0 or 1, is_scalar
/// bool. Throws ShapeError, DTypeError.
Tensor table_answer_loss(const TableAnswers& found, const TableAnswers& wanted,
                         const std::vector<Index>& rows, const TableLossOptions& options = {});

class NeuralProgrammer : public nn::Module {
 public:
  /// Throws ValueError unless all sizes are positive.
  explicit NeuralProgrammer(const NeuralProgrammerOptions& options);

 private:
  NeuralProgrammerOptions options_;

 public:
  nn::Embedding& words;   ///< V
  nn::RNN& question;      ///< W
  Tensor& operations;     ///< U, [9, d]
  nn::Linear& operation;  ///< W^op
  nn::Linear& column;     ///< W^col
  nn::Linear& history;    ///< W^h

  /// Throws ShapeError, DTypeError, IndexError for words that the vocabulary lacks and places that
  /// the question lacks.
  NeuralProgrammerOutput operator()(const TableQuestions& asked, bool hard = false) const;
};

}  // namespace heed::attention
