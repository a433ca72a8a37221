// Shards read one after another, some of their items at a time. For shards.h.
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../core/error.h"
#include "shard_files.h"
#include "text_file.h"

namespace heed::data::detail {

/// One file being read.
template <class Item>
class ShardReader {
 public:
  virtual ~ShardReader() = default;
  virtual bool next(Item& out) = 0;
  virtual TextPlace place() const = 0;
  virtual void go_to(const TextPlace& place) = 0;
};

/// Of whatever a user's open() gave: read(item) or reader->next(item). Where that cannot say its
/// place, a place is a number of items.
template <class Item, class Reader>
class ShardReaderOf : public ShardReader<Item> {
 public:
  explicit ShardReaderOf(Reader reader) : reader_(std::move(reader)) {}
  bool next(Item& out) override {
    if (!read(out)) return false;
    ++count_;
    return true;
  }
  TextPlace place() const override {
    if constexpr (kHasPlace) {
      return reader_->place();
    } else {
      return {count_, count_};
    }
  }
  void go_to(const TextPlace& place) override {
    if constexpr (kHasPlace) {
      reader_->go_to(place);
    } else {
      Item passed;
      while (count_ < place.offset && next(passed)) {
      }
    }
  }

 private:
  static constexpr bool kHasPlace = requires(const Reader& reader, const TextPlace& place) {
    { reader->place() } -> std::convertible_to<TextPlace>;
    reader->go_to(place);
  };
  bool read(Item& out) {
    if constexpr (std::is_invocable_v<Reader&, Item&>) {
      return reader_(out);
    } else {
      return reader_->next(out);
    }
  }
  Reader reader_;
  std::uint64_t count_ = 0;
};

template <class Item>
using OpenShard = std::function<std::unique_ptr<ShardReader<Item>>(const std::string& path)>;

/// Items that were read at once, and where.
template <class Item>
struct Chunk {
  std::vector<Item> items;
  std::size_t shard = 0;  ///< of the lane's; their number at the end
  TextPlace begin = {};
  bool last = false;              ///< of the lane
  std::exception_ptr error = {};  ///< behind the items
};

inline constexpr std::size_t kChunkItems = 1024;
inline constexpr std::uint64_t kChunkBytes = 1 << 17;

template <class Item>
class ShardLane {
 public:
  /// `shards` are numbers of files.
  ShardLane(std::shared_ptr<const ShardFiles> files, OpenShard<Item> open,
            std::vector<std::size_t> shards)
      : files_(std::move(files)), open_(std::move(open)), shards_(std::move(shards)) {}

  std::size_t size() const { return shards_.size(); }
  /// The next chunk begins there. To be called first.
  void begin_at(std::size_t shard, const TextPlace& place) {
    at_ = shard;
    begin_ = place;
  }
  Chunk<Item> next() {
    Chunk<Item> out;
    try {
      while (out.items.empty() && at_ < shards_.size()) read(out);
      out.last = out.items.empty();
      if (out.last) out.shard = at_;
    } catch (...) {
      out.error = std::current_exception();
      out.last = true;
    }
    return out;
  }

 private:
  void read(Chunk<Item>& out) {
    const std::size_t file = shards_[at_];
    files_->check(file);
    if (!reader_) {
      reader_ = open_(files_->path(file));
      if (begin_ != TextPlace{}) reader_->go_to(begin_);
    }
    out.shard = at_;
    out.begin = begin_;
    for (;;) {
      Item item;
      if (!reader_->next(item)) break;
      out.items.push_back(std::move(item));
      begin_ = reader_->place();
      if (out.items.size() == kChunkItems || begin_.offset - out.begin.offset >= kChunkBytes) {
        return;
      }
    }
    files_->check(file);
    if (begin_ == TextPlace{}) throw FormatError(files_->path(file), 0, "the shard has no items");
    reader_.reset();
    begin_ = {};
    ++at_;
  }

  std::shared_ptr<const ShardFiles> files_;
  OpenShard<Item> open_;
  std::vector<std::size_t> shards_;
  std::size_t at_ = 0;
  TextPlace begin_ = {};
  std::unique_ptr<ShardReader<Item>> reader_;
};

}  // namespace heed::data::detail
