#include "matmul.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../error.h"
#include "../../parallel.h"
#include "../elementwise/copy.h"
#include "../reduce/reduce.h"
#include "gemm.h"
#include "gemm_panels.h"
#include "gemm_simd.h"

namespace heed::kernels {
namespace {

// BLAS reads a matrix whose rows or whose columns have neighbouring elements; others are copied.
bool readable(const Array& x) {
  const Index row = x.strides()[x.rank() - 2];
  const Index column = x.strides()[x.rank() - 1];
  const Index rows = x.size(-2);
  const Index columns = x.size(-1);
  const bool as_is = (column == 1 || columns == 1) && (row >= columns || rows == 1);
  const bool turned = (row == 1 || rows == 1) && (column >= rows || columns == 1);
  return as_is || turned;
}

template <class T>
Matrix<const T> matrix_of(const Array& x) {
  const Index row = x.strides()[x.rank() - 2];
  const Index column = x.strides()[x.rank() - 1];
  const Index rows = x.size(-2);
  const Index columns = x.size(-1);
  if ((column == 1 || columns == 1) && (row >= columns || rows == 1)) {
    return {x.data<T>(), rows == 1 ? columns : row, false};
  }
  return {x.data<T>(), columns == 1 ? rows : column, true};
}

// Strips of rows of some 4 MB in f32, for a product with `rows` rows that has the bits that it has
// in the whole; one where BLAS multiplies floats, whose bits depend on the width.
Index strips_of(const Array& w, Index rows) {
  constexpr Index kElements = 1048576, kLeast = 256;
  if (simd::gemm<float>().panels.rows == 0 || is_long_sum(rows, w.size(0), w.size(1), true)) {
    return 1;
  }
  return std::max<Index>(1, std::min(w.numel() / kElements, w.size(0) / kLeast));
}

}  // namespace

void check_inner(const Array& a, const Array& b) {
  if (a.rank() == 0 || b.rank() == 0) {
    throw ShapeError(
        fmt::format("matmul: needs rank 1 or more: a is {}, b is {}", describe(a), describe(b)));
  }
  const Index other = b.size(b.rank() == 1 ? 0 : -2);
  if (a.size(-1) == other) return;
  throw ShapeError(fmt::format(
      "matmul: inner sizes differ: a is {}, b is {}; a's last ({}) must equal b's {} ({})",
      describe(a), describe(b), a.size(-1), b.rank() == 1 ? "only" : "second to last", other));
}

Array matmul(const Array& a, const Array& b) {
  if (a.dtype() == DType::bf16 || b.dtype() == DType::bf16) {
    return matmul(a.widened(), b.widened());
  }
  if (!a.defined() || !b.defined()) {
    throw DTypeError(
        fmt::format("matmul: dtypes differ: a is {}, b is {}", describe(a), describe(b)));
  }
  if (a.dtype() != b.dtype()) {
    throw DTypeError(fmt::format("matmul: dtypes differ: a is {}, b is {}: {}", describe(a),
                                 describe(b), conversion("a", a.dtype(), "b", b.dtype())));
  }
  check_floating("matmul", a.dtype());
  check_inner(a, b);
  if (a.rank() == 1) {
    const Array out = matmul(a.unsqueeze(0), b.rank() == 1 ? b.unsqueeze(1) : b);
    return b.rank() == 1 ? out.reshape(Shape{}) : out.squeeze(-2);
  }
  if (b.rank() == 1) {
    return matmul(a, b.unsqueeze(1)).squeeze(-1);
  }
  const Index m = a.size(-2);
  const Index k = a.size(-1);
  const Index n = b.size(-1);
  // Rows of a stacked over the batch are one large product where b has no batch.
  if (b.rank() == 2 && a.rank() > 2 && a.is_contiguous()) {
    Shape shape = a.shape();
    shape[a.rank() - 1] = n;
    const Index rows = a.shape().without(a.rank() - 1).numel();
    return matmul(a.reshape(Shape{rows, k}), b).reshape(shape);
  }
  const Shape batch_a(a.shape().begin(), a.rank() - 2);
  const Shape batch_b(b.shape().begin(), b.rank() - 2);
  const Shape batch = broadcast_shapes("matmul", batch_a, batch_b);
  Shape shape = batch;
  shape.push_back(m);
  shape.push_back(n);
  Array out = Array::empty(shape, a.dtype());
  if (out.numel() == 0) return out;
  if (k == 0) {
    fill(out, 0);
    return out;
  }
  Array left = readable(a) ? a : a.contiguous();
  Array right = readable(b) ? b : b.contiguous();
  Shape wide = batch;
  wide.push_back(m);
  wide.push_back(k);
  left = left.expand(wide);
  wide[batch.rank()] = k;
  wide[batch.rank() + 1] = n;
  right = right.expand(wide);
  visit_floating("matmul", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Matrix<const T> first = matrix_of<T>(left);
    const Matrix<const T> second = matrix_of<T>(right);
    T* to = out.mutable_data<T>();
    const Index count = batch.numel();
    if (count == 1) {
      gemm(m, n, k, first, second, false, to, n);
      return;
    }
    // Small products side by side, large ones one after the other.
    const Index work = m * n * k;
    const bool side_by_side = work < (Index{1} << 24);
    const Index grain =
        side_by_side ? std::max<Index>(1, (Index{1} << 18) / std::max<Index>(work, 1)) : count;
    parallel_for(count, grain, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        Index rest = i;
        Index at_first = 0;
        Index at_second = 0;
        for (Index axis = batch.rank() - 1; axis >= 0; --axis) {
          const Index place = rest % batch[axis];
          rest /= batch[axis];
          at_first += place * left.strides()[axis];
          at_second += place * right.strides()[axis];
        }
        const Matrix<const T> x{first.data + at_first, first.step, first.transposed};
        const Matrix<const T> y{second.data + at_second, second.step, second.transposed};
        if (side_by_side) {
          gemm_here(m, n, k, x, y, false, to + i * m * n, n);
        } else {
          gemm(m, n, k, x, y, false, to + i * m * n, n);
        }
      }
    });
  });
  return out;
}

