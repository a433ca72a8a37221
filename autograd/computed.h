// computed(): the result of an operator that has no derivative, such as a comparison, told to one
// that traces.
//
//   return computed("isnan", kernels::classify(Kind::nan, x.array()), {x});
#pragma once

#include <initializer_list>

#include "../core/traced.h"
#include "tensor.h"

namespace heed {

namespace detail {
void tell_computed(const char* op, const Array& out, std::initializer_list<Tensor> inputs);
}

/// `out`, off the tape. `op` is a literal.
inline Tensor computed(const char* op, Array out, std::initializer_list<Tensor> inputs) {
  if (traced()) [[unlikely]]
    detail::tell_computed(op, out, inputs);
  return Tensor(std::move(out));
}

}  // namespace heed
