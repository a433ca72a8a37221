// The words by which a beam search may carry its rows on: of each row of scores the likeliest, with
// their log-probabilities. Internal.
#pragma once

#include <vector>

#include "../core/array.h"

namespace heed::nn::detail {

/// A row carried on by a word. Ordered by likelihood; of equal ones the lower row and the lower
/// word come first.
struct Candidate {
  double log_p;
  Index row, word;

  bool operator<(const Candidate& other) const {
    if (log_p != other.log_p) return log_p > other.log_p;
    return row != other.row ? row < other.row : word < other.word;
  }
};

class Choices {
 public:
  /// Up to `most` words besides the end mark; all words given lie in [0, words).
  Choices(Index end, const std::vector<Index>& forbidden, Index most, Index words);

  Index words() const { return words_; }
  /// Of scores [R, words], floating. Throws ValueError for a row with a NaN, an infinite score or
  /// no finite one; `step` is for its text.
  void check(const Array& scores, Index step);
  /// From the same: throws as check(), which `checked` scores went through before some of their
  /// words were taken away. A row of which nothing is left has no choice.
  void choose(const Array& scores, Index step, bool checked = false);
  /// Whether some row of [first, last) had, in the last check(), a finite score of a word that is
  /// not forbidden.
  bool any_open(Index first, Index last) const;
  /// Appends the candidates of rows [first, last), the rows' own log-probabilities added.
  void append(Index first, Index last, const std::vector<double>& log_p,
              std::vector<Candidate>& out) const;

 private:
  /// Calls f(x, tops, row) for each row x of the scores, on several threads; top_of() may write to
  /// `tops`.
  template <class F>
  void for_rows(const Array& scores, const F& f) const;
  template <class T>
  T top_of(const T* x, std::vector<T>& tops) const;
  template <class T>
  void choose_row(const T* x, std::vector<T>& tops, Index step, Index row, bool checked);
  template <class T>
  Index likeliest(const T* x, const std::vector<T>& tops, Index row, Candidate* out) const;

  Index end_, words_, most_;
  bool may_end_;
  std::vector<char> writable_;  // but for the end mark
  std::vector<char> open_;      // of each row, since the last check()
  // Of the last choose(): for each row the end mark, where it is possible, and the others.
  std::vector<Index> counts_;
  std::vector<Candidate> chosen_;
};

}  // namespace heed::nn::detail
