#include "gemm.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "../../array.h"
#include "../../error.h"
#include "../../parallel.h"
#include "../../precision.h"
#include "../elementwise/elementwise_simd.h"
#include "blas_buffer.h"
#include "blas_thread.h"
#include "gemm_few_rows_simd.h"
#include "gemm_panels.h"
#include "gemm_simd.h"
#include "gemm_small_simd.h"

namespace heed::kernels {
namespace {

int narrow(Index size) {
  if (size > std::numeric_limits<int>::max()) {
    throw ShapeError(fmt::format("matmul: a size of {} is beyond what BLAS takes", size));
  }
  return static_cast<int>(size);
}

// BLAS wants steps of at least the row length, also where there is only one row.
int leading(const Matrix<const float>& matrix, Index rows, Index columns) {
  return narrow(std::max({matrix.step, matrix.transposed ? rows : columns, Index{1}}));
}

CBLAS_TRANSPOSE flag(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

void call(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, bool add,
          float* c, Index c_step) {
  if (m == 0 || n == 0) return;
  check_blas_buffer();
  const float beta = add ? 1 : 0;
  const OneBlasThread scope;
  const int lda = leading(a, m, k);
  const int ldb = leading(b, k, n);
  const int ldc = narrow(std::max({c_step, n, Index{1}}));
  cblas_sgemm(CblasRowMajor, flag(a.transposed), flag(b.transposed), narrow(m), narrow(n),
              narrow(k), 1, a.data, lda, b.data, ldb, beta, c, ldc);
}

Matrix<const float> rows_from(Matrix<const float> x, Index row) {
  x.data += x.transposed ? row : row * x.step;
  return x;
}

Matrix<const float> columns_from(Matrix<const float> x, Index column) {
  x.data += x.transposed ? column * x.step : column;
  return x;
}

// How many tiles of at least `least` make up `size`, at most 16.
Index tiles_of(Index size, Index least) { return std::clamp<Index>(size / least, 1, 16); }

void tiled(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, bool add,
           float* c, Index c_step) {
  constexpr double kSmall = 2e5;  // multiplications below which a parallel region costs more
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (work < kSmall) return call(m, n, k, a, b, add, c, c_step);
  if (m >= 64 && m >= n / 4) {
    const Index tile = (m - 1) / std::max<Index>(tiles_of(m, 256), 2) + 1;
    parallel_for(m, tile, [&](Index begin, Index end) {
      call(end - begin, n, k, rows_from(a, begin), b, add, c + begin * c_step, c_step);
    });
    return;
  }
  if (n >= 64 && (n >= 512 || k < 4 * n)) {
    const Index tile = (n - 1) / std::max<Index>(tiles_of(n, 256), 2) + 1;
    parallel_for(n, tile, [&](Index begin, Index end) {
      call(m, end - begin, k, a, columns_from(b, begin), add, c + begin, c_step);
    });
    return;
  }
  call(m, n, k, a, b, add, c, c_step);
}

Index pieces_of(Index k) { return std::min<Index>(k / 512, 8); }

// A small result of a long sum (a weight's gradient): partial sums over pieces of k, added in
// order.
void split_sum(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, bool add,
               float* c, Index c_step, Index pieces) {
  const Index piece = (k - 1) / pieces + 1;
  Array parts = Array::empty(Shape{pieces - 1, m, n}, DType::f32);
  float* spare = parts.mutable_data<float>();
  parallel_for(pieces, 1, [&](Index first, Index last) {
    for (Index p = first; p < last; ++p) {
      const Index begin = p * piece;
      const Index length = std::max<Index>(std::min(k, begin + piece) - begin, 0);
      float* to = p == 0 ? c : spare + (p - 1) * m * n;
      call(m, n, length, columns_from(a, begin), rows_from(b, begin), p == 0 && add, to,
           p == 0 ? c_step : n);
    }
  });
  parallel_for(m, std::max<Index>(1, 32768 / std::max<Index>(n, 1)), [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      for (Index p = 1; p < pieces; ++p) {
        const float* part = spare + ((p - 1) * m + row) * n;
        simd::elements<float>().binary(Binary::add, c + row * c_step, true, part, true,
                                       c + row * c_step, static_cast<std::size_t>(n));
      }
    }
  });
}

void add_bias(Index m, Index n, const float* bias, float* c, Index c_step) {
  parallel_for(m, std::max<Index>(1, 32768 / std::max<Index>(n, 1)), [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      float* const to = c + row * c_step;
      simd::elements<float>().binary(Binary::add, to, true, bias, true, to,
                                     static_cast<std::size_t>(n));
    }
  });
}

// body(begin, end) for pieces of n columns that are worth a thread.
template <class Body>
void each_few_rows(Index m, Index n, Index k, const Body& body) {
  constexpr Index kEach = 1 << 17;  // multiplications
  parallel_for(n, std::max<Index>(kEach / (m * k), 4), body);
}

// `sums`: see gemm_and_sums(), as is what is returned.
bool product(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, bool add,
             float* c, Index c_step, const float* bias, double* sums) {
  if (!a.transposed && b.transposed && few_rows(m, n, k)) {
    each_few_rows(m, n, k, [&](Index begin, Index end) {
      simd::gemm_few_rows(m, begin, end, k, a.data, a.step, b.data, b.step, add, bias, c, c_step);
    });
    return false;
  }
  // Multiplications below which panels are not worth it: BLAS turns b slowly.
  const double few = b.transposed ? 4e5 : 2e6;
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const bool in_panels = work >= few && simd::gemm<float>().panels.rows > 0;
  const bool long_sum = is_long_sum(m, n, k, in_panels);
  if (in_panels && !long_sum) {
    gemm_in_panels(m, n, k, a, b, add, bias, c, c_step, sums);
    return true;
  }
  if (long_sum) {
    split_sum(m, n, k, a, b, add, c, c_step, pieces_of(k));
  } else {
    tiled(m, n, k, a, b, add, c, c_step);
  }
  if (bias != nullptr) add_bias(m, n, bias, c, c_step);
  return false;
}

bool product(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b, bool add,
             double* c, Index c_step, const double* bias, double* sums) {
  if (m == 0 || n == 0) return false;
  if (k == 0) {
    for (Index row = 0; row < m; ++row) {
      double* const to = c + row * c_step;
      for (Index i = 0; i < n; ++i) to[i] = (add ? to[i] : 0) + (bias ? bias[i] : 0);
    }
    return false;
  }
  if (sums == nullptr && simd::is_small_gemm(m, n, k, b.transposed)) {
    simd::gemm_small(m, n, k, a, b, add, bias, c, c_step);
  } else {
    gemm_in_panels(m, n, k, a, b, add, bias, c, c_step, sums);
  }
  return true;
}

}  // namespace

