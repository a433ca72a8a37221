// The closed list of differentiable operators. Each has a row in the gradient table
// (tests/autograd/table); a test fails for one that lacks it.
#pragma once

#include <cstdint>

namespace heed {

// clang-format off
#define HEED_OPS(X)                                                                              \
  /* elementwise */                                                                              \
  X(add) X(sub) X(mul) X(div) X(neg) X(abs) X(exp) X(log) X(sqrt) X(square) X(reciprocal)        \
  X(tanh) X(sigmoid) X(relu) X(maximum) X(minimum) X(where) X(dropout) X(pow) X(sign) X(expm1)   \
  X(log1p) X(rsqrt) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(atan2)        \
  X(floor) X(ceil) X(round) X(trunc) X(remainder) X(erf) X(clamp) X(log_sigmoid) X(leaky_relu) X(elu) X(gelu)    \
  X(silu) X(softplus) X(log2) X(log10)                                                           \
  /* reductions */                                                                               \
  X(sum) X(mean) X(amax) X(amin) X(sum_to) X(prod) X(var) X(logsumexp) X(cumsum) X(linear_scan)  \
  /* shape */                                                                                    \
  X(reshape) X(transpose) X(permute) X(expand) X(slice) X(slice_scatter) X(select) X(squeeze)    \
  X(unsqueeze) X(concat) X(stack) X(split) X(to) X(clone) X(flip) X(pad) X(diagonal)             \
  X(diagonal_scatter) X(unfold) X(overlap_add)                                                   \
  /* indexing */                                                                                 \
  X(embedding) X(index_select) X(index_add) X(gather) X(scatter_add) X(index_put)                \
  /* packed batches */                                                                           \
  X(pack) X(unpack) X(segment_sum) X(segment_max) X(repeat_segments) X(segment_softmax)          \
  /* linear algebra */                                                                           \
  X(matmul) X(linear) X(solve_triangular) X(inverse) X(logdet)                                   \
  /* normalising */                                                                              \
  X(softmax) X(log_softmax) X(sparsemax) X(entmax) X(layer_norm) X(rms_norm) X(batch_norm)       \
  X(group_norm)                                                                                  \
  /* attention */                                                                                \
  X(dot_attention) X(additive_attention)                                                         \
  /* convolution and pooling */                                                                  \
  X(conv2d) X(conv2d_input_grad) X(conv2d_weight_grad) X(max_pool2d) X(avg_pool2d)               \
  /* recurrent */                                                                                \
  X(gru) X(lstm) X(rnn)                                                                          \
  /* losses */                                                                                   \
  X(cross_entropy) X(ctc_loss)                                                                   \
  /* defined by the user */                                                                      \
  X(function)
// clang-format on

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
