// Shards: a data set in several files, larger than memory, several of which are read at once.
//
//   const auto lines = data::text_shards("texts/*.txt.zst");
//   const auto reviews = data::labelled_shards("reviews/*.tsv.gz", {.label = "1", .text = "2"});
//   const data::Shards<Item> own(files, [](const std::string& path) { return open(path); });
//
// A pass goes through all shards once, in a drawn order: `open` of them side by side, an item from
// each in turn; where one ends another takes its place. Threads read ahead; the items come in the
// same order however many threads there are. See stream.h for batches.
//
// A place is, of each open shard, the byte where a chunk of at most 1,024 items or some 128 KB
// begins, and how many of its items are done: going on there reads those chunks again. A plain file
// is seeked, gzip and zstd are unpacked up to there, which makes no items. Shards that vanish or
// change while they are used are an IoError or FormatError that names the file.
//
// Threads: several walks over one Shards may go on at once; open() is called in reading threads.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "items.h"
#include "labelled_text.h"
#include "read_ahead.h"
#include "shard_lane.h"

namespace heed::data {

struct ShardOptions {
  Index open = 4;     ///< shards that are read side by side
  Index threads = 1;  ///< that read ahead; 0: none
};
/// Throws ValueError unless `open` is in [1, 1024] and `threads` in [0, 64].
void check_shards(const ShardOptions& options);
/// Throws ValueError for fewer files than parts.
void check_deal(const Deal& deal, std::size_t files);

namespace detail {

template <class Item>
class ShardWalk : public Items<Item> {
 public:
  ShardWalk(std::shared_ptr<const ShardFiles> files, OpenShard<Item> open,
            const ShardOptions& options, Generator& generator, bool shuffled, const Deal& deal)
      : files_(std::move(files)),
        open_(std::move(open)),
        options_(options),
        shuffled_(shuffled),
        drawn_(generator.state()) {
    check_deal(deal, files_->size());
    for (auto i = static_cast<std::size_t>(deal.part); i < files_->size();
         i += static_cast<std::size_t>(deal.parts)) {
      mine_.push_back(i);
    }
    fill_lanes(generator);
  }

  bool next(Item& out) override {
    if (!ahead_) begin();
    for (std::size_t ended = 0; ended < stands_.size(); at_ = (at_ + 1) % stands_.size()) {
      Stand& stand = stands_[at_];
      if (!more(stand)) {
        ++ended;
        continue;
      }
      out = std::move(stand.chunk.items[stand.done++]);
      at_ = (at_ + 1) % stands_.size();
      return true;
    }
    return false;
  }

  void add_place(PlaceNumbers& to) const override {
    to.push_back(files_->fingerprint());
    add_state(to, drawn_);
    to.push_back(static_cast<std::int64_t>(stands_.size()));
    to.push_back(static_cast<std::int64_t>(at_));
    for (const Stand& stand : stands_) {
      to.insert(to.end(), {static_cast<std::int64_t>(stand.chunk.shard),
                           static_cast<std::int64_t>(stand.chunk.begin.offset),
                           static_cast<std::int64_t>(stand.chunk.begin.line),
                           static_cast<std::int64_t>(stand.done)});
    }
  }

  void go_to(PlaceReader& from) override {
    ahead_.reset();
    from.take(files_->fingerprint(), files_->fingerprint());
    drawn_ = from.take_state();
    Generator again;
    again.set_state(drawn_);
    fill_lanes(again);
    const std::int64_t count = std::ssize(stands_);
    from.take(count, count);
    at_ = static_cast<std::size_t>(from.take(0, count - 1));
    for (std::size_t i = 0; i < stands_.size(); ++i) {
      Stand& stand = stands_[i];
      stand.chunk.shard = static_cast<std::size_t>(from.take(0, std::ssize(lanes_[i])));
      stand.chunk.begin.offset = static_cast<std::uint64_t>(from.take(0));
      stand.chunk.begin.line = static_cast<std::uint64_t>(from.take(0));
      stand.done = static_cast<std::size_t>(from.take(0, kChunkItems));
    }
    begin();
  }

 private:
  struct Stand {
    Chunk<Item> chunk;
    std::size_t done = 0;  // of its items
  };

