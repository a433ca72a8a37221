#include "elementwise.h"

#include "../../core/kernels/elementwise.h"
#include "../record.h"

namespace heed {

using kernels::Binary;
using kernels::Unary;

namespace {

Array apply(Unary op, const Tensor& x) { return kernels::unary(op, x.array()); }
Array apply(Binary op, const Tensor& x, const Tensor& y) {
  return kernels::binary(op, x.array(), y.array());
}

// A number as a tensor that fits beside x.
Tensor like(const Tensor& x, double value) { return tensor(value, x.dtype()); }

Tensor as(DType dtype, const Tensor& mask) { return mask.array().to(dtype); }

// 1 where x wins, 0 where y does, 1/2 where they are equal.
Tensor share(kernels::Compare wins, const Tensor& x, const Tensor& y) {
  const Tensor won = as(x.dtype(), kernels::compare(wins, x.array(), y.array()));
  const Tensor even = as(x.dtype(), kernels::compare(kernels::Compare::eq, x.array(), y.array()));
  return won + 0.5 * even;
}

}  // namespace

Tensor operator+(const Tensor& x, const Tensor& y) {
  const auto rule = [](const Tensor& g) { return g; };
  return record(Op::add, apply(Binary::add, x, y), {x, y}, rule, rule);
}

Tensor operator-(const Tensor& x, const Tensor& y) {
  return record(
      Op::sub, apply(Binary::sub, x, y), {x, y}, [](const Tensor& g) { return g; },
      [](const Tensor& g) { return -g; });
}

Tensor operator*(const Tensor& x, const Tensor& y) {
  return record(
      Op::mul, apply(Binary::mul, x, y), {x, y},
      [y = Saved(y)](const Tensor& g) { return g * y(); },
      [x = Saved(x)](const Tensor& g) { return g * x(); });
}

// gy = -g x / y^2
Tensor operator/(const Tensor& x, const Tensor& y) {
  return record(
      Op::div, apply(Binary::div, x, y), {x, y},
      [y = Saved(y)](const Tensor& g) { return g / y(); },
      [x = Saved(x), y = Saved(y)](const Tensor& g) { return -(g * x() / square(y())); });
}

Tensor operator-(const Tensor& x) {
  return record(Op::neg, apply(Unary::neg, x), {x}, [](const Tensor& g) { return -g; });
}

Tensor operator+(const Tensor& x, double y) { return x + like(x, y); }
Tensor operator-(const Tensor& x, double y) { return x - like(x, y); }
Tensor operator*(const Tensor& x, double y) { return x * like(x, y); }
Tensor operator/(const Tensor& x, double y) { return x / like(x, y); }
Tensor operator+(double x, const Tensor& y) { return like(y, x) + y; }
Tensor operator-(double x, const Tensor& y) { return like(y, x) - y; }
Tensor operator*(double x, const Tensor& y) { return like(y, x) * y; }
Tensor operator/(double x, const Tensor& y) { return like(y, x) / y; }

Tensor abs(const Tensor& x) {
  return record(Op::abs, apply(Unary::abs, x), {x}, [x = Saved(x)](const Tensor& g) {
    return g * Tensor(kernels::unary(Unary::sign, x.array()));
  });
}

Tensor exp(const Tensor& x) {
  const Array y = apply(Unary::exp, x);
  return record(Op::exp, y, {x}, [y = SavedOutput(y)](const Tensor& g) { return g * y(); });
}

Tensor log(const Tensor& x) {
  return record(Op::log, apply(Unary::log, x), {x},
                [x = Saved(x)](const Tensor& g) { return g / x(); });
}

// gx = g / (2 y)
Tensor sqrt(const Tensor& x) {
  const Array y = apply(Unary::sqrt, x);
  return record(Op::sqrt, y, {x}, [y = SavedOutput(y)](const Tensor& g) { return g / (2 * y()); });
}

Tensor square(const Tensor& x) {
  return record(Op::square, apply(Unary::square, x), {x},
                [x = Saved(x)](const Tensor& g) { return g * (2 * x()); });
}

// gx = -g y^2
Tensor reciprocal(const Tensor& x) {
  const Array y = apply(Unary::reciprocal, x);
  return record(Op::reciprocal, y, {x},
                [y = SavedOutput(y)](const Tensor& g) { return -(g * square(y())); });
}

// gx = g (1 - y^2)
Tensor tanh(const Tensor& x) {
  const Array y = apply(Unary::tanh, x);
  return record(Op::tanh, y, {x}, [y = SavedOutput(y)](const Tensor& g) {
    if (!recording()) return Tensor(kernels::binary(Binary::tanh_grad, g.array(), y.array()));
    return g * (1 - square(y()));
  });
}

// gx = g y (1 - y)
Tensor sigmoid(const Tensor& x) {
  const Array y = apply(Unary::sigmoid, x);
  return record(Op::sigmoid, y, {x}, [y = SavedOutput(y)](const Tensor& g) {
    if (!recording()) return Tensor(kernels::binary(Binary::sigmoid_grad, g.array(), y.array()));
    const Tensor out = y();
    return g * (out * (1 - out));
  });
}

// gx = g where y > 0
Tensor relu(const Tensor& x) {
  const Array y = apply(Unary::relu, x);
  return record(Op::relu, y, {x}, [y = SavedOutput(y)](const Tensor& g) {
    if (!recording()) return Tensor(kernels::binary(Binary::relu_grad, g.array(), y.array()));
    return where(y() > tensor(0, g.dtype()), g, tensor(0, g.dtype()));
  });
}

Tensor maximum(const Tensor& x, const Tensor& y) {
  using kernels::Compare;
  return record(
      Op::maximum, apply(Binary::maximum, x, y), {x, y},
      [x = Saved(x), y = Saved(y)](const Tensor& g) { return g * share(Compare::gt, x(), y()); },
      [x = Saved(x), y = Saved(y)](const Tensor& g) { return g * share(Compare::lt, x(), y()); });
}

Tensor minimum(const Tensor& x, const Tensor& y) {
  using kernels::Compare;
  return record(
      Op::minimum, apply(Binary::minimum, x, y), {x, y},
      [x = Saved(x), y = Saved(y)](const Tensor& g) { return g * share(Compare::lt, x(), y()); },
      [x = Saved(x), y = Saved(y)](const Tensor& g) { return g * share(Compare::gt, x(), y()); });
}

Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y) {
  return record(
      Op::where, kernels::where(condition.array(), x.array(), y.array()), {x, y},
      [condition = Saved(condition)](const Tensor& g) {
        return where(condition(), g, tensor(0, g.dtype()));
      },
      [condition = Saved(condition)](const Tensor& g) {
        return where(condition(), tensor(0, g.dtype()), g);
      });
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  return where(mask, like(x, value), x);
}

Tensor operator==(const Tensor& x, const Tensor& y) {
  return kernels::compare(kernels::Compare::eq, x.array(), y.array());
}
Tensor operator!=(const Tensor& x, const Tensor& y) {
  return kernels::compare(kernels::Compare::ne, x.array(), y.array());
}
Tensor operator<(const Tensor& x, const Tensor& y) {
  return kernels::compare(kernels::Compare::lt, x.array(), y.array());
}
Tensor operator<=(const Tensor& x, const Tensor& y) {
  return kernels::compare(kernels::Compare::le, x.array(), y.array());
}
Tensor operator>(const Tensor& x, const Tensor& y) {
  return kernels::compare(kernels::Compare::gt, x.array(), y.array());
}
Tensor operator>=(const Tensor& x, const Tensor& y) {
  return kernels::compare(kernels::Compare::ge, x.array(), y.array());
}
Tensor logical_not(const Tensor& x) { return kernels::logical_not(x.array()); }
Tensor logical_and(const Tensor& x, const Tensor& y) {
  return kernels::logical_and(x.array(), y.array());
}

}  // namespace heed