Array linear(const Array& x, const Array& w, const Array& bias) {
  if (!x.defined() || !w.defined() || widened(x.dtype()) != widened(w.dtype()) ||
      (bias.defined() && widened(bias.dtype()) != widened(x.dtype()))) {
    throw DTypeError(fmt::format("linear: dtypes differ: x is {}, weight is {}, bias is {}",
                                 describe(x), describe(w), describe(bias)));
  }
  if (x.dtype() == DType::bf16 || bias.dtype() == DType::bf16) {
    return linear(x.widened(), w, bias.defined() ? bias.widened() : bias);
  }
  check_floating("linear", x.dtype());
  if (x.rank() == 0 || w.rank() != 2 || x.size(-1) != w.size(1)) {
    throw ShapeError(
        fmt::format("linear: x is {}, weight is {}; x's last size must equal weight's last",
                    describe(x), describe(w)));
  }
  if (bias.defined() && !(bias.shape() == Shape{w.size(0)})) {
    throw ShapeError(fmt::format("linear: bias is {}, weight is {}; bias must be [{}]",
                                 describe(bias), describe(w), w.size(0)));
  }
  const Index in = w.size(1);
  const Index out_width = w.size(0);
  Shape shape = x.shape();
  shape[x.rank() - 1] = out_width;
  const Index rows = x.shape().without(x.rank() - 1).numel();
  Array out = Array::empty(shape, x.dtype());
  if (out.numel() == 0) return out;
  const Array flat = x.reshape(Shape{rows, in});
  // A few rows read the weights as they are, once; for more they are widened, strip by strip.
  const bool narrow = w.dtype() == DType::bf16;
  const bool reads_narrow = narrow && few_rows(rows, out_width, in) && flat.is_contiguous() &&
                            w.strides()[1] == 1 && w.strides()[0] >= in;
  if (narrow && !reads_narrow) {
    const Index strips = strips_of(w, rows);
    if (strips == 1) return linear(x, w.widened(), bias);
    const Array left = readable(flat) ? flat : flat.contiguous();
    const Matrix<const float> first = matrix_of<float>(left);
    const bool in_panels = first.transposed || !few_rows(rows, out_width, in);
    for (Index i = 0; i < strips; ++i) {
      const Index begin = out_width * i / strips, end = out_width * (i + 1) / strips;
      const Array strip = w.slice(0, begin, end).widened();
      const Array offsets = bias.defined() ? bias.slice(0, begin, end).contiguous() : Array();
      Matrix<const float> weight = matrix_of<float>(strip);
      weight.transposed = !weight.transposed;
      float* const to = out.mutable_data<float>() + begin;
      const float* const offset = offsets.defined() ? offsets.data<float>() : nullptr;
      if (in_panels && is_long_sum(rows, end - begin, in, true)) {  // which the whole is not
        gemm_in_panels(rows, end - begin, in, first, weight, false, offset, to, out_width, nullptr);
      } else {
        gemm(rows, end - begin, in, first, weight, false, to, out_width, offset);
      }
    }
    return out;
  }
  const Array left = readable(flat) ? flat : flat.contiguous();
  const Array right = readable(w) ? w : w.contiguous();
  if (in == 0) {
    if (bias.defined()) {
      copy_into(out, bias.expand(shape));
    } else {
      fill(out, 0);
    }
    return out;
  }
  const Array offsets = bias.defined() ? bias.contiguous() : Array();
  if (narrow) {
    gemm_bf16_weights(rows, out_width, in, flat.data<float>(), w.data<BFloat16>(), w.strides()[0],
                      out.mutable_data<float>(),
                      offsets.defined() ? offsets.data<float>() : nullptr);
    return out;
  }
  visit_floating("linear", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    Matrix<const T> weight = matrix_of<T>(right);
    weight.transposed = !weight.transposed;
    gemm(rows, out_width, in, matrix_of<T>(left), weight, false, out.mutable_data<T>(), out_width,
         offsets.defined() ? offsets.data<T>() : nullptr);
  });
  return out;
}

Array linear_weight_grad(const Array& g, const Array& x, Array* bias_grad) {
  const Array turned = g.transpose(0, 1);
  const Index rows = g.size(0);
  const bool plain = bias_grad == nullptr || rows == 0 || g.numel() == 0 || x.numel() == 0 ||
                     !readable(turned) || !readable(x);
  if (plain) {
    if (bias_grad != nullptr) *bias_grad = reduce(Reduce::sum, g, {0}, false);
    return matmul(turned, x);
  }
  check_inner(turned, x);
  Array out = Array::empty(Shape{g.size(1), x.size(1)}, g.dtype());
  Array sums = Array::empty(Shape{g.size(1)}, DType::f64);
  visit_floating("linear", g.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const bool summed =
        gemm_and_sums(g.size(1), x.size(1), rows, matrix_of<T>(turned), matrix_of<T>(x),
                      out.mutable_data<T>(), x.size(1), sums.mutable_data<double>());
    if (!summed) sums = reduce(Reduce::sum, g, {0}, false);
  });
  *bias_grad = sums.to(g.dtype());
  return out;
}

}  // namespace heed::kernels
