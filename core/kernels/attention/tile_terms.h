// What stands beside the score in a tile: the map, the biases, the masks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../elementwise/elementwise_simd.h"
#include "attention_tile.h"

namespace heed::kernels {

/// Map, biases and masks of the plan, over tiles of one LeadingAxes; of one thread. load() says
/// which queries are meant, next() or open() which keys.
template <class T>
class TileTerms {
 public:
  TileTerms(const AttentionPlan& plan, const LeadingAxes& axes, Index most_keys)
      : plan_(plan), axes_(axes), most_keys_(most_keys) {
    if (plan.bias.defined()) biases_[0].emplace(plan.bias, axes);
    if (plan.offset_bias.defined()) biases_[1].emplace(plan.offset_bias, axes);
    if (plan.allowed.defined()) allowed_.emplace(plan.allowed, axes);
    if (plan.rule != nullptr) {
      const auto places = static_cast<std::size_t>(QueryTile::kMost * most_keys);
      may_ = std::make_unique<bool[]>(places);
      turned_ = std::make_unique<bool[]>(places);
    }
    if (plan.map != nullptr) rows_ = std::make_unique<MapRows<T>>();
  }

  void load(Index unit, const QueryTile& tile) {
    unit_ = unit;
    tile_ = &tile;
    step_ = padded<T>(tile.count);
    if (rows_) load_rows();
  }

  /// The next keys from `from` on, and before `end`, of which any row of the tile may see any;
  /// empty where there are none. What follows is of these.
  KeyRange next(Index from, Index end) {
    if (plan_.rule == nullptr) {
      for (KeyRange keys{from, 0}; keys.begin < end; keys.begin = keys.end) {
        keys.end = std::min(end, keys.begin + most_keys_);
        if (open(keys)) return keys;
      }
      return {};
    }
    // By blocks: those that are hidden are left out, and what is at the ends of others; neighbours
    // that are not go together.
    const Index block = std::min(kBlock, most_keys_);
    keys_ = {};
    ruled_.clear();
    for (KeyRange part{from, 0}; part.begin < end; part.begin = part.end) {
      part.end = std::min(end, (part.begin / block + 1) * block);
      if (keys_.empty()) first_ = part.begin;
      if (part.end - first_ > most_keys_) break;
      const Seen seen = look(part);
      if (seen == Seen::none && !keys_.empty()) break;
      if (seen == Seen::none) continue;
      KeyRange open = seen == Seen::all ? part : without_ends(part);
      if (!keys_.empty()) open.begin = part.begin;
      if (seen == Seen::some) ruled_.push_back(open);
      keys_ = {keys_.empty() ? open.begin : keys_.begin, open.end};
      if (open.end < part.end) break;
    }
    return keys_;
  }
  /// Whether any row of the tile may see any of these keys. What follows is of these.
  bool open(KeyRange keys) {
    keys_ = keys;
    ruled_.clear();
    if (plan_.rule == nullptr) {
      return !allowed_ || any_open(keys, [&](Index i) { return allowed_at(i); });
    }
    first_ = keys.begin;
    const Seen seen = look(keys);
    if (seen == Seen::some) ruled_.push_back(keys);
    return seen != Seen::none;
  }

  /// True when every row of the tile may see all of the keys, and nothing is added to their scores.
  bool whole() const { return !masked() && !biased() && ranges_cover(); }

  bool maps() const { return rows_ != nullptr; }
  /// Calls visit(rows, at) for the strips of a tile of scores [keys, step], each from `at` on.
  template <class Visit>
  void each_strip(const Visit& visit) const {
    const Index most = Strip<T>::kMost / step_;
    for (Index j = 0; j < keys_.size(); j += most) {
      set_keys(keys_.begin + j, std::min(most, keys_.size() - j));
      visit(std::as_const(*rows_), j * step_);
    }
  }
  /// s [keys, step] becomes f(s), and slope f'(s), unless null.
  void map(T* s, T* slope = nullptr) const {
    each_strip([&](const MapRows<T>& rows, Index at) {
      if (slope != nullptr) {
        plan_.map->map(rows, s + at, slope + at);
      } else {
        plan_.map->map(rows, s + at);
      }
    });
  }

