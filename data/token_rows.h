// Tokens of documents one behind the other, cut in rows. For token_stream.h.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "../core/error.h"
#include "shuffled_items.h"

namespace heed::data::detail {

/// Rows of at most `length` + 1 tokens of which each begins with the last of the row before: what
/// is read, and, one place on, what it is to say. Each document ends with a mark; with `joined` a
/// row goes on in the next document, else it ends with its own.
template <class Item>
class TokenRows {
 public:
  using Tokens = std::function<std::vector<Index>(const Item&)>;
  /// `begin_mark` negative: none.
  TokenRows(ShuffledItems<Item> items, Tokens tokens, Index length, bool joined, Index begin_mark,
            Index end_mark)
      : items_(std::move(items)),
        tokens_(std::move(tokens)),
        length_(static_cast<std::size_t>(length)),
        joined_(joined),
        begin_mark_(begin_mark),
        end_mark_(end_mark) {}

  /// Where a row begins: in the document behind the mark, so many tokens on.
  struct Mark {
    typename ShuffledItems<Item>::Mark document;
    std::size_t done = 0;
  };
  /// False at the end. A row has at least two tokens.
  bool next(std::vector<Index>& row, Mark& begin) {
    row.clear();
    begin = mark();
    while (row.size() <= length_) {
      if (done_ == document_.size()) {
        if (!joined_ && row.size() > 1) break;
        if (!joined_) row.clear();
        const typename ShuffledItems<Item>::Mark before = items_.mark();
        if (!read()) break;
        before_ = before;
        if (row.empty()) begin = mark();
      }
      const std::size_t count = std::min(document_.size() - done_, length_ + 1 - row.size());
      const auto first = document_.begin() + static_cast<std::ptrdiff_t>(done_);
      row.insert(row.end(), first, first + static_cast<std::ptrdiff_t>(count));
      done_ += count;
    }
    if (row.size() < 2) return false;
    if (row.size() > length_) --done_;  // the next one's first
    return true;
  }
  /// Before the row that comes next.
  Mark mark() {
    if (document_.empty()) return {items_.mark(), 0};
    return {before_, done_};
  }
  static void add(PlaceNumbers& to, const Mark& mark) {
    to.push_back(static_cast<std::int64_t>(mark.done));
    ShuffledItems<Item>::add(to, mark.document);
  }
  void go_to(PlaceReader& from) {
    const auto done = static_cast<std::size_t>(from.take(0));
    items_.go_to(from);
    document_.clear();
    done_ = 0;
    if (done == 0) return;
    before_ = items_.mark();
    if (!read() || done > document_.size()) {
      throw ValueError("streamed: a document has fewer tokens than this state says");
    }
    done_ = done;
  }

 private:
  bool read() {
    Item item;
    if (!items_.next(item)) return false;
    std::vector<Index> tokens = tokens_(item);
    if (begin_mark_ >= 0) tokens.insert(tokens.begin(), begin_mark_);
    tokens.push_back(end_mark_);
    document_ = std::move(tokens);
    done_ = 0;
    return true;
  }

  ShuffledItems<Item> items_;
  Tokens tokens_;
  std::size_t length_;
  bool joined_;
  Index begin_mark_, end_mark_;
  typename ShuffledItems<Item>::Mark before_;  // the document
  std::vector<Index> document_;
  std::size_t done_ = 0;  // of its tokens
};

}  // namespace heed::data::detail
