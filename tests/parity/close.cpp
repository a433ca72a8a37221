#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../core/generator.h"
#include "parity.h"

namespace heed::parity {
namespace {

const double kInf = std::numeric_limits<double>::infinity();
const std::vector<double> kWhole = {-2, -1, 0, 1, 2};
const std::vector<double> kSpecial = {-kInf, -1.5, -0.0, 0, 0.5, 2, kInf, NAN};

}  // namespace

Tensor draw(const std::vector<Index>& shape, Domain domain, DType dtype, Generator& generator) {
  if (domain == Domain::whole || domain == Domain::special) {
    const std::vector<double>& numbers = domain == Domain::whole ? kWhole : kSpecial;
    const auto end = static_cast<double>(numbers.size());
    const Array places = generator.uniform(Shape(shape), 0, end, DType::f64);
    std::vector<double> values;
    for (const double place : places.to_vector<double>()) {
      values.push_back(numbers[static_cast<std::size_t>(place)]);
    }
    return tensor(values, Shape(shape), dtype);
  }
  const double low = domain == Domain::any ? -2 : domain == Domain::positive ? 0.1 : 0.05;
  const double high = domain == Domain::unit ? 0.95 : 2;
  return Tensor(generator.uniform(Shape(shape), low, high, DType::f64).to(dtype));
}

void expect_close(const Tensor& ours, const torch::Tensor& theirs, double tolerance,
                  const std::string& what) {
  const Tensor expected = from_torch(theirs);
  ASSERT_EQ(ours.shape(), expected.shape()) << what;
  ASSERT_EQ(ours.dtype(), expected.dtype()) << what;
  const auto a = ours.array().to(DType::f64).to_vector<double>();
  const auto b = expected.array().to(DType::f64).to_vector<double>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    ASSERT_NEAR(a[i], b[i], tolerance * (1 + std::abs(b[i]))) << what << ", element " << i;
  }
}

}  // namespace heed::parity
