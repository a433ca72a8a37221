// The closed list of differentiable operators. Each has a row in the gradient table
// (tests/autograd/table); a test fails for one that lacks it.
#pragma once

#include <cstdint>

namespace heed {

#define HEED_OPS(X)                                                                                \
  /* elementwise */                                                                                \
  X(add)                                                                                           \
  X(sub)                                                                                           \
  X(mul) X(div) X(neg) X(abs) X(exp) X(log) X(sqrt) X(square) X(reciprocal) X(tanh) X(sigmoid)     \
      X(relu) X(maximum) X(minimum) X(where) X(dropout) /* reductions */                           \
      X(sum) X(mean) X(amax) X(amin) X(sum_to)          /* shape */                                \
      X(reshape) X(transpose) X(permute) X(expand) X(slice) X(slice_scatter) X(select) X(squeeze)  \
          X(unsqueeze) X(concat) X(stack) X(to) X(clone)                 /* indexing */            \
      X(embedding) X(index_select) X(index_add) X(gather) X(scatter_add) /* linear algebra */      \
      X(matmul) X(linear)                                                /* normalising */         \
      X(softmax) X(log_softmax)                                          /* recurrent */           \
      X(gru)                                                             /* losses */              \
      X(cross_entropy)                                                   /* defined by the user */ \
      X(function)

enum class Op : std::uint8_t {
#define HEED_OP(name) name,
  HEED_OPS(HEED_OP)
#undef HEED_OP
};

/// The operator's name, as messages print it.
const char* name(Op op);
/// How many there are; values are 0 .. kOps - 1.
inline constexpr int kOps = 0
#define HEED_OP(name) +1
    HEED_OPS(HEED_OP);
#undef HEED_OP

}  // namespace heed
