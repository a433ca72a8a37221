// Non-local blocks (Wang et al. 2018, "Non-local Neural Networks"): each place of a map looks at
// all others, and adds what it saw.
//
//   y_i = (1 / C(x)) sum_j f(x_i, x_j) g(x_j),   z_i = W y_i + x_i                eqs. 1 and 6
//
//   gaussian           f = exp(x_i . x_j)                     C = sum_j f         eq. 2
//   embedded_gaussian  f = exp(theta(x_i) . phi(x_j))         C = sum_j f         eq. 3
//   dot                f = theta(x_i) . phi(x_j)              C = N               eq. 4
//
// which is attend() of theta(x) over phi(x) and g(x), normalised by softmax or by the count. With
// `subsample` keys and values are pooled, 2 x 2 places to one (section 3.3). W begins as zero, so
// that the block begins as the identity.
//
// map [B, C, H, W] -> context z [B, C, H, W], weights [B, H W, K], K = H W or a quarter of it.
// O((H W) K C'), in tiles but for the dot product; C' the inner width.
#pragma once

#include "../../../nn/linear.h"
#include "../../attend.h"
#include "../../normalisers/by_count.h"

namespace heed::attention {

enum class NonLocalKind : std::uint8_t { gaussian, embedded_gaussian, dot };

struct NonLocalOptions {
  Index width = 0;  ///< C
  Index inner = 0;  ///< C'; 0: half of C
  NonLocalKind kind = NonLocalKind::embedded_gaussian;
  bool subsample = false;
  DType dtype = DType::f32;
};

class NonLocal : public nn::Module {
 public:
  /// Throws ValueError for widths that are not positive.
  explicit NonLocal(const NonLocalOptions& options);

 private:
  NonLocalOptions options_;
  Dot dot_;
  ByCount by_count_;

 public:
  nn::Linear *theta, *phi;  ///< [C', C]; null of the Gaussian
  nn::Linear& g;            ///< [C', C]
  nn::Linear& out;          ///< W [C, C'], with a bias

  /// The terms' mask is over places in rows, [.., H W, H W]. Throws ShapeError, DTypeError,
  /// ValueError for a mask beside `subsample` and for a map without 2 x 2 places then.
  Attended operator()(const Tensor& map, const Terms& terms = {}) const;
};

}  // namespace heed::attention
