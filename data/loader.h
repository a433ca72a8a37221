// Loader: batches for a training, pass after pass, from anything that has a size.
//
//   data::Loader batches(examples, {.size = 64, .by = &Example::length});   // std::vector<Example>s
//   data::Loader batches(examples, [&](const std::vector<Index>& rows) { return batch_of(examples, rows); },
//                        {.size = 64, .prefetch = 2});
//   while (auto batch = batches.next()) { ... }    // one pass; the next call begins another
//
// Which examples meet is drawn from the loader's own Generator at the start of a pass, so that a
// place in a pass is three numbers (and more where data is streamed): state_dict() has them, and
// load_state_dict() goes on there to the same batches. With `prefetch` a thread makes batches
// ahead; they are the same ones. Where it cannot begin they are made when they are asked for.
//
// What a Loader walks can be another thing altogether, a Pass: see drawn() for batches without end,
// and stream.h for files larger than memory.
//
// Threads: a loader is used by one thread. With `prefetch` the function that makes batches runs in
// another: what it draws, it draws from the Generator that it is given.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/error.h"
#include "../core/generator.h"
#include "../core/refused.h"
#include "loader_place.h"
#include "mark.h"
#include "pass.h"
#include "prefetch.h"

namespace heed::data {

/// How many there are of what, in a batch: `Length(rows, words)`, or a number.
struct Length : LengthKey {
  Length(Index rows, Index words = 0)  // NOLINT(google-explicit-constructor)
      : LengthKey(rows, words) {}
  Length(const LengthKey& key) : LengthKey(key) {}  // NOLINT(google-explicit-constructor)
};

template <class Item>
struct LoaderOptions {
  Index size = 32;      ///< examples a batch
  Index tokens = 0;     ///< in place of `size`: see batches_by_tokens(); wants `by`
  bool packed = false;  ///< tokens are counted without padding, and lengths need not be alike;
                        ///< wants `tokens`
  std::function<Length(const Item&)> by = {};  ///< examples of like length meet
  bool shuffle = true;                         ///< false: in the order given, or by length
  bool drop_last = false;  ///< leaves out what fills no batch of `size`: drawn examples where
                           ///< it shuffles, else the last; not with `tokens`
  Index prefetch = 0;      ///< batches that a thread makes ahead; 0: none, no thread
  std::uint64_t seed = 0;  ///< of the loader's generator
};

namespace detail {

template <class Set>
using ItemOf = std::decay_t<decltype(std::declval<const Set&>()[std::size_t{}])>;
template <class Make>
using MadeBy = std::decay_t<std::invoke_result_t<Make&, const std::vector<Index>&>>;
template <class Set>
concept HasBatches = requires(const Set& set, const std::vector<Index>& rows) {
  set.batch(rows);
};

template <class Set>
auto made_by(const Set& set) {
  return [&set](const std::vector<Index>& rows) {
    if constexpr (HasBatches<Set>) {
      return set.batch(rows);
    } else {
      std::vector<ItemOf<Set>> out;
      for (const Index row : rows) out.push_back(set[static_cast<std::size_t>(row)]);
      return out;
    }
  };
}
template <class Set>
using BatchOf = MadeBy<decltype(made_by(std::declval<const Set&>()))>;

/// Throws ValueError.
Index checked_prefetch(Index count);
[[noreturn]] void fail_otherwise();
[[noreturn]] void fail_nothing();

}  // namespace detail

template <class Batch>
class Loader {
 public:
  /// Examples of `set`, which outlives the loader: batch(rows) where it has that, else vectors of
  /// its items. Throws ValueError for a set of nothing and options that make no sense.
  template <class Set>
  explicit Loader(const Set& set, LoaderOptions<detail::ItemOf<Set>> options = {})
      : Loader(set, detail::made_by(set), std::move(options)) {}
  /// The same with make(rows), called with a batch's places in the set.
  template <class Set, class Make>
  requires std::is_invocable_v < Make&, const std::vector<Index>
  & > Loader(const Set& set, Make make, LoaderOptions<detail::ItemOf<Set>> options = {})
      : Loader(begin_of(set, std::move(make), options), Generator(options.seed), options.prefetch) {
  }
  /// Whatever `begin` gives. `endless`: each batch is a pass of its own, and there is no end.
  Loader(Begin<Batch> begin, const Generator& generator, Index prefetch = 0, bool endless = false)
      : begin_(std::move(begin)),
        generator_(generator),
        endless_(endless),
        prefetch_(detail::checked_prefetch(prefetch)) {
    at_.begin = made_.begin = generator_.state();
  }

  Loader(const Loader&) = delete;  // a pass may refer to its generator
  Loader& operator=(const Loader&) = delete;

