// Chosen: what a mask or indices name of a tensor, `x[x > 0]`: their values, in memory of their
// own, and the tensor that they came from. What is assigned to it where it stands goes there:
//
//   x[x > 0] = 0;     x[indices] = values;     x[indices] += 1;    // of an index named twice, the last
//
// Kept under a name it is a tensor as any other: `auto y = x[x > 0]; y = 2 * y;` leaves x alone.
#pragma once

#include <type_traits>
#include <utility>

#include "tensor.h"

namespace heed {

class Chosen : public Tensor {
 public:
  /// Throws as index() of a mask or indices does.
  Chosen(const Tensor& from, const Tensor& places);
  Chosen(const Chosen&) = default;

  /// Throws what index_put() and copy_() throw.
  void operator=(const Tensor& y) &&;
  void operator=(const Chosen& y) && { std::move(*this) = static_cast<const Tensor&>(y); }
  void operator=(Scalar y) &&;
  Chosen& operator=(const Tensor& y) & {
    Tensor::operator=(y);
    return *this;
  }
  Chosen& operator=(const Chosen& y) & = default;

 private:
  Tensor from_, places_;
};

void operator+=(Chosen&& x, const Tensor& y);
void operator-=(Chosen&& x, const Tensor& y);
void operator*=(Chosen&& x, const Tensor& y);
void operator/=(Chosen&& x, const Tensor& y);
template <class T>
requires std::is_arithmetic_v<T>
void operator+=(Chosen&& x, T y) { std::move(x) = x.add(y); }
template <class T>
requires std::is_arithmetic_v<T>
void operator-=(Chosen&& x, T y) { std::move(x) = x.sub(y); }
template <class T>
requires std::is_arithmetic_v<T>
void operator*=(Chosen&& x, T y) { std::move(x) = x.mul(y); }
template <class T>
requires std::is_arithmetic_v<T>
void operator/=(Chosen&& x, T y) { std::move(x) = x.div(y); }

}  // namespace heed
