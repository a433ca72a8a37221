// What a score_map() is made of: its lambda, called with strips, dual numbers and tensors.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../../core/kernels/attention/dual.h"
#include "../../../core/kernels/attention/tile_map.h"
#include "../../tensor.h"
#include "../elementwise/elementwise.h"

namespace heed {

/// Where a score stands.
template <class Number>
struct ScorePlace {
  Number q, k, batch, head;
};

namespace detail {

enum class Capture : std::uint8_t { number, table, each_place };

/// Throws ShapeError, DTypeError, GradError for what cannot be captured by scores [.., Q, K].
void check_captured(Capture kind, const Tensor& x, const Shape& scores, DType dtype);
/// As plain operators see it: a number or [heads, 1, 1], or x itself.
Tensor captured_tensor(Capture kind, const Tensor& x, const Shape& scores, DType dtype);
ScorePlace<Tensor> places_of(const Shape& scores, DType dtype);
/// table(indices..), NaN beyond its ends. Throws ShapeError for another number of indices.
Tensor look_up(const Tensor& table, const std::vector<Tensor>& indices);
void check_indices(const Shape& table, std::size_t indices);
/// x broadcast to `shape`. Throws ShapeError.
Tensor spread_over(const Tensor& x, const Shape& shape);

/// A lambda, whatever it has captured.
class MapKind {
 public:
  virtual ~MapKind() = default;
  virtual std::vector<Capture> captures() const = 0;
  virtual Tensor apply(const Tensor& scores, const std::vector<Tensor>& captured) const = 0;
  virtual std::shared_ptr<const kernels::TileMap> bind(const Shape& scores, DType dtype,
                                                       const std::vector<Tensor>& captured,
                                                       const std::vector<bool>& wanted) const = 0;
};

/// A captured array, as tiles read it.
class BoundCapture {
 public:
  BoundCapture(Capture kind, const Tensor& x, const Shape& scores, DType dtype, bool wanted);

  Index wanted() const { return wanted_ ? array_.numel() : 0; }
  const Array& array() const { return array_; }

  template <class T>
  kernels::Strip<T> strip(const kernels::MapRows<T>& rows) const {
    const T* const from = array_.data<T>();
    if (kind_ == Capture::number && rows.head.n == 1) {
      kernels::Strip<T> one(1);
      one.x[0] = from[place(rows, 0)];
      return one;
    }
    if (kind_ == Capture::number && array_.numel() == 1) return kernels::Strip<T>::of(*from);
    kernels::Strip<T> out(rows.size());
    for (Index at = 0; at < out.n; ++at) out.x[at] = from[place(rows, at)];
    return out;
  }
  /// Where the number of a score of the strip stands.
  template <class T>
  Index place(const kernels::MapRows<T>& rows, Index at) const {
    const Index i = at % rows.step, key = rows.key + at / rows.step;
    if (kind_ == Capture::number) return array_.numel() == 1 ? 0 : rows.head_of[i];
    const Index matrix = rows.batch_of[i] * heads_ + rows.head_of[i];
    return matrices_[static_cast<std::size_t>(matrix)] + rows.query[i] * row_step_ +
           key * key_step_;
  }

 private:
  Capture kind_;
  Array array_;
  bool wanted_;
  Index heads_ = 1, row_step_ = 0, key_step_ = 0;
  std::vector<Index> matrices_;  // where each begins
};

/// Which number the derivative is by: of the captured ones (-1: the score), and of a table the n-th
/// look into it. What is looked at is noted.
struct Variable {
  Index capture = -1, look = 0;
  Index looks = 0;
  std::array<Index, kernels::Strip<float>::kMost> seen{};
};

/// A captured table inside a lambda; Number is a strip or a dual number.
template <class T, class Number>
class BoundTable {
 public:
  BoundTable(const BoundCapture& table, Index step, Variable* variable)
      : table_(&table), step_(step), variable_(variable) {}

