// Query, keys and values of normal numbers in f64, the same for the same seed.
#pragma once

#include "../../autograd/tensor.h"
#include "../../core/generator.h"

namespace heed::attention {

struct QueryKeysValues {
  QueryKeysValues(std::uint64_t seed, const Shape& of_query, const Shape& of_keys,
                  const Shape& of_values) {
    manual_seed(seed);
    query = randn(of_query, DType::f64);
    keys = randn(of_keys, DType::f64);
    values = randn(of_values, DType::f64);
  }
  Tensor query, keys, values;
};

}  // namespace heed::attention
