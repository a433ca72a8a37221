// Dealt: streamed data in parts, of which each gives its share of every batch, so that a process
// that makes some pieces of the batches (pieces.h) opens and reads the files of their parts alone.
//
//   data::streamed(reviews, make, {.size = 64, .parts = 4});    // 16 rows from each part
//
// Part p of P has the files p, p + P, p + 2 P, .. and draws from a generator of its own, so that
// the batches do not depend on who reads which. A pass ends when every part has: towards its end
// batches get smaller. For stream.h and token_stream.h.
//
// A place is that of each part. A process knows those that it reads: joined_places() makes one of
// them all, with which any number of processes goes on.
#pragma once

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../core/array.h"
#include "../core/generator.h"
#include "items.h"

namespace heed::data {

/// What processes say of the same loader (Loader::state_dict()), as one. Throws ValueError for none
/// and for loaders that stand at different batches.
std::vector<std::pair<std::string, Array>> joined_places(
    const std::vector<std::vector<std::pair<std::string, Array>>>& all);

/// Throws ValueError unless there are 1 to 4,096 parts, of which each has as much of `size`.
void check_parts(const char* op, Index parts, const char* name, Index size);

namespace detail {

/// Of each part: its place, none where another process reads it.
PlaceNumbers to_numbers(const std::vector<PlaceNumbers>& parts);
/// Throws ValueError for other numbers of parts.
std::vector<PlaceNumbers> to_parts(const PlaceNumbers& place, Index count);
/// How many parts a piece is. Throws ValueError where they are no whole number.
Index parts_of_piece(Index parts, Index pieces);
[[noreturn]] void fail_lost(Index part, Index parts);
/// Of a buffer for all, one part's.
Index buffer_of(Index buffer, Index parts);

/// Parts with next(), a list that is empty at the end, place() and go_to().
template <class Part>
class Dealt {
 public:
  using List = decltype(std::declval<Part&>().next());

  /// begin(deal, generator) begins a part, which may keep the generator.
  template <class Begin>
  Dealt(Index parts, const Begin& begin, Generator& generator) {
    const std::uint64_t seed = generator.next();
    for (Index p = 0; p < parts; ++p) {
      parts_.push_back(std::make_unique<Held>(seed + static_cast<std::uint64_t>(p)));
      parts_.back()->part.emplace(begin(Deal{p, parts}, parts_.back()->generator));
    }
  }

  Index count() const { return std::ssize(parts_); }
  /// What the parts [begin, end) give to the next batch, one behind the other.
  List take(Index begin, Index end) {
    List out;
    for (Index p = begin; p < end; ++p) {
      List some = at(p).next();
      out.insert(out.end(), std::make_move_iterator(some.begin()),
                 std::make_move_iterator(some.end()));
    }
    return out;
  }
  /// Another process took theirs: nobody here knows any longer where they stand.
  void leave(Index begin, Index end) {
    for (Index p = begin; p < end; ++p) {
      parts_[static_cast<std::size_t>(p)]->lost = true;
      parts_[static_cast<std::size_t>(p)]->goes_to.reset();
    }
  }

  PlaceNumbers place() {
    std::vector<PlaceNumbers> out;
    for (const auto& each : parts_) {
      out.push_back(each->lost      ? PlaceNumbers{}
                    : each->goes_to ? *each->goes_to
                                    : each->part->place());
    }
    return to_numbers(out);
  }
  /// Nothing is read before it is asked for.
  void go_to(const PlaceNumbers& place) {
    std::vector<PlaceNumbers> parts = to_parts(place, count());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      parts_[p]->lost = parts[p].empty();
      parts_[p]->goes_to.reset();
      if (!parts[p].empty()) parts_[p]->goes_to = std::move(parts[p]);
    }
  }

 private:
  struct Held {
    explicit Held(std::uint64_t seed) : generator(seed) {}
    Generator generator;
    std::optional<Part> part;
    std::optional<PlaceNumbers> goes_to;  // first of all
    bool lost = false;
  };
  Part& at(Index p) {
    Held& held = *parts_[static_cast<std::size_t>(p)];
    if (held.lost) fail_lost(p, count());
    if (held.goes_to) held.part->go_to(*held.goes_to);
    held.goes_to.reset();
    return *held.part;
  }

  std::vector<std::unique_ptr<Held>> parts_;
};

/// Batches make(list) of what all parts give, pieces of what theirs give.
template <class Batch, class Part, class Make>
Pass<Batch> dealt_pass(std::shared_ptr<Dealt<Part>> parts, Make make) {
  Pass<Batch> pass;
  pass.next = [parts, make](std::optional<Batch>* out) mutable {
    auto all = parts->take(0, parts->count());
    if (all.empty()) return false;
    if (out) out->emplace(make(std::move(all)));
    return true;
  };
  pass.next_pieces = [parts, make](const Cutting& cutting, Pieces<Batch>& out) mutable {
    const Index each = parts_of_piece(parts->count(), cutting.count);
    out = Pieces<Batch>(static_cast<std::size_t>(cutting.count));
    bool any = false;
    for (Index k = cutting.from; k < cutting.to; ++k) {
      auto some = parts->take(k * each, (k + 1) * each);
      Piece<Batch>& piece = out[static_cast<std::size_t>(k)];
      piece.rows = std::ssize(some);
      any |= piece.rows > 0;
      if (k >= cutting.first && k < cutting.last && piece.rows > 0) {
        piece.batch.emplace(make(std::move(some)));
      }
    }
    parts->leave(0, cutting.from * each);
    parts->leave(cutting.to * each, parts->count());
    return any || cutting.to - cutting.from < cutting.count;  // others may have some
  };
  pass.place = [parts] { return parts->place(); };
  pass.go_to = [parts](const PlaceNumbers& place) { parts->go_to(place); };
  return pass;
}

}  // namespace detail

}  // namespace heed::data
