// Results of several tensors, as a program that takes them for tuples writes it:
//
//   std::get<0>(max(x, 1))     std::tie(values, indices) = max(x, 1)     std::cout << max(x, 1)
#pragma once

#include <cstddef>
#include <ostream>
#include <tuple>

#include "ops/index/sort.h"
#include "ops/recurrent/lstm.h"
#include "ops/recurrent/rnn.h"

namespace heed {

/// The values, below them the indices.
inline std::ostream& operator<<(std::ostream& out, const Picked& picked) {
  return out << picked.values << "\n" << picked.indices;
}

}  // namespace heed

// NOLINTBEGIN(cert-dcl58-cpp)
namespace std {

template <size_t place>
requires(place < 2) heed::Tensor get(const heed::Picked& picked) {
  return place == 0 ? picked.values : picked.indices;
}
template <size_t place>
requires(place < 2) heed::Tensor get(const heed::RnnResult& result) {
  return place == 0 ? result.output : result.h_n;
}
/// The output; h_n and c_n as one.
template <size_t place>
requires(place < 2) auto get(const heed::LstmResult& result) {
  if constexpr (place == 0) {
    return result.output;
  } else {
    return tuple<heed::Tensor, heed::Tensor>(result.h_n, result.c_n);
  }
}

}  // namespace std
// NOLINTEND(cert-dcl58-cpp)