  // Lane k reads the shards k, k + lanes, k + 2 lanes, .. of the order.
  void fill_lanes(Generator& generator) {
    const std::size_t count = std::min(static_cast<std::size_t>(options_.open), mine_.size());
    std::vector<std::vector<std::size_t>> shards(count);
    const auto order = shuffled_ ? generator.permutation(std::ssize(mine_)) : std::vector<Index>{};
    for (std::size_t i = 0; i < mine_.size(); ++i) {
      shards[i % count].push_back(mine_[shuffled_ ? static_cast<std::size_t>(order[i]) : i]);
    }
    lanes_.clear();
    for (auto& mine : shards) lanes_.emplace_back(files_, open_, std::move(mine));
    stands_ = std::vector<Stand>(count);
    at_ = 0;
  }

  void begin() {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      lanes_[i].begin_at(stands_[i].chunk.shard, stands_[i].chunk.begin);
    }
    ahead_ = std::make_unique<ReadAhead<Chunk<Item>>>(
        std::ssize(lanes_), options_.threads, 2,
        [this](Index lane) { return lanes_[static_cast<std::size_t>(lane)].next(); },
        [](const Chunk<Item>& chunk) { return chunk.last; });
    for (Stand& stand : stands_) {
      const std::size_t done = stand.done;
      if (done == 0) continue;
      take(stand);
      if (stand.chunk.error && done > stand.chunk.items.size()) {
        std::rethrow_exception(stand.chunk.error);
      }
      if (done > stand.chunk.items.size()) {
        throw ValueError("streamed: the shards hold fewer items than this state says");
      }
      stand.done = done;
    }
  }

  void take(Stand& stand) {
    stand.chunk = ahead_->take(&stand - stands_.data());
    stand.done = 0;
  }

  bool more(Stand& stand) {
    while (stand.done == stand.chunk.items.size()) {
      if (stand.chunk.error) std::rethrow_exception(stand.chunk.error);
      if (stand.chunk.last) return false;
      take(stand);
    }
    return true;
  }

  std::shared_ptr<const ShardFiles> files_;
  OpenShard<Item> open_;
  ShardOptions options_;
  bool shuffled_;
  std::vector<std::size_t> mine_;  // numbers of files
  Generator::State drawn_;         // before the order was
  std::vector<ShardLane<Item>> lanes_;
  std::vector<Stand> stands_;
  std::size_t at_ = 0;                             // the lane of the next item
  std::unique_ptr<ReadAhead<Chunk<Item>>> ahead_;  // last: its threads use the lanes
};

}  // namespace detail

template <class ItemType>
class Shards {
 public:
  using Item = ItemType;
  /// open(path) gives what reads a file: a function read(Item&), false at the end, or a pointer to
  /// an object with next(Item&); where that has place() and go_to() as TextFile has, a place is
  /// found again without reading the items before. Throws ValueError for no file and options out of
  /// range, IoError for a file that is not there, FormatError for an empty one.
  template <class Open>
  Shards(std::vector<std::string> files, Open open, const ShardOptions& options = {})
      : files_(std::make_shared<ShardFiles>(std::move(files))), options_(options) {
    check_shards(options);
    using Reader = std::decay_t<std::invoke_result_t<Open&, const std::string&>>;
    open_ = [open = std::move(open)](const std::string& path) {
      return std::make_unique<detail::ShardReaderOf<Item, Reader>>(open(path));
    };
  }
  /// The files that a pattern names: see files_like(), which throws.
  template <class Open>
  Shards(const std::string& pattern, Open open, const ShardOptions& options = {})
      : Shards(files_like(pattern), std::move(open), options) {}

  /// A pass over each `deal.parts`-th file; unless `shuffled`, they come in the order given. Throws
  /// ValueError for fewer files than parts.
  std::unique_ptr<Items<Item>> walk(Generator& generator, bool shuffled,
                                    const Deal& deal = {}) const {
    return std::make_unique<detail::ShardWalk<Item>>(files_, open_, options_, generator, shuffled,
                                                     deal);
  }

 private:
  std::shared_ptr<const ShardFiles> files_;
  detail::OpenShard<Item> open_;
  ShardOptions options_;
};

/// Lines of text files, plain, gzip or zstd; empty ones, too.
Shards<std::string> text_shards(std::vector<std::string> files, const ShardOptions& options = {});
Shards<std::string> text_shards(const std::string& pattern, const ShardOptions& options = {});
/// Labelled texts: TSV or JSON lines (open_labelled_text(), which throws).
Shards<LabelledText> labelled_shards(std::vector<std::string> files, LabelledTextOptions columns,
                                     const ShardOptions& options = {});
Shards<LabelledText> labelled_shards(const std::string& pattern, LabelledTextOptions columns,
                                     const ShardOptions& options = {});

}  // namespace heed::data
