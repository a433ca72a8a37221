#include "array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "error.h"
#include "kernels/elementwise/copy.h"

namespace heed {

void Array::update() {
  numel_ = shape_.numel();
  contiguous_ = true;
  Index step = 1;
  if (numel_ == 0) return;
  for (Index axis = rank() - 1; axis >= 0; --axis) {
    if (shape_[axis] == 1) continue;
    if (strides_[axis] != step) {
      contiguous_ = false;
      return;
    }
    step *= shape_[axis];
  }
}

void Array::throw_dtype(DType asked) const {
  throw DTypeError(fmt::format("array: asked for {} of {}", name(asked), describe(*this)));
}

Array Array::empty(const Shape& shape, DType dtype) {
  Array out;
  out.numel_ = check_sizes("array", shape);
  const Index bytes = checked_mul("array", out.numel_, static_cast<Index>(size_of(dtype)));
  out.storage_ = Storage::make(static_cast<std::size_t>(bytes));
  out.data_ = out.storage_->data();
  out.shape_ = shape;
  out.strides_ = row_major(shape);
  out.dtype_ = dtype;
  return out;
}

Array Array::around(void* data, const Shape& shape, const Strides& strides, DType dtype,
                    void (*release)(void*), void* owner) {
  const auto bytes = [&] {
    const Index numel = check_sizes("array", shape);
    Index last = 0;  // the place of the last element
    if (strides.rank() != shape.rank()) {
      throw ShapeError(
          fmt::format("array: {} strides for shape {}", strides.rank(), to_string(shape)));
    }
    for (Index axis = 0; axis < shape.rank() && numel > 0; ++axis) {
      last = checked_add("array", last, checked_mul("array", shape[axis] - 1, strides[axis]));
    }
    return numel == 0 ? 0
                      : checked_mul("array", checked_add("array", last, 1),
                                    static_cast<Index>(size_of(dtype)));
  };
  Index size = 0;
  try {
    size = bytes();
  } catch (...) {
    release(owner);
    throw;
  }
  Array out;
  auto* const first = static_cast<std::byte*>(data);
  out.storage_ = Storage::around(first, static_cast<std::size_t>(size), release, owner);
  out.data_ = first;
  out.shape_ = shape;
  out.strides_ = strides;
  out.dtype_ = dtype;
  out.update();
  return out;
}

Array Array::zeros(const Shape& shape, DType dtype) {
  Array out = empty(shape, dtype);
  std::memset(out.data_, 0, out.storage_->bytes());
  return out;
}

Array Array::full(const Shape& shape, double value, DType dtype) {
  Array out = empty(shape, dtype);
  kernels::fill(out, value);
  return out;
}

template <class T>
Array Array::copied(const std::vector<T>& values, const Shape& shape) {
  if (check_sizes("array", shape) != static_cast<Index>(values.size())) {
    throw ShapeError(
        fmt::format("array: {} values do not fill shape {}", values.size(), to_string(shape)));
  }
  Array out = empty(shape, dtype_of<T>);
  std::copy(values.begin(), values.end(), reinterpret_cast<T*>(out.data_));
  return out;
}

template Array Array::copied(const std::vector<float>&, const Shape&);
template Array Array::copied(const std::vector<double>&, const Shape&);
template Array Array::copied(const std::vector<std::int64_t>&, const Shape&);
template Array Array::copied(const std::vector<bool>&, const Shape&);
template Array Array::copied(const std::vector<BFloat16>&, const Shape&);

template <class T>
std::vector<T> Array::copied_out() const {
  const Array dense = contiguous();
  const T* first = dense.data<T>();
  return std::vector<T>(first, first + numel_);
}

template std::vector<float> Array::copied_out() const;
template std::vector<double> Array::copied_out() const;
template std::vector<std::int64_t> Array::copied_out() const;
template std::vector<bool> Array::copied_out() const;
template std::vector<BFloat16> Array::copied_out() const;

double Array::item() const {
  if (!defined() || numel_ != 1) {
    throw ShapeError(fmt::format("item: needs exactly one element, not {}{}", describe(*this),
                                 defined() && dtype_ == DType::boolean ? ": all(x), any(x)" : ""));
  }
  return visit_dtype(dtype_, [&](auto zero) {
    return static_cast<double>(*reinterpret_cast<const decltype(zero)*>(data_));
  });
}

Array Array::as_strided(const Shape& shape, const Strides& strides) const {
  Array out = *this;
  out.shape_ = shape;
  out.strides_ = strides;
  out.update();
  return out;
}

// `wanted` with the size that its -1 stands for.
Shape Array::filled(const char* op, const Shape& wanted) const {
  Shape shape = wanted;
  Index hole = -1;
  Index known = 1;
  for (Index axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == -1) {
      if (hole >= 0) {
        throw ShapeError(
            fmt::format("{}: only one size may be -1, which stands for what is left: {}", op,
                        to_string(wanted)));
      }
      hole = axis;
    } else {
      known = checked_mul(op, known, shape[axis]);
    }
  }
  if (hole >= 0) shape[hole] = known == 0 ? 0 : numel_ / known;
  if ((hole >= 0 && known == 0) || shape.numel() != numel_) {
    throw ShapeError(fmt::format("{}: {} elements of shape {} do not fill {}", op, numel_,
                                 to_string(shape_), to_string(wanted)));
  }
  return shape;
}

