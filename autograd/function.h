// Differentiable functions of your own: record(), as the library's own operators use it, with a
// name instead of an entry of the list. Compute the result however you like (kernels on Arrays, or
// operators on detached tensors), then say what the gradient of each input is:
//
//   // y = x^3;  gx = 3 g x^2
//   Tensor cube(const Tensor& x) {
//     const Array& a = x.array();
//     return record("cube", pow3(a), {x}, [x = Saved(x)](const Tensor& g) {
//       return 3 * g * square(x());
//     });
//   }
//
// A rule captures what it needs: Saved(x) an input, SavedOutput(y) the result (a captured Tensor
// would be a cycle there, and goes unchecked for writes in place); both are freed with the graph.
// Written with operators, a rule can be differentiated again; one that computes on Arrays is
// wrapped in once_differentiable. For several results, or any number of inputs, use record_joint().
// docs/your_own_operator.md walks through both.
#pragma once

#include "record.h"

namespace heed {

namespace detail {
[[noreturn]] void throw_once_differentiable();
}

/// The rule, refusing to be recorded: with create_graph the backward pass throws GradError, naming
/// the function, where it would silently give wrong second derivatives.
template <class Rule>
auto once_differentiable(Rule rule) {
  return [rule = std::move(rule)](const auto&... arguments) {
    if (recording()) detail::throw_once_differentiable();
    return rule(arguments...);
  };
}

}  // namespace heed
