// Batches of items of data larger than memory, through a buffer in which they are shuffled:
//
//   const auto reviews = data::labelled_shards("reviews/*.jsonl.zst", {.label = "stars", .text = "text"});
//   data::Loader batches = data::streamed(reviews, [](std::vector<data::LabelledText> some) { .. },
//                                         {.size = 64, .buffer = 100000, .prefetch = 2});
//
// A pass goes through all items once. Memory holds `buffer` items, the batches ahead, and what
// reading takes: of each open shard some 400 KB, and 8 MB where it is zstd. Going on in the middle
// of a pass reads up to a buffer and, of each open shard, a chunk once more (shards.h), not the
// pass.
//
// The same bits for any number of threads, with `prefetch` and without.
#pragma once

#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "dealt.h"
#include "items.h"
#include "loader.h"
#include "shuffled_items.h"

namespace heed::data {

struct StreamOptions {
  Index size = 32;       ///< items a batch
  Index buffer = 10000;  ///< items that are shuffled among one another; 1: none, nothing is drawn
  Index parts = 1;       ///< see dealt.h: each gives size / parts items, of buffer / parts
  Index prefetch = 0;    ///< see LoaderOptions
  std::uint64_t seed = 0;
};

/// Throws ValueError for sizes that are not positive, and as check_parts().
void check_stream(const StreamOptions& options);

namespace detail {

template <class Item>
class StreamedItems {
 public:
  template <class Source>
  StreamedItems(const Source& source, Index size, Index buffer, Generator& generator,
                const Deal& deal = {})
      : items_(walk_over(source, generator, buffer > 1, deal), buffer, generator), size_(size) {}

  /// The next batch's; none at the end.
  std::vector<Item> next() {
    std::vector<Item> out;
    for (Item item; std::ssize(out) < size_ && items_.next(item);) out.push_back(std::move(item));
    return out;
  }
  PlaceNumbers place() {
    PlaceNumbers out;
    ShuffledItems<Item>::add(out, items_.mark());
    return out;
  }
  void go_to(const PlaceNumbers& place) {
    PlaceReader from(place);
    items_.go_to(from);
    from.finish();
  }

 private:
  ShuffledItems<Item> items_;
  Index size_;
};

template <class Batch, class Source, class Make>
Pass<Batch> dealt_items(const Source& source, const Make& make, Index size, Index buffer,
                        Index parts, Generator& generator) {
  using Part = StreamedItems<typename Source::Item>;
  const auto begin = [&](const Deal& deal, Generator& own) {
    return Part(source, size / parts, buffer_of(buffer, parts), own, deal);
  };
  return dealt_pass<Batch>(std::make_shared<Dealt<Part>>(parts, begin, generator), make);
}

}  // namespace detail

/// Batches make(std::vector<Item>) of Shards or a Mix, of which a copy is kept. Throws ValueError
/// for options that make no sense; the loader throws what reading and make throw.
template <IsSource Source, class Make>
auto streamed(const Source& source, Make make, const StreamOptions& options = {}) {
  using Item = typename Source::Item;
  using Batch = std::decay_t<std::invoke_result_t<Make&, std::vector<Item>>>;
  check_stream(options);
  return Loader<Batch>(
      [source, make, size = options.size, buffer = options.buffer, parts = options.parts](
          Generator& generator, Index) {
        if (parts > 1)
          return detail::dealt_items<Batch>(source, make, size, buffer, parts, generator);
        auto items = std::make_shared<detail::StreamedItems<Item>>(source, size, buffer, generator);
        Pass<Batch> pass;
        pass.next = [items, make](std::optional<Batch>* out) mutable {
          std::vector<Item> some = items->next();
          if (some.empty()) return false;
          if (out) out->emplace(make(std::move(some)));
          return true;
        };
        pass.next_pieces = [items, make](const Cutting& cutting, Pieces<Batch>& out) mutable {
          std::vector<Item> some = items->next();
          if (some.empty()) return false;
          out = cut_in_pieces<Batch>(std::ssize(some), cutting, [&](Index begin, Index end) {
            return make(std::vector<Item>(std::make_move_iterator(some.begin() + begin),
                                          std::make_move_iterator(some.begin() + end)));
          });
          return true;
        };
        pass.place = [items] { return items->place(); };
        pass.go_to = [items](const PlaceNumbers& place) { items->go_to(place); };
        return pass;
      },
      Generator(options.seed), options.prefetch);
}

}  // namespace heed::data
