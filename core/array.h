// Array: an n-d block of f32, f64, i64, bool or bf16. Shape, strides, dtype and shared storage; it
// knows no gradients. Copying an Array copies the handle; views (reshape, transpose, slice, ...)
// share storage. Row-major; whatever we create is contiguous, any strides are accepted as input.
#pragma once

#include <iosfwd>
#include <string>
#include <type_traits>
#include <vector>

#include "dtype.h"
#include "shape.h"
#include "storage.h"

namespace heed {

class Array {
 public:
  /// Undefined: has no shape, dtype or storage.
  Array() = default;

  /// Uninitialised. Throws ShapeError for negative sizes and overflow, OutOfMemory.
  static Array empty(const Shape& shape, DType dtype);
  static Array zeros(const Shape& shape, DType dtype);
  /// Every element `value`, cast to `dtype`.
  static Array full(const Shape& shape, double value, DType dtype);
  /// Copies `values`, row-major: float, double, bool, BFloat16, or any integers, which become i64.
  /// Throws ShapeError when the count differs from the shape's.
  template <class T>
  static Array from(const std::vector<T>& values, const Shape& shape) {
    static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, BFloat16>,
                  "Array::from takes float, double, bool, BFloat16 or integers");
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      using Whole = const std::vector<std::int64_t>;
      return copied(Whole(values.begin(), values.end()), shape);
    } else {
      return copied(values, shape);
    }
  }
  /// Rank 1, as long as `values`.
  template <class T>
  static Array from(const std::vector<T>& values) {
    return from(values, Shape{static_cast<Index>(values.size())});
  }

  /// Around numbers that `owner` holds, the first of them at `data`, without a copy: writes on
  /// either side are seen on both. `release(owner)` is called once, when nobody here has them any
  /// more, also when this throws. Throws ShapeError for negative sizes and strides and for places
  /// that overflow.
  static Array around(void* data, const Shape& shape, const Strides& strides, DType dtype,
                      void (*release)(void*), void* owner);

  bool defined() const { return static_cast<bool>(storage_); }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  DType dtype() const { return dtype_; }
  Index rank() const { return shape_.rank(); }
  Index numel() const { return numel_; }
  /// Size of one axis, negative axes from the end. Throws ShapeError out of range.
  Index size(Index axis) const { return shape_.at(axis); }
  bool is_contiguous() const { return contiguous_; }

  /// First element. Throws DTypeError when T is not the dtype. Writing through mutable_data is for
  /// results that nobody has seen yet; a write in place is followed by bump_version().
  template <class T>
  const T* data() const {
    if (dtype_of<T> != dtype_ || !storage_) throw_dtype(dtype_of<T>);
    return reinterpret_cast<const T*>(data_);
  }
  template <class T>
  T* mutable_data() {
    if (dtype_of<T> != dtype_ || !storage_) throw_dtype(dtype_of<T>);
    return reinterpret_cast<T*>(data_);
  }
  const std::byte* raw() const { return data_; }
  std::byte* mutable_raw() { return data_; }

  /// Elements in row-major order. Throws DTypeError when T is not the dtype.
  template <class T>
  std::vector<T> to_vector() const {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                      std::is_same_v<T, std::int64_t> || std::is_same_v<T, bool> ||
                      std::is_same_v<T, BFloat16>,
                  "to_vector<T>: T is float, double, std::int64_t, bool or BFloat16");
    return copied_out<T>();
  }
  /// The only element, cast to double. Throws ShapeError unless there is exactly one.
  double item() const;

  /// Writes in place so far, shared with all views.
  std::uint32_t version() const { return storage_ ? storage_->version() : 0; }
  void bump_version() {
    if (storage_) storage_->bump_version();
  }
  /// True where others may write to the numbers past the version: theirs, or lent out (loan.h).
  bool exposed() const { return storage_ && (storage_->foreign() || storage_->lent()); }
  /// True when nobody else shares the storage.
  bool unique() const { return storage_ && storage_->unique() && !storage_->foreign(); }
  /// What is behind it, for what is known of all views; null when undefined.
  Storage* storage() const { return storage_.get(); }
  bool shares_storage(const Array& other) const { return storage_ == other.storage_; }

  // Views. Axes may be negative; all throw ShapeError for what does not fit.

  /// The same elements in another shape, one size may be -1. A view where strides allow, else a
  /// copy.
  Array reshape(const Shape& shape) const;
  /// reshape() that never copies. Throws ShapeError where the strides do not allow a view.
  Array view(const Shape& shape) const;
  /// Swaps two axes.
  Array transpose(Index a, Index b) const;
  /// Axis i of the result is axis axes[i] of this.
  Array permute(const std::vector<Index>& axes) const;
  /// Elements start, start + step, ... before stop, as in Python (negative bounds from the end,
  /// clamped). Throws ValueError unless step > 0.
  Array slice(Index axis, Index start, Index stop, Index step = 1) const;
  /// Drops the axis. Throws IndexError out of range.
  Array select(Index axis, Index index) const;
  /// Broadcasts to `shape` with strides of 0.
  Array expand(const Shape& shape) const;
  /// Removes an axis of size 1; inserts one before `axis`.
  Array squeeze(Index axis) const;
  Array unsqueeze(Index axis) const;
  /// A view with these sizes and strides on the same first element; for kernels, unchecked.
  Array as_strided(const Shape& shape, const Strides& strides) const;

  // Copies.

  /// Itself when contiguous, else a contiguous copy.
  Array contiguous() const;
  /// A contiguous copy with storage of its own.
  Array clone() const;
  /// Itself when the dtype is the same, else a converted copy (f to i truncates; to bool: not 0; to
  /// bf16 rounds to the nearest, ties to even).
  Array to(DType dtype) const;
  /// bf16 as f32, in which is computed; any other itself.
  Array widened() const { return to(heed::widened(dtype_)); }

 private:
  template <class T>
  static Array copied(const std::vector<T>& values, const Shape& shape);
  template <class T>
  std::vector<T> copied_out() const;
  [[noreturn]] void throw_dtype(DType asked) const;
  void update();
  Shape filled(const char* op, const Shape& wanted) const;

  Ref<Storage> storage_;
  std::byte* data_ = nullptr;
  Index numel_ = 0;
  Shape shape_;
  Strides strides_;
  DType dtype_ = DType::f32;
  bool contiguous_ = true;
};

/// "f32[2, 3]", "undefined".
std::string describe(const Array& array);
/// As NumPy prints: a row a line, columns aligned, long axes cut; see print.h.
std::string to_string(const Array& array);
std::ostream& operator<<(std::ostream& out, const Array& array);

}  // namespace heed
