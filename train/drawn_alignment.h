// An alignment made ready to be drawn: weights checked, what is no weight 0; words without
// characters that are not seen, not longer than a label may be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "alignment.h"

namespace heed::train {

struct DrawnAlignment {
  std::string title;
  std::vector<std::string> columns, rows;  ///< UTF-8
  std::vector<double> weights;             ///< row-major
  double largest = 0.0;

  double weight(std::size_t row, std::size_t column) const {
    return weights[row * columns.size() + column];
  }
  /// Of the largest, in [0, 1].
  double share(std::size_t row, std::size_t column) const {
    return largest > 0.0 ? weight(row, column) / largest : 0.0;
  }
};

/// `op` is named in errors. Words longer than `longest` characters end in an ellipsis.
DrawnAlignment drawn(const char* op, const Alignment& alignment, std::size_t longest);

/// [rows, columns] row-major, each finite and not negative. Throws ShapeError, DTypeError.
std::vector<double> drawn_weights(const char* op, const Array& weights, std::size_t rows,
                                  std::size_t columns);

/// Control and invisible characters dropped; blanks of all kinds are plain ones.
std::string drawn_word(std::string_view word, std::size_t longest);

/// Columns that a text takes in a terminal: a combining mark 0, East Asian characters and emoji 2,
/// others 1.
std::size_t display_width(std::string_view text);
/// The widest of several.
std::size_t display_width(const std::vector<std::string>& texts);

}  // namespace heed::train