  template <class... Indices>
  Number operator()(const Indices&... indices) const {
    const Array& array = table_->array();
    check_indices(array.shape(), sizeof...(Indices));
    const std::array<kernels::Strip<T>, sizeof...(Indices)> at{value_of(indices)...};
    kernels::Strip<T> out(step_);
    std::array<Index, kernels::Strip<T>::kMost> places{};
    for (Index i = 0; i < step_; ++i) {
      Index place = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        const Index size = array.size(static_cast<Index>(axis));
        const T index = at[axis].at(i);
        const bool inside = index > T(-0.5) && index < static_cast<T>(size) - T(0.5);
        place = inside && place >= 0 ? place * size + static_cast<Index>(index + T(0.5)) : -1;
      }
      places[static_cast<std::size_t>(i)] = place;
      out.x[i] = place < 0 ? std::numeric_limits<T>::quiet_NaN() : array.data<T>()[place];
    }
    if constexpr (std::is_same_v<Number, kernels::Dual<T>>) {
      if (variable_ != nullptr && variable_->looks++ == variable_->look) {
        variable_->seen = places;
        return Number::variable(out);
      }
    }
    return out;
  }

 private:
  static kernels::Strip<T> value_of(const kernels::Strip<T>& x) { return x; }
  static kernels::Strip<T> value_of(const kernels::Dual<T>& x) { return x.v; }
  static kernels::Strip<T> value_of(double x) { return kernels::Strip<T>::of(x); }
  const BoundCapture* table_;
  Index step_;
  Variable* variable_;  // null: not by this table
};

/// The same for tensors.
class TensorTable {
 public:
  explicit TensorTable(const Tensor& table) : table_(table) {}
  template <class... Indices>
  Tensor operator()(const Indices&... indices) const {
    return look_up(table_, {as_tensor(indices)...});
  }

 private:
  Tensor as_tensor(const Tensor& x) const { return x; }
  Tensor as_tensor(double x) const { return tensor(x, table_.dtype()); }
  Tensor table_;
};

template <class F, Capture... kCaptures>
class BoundMap final : public kernels::TileMap {
  template <class T>
  using Strip = kernels::Strip<T>;
  template <class T>
  using Dual = kernels::Dual<T>;
  template <class T>
  using Rows = kernels::MapRows<T>;
  using Places = std::index_sequence_for<std::integral_constant<Capture, kCaptures>...>;
  static constexpr std::array<Capture, sizeof...(kCaptures)> kKinds{kCaptures...};

 public:
  BoundMap(const F& f, std::vector<BoundCapture> captured)
      : f_(f), captured_(std::move(captured)) {}

  void map(const Rows<float>& rows, float* s) const override { value(rows, s); }
  void map(const Rows<double>& rows, double* s) const override { value(rows, s); }
  void map(const Rows<float>& rows, float* s, float* slope) const override {
    with_slope(rows, s, slope);
  }
  void map(const Rows<double>& rows, double* s, double* slope) const override {
    with_slope(rows, s, slope);
  }
  std::vector<Index> wanted() const override {
    std::vector<Index> out;
    for (const BoundCapture& capture : captured_) out.push_back(capture.wanted());
    return out;
  }
  void add_captured(const Rows<float>& rows, const float* s, const float* d,
                    double* const* to) const override {
    add(rows, s, d, to);
  }
  void add_captured(const Rows<double>& rows, const double* s, const double* d,
                    double* const* to) const override {
    add(rows, s, d, to);
  }

 private:
  template <class Number, std::size_t kAt, class T>
  auto view([[maybe_unused]] const Rows<T>& rows, [[maybe_unused]] Variable* variable) const {
    const BoundCapture& capture = captured_[kAt];
    if constexpr (kKinds[kAt] == Capture::table) {
      const bool by_it = variable != nullptr && variable->capture == static_cast<Index>(kAt);
      return BoundTable<T, Number>(capture, rows.size(), by_it ? variable : nullptr);
    } else {
      Number out = capture.strip(rows);
      if constexpr (std::is_same_v<Number, Dual<T>>) {
        if (variable->capture == static_cast<Index>(kAt)) return Number::variable(out.v);
      }
      return out;
    }
  }

  template <class Number, class T, std::size_t... kAt>
  auto call(const Rows<T>& rows, const Number& s, [[maybe_unused]] Variable* variable,
            std::index_sequence<kAt...>) const {
    const ScorePlace<const Strip<T>&> at{rows.place, rows.of_key, rows.batch, rows.head};
    return as_number<T, Number>(f_(s, at, view<Number, kAt>(rows, variable)...));
  }

