// Batches of items read from files larger than memory, through a buffer in which they are shuffled:
//
//   data::Loader<Batch> batches = data::streamed<Line>(
//       {"a.jsonl", "b.jsonl"},
//       [](const std::string& path) { return [reader = open(path)](Line& line) { return reader->next(line); }; },
//       [](std::vector<Line> lines) { return batch_of(lines); }, {.size = 64, .buffer = 100000});
//
// A pass goes through all files once, in a drawn order. Going on in the middle of a pass reads the
// items before once more, without making batches of them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loader.h"

namespace heed::data {

struct StreamOptions {
  Index size = 32;       ///< items a batch
  Index buffer = 10000;  ///< items among which the next is drawn; 1: none, in the files' order
  Index prefetch = 0;    ///< see LoaderOptions
  std::uint64_t seed = 0;
};

/// Throws ValueError for no file, and sizes that are not positive.
void check_stream(const std::vector<std::string>& files, const StreamOptions& options);

namespace detail {

/// One item after the other of all files, each drawn from a buffer.
template <class Item, class Open>
class Shuffled {
 public:
  Shuffled(const std::vector<std::string>& files, Open open, Index buffer, Generator& generator)
      : open_(std::move(open)),
        buffer_(static_cast<std::size_t>(buffer)),
        generator_(&generator),
        files_(files) {
    if (buffer > 1) {
      files_.clear();
      for (const Index i : generator.permutation(static_cast<Index>(files.size()))) {
        files_.push_back(files[static_cast<std::size_t>(i)]);
      }
    }
  }

  bool next(Item& out) {
    while (!ended_ && held_.size() < buffer_) {
      Item item;
      if (read(item)) {
        held_.push_back(std::move(item));
      } else {
        ended_ = true;
      }
    }
    if (held_.empty()) return false;
    const Index i = buffer_ > 1 ? generator_->below(static_cast<Index>(held_.size())) : 0;
    std::swap(held_[static_cast<std::size_t>(i)], held_.back());
    out = std::move(held_.back());
    held_.pop_back();
    return true;
  }

 private:
  using Reader = std::decay_t<std::invoke_result_t<Open&, const std::string&>>;

  bool read(Item& out) {
    for (;;) {
      if (reader_ && (*reader_)(out)) return true;
      if (file_ == files_.size()) return false;
      reader_ = std::make_unique<Reader>(open_(files_[file_++]));
    }
  }

  Open open_;
  std::size_t buffer_;
  Generator* generator_;
  std::vector<std::string> files_;
  std::size_t file_ = 0;
  std::unique_ptr<Reader> reader_;
  std::vector<Item> held_;
  bool ended_ = false;
};

}  // namespace detail

/// open(path) -> read, read(Item&) -> false at the end of the file; make(std::vector<Item>) -> a
/// batch. Throws ValueError for no file and options that make no sense; the rest is open's and
/// read's to throw.
template <class Item, class Open, class Make>
auto streamed(std::vector<std::string> files, Open open, Make make,
              const StreamOptions& options = {}) {
  using Batch = std::decay_t<std::invoke_result_t<Make&, std::vector<Item>>>;
  check_stream(files, options);
  return Loader<Batch>(
      [=](Generator& generator, Index) {
        auto items =
            std::make_shared<detail::Shuffled<Item, Open>>(files, open, options.buffer, generator);
        return Pass<Batch>{0,
                           [items, make, size = options.size](std::optional<Batch>* out) mutable {
                             std::vector<Item> batch;
                             Item item;
                             while (static_cast<Index>(batch.size()) < size && items->next(item)) {
                               batch.push_back(std::move(item));
                             }
                             if (batch.empty()) return false;
                             if (out) out->emplace(make(std::move(batch)));
                             return true;
                           }};
      },
      Generator(options.seed), options.prefetch);
}

}  // namespace heed::data
