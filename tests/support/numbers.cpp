#include "numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace heed {
namespace {

Numbers in_f64(const Tensor& x) { return x.array().to(DType::f64).to_vector<double>(); }

double difference(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::quiet_NaN();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::abs(a[i] - b[i]);
    if (std::isnan(apart)) return apart;
    worst = std::max(worst, apart);
  }
  return worst;
}

}  // namespace

Numbers numbers(const Tensor& x) { return x.array().to_vector<double>(); }

double difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  EXPECT_EQ(a.dtype(), b.dtype());
  return difference(in_f64(a), in_f64(b));
}

double difference(const Tensor& a, const Numbers& b) { return difference(in_f64(a), b); }

double relative_difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  const Numbers wanted = in_f64(b);
  double most = 1;
  for (const double number : wanted) most = std::max(most, std::abs(number));
  return difference(in_f64(a), wanted) / most;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  const Array x = a.array().contiguous(), y = b.array().contiguous();
  return x.shape() == y.shape() && x.dtype() == y.dtype() &&
         std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.numel()) * size_of(x.dtype())) ==
             0;
}

}  // namespace heed