  /// The next batch; none at the end of a pass. Throws what making it threw, in whatever thread,
  /// with the batch's number in front; the loader then stands where it stood.
  std::optional<Batch> next();
  /// The same in pieces; false at the end of a pass. Throws ValueError, too, for batches that
  /// cannot be cut. Where another cutting follows, nothing is made ahead from then on.
  bool next_pieces(const Cutting& cutting, Pieces<Batch>& out);
  /// Ends a pass of which others said that it has no more: see dealt.h.
  void end_pass();
  /// One pass, or what is left of it: `for (auto& batch : loader)`. Throws as next().
  class Walk {
   public:
    explicit Walk(Loader& loader) : loader_(&loader), batch_(loader.next()) {}
    Batch& operator*() { return *batch_; }
    Walk& operator++() {
      batch_ = loader_->next();
      return *this;
    }
    bool operator!=(std::default_sentinel_t) const { return batch_.has_value(); }

   private:
    Loader* loader_;
    std::optional<Batch> batch_;
  };
  Walk begin() { return Walk(*this); }
  std::default_sentinel_t end() const { return {}; }
  /// Batches of the pass that is under way, or that begins with the next call; 0: not known.
  Index count();
  /// Batches of this pass so far, and passes before.
  Index index() const { return at_.index; }
  Index pass() const { return at_.pass; }
  bool endless() const { return endless_; }
  /// Alike for loaders that give the same batches: how many, how their draws begin, contents() and,
  /// of a streamed pass that has not begun, sizes of files and options.
  PlaceNumbers beginning();
  /// What batches are made of, in memory, as mark_of() takes it (mark.h): processes that share a
  /// training compare it before they begin. Outlives the loader.
  template <class Items, class... Parts>
  void contents(const Items& items, Parts... parts) {
    contents_ = [&items, parts...] { return mark_of(items, parts...); };
  }

  /// "loader", i64 [4], and more where the pass says where it stands: for checkpoints. Loading goes
  /// on there, and throws ValueError for entries that do not fit, and what reading throws.
  std::vector<std::pair<std::string, Array>> state_dict() const { return detail::to_arrays(at_); }
  void load_state_dict(const std::vector<std::pair<std::string, Array>>& entries);

 private:
  struct Made {
    std::optional<Batch> batch;
    Pieces<Batch> pieces;  // or these, where it is to be cut
    bool any = false;
    detail::Place after;
    std::exception_ptr error = {};
  };
  template <class Set, class Make>
  static Begin<Batch> begin_of(const Set& set, Make make,
                               const LoaderOptions<detail::ItemOf<Set>>& options);
  void open();
  Made produce();
  Made take();
  void go_to(const detail::Place& place);