  /// s [keys, step]: adds the biases, then -infinity in all masked places.
  void lay_over(T* s) const {
    if (!ruled_.empty() && !biased() && ranges_cover()) return lay_rule_over(s);
    // A mask of the keys alone hides them from all rows at once.
    const bool by_key =
        ruled_.empty() && allowed_ && allowed_->step() == 0 && tile_->run_count == 1;
    std::array<std::array<const T*, QueryTile::kMost>, 2> added;
    std::array<Places, QueryTile::kMost> open;
    for (Index i = 0; i < tile_->count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      for (std::size_t b = 0; b < biases_.size(); ++b) {
        if (biases_[b]) added[b][at] = biases_[b]->row(unit_, *tile_, i);
      }
      if (masked()) open[at] = places(i);
    }
    const bool by_row = biased() || (masked() && !by_key) || !ranges_cover();
    // A few keys at a time: their scores stay in the nearest cache from row to row.
    for (KeyRange few{keys_.begin, 0}; by_row && few.begin < keys_.end; few.begin = few.end) {
      few.end = std::min(keys_.end, few.begin + 16);
      for (Index i = 0; i < tile_->count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        T* const column = s + i - keys_.begin * step_;
        const KeyRange seen{std::clamp(tile_->sees[at].begin, few.begin, few.end),
                            std::clamp(tile_->sees[at].end, few.begin, few.end)};
        for (Index j = few.begin; j < seen.begin; ++j) column[j * step_] = kHidden;
        for (Index j = seen.end; j < few.end; ++j) column[j * step_] = kHidden;
        for (std::size_t b = 0; b < biases_.size(); ++b) {
          if (!biases_[b]) continue;
          const Index apart = biases_[b]->column();
          for (Index j = seen.begin; j < seen.end; ++j) {
            column[j * step_] += added[b][at][j * apart];
          }
        }
        if (masked() && !by_key) {
          for (Index j = seen.begin; j < seen.end; ++j) {
            column[j * step_] = chosen(open[at].may[j * open[at].column], column[j * step_]);
          }
        }
      }
    }
    // After the biases, which may be NaN there.
    for (Index j = keys_.begin; by_key && j < keys_.end; ++j) {
      if (!open[0].may[j * open[0].column]) {
        std::fill_n(s + (j - keys_.begin) * step_, step_, kHidden);
      }
    }
  }

 private:
  // Whether key j is open to a row: may[j * column].
  struct Places {
    const bool* may;
    Index column;
  };
  Places allowed_at(Index i) const { return {allowed_->row(unit_, *tile_, i), allowed_->column()}; }
  Places places(Index i) const {
    if (!ruled_.empty()) return {may_.get() + i * most_keys_ - first_, 1};
    return allowed_at(i);
  }

  template <class At>
  bool any_open(KeyRange keys, const At& at) const {
    for (Index i = 0; i < tile_->count; ++i) {
      const KeyRange sees = tile_->sees[static_cast<std::size_t>(i)];
      const Places open = at(i);
      for (Index j = std::max(keys.begin, sees.begin); j < std::min(keys.end, sees.end); ++j) {
        if (open.may[j * open.column]) return true;
      }
    }
    return false;
  }

  // What rule and `allowed` leave of a block, whose places stand in may_ afterwards.
  Seen look(KeyRange keys) {
    const Index column = keys.begin - first_;
    Seen seen = ask(keys, column);
    if (seen == Seen::none) return seen;
    bool* const own = may_.get() + column;
    if (seen == Seen::all) {
      for (Index i = 0; i < tile_->count; ++i) std::fill_n(own + i * most_keys_, keys.size(), true);
    }
    if (allowed_) {
      seen = Seen::some;
      for (Index i = 0; i < tile_->count; ++i) {
        const Places also = allowed_at(i);
        for (Index j = 0; j < keys.size(); ++j) {
          bool& may = own[i * most_keys_ + j];
          may = may && also.may[(keys.begin + j) * also.column];
        }
      }
    }
    if (seen == Seen::all) return seen;
    const auto mine = [&](Index i) { return Places{own + i * most_keys_ - keys.begin, 1}; };
    return any_open(keys, mine) ? seen : Seen::none;
  }

  // Of keys of which some are open, without fours at either end which no row may see.
  KeyRange without_ends(KeyRange keys) const {
    constexpr Index kFew = 4;
    std::array<bool, kBlock> any{};
    for (Index i = 0; i < tile_->count; ++i) {
      const bool* const may = may_.get() + i * most_keys_ + keys.begin - first_;
      for (Index j = 0; j < keys.size(); ++j) any[static_cast<std::size_t>(j)] |= may[j];
    }
    Index begin = 0, end = keys.size();
    while (!any[static_cast<std::size_t>(begin)]) ++begin;
    while (!any[static_cast<std::size_t>(end - 1)]) --end;
    return {keys.begin + begin / kFew * kFew,
            std::min(keys.end, keys.begin + (end + kFew - 1) / kFew * kFew)};
  }

  // Blocks of keys in which the rule hides something, all of their queries at once.
  void lay_rule_over(T* s) const {
    for (const KeyRange keys : ruled_) {
      turn_places(may_.get() + keys.begin - first_, most_keys_, tile_->count, keys.size(),
                  turned_.get(), step_);
      T* const block = s + (keys.begin - keys_.begin) * step_;
      simd::elements<T>().where(turned_.get(), block, true, &kHidden, false, block,
                                static_cast<std::size_t>(keys.size() * step_));
    }
  }

