// What language models learn from, of data larger than memory: tokens of documents in windows of
// one length, or whole documents one behind the other.
//
//   const auto lines = data::text_shards("texts/*.txt.zst");
//   const auto ids = [&](const std::string& line) { return coder.encode(line); };
//   auto windows = data::streamed_windows(lines, ids, {.rows = 32, .length = 128});
//   auto documents = data::streamed_documents(lines, ids, {.tokens = 4096});
//   while (const auto batch = documents.next()) { const Packed texts{batch->inputs, batch->offsets}; .. }
//
// Targets are the inputs one place further on; each document ends with a mark. Documents are
// shuffled and passes gone on with as in stream.h: a place is moreover a document and a token in
// it.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "coder.h"
#include "dealt.h"
#include "loader.h"
#include "token_rows.h"
#include "windows.h"

namespace heed::data {

struct WindowOptions {
  Index rows = 32;     ///< windows a batch
  Index length = 128;  ///< tokens a window
  Index end_mark = kEnd;
  Index buffer = 10000;  ///< documents that are shuffled among one another; 1: none
  Index parts = 1;       ///< see dealt.h: each gives rows / parts windows
  Index prefetch = 0;    ///< see LoaderOptions
  std::uint64_t seed = 0;
};

struct DocumentOptions {
  Index tokens = 4096;    ///< a batch at most
  Index longest = 0;      ///< a longer document is several; 0: `tokens`
  Index begin_mark = -1;  ///< negative: none, and a document's first token is no target
  Index end_mark = kEnd;
  Index buffer = 10000;  ///< documents that are shuffled among one another; 1: none
  Index parts = 1;       ///< see dealt.h: each gives tokens / parts at most
  Index prefetch = 0;    ///< see LoaderOptions
  std::uint64_t seed = 0;
};

/// Documents one behind the other: the b-th are the tokens offsets[b] .. offsets[b + 1] - 1, as
/// Packed has them.
struct PackedDocuments {
  Array inputs, targets;  ///< i64 [N]
  std::vector<Index> offsets;
};
/// For what is cut in pieces (pieces.h).
inline Index rows_of(const PackedDocuments& batch) { return std::ssize(batch.offsets) - 1; }
PackedDocuments part_of(const PackedDocuments& batch, Index begin, Index end);
/// Lines of a text (windows.h), each a document: its inputs are the mark before it and its tokens
/// but the last.
PackedDocuments packed_lines(const std::vector<Index>& text, const std::vector<LinePlaces>& lines);

/// Throw ValueError for numbers that are not positive, negative marks to end with, documents longer
/// than what a part gives to a batch, and as check_parts().
void check_windows(const WindowOptions& options);
void check_documents(const DocumentOptions& options);

namespace detail {

using TokenLists = std::vector<std::vector<Index>>;
/// Of rows of inputs with the last target behind them.
Windows windows_of(const TokenLists& rows);
PackedDocuments documents_of(const TokenLists& rows);

/// Rows as long as fits(rows, another) says that it goes along; where none is there it does. Rows of
/// fewer tokens than `least` are left out.
template <class Item, class Fits>
class RowBatches {
 public:
  RowBatches(TokenRows<Item> rows, Fits fits, Index least = 0)
      : rows_(std::move(rows)), fits_(std::move(fits)), least_(static_cast<std::size_t>(least)) {}

  TokenLists next() {
    TokenLists out;
    for (;;) {
      if (!held_) {
        held_.emplace();
        if (!rows_.next(held_->tokens, held_->begin) || held_->tokens.size() < least_) {
          held_.reset();
        }
      }
      if (!held_ || (!out.empty() && !fits_(out, held_->tokens))) return out;
      out.push_back(std::move(held_->tokens));
      held_.reset();
    }
  }
  PlaceNumbers place() {
    PlaceNumbers out;
    TokenRows<Item>::add(out, held_ ? held_->begin : rows_.mark());
    return out;
  }
  void go_to(const PlaceNumbers& place) {
    PlaceReader from(place);
    held_.reset();
    rows_.go_to(from);
    from.finish();
  }

