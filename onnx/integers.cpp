#include "integers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../core/error.h"

namespace heed::onnx {
namespace {

using Whole = std::int64_t;

// Sums and products of signed numbers that wrap around.
Whole plus(Whole x, Whole y) {
  return static_cast<Whole>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
}
Whole times(Whole x, Whole y) {
  return static_cast<Whole>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
}

template <class F>
Array both(const char* op, const Array& x, const Array& y, const F& function) {
  const Shape shape = broadcast_shapes(op, x.shape(), y.shape());
  const Array a = x.expand(shape).contiguous(), b = y.expand(shape).contiguous();
  const Whole* const from = a.data<Whole>();
  const Whole* const with = b.data<Whole>();
  Array out = Array::empty(shape, DType::i64);
  Whole* const to = out.mutable_data<Whole>();
  for (Index i = 0; i < out.numel(); ++i) to[i] = function(from[i], with[i]);
  return out;
}

void check_not_zero(Whole y) {
  if (y == 0) throw ValueError("a division of integers by 0");
}

Whole to_the(Whole x, Whole y) {
  if (y < 0) throw ValueError("a power of integers below 0");
  Whole out = 1;
  for (; y > 0; y >>= 1) {
    if ((y & 1) != 0) out = times(out, x);
    x = times(x, x);
  }
  return out;
}

}  // namespace

Array divide(const Array& x, const Array& y) {
  return both("Div", x, y, [](Whole a, Whole b) {
    check_not_zero(b);
    return b == -1 ? times(a, -1) : a / b;
  });
}
Array c_remainder(const Array& x, const Array& y) {
  return both("Mod", x, y, [](Whole a, Whole b) {
    check_not_zero(b);
    return b == -1 ? 0 : a % b;
  });
}
Array power(const Array& x, const Array& y) { return both("Pow", x, y, to_the); }

Array reduce(const Array& x, Reduction reduction, const std::vector<Index>& axes, bool keepdim) {
  std::vector<Index> order;
  Shape out_shape;
  Index count = 1;
  for (Index axis = 0; axis < x.rank(); ++axis) {
    const bool gone = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (gone) {
      count *= x.shape()[axis];
      if (keepdim) out_shape.push_back(1);
    } else {
      order.push_back(axis);
      out_shape.push_back(x.shape()[axis]);
    }
  }
  order.insert(order.end(), axes.begin(), axes.end());
  Array out = Array::empty(out_shape, DType::i64);
  if (count == 0 && out.numel() > 0 && reduction != Reduction::sum &&
      reduction != Reduction::product)
    throw ShapeError("a reduction over no elements of " + describe(x));
  const Array rows = x.permute(order).contiguous();
  const Whole* from = rows.data<Whole>();
  Whole* const to = out.mutable_data<Whole>();
  for (Index i = 0; i < out.numel(); ++i, from += count) {
    Whole sum = reduction == Reduction::product ? 1 : 0;
    if (reduction == Reduction::most || reduction == Reduction::least) sum = from[0];
    for (Index j = 0; j < count; ++j) {
      switch (reduction) {
        case Reduction::product: sum = times(sum, from[j]); break;
        case Reduction::most: sum = std::max(sum, from[j]); break;
        case Reduction::least: sum = std::min(sum, from[j]); break;
        case Reduction::sum:
        case Reduction::mean: sum = plus(sum, from[j]); break;
      }
    }
    to[i] = reduction == Reduction::mean ? sum / count : sum;
  }
  return out;
}

Array running_sum(const Array& x, Index axis) {
  Array out = x.clone();
  Whole* const to = out.mutable_data<Whole>();
  const Index length = x.shape()[axis], inner = row_major(x.shape())[axis];
  for (Index i = 0; i < out.numel(); ++i) {
    if (i / inner % length != 0) to[i] = plus(to[i], to[i - inner]);
  }
  return out;
}

Array added_at(const Array& x, const std::vector<Array>& places, const Array& values) {
  Shape named;
  for (const Array& each : places) named = broadcast_shapes("indices", named, each.shape());
  Shape fits = named;
  for (Index axis = static_cast<Index>(places.size()); axis < x.rank(); ++axis)
    fits.push_back(x.shape()[axis]);
  if (!(broadcast_shapes("updates", values.shape(), fits) == fits)) {
    throw ShapeError(
        fmt::format("updates {} do not broadcast to {}", describe(values), to_string(fits)));
  }
  const Index count = named.numel(), inner = count == 0 ? 0 : fits.numel() / count;
  std::vector<Index> rows(static_cast<std::size_t>(count), 0);
  for (std::size_t axis = 0; axis < places.size(); ++axis) {
    const Array dense = places[axis].expand(named).contiguous();
    const Index size = x.shape()[static_cast<Index>(axis)];
    for (Index i = 0; i < count; ++i) {
      const Whole place = dense.data<Whole>()[i];
      if (place < 0 || place >= size) {
        throw IndexError(
            fmt::format("place {} is not within axis {} of {}", place, axis, describe(x)));
      }
      Index& row = rows[static_cast<std::size_t>(i)];
      row = row * size + place;
    }
  }
  const Array added = values.expand(fits).contiguous();
  Array out = x.clone();
  Whole* const to = out.mutable_data<Whole>();
  const Whole* from = added.data<Whole>();
  for (const Index row : rows) {
    for (Index i = 0; i < inner; ++i, ++from)
      to[row * inner + i] = plus(to[row * inner + i], *from);
  }
  return out;
}

Array product(const Array& x, const Array& y) {
  if (x.rank() == 0 || y.rank() == 0) {
    throw ShapeError(fmt::format("a product of {} and {}", describe(x), describe(y)));
  }
  const Array a = x.rank() == 1 ? x.unsqueeze(0) : x, b = y.rank() == 1 ? y.unsqueeze(1) : y;
  const Index rows = a.size(-2), inner = a.size(-1), columns = b.size(-1);
  if (b.size(-2) != inner) {
    throw ShapeError(
        fmt::format("inner sizes differ: a product of {} and {}", describe(x), describe(y)));
  }
  const auto leading = [](const Array& of) {
    return of.shape().without(of.rank() - 1).without(of.rank() - 2);
  };
  const Shape batch = broadcast_shapes("product", leading(a), leading(b));
  const auto spread = [&batch](const Array& of) {
    Shape shape = batch;
    shape.push_back(of.size(-2));
    shape.push_back(of.size(-1));
    return of.expand(shape).contiguous();
  };
  const Array left = spread(a), right = spread(b);
  Shape shape = batch;
  if (x.rank() > 1) shape.push_back(rows);
  if (y.rank() > 1) shape.push_back(columns);
  Array out = Array::zeros(shape, DType::i64);
  Whole* to = out.mutable_data<Whole>();
  const Whole* from = left.data<Whole>();
  const Whole* with = right.data<Whole>();
  for (Index i = 0; i < batch.numel(); ++i, with += inner * columns) {
    for (Index row = 0; row < rows; ++row, from += inner, to += columns) {
      for (Index k = 0; k < inner; ++k) {
        for (Index column = 0; column < columns; ++column)
          to[column] = plus(to[column], times(from[k], with[k * columns + column]));
      }
    }
  }
  return out;
}

Array wrapped(const Array& x, int bits, bool with_sign) {
  const int left = 64 - bits;
  Array out = x.clone();
  Whole* const to = out.mutable_data<Whole>();
  for (Index i = 0; i < out.numel(); ++i) {
    const auto up = static_cast<std::uint64_t>(to[i]) << left;
    to[i] = with_sign ? static_cast<Whole>(up) >> left : static_cast<Whole>(up >> left);
  }
  return out;
}

}  // namespace heed::onnx
