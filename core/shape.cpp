#include "shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "dtype.h"
#include "error.h"

namespace heed {

std::string conversion(const char* x_name, DType x, const char* y_name, DType y) {
  const auto width = [](DType dtype) {
    const DType order[] = {DType::boolean, DType::i64, DType::bf16, DType::f32, DType::f64};
    return std::find(std::begin(order), std::end(order), dtype) - std::begin(order);
  };
  const bool first = width(x) < width(y);
  return fmt::format("convert one, to({}, DType::{})", first ? x_name : y_name,
                     name(first ? y : x));
}

void check_floating(const char* op, DType dtype) {
  if (is_computed(dtype)) return;
  throw DTypeError(fmt::format("{}: takes f32 or f64, not {}{}", op, name(dtype),
                               dtype == DType::bf16 ? ": say x.to(DType::f32)" : ""));
}

namespace {

[[noreturn]] void throw_rank(Index rank) {
  throw ShapeError(fmt::format("shape: rank {} is above the limit of {}", rank, kMaxRank));
}

}  // namespace

Dims::Dims(const Index* sizes, Index rank) : rank_(rank) {
  if (rank > kMaxRank) throw_rank(rank);
  std::copy(sizes, sizes + rank, sizes_);
}

Dims Dims::filled(Index rank, Index value) {
  if (rank > kMaxRank) throw_rank(rank);
  Dims dims;
  dims.rank_ = rank;
  std::fill(dims.begin(), dims.end(), value);
  return dims;
}

Index Dims::at(Index axis) const { return sizes_[normalize_axis("size", axis, rank_)]; }

Index Dims::numel() const {
  Index product = 1;
  for (Index i = 0; i < rank_; ++i) {
    if (__builtin_mul_overflow(product, sizes_[i], &product)) {
      if (std::find(begin(), end(), 0) != end()) return 0;
      throw ShapeError(
          fmt::format("shape: the number of elements of {} overflows 64 bits", to_string(*this)));
    }
  }
  return product;
}

void Dims::push_back(Index size) {
  if (rank_ == kMaxRank) throw_rank(rank_ + 1);
  sizes_[rank_++] = size;
}

void Dims::end_out_of_range(Index axis) const {
  fmt::print(stderr, "heed: axis {} of {}, which has {}\n", axis, to_string(*this), rank_);
  std::abort();
}

Dims Dims::without(Index axis) const {
  Dims out = *this;
  std::copy(out.begin() + axis + 1, out.end(), out.begin() + axis);
  --out.rank_;
  return out;
}

Dims Dims::with(Index axis, Index size) const {
  Dims out = *this;
  out.push_back(size);
  std::copy_backward(out.begin() + axis, out.end() - 1, out.end());
  out[axis] = size;
  return out;
}

std::string to_string(const Dims& dims) {
  return fmt::format("[{}]", fmt::join(dims.begin(), dims.end(), ", "));
}

Index checked_mul(const char* op, Index a, Index b) {
  Index product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) {
    throw ShapeError(fmt::format("{}: size {} x {} is negative or overflows 64 bits", op, a, b));
  }
  return product;
}

Index checked_add(const char* op, Index a, Index b) {
  Index sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw ShapeError(fmt::format("{}: sizes overflow: {} + {}", op, a, b));
  }
  return sum;
}

Index normalize_axis(const char* op, Index axis, Index rank) {
  const Index place = axis < 0 ? axis + rank : axis;
  if (place < 0 || place >= rank) {
    throw ShapeError(fmt::format("{}: axis {} is out of range for rank {}", op, axis, rank));
  }
  return place;
}

Strides row_major(const Shape& shape) {
  Strides strides = shape;
  Index step = 1;
  for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = step;
    // Wraps, unobserved, only where another size is 0: every other shape was checked by numel().
    const auto size = static_cast<std::uint64_t>(std::max<Index>(shape[axis], 1));
    step = static_cast<Index>(static_cast<std::uint64_t>(step) * size);
  }
  return strides;
}

bool view_strides(const Shape& from, const Strides& strides, const Shape& to, Strides& out) {
  out = row_major(to);
  if (from.numel() == 0) return true;
  Index place = to.rank() - 1;
  // Axes of `from` that lie in one another are one run; axes of `to` must cut runs, never join two.
  for (Index axis = from.rank() - 1; axis >= 0;) {
    const Index step = strides[axis];
    Index run = from[axis--];
    while (axis >= 0 && (from[axis] == 1 || strides[axis] == run * step)) run *= from[axis--];
    Index covered = 1;
    while (place >= 0 && (covered < run || to[place] == 1)) {
      out[place] = covered * step;
      covered *= to[place--];
    }
    if (covered != run) return false;
  }
  return true;
}

Shape broadcast_shapes(const char* op, const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape out = longer;
  const Index lead = longer.rank() - shorter.rank();
  for (Index axis = 0; axis < shorter.rank(); ++axis) {
    const Index left = longer[lead + axis];
    const Index right = shorter[axis];
    if (left != right && left != 1 && right != 1) {
      throw ShapeError(fmt::format(
          "{}: shapes {} and {} do not broadcast: {} against {} on axis {} from the end", op,
          to_string(a), to_string(b), left, right, shorter.rank() - axis));
    }
    out[lead + axis] = left == 1 ? right : left;
  }
  return out;
}

bool broadcasts_to(const Shape& small, const Shape& large) {
  const Index lead = large.rank() - small.rank();
  if (lead < 0) return false;
  for (Index axis = 0; axis < small.rank(); ++axis) {
    if (small[axis] != large[lead + axis] && small[axis] != 1) return false;
  }
  return true;
}

Index check_sizes(const char* op, const Shape& shape) {
  for (const Index size : shape) {
    if (size < 0) {
      throw ShapeError(fmt::format("{}: a size of {} is negative", op, to_string(shape)));
    }
  }
  return shape.numel();
}

}  // namespace heed
