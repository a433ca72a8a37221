// Rules of a mask: a lambda of places, and the tensors of numbers that it has captured.
//
//   Mask::rule([](auto q, auto k) { return k <= q && q - k < 128; })
//   Mask::rule([](auto q, auto k, auto doc) { return doc(q) == doc(k); }, doc)
//   Mask::rule([](auto q, auto k, auto batch, auto head) { return q - k < 16 * (head + 1); })
//
// A generic lambda is called with places (Place) and with intervals of places (Interval), of which
// comparisons say whether they hold everywhere, nowhere, or must be looked at: whole tiles are
// skipped by that, and no block of queries by keys is made. It is written with + - * / % abs min
// max, comparisons, && || and !; ?: and if cannot be asked of an interval. A lambda of Index is
// called with places alone. Both give the same bits. One that is generic can be followed, too
// (followed.h).
//
// q and k are places, the last query standing at the last key; batch is the first of the leading
// axes, head all the others together. A captured tensor, i64 or bool, is a function of as many
// places as it has axes; with one argument fewer its first axis is the batch. Beyond its ends it
// throws IndexError.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../autograd/tensor.h"
#include "../../core/kernels/attention/tile_rule.h"
#include "followed.h"
#include "interval.h"

namespace heed::attention {

using kernels::KeyRange;
using kernels::ScoresAt;
using kernels::Seen;
using kernels::TileRule;

namespace detail {

/// A captured tensor: i64 numbers.
class RuleTable {
 public:
  /// Throws DTypeError, ShapeError.
  explicit RuleTable(const Tensor& x);

  /// Throws IndexError beyond the ends; ShapeError for another number of places.
  Index at(const Index* places, std::size_t count, Index batch) const {
    if (count == 1 && rank_ == 1 && places[0] >= 0 && places[0] < size_) return data_[places[0]];
    return slowly_at(places, count, batch);
  }
  /// Of all places within; of what is not all inside, all numbers.
  Interval over(const Interval* places, std::size_t count, Index batch) const;
  const Array& numbers() const { return numbers_; }

 private:
  Index slowly_at(const Index* places, std::size_t count, Index batch) const;
  /// Where a batch's numbers begin, and the axis of the first place.
  std::pair<Index, Index> begin_of(std::size_t count, Index batch) const;

  Interval over_run(Index begin, Index end) const;

  static constexpr Index kRun = 32;
  std::vector<Interval> runs_;  // of as many numbers each, as they were at version_
  std::uint32_t version_;
  Array numbers_;
  const Index* data_;
  Index rank_, size_;  // of the first axis
};

/// The same inside a lambda; Number is Place, Interval, Index, or FollowedPlaces.
template <class Number>
class LookUp {
 public:
  LookUp(const RuleTable& table, Index batch) : table_(&table), batch_(batch) {}
  template <class... Places>
  Number operator()(const Places&... places) const {
    if constexpr (std::is_same_v<Number, Interval>) {
      const std::array<Interval, sizeof...(Places)> all{Interval(places)...};
      return table_->over(all.data(), all.size(), batch_);
    } else {
      const std::array<Index, sizeof...(Places)> all{static_cast<Index>(places)...};
      return table_->at(all.data(), all.size(), batch_);
    }
  }

 private:
  const RuleTable* table_;
  Index batch_;
};

template <>
class LookUp<FollowedPlaces> {
 public:
  LookUp(const RuleTable& table, const FollowedPlaces& batch) : table_(&table), batch_(batch) {}
  template <class... Places>
  FollowedPlaces operator()(const Places&... places) const {
    return look_up(table_->numbers(), {FollowedPlaces(places)...}, batch_);
  }

 private:
  const RuleTable* table_;
  FollowedPlaces batch_;
};

template <class F, std::size_t kTables>
class LambdaRule final : public TileRule, public FollowedRule {
  template <class Number, std::size_t>
  using LookUpOf = LookUp<Number>;

  template <class Number, std::size_t... kAt>
  static constexpr bool takes_places(std::index_sequence<kAt...>) {
    return std::is_invocable_v<const F&, Number, Number, LookUpOf<Number, kAt>...>;
  }
  template <class Number, std::size_t... kAt>
  static constexpr bool takes_matrix(std::index_sequence<kAt...>) {
    return std::is_invocable_v<const F&, Number, Number, Number, Number, LookUpOf<Number, kAt>...>;
  }
  using Tables = std::make_index_sequence<kTables>;
  template <class Number>
  static constexpr bool takes() {
    return takes_places<Number>(Tables()) || takes_matrix<Number>(Tables());
  }
  static constexpr bool kIntervals = takes<Interval>();
  using Single = std::conditional_t<kIntervals, Place, Index>;
  static_assert(takes<Single>(), "a rule takes (q, k, ..) or (q, k, batch, head, ..)");

 public:
  LambdaRule(F f, std::vector<RuleTable> tables) : f_(std::move(f)), tables_(std::move(tables)) {}

  bool by_matrix() const override { return kTables > 0 || !takes_places<Single>(Tables()); }
  Seen over(const ScoresAt& at, KeyRange q, KeyRange k) const override {
    if constexpr (kIntervals) {
      const Truth truth =
          call<Interval>(at, Interval(q.begin, q.end - 1), Interval(k.begin, k.end - 1), Tables());
      if (!truth.may_fail) return Seen::all;
      return truth.may_hold ? Seen::some : Seen::none;
    }
    return Seen::some;
  }
  void row(const ScoresAt& at, Index q, KeyRange keys, bool* may) const override {
    for (Index k = keys.begin; k < keys.end; ++k) {
      may[k - keys.begin] = call<Single>(at, Single(q), Single(k), Tables());
    }
  }
  Tensor followed(const FollowedAt& at) const override {
    if constexpr (takes<FollowedPlaces>()) {
      return FollowedTruths(call_followed(at, Tables())).value;
    } else {
      throw_not_followed();
    }
  }
  std::vector<Array> reads() const override {
    std::vector<Array> all;
    for (const RuleTable& table : tables_) all.push_back(table.numbers());
    return all;
  }

 private:
  template <std::size_t... kAt>
  auto call_followed(const FollowedAt& at, std::index_sequence<kAt...>) const {
    using Table = LookUp<FollowedPlaces>;
    if constexpr (takes_places<FollowedPlaces>(Tables())) {
      return f_(at.q, at.k, Table(tables_[kAt], at.batch)...);
    } else {
      return f_(at.q, at.k, at.batch, at.head, Table(tables_[kAt], at.batch)...);
    }
  }
  template <class Number, std::size_t... kAt>
  auto call(const ScoresAt& at, const Number& q, const Number& k,
            std::index_sequence<kAt...>) const {
    if constexpr (takes_places<Number>(Tables())) {
      return f_(q, k, LookUp<Number>(tables_[kAt], at.batch)...);
    } else {
      return f_(q, k, Number(at.batch), Number(at.head), LookUp<Number>(tables_[kAt], at.batch)...);
    }
  }

  F f_;
  std::vector<RuleTable> tables_;
};

}  // namespace detail
}  // namespace heed::attention
