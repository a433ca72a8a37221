// Sums of products after an equation, as in NumPy and PyTorch:
//
//   einsum("ik,kj->ij", {a, b})      product of matrices      einsum("ii", {a})       trace
//   einsum("...ij->...ji", {a})      transposes               einsum("ii->i", {a})    diagonal
//   einsum("bi,oij,bj->bo", {x, w, y})                        einsum("i,j->ij", {x, y})
//
// One letter names an axis; letters that the result lacks are summed over. "..." stands for any
// axes, which broadcast; it is summed over where the result is given without it. Without "->" the
// result has the ellipsis and then, in order (A-Z, a-z), the letters that occur once. A size of 1
// broadcasts against any other of its letter.
#pragma once

#include <string>

#include "../../tensor.h"

namespace heed {

/// f32 or f64, one dtype; operands are joined from left to right by permutations and batched matrix
/// products. Throws ValueError for an equation that cannot be read, ShapeError where it does not
/// fit the operands; all name the equation.
Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands);

template <class... Operands>
Tensor einsum(const std::string& equation, const Tensor& first, const Operands&... rest) {
  return einsum(equation, std::vector<Tensor>{first, rest...});
}

}  // namespace heed