 private:
  struct Row {
    std::vector<Index> tokens;
    typename TokenRows<Item>::Mark begin;
  };
  TokenRows<Item> rows_;
  Fits fits_;
  std::size_t least_;
  std::optional<Row> held_;  // the first of the next batch
};

template <class Batch, class Part>
Pass<Batch> pass_of_rows(Part rows, Batch (*make)(const TokenLists&)) {
  const auto walk = std::make_shared<Part>(std::move(rows));
  Pass<Batch> pass;
  pass.next = [walk, make](std::optional<Batch>* out) {
    const TokenLists some = walk->next();
    if (some.empty()) return false;
    if (out) out->emplace(make(some));
    return true;
  };
  pass.place = [walk] { return walk->place(); };
  pass.go_to = [walk](const PlaceNumbers& place) { walk->go_to(place); };
  return pass;
}

/// begin(deal, generator) gives RowBatches.
template <class Batch, class Begin>
Loader<Batch> loader_of_rows(Index parts, Begin begin, Batch (*make)(const TokenLists&),
                             std::uint64_t seed, Index prefetch) {
  return Loader<Batch>(
      [=](Generator& generator, Index) {
        if (parts == 1) return pass_of_rows<Batch>(begin(Deal{}, generator), make);
        using Part = std::invoke_result_t<const Begin&, const Deal&, Generator&>;
        return dealt_pass<Batch>(std::make_shared<Dealt<Part>>(parts, begin, generator), make);
      },
      Generator(seed), prefetch);
}

}  // namespace detail

/// Windows of Shards or a Mix, of which a copy is kept; tokens(item) gives a document's, as
/// std::vector<Index>. A window goes on in the next document. Each token but a pass's first is a
/// target once: what is left at the end is a last, shorter window in a batch of its own, or, in
/// parts, left out. Throws ValueError; the loader throws what reading and `tokens` throw.
template <IsSource Source, class Tokens>
Loader<Windows> streamed_windows(const Source& source, Tokens tokens,
                                 const WindowOptions& options = {}) {
  using Item = typename Source::Item;
  check_windows(options);
  const auto begin = [source, tokens, options](const Deal& deal, Generator& generator) {
    const Index buffer = detail::buffer_of(options.buffer, deal.parts);
    detail::TokenRows<Item> rows(
        {walk_over(source, generator, buffer > 1, deal), buffer, generator}, tokens, options.length,
        true, -1, options.end_mark);
    const auto fits = [count = options.rows / deal.parts](const detail::TokenLists& some,
                                                          const std::vector<Index>& row) {
      return std::ssize(some) < count && row.size() == some.back().size();
    };
    return detail::RowBatches(std::move(rows), fits, deal.parts > 1 ? options.length + 1 : 0);
  };
  return detail::loader_of_rows<Windows>(options.parts, begin, detail::windows_of, options.seed,
                                         options.prefetch);
}

/// The same as whole documents, as many as have no more than `tokens` inputs.
template <IsSource Source, class Tokens>
Loader<PackedDocuments> streamed_documents(const Source& source, Tokens tokens,
                                           const DocumentOptions& options = {}) {
  using Item = typename Source::Item;
  check_documents(options);
  const auto begin = [source, tokens, options](const Deal& deal, Generator& generator) {
    const Index buffer = detail::buffer_of(options.buffer, deal.parts);
    const Index most = options.tokens / deal.parts;
    detail::TokenRows<Item> rows(
        {walk_over(source, generator, buffer > 1, deal), buffer, generator}, tokens,
        options.longest > 0 ? options.longest : most, false, options.begin_mark, options.end_mark);
    const auto fits = [most](const detail::TokenLists& some, const std::vector<Index>& row) {
      Index sum = std::ssize(row) - 1;
      for (const auto& other : some) sum += std::ssize(other) - 1;
      return sum <= most;
    };
    return detail::RowBatches(std::move(rows), fits);
  };
  return detail::loader_of_rows<PackedDocuments>(options.parts, begin, detail::documents_of,
                                                 options.seed, options.prefetch);
}

}  // namespace heed::data
