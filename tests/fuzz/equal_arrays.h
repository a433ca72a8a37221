// Named arrays with the same names, dtypes, shapes and bits.
#pragma once

#include <cstring>

#include "../../io/safetensors.h"

namespace heed::fuzz {

inline bool equal(const io::NamedArrays& a, const io::NamedArrays& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Array x = a[i].second.contiguous(), y = b[i].second.contiguous();
    if (a[i].first != b[i].first || x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
    const std::size_t bytes = static_cast<std::size_t>(x.numel()) * size_of(x.dtype());
    if (bytes > 0 && std::memcmp(x.raw(), y.raw(), bytes) != 0) return false;
  }
  return true;
}

}  // namespace heed::fuzz