Array Array::reshape(const Shape& wanted) const {
  const Shape shape = filled("reshape", wanted);
  Strides strides;
  if (contiguous_) return as_strided(shape, row_major(shape));
  if (view_strides(shape_, strides_, shape, strides)) return as_strided(shape, strides);
  return clone().as_strided(shape, row_major(shape));
}

Array Array::view(const Shape& wanted) const {
  const Shape shape = filled("view", wanted);
  Strides strides;
  if (contiguous_) return as_strided(shape, row_major(shape));
  if (view_strides(shape_, strides_, shape, strides)) return as_strided(shape, strides);
  throw ShapeError(fmt::format("view: {} with strides {} has no view of shape {}; reshape copies",
                               describe(*this), to_string(strides_), to_string(shape)));
}

Array Array::transpose(Index a, Index b) const {
  a = normalize_axis("transpose", a, rank());
  b = normalize_axis("transpose", b, rank());
  Shape shape = shape_;
  Strides strides = strides_;
  std::swap(shape[a], shape[b]);
  std::swap(strides[a], strides[b]);
  return as_strided(shape, strides);
}

Array Array::permute(const std::vector<Index>& axes) const {
  if (static_cast<Index>(axes.size()) != rank()) {
    throw ShapeError(fmt::format("permute: {} axes given for rank {}", axes.size(), rank()));
  }
  Shape shape = shape_;
  Strides strides = strides_;
  bool seen[kMaxRank] = {};
  for (Index i = 0; i < rank(); ++i) {
    const Index from = normalize_axis("permute", axes[static_cast<std::size_t>(i)], rank());
    if (seen[from]) throw ShapeError(fmt::format("permute: axis {} is named twice", from));
    seen[from] = true;
    shape[i] = shape_[from];
    strides[i] = strides_[from];
  }
  return as_strided(shape, strides);
}

Array Array::slice(Index axis, Index start, Index stop, Index step) const {
  axis = normalize_axis("slice", axis, rank());
  if (step <= 0) throw ValueError(fmt::format("slice: step {} must be positive", step));
  const Index size = shape_[axis];
  const auto clamp = [size](Index at) {
    return std::clamp<Index>(at < 0 ? std::max<Index>(at, -size) + size : at, 0, size);
  };
  start = clamp(start);
  stop = std::max(clamp(stop), start);
  Shape shape = shape_;
  Strides strides = strides_;
  shape[axis] = stop == start ? 0 : (stop - start - 1) / step + 1;
  if (shape[axis] > 1) strides[axis] *= step;
  Array out = as_strided(shape, strides);
  if (out.numel_ > 0) {
    out.data_ += start * strides_[axis] * static_cast<Index>(size_of(dtype_));
  }
  return out;
}

Array Array::select(Index axis, Index index) const {
  axis = normalize_axis("select", axis, rank());
  const Index size = shape_[axis];
  const Index place = index < 0 ? index + size : index;
  if (place < 0 || place >= size) {
    throw IndexError(fmt::format("select: index {} is out of range for axis {} of {}", index, axis,
                                 describe(*this)));
  }
  Array out = as_strided(shape_.without(axis), strides_.without(axis));
  if (out.numel_ > 0) {
    out.data_ += place * strides_[axis] * static_cast<Index>(size_of(dtype_));
  }
  return out;
}

Array Array::expand(const Shape& shape) const {
  if (shape == shape_) return *this;
  check_sizes("expand", shape);
  const Index lead = shape.rank() - rank();
  Strides strides = Strides::filled(shape.rank(), 0);
  bool fits = lead >= 0;
  for (Index axis = 0; fits && axis < rank(); ++axis) {
    if (shape_[axis] == shape[lead + axis]) {
      strides[lead + axis] = strides_[axis];
    } else {
      fits = shape_[axis] == 1;
    }
  }
  if (!fits) {
    throw ShapeError(
        fmt::format("expand: {} does not broadcast to {}", describe(*this), to_string(shape)));
  }
  return as_strided(shape, strides);
}

Array Array::squeeze(Index axis) const {
  axis = normalize_axis("squeeze", axis, rank());
  if (shape_[axis] != 1) {
    throw ShapeError(fmt::format("squeeze: axis {} of {} is not 1", axis, describe(*this)));
  }
  return as_strided(shape_.without(axis), strides_.without(axis));
}

Array Array::unsqueeze(Index axis) const {
  axis = normalize_axis("unsqueeze", axis, rank() + 1);
  return as_strided(shape_.with(axis, 1), strides_.with(axis, 1));
}

Array Array::contiguous() const { return contiguous_ ? *this : clone(); }

Array Array::clone() const {
  if (!defined()) throw ShapeError("clone: the array is undefined");
  Array out = empty(shape_, dtype_);
  kernels::copy_into(out, *this);
  return out;
}

Array Array::to(DType dtype) const {
  if (dtype == dtype_) return *this;
  if (!defined()) throw ShapeError("to: the array is undefined");
  Array out = empty(shape_, dtype);
  kernels::copy_into(out, *this);
  return out;
}

std::string describe(const Array& array) {
  if (!array.defined()) return "undefined";
  return name(array.dtype()) + to_string(array.shape());
}

}  // namespace heed
