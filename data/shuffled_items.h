// Items shuffled in a buffer: so many are read, then handed out in a drawn order, then the next are
// read. What is in the buffer hangs on nothing before it, so a place is where the buffer's first
// item stood, the generator's state there, and how many were handed out; going on there reads one
// buffer.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "../core/error.h"
#include "items.h"

namespace heed::data {

template <class Item>
class ShuffledItems {
 public:
  /// `buffer` 1: in order. Draws from the generator, which outlives it.
  ShuffledItems(std::unique_ptr<Items<Item>> items, Index buffer, Generator& generator)
      : items_(std::move(items)),
        shuffled_(buffer > 1),
        size_(static_cast<std::size_t>(shuffled_ ? buffer : kInOrder)),
        generator_(&generator) {}

  bool next(Item& out) {
    if (at_ == held_.size()) fill();
    if (at_ == held_.size()) return false;
    out = std::move(held_[shuffled_ ? static_cast<std::size_t>(order_[at_]) : at_]);
    ++at_;
    return true;
  }

  /// A place, kept small: many share the numbers of their buffer.
  struct Mark {
    std::shared_ptr<const PlaceNumbers> buffer;
    std::size_t done = 0;
  };
  /// Before the item that comes next.
  Mark mark() {
    if (at_ < held_.size()) return {begin_, at_};
    if (!next_) {
      PlaceNumbers numbers;
      add_state(numbers, generator_->state());
      numbers.push_back(static_cast<std::int64_t>(size_));
      items_->add_place(numbers);
      next_ = std::make_shared<const PlaceNumbers>(std::move(numbers));
    }
    return {next_, 0};
  }
  static void add(PlaceNumbers& to, const Mark& mark) {
    to.push_back(static_cast<std::int64_t>(mark.done));
    to.insert(to.end(), mark.buffer->begin(), mark.buffer->end());
  }

  /// Throws ValueError for numbers that do not fit, and what reading throws.
  void go_to(PlaceReader& from) {
    const auto done = static_cast<std::size_t>(from.take(0));
    const Generator::State state = from.take_state();
    from.take(static_cast<std::int64_t>(size_), static_cast<std::int64_t>(size_));
    items_->go_to(from);
    generator_->set_state(state);
    held_.clear();
    at_ = 0;
    next_.reset();
    if (done == 0) return;
    fill();
    if (done > held_.size()) {
      throw ValueError("streamed: there are fewer items than this state says");
    }
    at_ = done;
  }

 private:
  static constexpr Index kInOrder = 256;

  void fill() {
    begin_ = mark().buffer;
    next_.reset();
    std::vector<Item> read = std::move(held_);
    held_.clear();  // and so they stay where reading throws
    at_ = 0;
    read.clear();
    for (Item item; read.size() < size_ && items_->next(item);) read.push_back(std::move(item));
    if (shuffled_ && !read.empty()) order_ = generator_->permutation(std::ssize(read));
    held_ = std::move(read);
  }

  std::unique_ptr<Items<Item>> items_;
  bool shuffled_;
  std::size_t size_;
  Generator* generator_;
  std::vector<Item> held_;
  std::vector<Index> order_;
  std::size_t at_ = 0;
  std::shared_ptr<const PlaceNumbers> begin_, next_;  // of this buffer; of the one that follows
};

}  // namespace heed::data
