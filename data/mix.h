// A mix of data sets: which of them the next item comes from is drawn, by their weights.
//
//   const data::Mix<std::string> mix({{books, 3}, {news, 1}}, data::MixEnds::with_first);
//   auto batches = data::streamed(mix, make, {.size = 64});
//
// The draws are the loader's, so that a pass can be gone on with in its middle.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "items.h"

namespace heed::data {

/// When a pass over a mix ends. Until then a source that has ended begins anew.
enum class MixEnds : std::uint8_t {
  never,       ///< for trainings that count steps; a ValueError where no source has an item
  with_first,  ///< an item is wanted from a source that has ended
  with_all     ///< every source has ended once
};

/// Throws ValueError for none, and for weights that are not positive and finite.
void check_weights(const std::vector<double>& weights);

namespace detail {

/// Throws ValueError: no source has an item.
[[noreturn]] void fail_empty_mix();

template <class Item>
using BeginItems = std::function<std::unique_ptr<Items<Item>>(Generator&, bool, const Deal&)>;

template <class Item>
class MixWalk : public Items<Item> {
 public:
  MixWalk(std::vector<BeginItems<Item>> sources, std::vector<double> weights, MixEnds ends,
          Generator& generator, bool shuffled, const Deal& deal)
      : sources_(std::move(sources)),
        weights_(std::move(weights)),
        ends_(ends),
        generator_(&generator),
        shuffled_(shuffled),
        deal_(deal),
        ended_(sources_.size(), false) {
    for (const auto& source : sources_) walks_.push_back(source(generator, shuffled, deal));
  }

  bool next(Item& out) override {
    std::vector<bool> empty;  // of the sources that began anew and had nothing
    while (!over()) {
      const std::size_t k = draw();
      if (walks_[k]->next(out)) return true;
      ended_[k] = true;
      if (over()) break;
      walks_[k] = sources_[k](*generator_, shuffled_, deal_);
      if (walks_[k]->next(out)) return true;
      empty.resize(sources_.size(), false);
      empty[k] = true;
      if (std::find(empty.begin(), empty.end(), false) == empty.end()) fail_empty_mix();
    }
    return false;
  }

  void add_place(PlaceNumbers& to) const override {
    to.push_back(std::ssize(walks_));
    for (std::size_t k = 0; k < walks_.size(); ++k) {
      to.push_back(ended_[k] ? 1 : 0);
      walks_[k]->add_place(to);
    }
  }

  void go_to(PlaceReader& from) override {
    from.take(std::ssize(walks_), std::ssize(walks_));
    for (std::size_t k = 0; k < walks_.size(); ++k) {
      ended_[k] = from.take(0, 1) == 1;
      walks_[k]->go_to(from);
    }
  }

 private:
  bool over() const {
    const auto count = std::count(ended_.begin(), ended_.end(), true);
    if (ends_ == MixEnds::with_first) return count > 0;
    return ends_ == MixEnds::with_all && count == std::ssize(ended_);
  }

  std::size_t draw() {
    double rest = generator_->uniform() * std::accumulate(weights_.begin(), weights_.end(), 0.0);
    for (std::size_t k = 0; k + 1 < weights_.size(); ++k) {
      if (rest < weights_[k]) return k;
      rest -= weights_[k];
    }
    return weights_.size() - 1;
  }

  std::vector<BeginItems<Item>> sources_;
  std::vector<double> weights_;
  MixEnds ends_;
  Generator* generator_;
  bool shuffled_;
  Deal deal_;
  std::vector<std::unique_ptr<Items<Item>>> walks_;
  std::vector<bool> ended_;  // once or more
};

}  // namespace detail

template <class ItemType>
class Mix {
 public:
  using Item = ItemType;
  struct Part {
    /// Shards, or another mix; a copy is kept.
    template <IsSource Source>
    Part(Source source, double of_all)
        : begin(
              [source = std::move(source)](Generator& generator, bool shuffled, const Deal& deal) {
                return walk_over(source, generator, shuffled, deal);
              }),
          weight(of_all) {}
    detail::BeginItems<Item> begin;
    double weight;  ///< what counts is its share of their sum
  };

  /// Throws as check_weights().
  Mix(const std::vector<Part>& parts, MixEnds ends) : ends_(ends) {
    for (const Part& part : parts) {
      sources_.push_back(part.begin);
      weights_.push_back(part.weight);
    }
    check_weights(weights_);
  }

  /// A pass over that part of each source.
  std::unique_ptr<Items<Item>> walk(Generator& generator, bool shuffled,
                                    const Deal& deal = {}) const {
    return std::make_unique<detail::MixWalk<Item>>(sources_, weights_, ends_, generator, shuffled,
                                                   deal);
  }

 private:
  std::vector<detail::BeginItems<Item>> sources_;
  std::vector<double> weights_;
  MixEnds ends_;
};

}  // namespace heed::data