  bool biased() const { return biases_[0] || biases_[1]; }
  bool masked() const { return !ruled_.empty() || allowed_; }

  bool ranges_cover() const {
    return std::all_of(
        tile_->sees.begin(), tile_->sees.begin() + tile_->count,
        [this](KeyRange sees) { return sees.begin <= keys_.begin && sees.end >= keys_.end; });
  }

  // What the rule says of the tile's runs; where that is `some`, may_ holds all places.
  Seen ask(KeyRange keys, Index column) {
    const auto all_runs = [&](const auto& of_run) {
      std::optional<Seen> seen;
      for (Index r = 0; r < tile_->run_count; ++r) {
        const QueryTile::Run& run = tile_->runs[static_cast<std::size_t>(r)];
        const Index first = run.query + plan_.K - plan_.Q;
        const Seen own =
            of_run(run, plan_.matrix(axes_, unit_, run.member), KeyRange{first, first + run.count});
        seen = seen.value_or(own) == own ? own : Seen::some;
      }
      return seen.value_or(Seen::none);
    };
    const Seen seen = all_runs([&](const auto&, const ScoresAt& at, KeyRange queries) {
      return plan_.rule->over(at, queries, keys);
    });
    if (seen != Seen::some) return seen;
    return all_runs([&](const QueryTile::Run& run, const ScoresAt& at, KeyRange queries) {
      bool* const to = may_.get() + run.row * most_keys_ + column;
      return plan_.rule->fill(at, queries, keys, to, most_keys_);
    });
  }

  // Rows, and their places for as many keys as a strip has.
  void load_rows() {
    MapRows<T>& rows = *rows_;
    rows.count = tile_->count;
    rows.step = step_;
    for (Index r = 0; r < tile_->run_count; ++r) {
      const QueryTile::Run& run = tile_->runs[static_cast<std::size_t>(r)];
      const ScoresAt at = plan_.matrix(axes_, unit_, run.member);
      for (Index i = 0; i < run.count; ++i) set_row(run.row + i, run.query + i, at);
      for (Index i = tile_->count; r == 0 && i < step_; ++i) set_row(i, run.query, at);
    }
    one_matrix_ = tile_->run_count == 1;
    for (Strip<T>* x : {&rows.place, &rows.batch, &rows.head}) {
      for (Index at = step_; at + step_ <= Strip<T>::kMost; at += step_) {
        std::copy_n(x->x, step_, x->x + at);
      }
    }
  }
  void set_row(Index i, Index query, const ScoresAt& at) {
    rows_->query[i] = query;
    rows_->batch_of[i] = at.batch;
    rows_->head_of[i] = at.head;
    rows_->place.x[i] = static_cast<T>(query + plan_.K - plan_.Q);
    rows_->batch.x[i] = static_cast<T>(at.batch);
    rows_->head.x[i] = static_cast<T>(at.head);
  }
  void set_keys(Index first, Index count) const {
    MapRows<T>& rows = *rows_;
    rows.key = first;
    rows.keys = count;
    rows.place.n = rows.of_key.n = count * step_;
    rows.batch.n = rows.head.n = one_matrix_ ? 1 : count * step_;
    for (Index j = 0; j < count; ++j) {
      std::fill_n(rows.of_key.x + j * step_, step_, static_cast<T>(first + j));
    }
  }

  static constexpr Index kBlock = 64;  // keys that a rule is asked of at once
  static constexpr T kHidden = -std::numeric_limits<T>::infinity();

  // open ? score : kHidden, without a branch that nobody could foresee.
  static T chosen(bool open, T score) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const Bits keep = Bits{0} - static_cast<Bits>(open);
    return std::bit_cast<T>((std::bit_cast<Bits>(score) & keep) |
                            (std::bit_cast<Bits>(kHidden) & ~keep));
  }

  const AttentionPlan& plan_;
  const LeadingAxes& axes_;
  const Index most_keys_;
  std::array<std::optional<OperandRows<const T>>, 2> biases_;
  std::optional<OperandRows<const bool>> allowed_;
  std::unique_ptr<bool[]> may_;  // [rows, most_keys], of what the rule leaves to be looked at
  std::unique_ptr<MapRows<T>> rows_;
  Index unit_ = 0, step_ = 0;
  const QueryTile* tile_ = nullptr;
  KeyRange keys_;
  Index first_ = 0;                 // the key of may_'s first column
  std::vector<KeyRange> ruled_;     // of keys_, those of which the rule hides some places
  std::unique_ptr<bool[]> turned_;  // [keys, step], of such
  bool one_matrix_ = true;
};

}  // namespace heed::kernels
