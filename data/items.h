// Items: a walk over data larger than memory, one item after the other, that can say where it
// stands in a few numbers. Shards (shards.h) and mixes of them (mix.h) are walked so; what makes
// batches of the items is in stream.h and token_stream.h.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "../core/generator.h"
#include "pass.h"

namespace heed::data {

/// The numbers of a place, read one after another.
class PlaceReader {
 public:
  explicit PlaceReader(const PlaceNumbers& numbers) : numbers_(&numbers) {}
  /// Throws ValueError where there is none, or one outside [low, high].
  std::int64_t take(std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                    std::int64_t high = std::numeric_limits<std::int64_t>::max());
  Generator::State take_state();
  /// Throws ValueError where numbers are left.
  void finish() const;

 private:
  const PlaceNumbers* numbers_;
  std::size_t at_ = 0;
};
void add_state(PlaceNumbers& to, const Generator::State& state);

template <class Item>
class Items {
 public:
  virtual ~Items() = default;
  /// The next; false at the end. Throws what reading throws.
  virtual bool next(Item& out) = 0;
  /// Adds the numbers of where it stands.
  virtual void add_place(PlaceNumbers& to) const = 0;
  /// Goes on there, whatever generator it drew from. Throws ValueError for numbers that do not fit.
  virtual void go_to(PlaceReader& from) = 0;
};

/// Which part of so many like ones.
struct Deal {
  Index part = 0, parts = 1;
};

/// What can be walked over, again and again: walk(generator, shuffled) begins, drawing from the
/// generator what is chance. What can be dealt in parts takes a Deal behind them: see dealt.h.
template <class Source>
concept IsSource = requires(const Source& source, Generator& generator) {
  typename Source::Item;
  { source.walk(generator, true) } -> std::same_as<std::unique_ptr<Items<typename Source::Item>>>;
};

[[noreturn]] void fail_undealt();

/// The part's walk. Throws ValueError for parts of what cannot be dealt.
template <IsSource Source>
auto walk_over(const Source& source, Generator& generator, bool shuffled, const Deal& deal) {
  if constexpr (requires { source.walk(generator, shuffled, deal); }) {
    return source.walk(generator, shuffled, deal);
  } else {
    if (deal.parts > 1) fail_undealt();
    return source.walk(generator, shuffled);
  }
}

}  // namespace heed::data