void gemm(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, bool add,
          float* c, Index c_step, const float* bias) {
  product(m, n, k, a, b, add, c, c_step, bias, nullptr);
}
void gemm(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b, bool add,
          double* c, Index c_step, const double* bias) {
  product(m, n, k, a, b, add, c, c_step, bias, nullptr);
}
bool gemm_and_sums(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b,
                   float* c, Index c_step, double* sums) {
  return product(m, n, k, a, b, false, c, c_step, nullptr, sums);
}
bool gemm_and_sums(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b,
                   double* c, Index c_step, double* sums) {
  return product(m, n, k, a, b, false, c, c_step, nullptr, sums);
}
void gemm_here(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, bool add,
               float* c, Index c_step) {
  call(m, n, k, a, b, add, c, c_step);
}
void gemm_here(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b, bool add,
               double* c, Index c_step) {
  product(m, n, k, a, b, add, c, c_step, nullptr, nullptr);
}

bool few_rows(Index m, Index n, Index k) {
  const Index most = n * k >= 16384 ? simd::kFewRows : simd::kFewRows / 2;
  const bool rounded = precision() == Precision::bf16;  // both sides, as the panels do it
  return m > 0 && m <= most && k >= 16 && !rounded;
}

bool is_long_sum(Index m, Index n, Index k, bool in_panels) {
  const Index small = in_panels ? 96 : 512;  // a result of too few tiles
  const bool rounded = in_panels && precision() == Precision::bf16;
  return !rounded && pieces_of(k) > 1 && m * n <= small * small && k >= 4 * std::max(m, n);
}

void gemm_bf16_weights(Index m, Index n, Index k, const float* a, const BFloat16* b, Index b_step,
                       float* c, const float* bias) {
  each_few_rows(m, n, k, [&](Index begin, Index end) {
    simd::gemm_few_rows(m, begin, end, k, a, k, b, b_step, false, bias, c, n);
  });
}

}  // namespace heed::kernels
