// What a call of an operator costs, from the shapes alone: floating-point operations, and the bytes
// that at least are read and written.
//
//   products      exactly: 2 M N K for matmul [M, K] x [K, N]; linear, conv2d, attention and the
//                 recurrent layers are the sum of their products (einsum is made of matmuls), as if
//                 nothing were masked or padded; a bias adds one an element
//   moves         0: reshape, concat, embedding, ...; views have no bytes either
//   all else      1 an element of the largest operand or result
//
// A derivative costs what it takes for each wanted gradient: a product again for each factor; for
// attention five products where the forward has two, because the scores are made again.
#pragma once

#include <span>
#include <vector>

#include "../core/observer.h"

namespace heed::train {

struct Cost {
  double flops = 0, bytes = 0;
};

/// Of one call, and of its derivative: by input, plus `shared` once where any is wanted.
struct CallCost {
  Cost forward;
  Cost shared;
  std::vector<Cost> inputs;
};

CallCost cost_of(const Call& call);

}  // namespace heed::train
