// Sizes and strides of an n-d block, at most kMaxRank of them, held inline. All arithmetic on sizes
// is checked: a product that leaves 64 bits throws ShapeError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

namespace heed {

using Index = std::int64_t;
inline constexpr Index kMaxRank = 8;

/// A short list of sizes (Shape) or of steps in elements (Strides), row-major, first axis first.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<Index> sizes)
      : Dims(sizes.begin(), static_cast<Index>(sizes.size())) {}
  Dims(const std::vector<Index>& sizes) : Dims(sizes.data(), static_cast<Index>(sizes.size())) {}
  /// Throws ShapeError when `rank` is above kMaxRank.
  Dims(const Index* sizes, Index rank);
  /// `rank` entries, all `value`.
  static Dims filled(Index rank, Index value);

  Index rank() const { return rank_; }
  /// Axis in [0, rank): unchecked, but where the standard library's containers check theirs
  /// (_GLIBCXX_ASSERTIONS, as in the dev preset), the program ends with a message.
  Index operator[](Index axis) const { return sizes_[within(axis)]; }
  Index& operator[](Index axis) { return sizes_[within(axis)]; }
  /// Checked; negative axes count from the end.
  Index at(Index axis) const;
  Index front() const { return at(0); }
  Index back() const { return at(-1); }

  // As a std::vector has it.
  std::size_t size() const { return static_cast<std::size_t>(rank_); }
  bool empty() const { return rank_ == 0; }
  std::vector<Index> vec() const { return {begin(), end()}; }

  /// Product of the entries (1 for rank 0). Throws ShapeError when it overflows.
  Index numel() const;

  const Index* begin() const { return sizes_; }
  const Index* end() const { return sizes_ + rank_; }
  Index* begin() { return sizes_; }
  Index* end() { return sizes_ + rank_; }

  void push_back(Index size);
  /// A copy without `axis`, or with `size` inserted before it; axis is not negative.
  Dims without(Index axis) const;
  Dims with(Index axis, Index size) const;

  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.rank_ != b.rank_) return false;
    for (Index i = 0; i < a.rank_; ++i) {
      if (a.sizes_[i] != b.sizes_[i]) return false;
    }
    return true;
  }

 private:
#ifdef _GLIBCXX_ASSERTIONS
  Index within(Index axis) const {
    if (axis < 0 || axis >= rank_) end_out_of_range(axis);
    return axis;
  }
#else
  static Index within(Index axis) { return axis; }
#endif
  [[noreturn]] void end_out_of_range(Index axis) const;

  Index sizes_[kMaxRank] = {};
  Index rank_ = 0;
};

using Shape = Dims;
using Strides = Dims;

/// "[2, 3]".
std::string to_string(const Dims& dims);
std::ostream& operator<<(std::ostream& out, const Dims& dims);

/// a * b; throws ShapeError in `op`'s name when it overflows or either is negative.
Index checked_mul(const char* op, Index a, Index b);
/// a + b; throws ShapeError in `op`'s name when it overflows.
Index checked_add(const char* op, Index a, Index b);

/// Maps a negative axis to its place from the end. Throws ShapeError outside [-rank, rank).
Index normalize_axis(const char* op, Index axis, Index rank);

/// Row-major strides of `shape`.
Strides row_major(const Shape& shape);

/// The strides under which a view of `from` has the shape `to`, of as many elements. False where
/// there are none, because an axis of `to` would need two steps.
bool view_strides(const Shape& from, const Strides& strides, const Shape& to, Strides& out);

/// NumPy's rule: aligned at the end, sizes equal or 1. Throws ShapeError naming `op` and both.
Shape broadcast_shapes(const char* op, const Shape& a, const Shape& b);

/// Whether the same rule makes a block of shape `small` one of shape `large`.
bool broadcasts_to(const Shape& small, const Shape& large);

/// Throws ShapeError when a size is negative or the product overflows; returns the product.
Index check_sizes(const char* op, const Shape& shape);

}  // namespace heed