  // Whatever a lambda gives.
  template <class T, class Number, class Given>
  static decltype(auto) as_number(Given&& given) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<Given>>) {
      return Number(Strip<T>::of(static_cast<double>(given)));
    } else {
      return std::remove_cvref_t<Given>(std::forward<Given>(given));
    }
  }

  template <class T>
  static Strip<T> strip_of(const Rows<T>& rows, const T* from) {
    Strip<T> out(rows.size());
    std::copy_n(from, rows.size(), out.x);
    return out;
  }
  template <class T>
  static void store(const Rows<T>& rows, const Strip<T>& from, T* to) {
    if (from.n > 1) {
      std::copy_n(from.x, rows.size(), to);
    } else {
      std::fill_n(to, rows.size(), from.x[0]);
    }
  }

  template <class T>
  void value(const Rows<T>& rows, T* s) const {
    store(rows, call<Strip<T>>(rows, strip_of(rows, s), nullptr, Places()), s);
  }
  template <class T>
  void with_slope(const Rows<T>& rows, T* s, T* slope) const {
    Variable score;
    const auto at = Dual<T>::variable(strip_of(rows, s));
    const auto out = call<Dual<T>>(rows, at, &score, Places());
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(out)>, Dual<T>>) {
      store(rows, out.v, s);
      store(rows, out.moves ? out.d : Strip<T>::of(0), slope);
    } else {
      store(rows, out, s);
      store(rows, Strip<T>::of(0), slope);
    }
  }

  template <class T>
  void add(const Rows<T>& rows, const T* s, const T* d, double* const* to) const {
    const Dual<T> at(strip_of(rows, s));
    for (std::size_t c = 0; c < captured_.size(); ++c) {
      if (to[c] == nullptr) continue;
      Variable by{.capture = static_cast<Index>(c)};
      do {
        by.looks = 0;
        const Dual<T> out = call<Dual<T>>(rows, at, &by, Places());
        for (Index i = 0; out.moves && i < rows.size(); ++i) {
          // Nobody sees it, and NaN may stand there.
          if (d[i] == T{0} || i % rows.step >= rows.count) continue;
          const Index place = kKinds[c] == Capture::table ? by.seen[static_cast<std::size_t>(i)]
                                                          : captured_[c].place(rows, i);
          if (place >= 0) to[c][place] += static_cast<double>(d[i]) * out.d.at(i);
        }
      } while (++by.look < by.looks);
    }
  }

  F f_;
  std::vector<BoundCapture> captured_;
};

template <class F, Capture... kCaptures>
class MapOf final : public MapKind {
 public:
  explicit MapOf(F f) : f_(std::move(f)) {}

  std::vector<Capture> captures() const override { return {kCaptures...}; }

  Tensor apply(const Tensor& scores, const std::vector<Tensor>& captured) const override {
    return apply(scores, captured,
                 std::index_sequence_for<std::integral_constant<Capture, kCaptures>...>());
  }
  std::shared_ptr<const kernels::TileMap> bind(const Shape& scores, DType dtype,
                                               const std::vector<Tensor>& captured,
                                               const std::vector<bool>& wanted) const override {
    const std::vector<Capture> kinds = captures();
    std::vector<BoundCapture> bound;
    for (std::size_t c = 0; c < kinds.size(); ++c) {
      bound.emplace_back(kinds[c], captured[c], scores, dtype, c < wanted.size() && wanted[c]);
    }
    return std::make_shared<BoundMap<F, kCaptures...>>(f_, std::move(bound));
  }

 private:
  template <Capture kKind>
  static auto view(const Tensor& x, const Tensor& scores) {
    check_captured(kKind, x, scores.shape(), scores.dtype());
    if constexpr (kKind == Capture::table) {
      return TensorTable(x);
    } else {
      return captured_tensor(kKind, x, scores.shape(), scores.dtype());
    }
  }
  template <std::size_t... kAt>
  Tensor apply(const Tensor& scores, const std::vector<Tensor>& captured,
               std::index_sequence<kAt...>) const {
    const auto out = f_(scores, places_of(scores.shape(), scores.dtype()),
                        view<kCaptures>(captured[kAt], scores)...);
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(out)>>) {
      return spread_over(tensor(static_cast<double>(out), scores.dtype()), scores.shape());
    } else {
      return spread_over(out, scores.shape());
    }
  }

  F f_;
};

}  // namespace detail
}  // namespace heed
