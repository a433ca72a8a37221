// Chosen: what a mask or indices name of a tensor, `x[x > 0]`: their values, in memory of their
// own, and the tensor that they came from. What is assigned to it where it stands goes there:
//
//   x[x > 0] = 0;     x[indices] = values;     x[indices] += 1;    // of an index named twice, the last
//   x[{Slice(), ids}] = 0;
//
// Places, slices and new axes alone are a view of it, which is written to as any other.
// Kept under a name it is a tensor as any other: `auto y = x[x > 0]; y = 2 * y;` leaves x alone.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "ops/shape/slicing.h"
#include "tensor.h"

namespace heed {

class Chosen : public Tensor {
 public:
  /// Throws as index() of a mask or indices does.
  Chosen(const Tensor& from, const Tensor& places);
  /// x[entries]. Throws as index() of entries does.
  Chosen(const Tensor& x, const std::vector<IndexEntry>& entries);
  Chosen(const Chosen&) = default;

  /// Whether it is a view, which has memory in common with the tensor that it came from.
  bool is_view() const { return at_.places.empty(); }

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
  explicit Chosen(IndexedPlaces at);

  IndexedPlaces at_;
};

void operator+=(Chosen&& x, const Tensor& y);
void operator-=(Chosen&& x, const Tensor& y);
void operator*=(Chosen&& x, const Tensor& y);
void operator/=(Chosen&& x, const Tensor& y);
template <class T>
requires std::is_arithmetic_v<T>
void operator+=(Chosen&& x, T y) { x.is_view() ? void(x.add_(y)) : std::move(x) = x.add(y); }
template <class T>
requires std::is_arithmetic_v<T>
void operator-=(Chosen&& x, T y) { x.is_view() ? void(x.sub_(y)) : std::move(x) = x.sub(y); }
template <class T>
requires std::is_arithmetic_v<T>
void operator*=(Chosen&& x, T y) { x.is_view() ? void(x.mul_(y)) : std::move(x) = x.mul(y); }
template <class T>
requires std::is_arithmetic_v<T>
void operator/=(Chosen&& x, T y) { x.is_view() ? void(x.div_(y)) : std::move(x) = x.div(y); }

}  // namespace heed