  Begin<Batch> begin_;
  Generator generator_;
  bool endless_;
  Index prefetch_;
  std::optional<Pass<Batch>> current_;
  std::optional<Cutting> cutting_;  // of what is made; none: whole batches
  detail::Place at_, made_;         // what the caller has had, and what was made
  bool astray_ = false;             // the pass does not stand at at_
  bool alternates_ = false;         // the cutting changes: nothing made ahead would be taken
  Index count_ = 0;
  std::function<std::uint64_t()> contents_;
  std::unique_ptr<Prefetch<Made>> ahead_;
};

template <class Set>
Loader(const Set&, LoaderOptions<detail::ItemOf<Set>>) -> Loader<detail::BatchOf<Set>>;
template <class Set>
explicit Loader(const Set&) -> Loader<detail::BatchOf<Set>>;
template <class Set, class Make>
requires std::is_invocable_v < Make&, const std::vector<Index>
& > Loader(const Set&, Make, LoaderOptions<detail::ItemOf<Set>>)->Loader<detail::MadeBy<Make>>;
template <class Set, class Make>
requires std::is_invocable_v < Make&, const std::vector<Index>
& > Loader(const Set&, Make)->Loader<detail::MadeBy<Make>>;

/// Batches without end, each of them draw(generator), or draw(generator, number) with how many came
/// before.
template <class Draw>
auto drawn(Draw draw, std::uint64_t seed = 0, Index prefetch = 0) {
  auto numbered = [draw = std::move(draw)](Generator& generator, Index number) mutable {
    if constexpr (std::is_invocable_v<Draw&, Generator&, Index>) {
      return draw(generator, number);
    } else {
      return draw(generator);
    }
  };
  using Batch = std::decay_t<std::invoke_result_t<decltype(numbered)&, Generator&, Index>>;
  return Loader<Batch>(
      [numbered = std::move(numbered)](Generator& generator, Index number) mutable {
        return Pass<Batch>{0, [&generator, &numbered, number](std::optional<Batch>* out) {
                             out->emplace(numbered(generator, number));
                             return true;
                           }};
      },
      Generator(seed), prefetch, true);
}

template <class Batch>
template <class Set, class Make>
Begin<Batch> Loader<Batch>::begin_of(const Set& set, Make make,
                                     const LoaderOptions<detail::ItemOf<Set>>& options) {
  const auto count = static_cast<Index>(set.size());
  if (count == 0) detail::fail_nothing();
  std::vector<LengthKey> lengths;
  for (Index i = 0; options.by && i < count; ++i) {
    lengths.push_back(options.by(set[static_cast<std::size_t>(i)]));
  }
  const Cut how{options.size, options.tokens, options.packed, options.shuffle, options.drop_last};
  Generator trial(0);
  cut(count, lengths, how, trial);  // complains now
  return [=, lengths = std::move(lengths), make = std::move(make)](Generator& generator, Index) {
    return pass_over<Batch>(cut(count, lengths, how, generator), make);
  };
}

template <class Batch>
void Loader<Batch>::open() {
  if (current_) return;
  made_.begin = generator_.state();
  current_ = begin_(generator_, made_.pass);
  if (!endless_) count_ = current_->count;
}

template <class Batch>
typename Loader<Batch>::Made Loader<Batch>::produce() {
  Made out;
  try {
    open();
    if (!cutting_) {
      out.any = current_->next(&out.batch);
    } else if (current_->next_pieces) {
      out.any = current_->next_pieces(*cutting_, out.pieces);
    } else if (std::optional<Batch> whole; (out.any = current_->next(&whole))) {
      out.pieces = pieces_of(*std::move(whole), *cutting_);
    }
    if (out.any) {
      ++made_.index;
      if (current_->place) made_.within = current_->place();
    }
    if (!out.any || endless_) {
      current_.reset();
      made_ = {generator_.state(), made_.pass + 1, 0};
    }
    out.after = made_;
  } catch (...) {
    out.batch.reset();
    out.pieces.clear();
    out.any = false;
    out.error = std::current_exception();
  }
  return out;
}

template <class Batch>
typename Loader<Batch>::Made Loader<Batch>::take() {
  if (astray_) go_to(at_);
  Made made;
  if (prefetch_ == 0 || alternates_) {
    made = produce();
  } else {
    if (!ahead_) {
      open();
      ahead_ = std::make_unique<Prefetch<Made>>(
          prefetch_, [this] { return produce(); }, [](const Made& last) { return !last.any; });
    }
    made = ahead_->take();
    if (!made.any) ahead_.reset();
  }
  if (made.error) {
    astray_ = true;
    rethrow_named(made.error, at_.index, at_.pass);
  }
  at_ = made.after;
  return made;
}

template <class Batch>
std::optional<Batch> Loader<Batch>::next() {
  if (cutting_) {  // what was made ahead was cut
    cutting_.reset();
    ahead_.reset();
    astray_ = true;
    alternates_ = false;
  }
  return take().batch;
}

template <class Batch>
bool Loader<Batch>::next_pieces(const Cutting& cutting, Pieces<Batch>& out) {
  if (!(cutting_ == cutting)) {
    if (ahead_ || at_ != made_) astray_ = true;  // also where an error goes with what was made
    ahead_.reset();
    if (cutting_) alternates_ = true;
    cutting_ = cutting;
  }
  Made made = take();
  out = std::move(made.pieces);
  return made.any;
}

template <class Batch>
void Loader<Batch>::end_pass() {
  ahead_.reset();
  current_.reset();
  at_ = made_ = {generator_.state(), at_.pass + 1, 0};
}

template <class Batch>
Index Loader<Batch>::count() {
  if (astray_) go_to(at_);
  if (!ahead_ && !endless_) open();
  return count_;
}

template <class Batch>
PlaceNumbers Loader<Batch>::beginning() {
  PlaceNumbers out = {count(), static_cast<std::int64_t>(at_.begin.seed),
                      static_cast<std::int64_t>(at_.begin.offset)};
  if (current_ && current_->place && !ahead_ && at_.index == 0) {
    const PlaceNumbers within = current_->place();
    out.insert(out.end(), within.begin(), within.end());
  }
  if (contents_) out.push_back(static_cast<std::int64_t>(contents_()));
  return out;
}

// Stays astray where it throws: the next call tries again.
template <class Batch>
void Loader<Batch>::go_to(const detail::Place& place) {
  ahead_.reset();
  current_.reset();
  at_ = place;
  astray_ = true;
  generator_.set_state(place.begin);
  made_ = {place.begin, place.pass, 0};
  if (place.index > 0) {
    if (endless_) detail::fail_beyond(place, 0);  // each batch is a pass
    open();
    if (!place.within.empty()) {
      if (!current_->go_to) detail::fail_otherwise();
      current_->go_to(place.within);
    } else {
      for (; made_.index < place.index; ++made_.index) {
        if (!current_->next(nullptr)) detail::fail_beyond(place, made_.index);
      }
    }
    made_ = place;
  }
  astray_ = false;
}

template <class Batch>
void Loader<Batch>::load_state_dict(const std::vector<std::pair<std::string, Array>>& entries) {
  const detail::Place place = detail::to_place(entries), before = at_;
  try {
    go_to(place);
  } catch (...) {
    ahead_.reset();
    at_ = before;
    throw;
  }
}

// NOLINTBEGIN(readability-identifier-naming)
using DataLoader = Refused<"data::Loader loader(items, {.size = 32})">;
using TensorDataset = Refused<"data::Loader loader(items, {.size = 32})">;
// NOLINTEND(readability-identifier-naming)

}  // namespace heed::data
