// The first check of an operator: an operand that is undefined, or was moved from, is refused by
// its name. An Observer takes it for the operator's beginning.
//
//   check_defined("mul", x, "x", y, "y");  // GradError: mul: y is undefined
#pragma once

#include <vector>

#include "../core/observer.h"
#include "tensor.h"

namespace heed {

namespace detail {
[[noreturn]] void throw_undefined(const char* op, const char* operand);

template <class... More>
void check_operands(const char* op, const Tensor& operand, const char* name, const More&... more) {
  if (!operand.defined()) [[unlikely]]
    throw_undefined(op, name);
  if constexpr (sizeof...(more) > 0) check_operands(op, more...);
}
}  // namespace detail

/// Operands, each followed by its name. Throws GradError for the first that is undefined.
template <class... More>
void check_defined(const char* op, const Tensor& operand, const char* name, const More&... more) {
  if (observed()) [[unlikely]]
    detail::tell_begins();
  detail::check_operands(op, operand, name, more...);
}

/// The same for a list, whose tensors are named by their places: "concat: xs[1] is undefined".
void check_defined(const char* op, const std::vector<Tensor>& operands, const char* name);

/// check_defined() of an x that may be a grad() before any backward pass, which it says.
void check_defined_yet(const char* op, const Tensor& x);

/// Throws DTypeError unless the mask is bool.
void check_mask(const char* op, const Tensor& mask);

}  // namespace heed
