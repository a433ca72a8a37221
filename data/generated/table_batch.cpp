#include "table_batch.h"

#include <algorithm>

#include "../../core/error.h"
#include "../../core/quoted.h"

namespace heed::data {
namespace {

Index word_id(const std::string& word) {
  const auto& words = table_words();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end())
    throw ValueError("table: " + in_quotes(word) + " is no word of questions");
  return found - words.begin();
}

}  // namespace

TableBatch table_batch(const std::vector<TableQuestion>& questions) {
  if (questions.empty()) throw ValueError("table: no questions");
  const auto B = static_cast<Index>(questions.size());
  const Index C = questions.front().columns;
  Index Q = 1, N = 1, R = 1;
  TableBatch out;
  for (const TableQuestion& each : questions) {
    if (each.columns != C) throw ValueError("table: tables of different numbers of columns");
    out.lengths.push_back(static_cast<Index>(each.words.size()));
    out.rows.push_back(each.rows);
    Q = std::max(Q, out.lengths.back());
    N = std::max(N, static_cast<Index>(each.numbers.size()));
    R = std::max(R, each.rows);
  }
  out.words = Array::zeros({B, Q}, DType::i64);
  out.numbers = Array::zeros({B, N}, DType::f32);
  out.left = Array::full({B, N}, -1, DType::i64);
  out.table = Array::zeros({B, R, C}, DType::f32);
  out.names = Array::zeros({B, C}, DType::i64);
  out.scalar = Array::zeros({B}, DType::f32);
  out.cells = Array::zeros({B, R, C}, DType::f32);
  out.is_scalar = Array::zeros({B}, DType::boolean);
  for (Index b = 0; b < B; ++b) {
    const TableQuestion& each = questions[static_cast<std::size_t>(b)];
    const auto put = [b](auto* to, Index width, std::size_t i, auto value) {
      to[b * width + static_cast<Index>(i)] = value;
    };
    for (std::size_t i = 0; i < each.words.size(); ++i) {
      put(out.words.mutable_data<Index>(), Q, i, word_id(each.words[i]));
    }
    for (std::size_t i = 0; i < each.numbers.size(); ++i) {
      put(out.numbers.mutable_data<float>(), N, i, static_cast<float>(each.numbers[i]));
      put(out.left.mutable_data<Index>(), N, i, each.left[i]);
    }
    for (std::size_t i = 0; i < each.table.size(); ++i) {
      put(out.table.mutable_data<float>(), R * C, i, static_cast<float>(each.table[i]));
      put(out.cells.mutable_data<float>(), R * C, i, each.cells[i] ? 1.0F : 0.0F);
    }
    for (Index c = 0; c < C; ++c) {
      out.names.mutable_data<Index>()[b * C + c] = word_id(column_name(c));
    }
    out.scalar.mutable_data<float>()[b] = static_cast<float>(each.answer);
    out.is_scalar.mutable_data<bool>()[b] = each.scalar;
  }
  return out;
}

TableSteps table_steps(const TableBatch& batch) {
  const Index B = batch.table.size(0), Q = batch.words.size(1), N = batch.numbers.size(1),
              C = batch.table.size(2), steps = Q + N + batch.table.size(1) * C;
  const auto left = batch.left.to_vector<Index>();
  std::vector<Index> given, cells;
  TableSteps out{{}, {0}, {}, Array::zeros(batch.table.shape(), DType::boolean)};
  bool* there = out.there.mutable_data<bool>();
  for (Index b = 0; b < B; ++b) {
    const auto row = static_cast<std::size_t>(b);
    for (Index t = 0; t < steps; ++t) {
      const Index number = t - Q, cell = number - N;
      const bool real = cell >= 0     ? cell < batch.rows[row] * C
                        : number >= 0 ? left[static_cast<std::size_t>(b * N + number)] >= 0
                                      : t < batch.lengths[row];
      if (cell >= 0) {
        there[cells.size()] = real;
        cells.push_back(real ? std::ssize(given) : 0);
      }
      if (real) given.push_back(b * steps + t);
    }
    out.offsets.push_back(std::ssize(given));
  }
  out.given = Array::from(given);
  out.cells = Array::from(cells).reshape(batch.table.shape());
  return out;
}

}  // namespace heed::data
