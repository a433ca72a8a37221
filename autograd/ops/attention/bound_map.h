// What a score_map() is made of: its lambda, called with strips, dual numbers and tensors.
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "map_capture.h"

namespace heed::detail {

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

/// A lambda and what it has captured, as tiles call it.
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

  // Of the scores s; what is given to the lambda is made in its place.
  template <class Number, class T, std::size_t... kAt>
  auto call(const Rows<T>& rows, const T* s, [[maybe_unused]] Variable* variable,
            std::index_sequence<kAt...>) const {
    const ScorePlace<const Strip<T>&> at{rows.place, rows.of_key, rows.batch, rows.head};
    const auto given = [&] {
      return f_(number_of<Number>(rows, s, variable), at, view<Number, kAt>(rows, variable)...);
    };
    if constexpr (std::is_arithmetic_v<decltype(given())>) {
      return Number(Strip<T>::of(static_cast<double>(given())));
    } else {
      return given();
    }
  }

  template <class Number, class T>
  static Number number_of(const Rows<T>& rows, const T* from,
                          [[maybe_unused]] const Variable* variable) {
    Number out(rows.size());
    if constexpr (std::is_same_v<Number, Dual<T>>) {
      std::copy_n(from, rows.size(), out.v.x);
      if (variable->capture < 0) out.become_variable();
    } else {
      std::copy_n(from, rows.size(), out.x);
    }
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
    store(rows, call<Strip<T>>(rows, s, nullptr, Places()), s);
  }
  template <class T>
  void with_slope(const Rows<T>& rows, T* s, T* slope) const {
    Variable score;
    const auto out = call<Dual<T>>(rows, s, &score, Places());
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(out)>, Dual<T>>) {
      store(rows, out.v, s);
      if (out.moves) {
        store(rows, out.d, slope);
      } else {
        std::fill_n(slope, rows.size(), T{0});
      }
    } else {
      store(rows, out, s);
      std::fill_n(slope, rows.size(), T{0});
    }
  }

  template <class T>
  void add(const Rows<T>& rows, const T* s, const T* d, double* const* to) const {
    for (std::size_t c = 0; c < captured_.size(); ++c) {
      if (to[c] == nullptr) continue;
      Variable by;
      by.capture = static_cast<Index>(c);
      by.seen = {};
      do {
        by.looks = 0;
        const Dual<T> out = call<Dual<T>>(rows, s, &by, Places());
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

}  // namespace heed::detail
