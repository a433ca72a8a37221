// What the lambda of a score_map() has captured, as it sees it: a number, a table, or one for each
// place; of strips, dual numbers and tensors.
#pragma once

#include <array>
#include <cmath>
#include <limits>
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
  std::array<Index, kernels::Strip<float>::kMost> seen;  // not of the score
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

}  // namespace detail
}  // namespace heed
