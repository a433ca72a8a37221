#include "gemm_bf16.h"

#include "../../simd.h"
#include "bf16_dot.h"
#include "round_bf16_simd.h"

namespace heed::kernels::simd {
namespace {

Index padded(Index lines, Index width) { return ((lines - 1) / width + 1) * width; }

void pack_rounded_rows(Matrix<const float> a, Index begin, Index end, Index from, Index depth,
                       float* to) {
  const GemmKernels<float>& plain = gemm<float>();
  plain.pack_rows(a, begin, end, from, depth, to);
  round_to_bf16(to, padded(end - begin, plain.panels.rows) * depth);
}

void pack_rounded_columns(Matrix<const float> b, Index begin, Index end, Index from, Index depth,
                          float* to) {
  const GemmKernels<float>& plain = gemm<float>();
  plain.pack_columns(b, begin, end, from, depth, to);
  round_to_bf16(to, padded(end - begin, plain.panels.columns) * depth);
}

}  // namespace

GemmKernels<float> gemm_bf16() {
  if (has_bf16_dot()) return bf16_dot_kernels();
  GemmKernels<float> kernels = gemm<float>();
  kernels.pack_rows = pack_rounded_rows;
  kernels.pack_columns = pack_rounded_columns;
  return kernels;
}

}  // namespace heed::kernels::simd
