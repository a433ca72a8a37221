#include "sparse_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "../../error.h"
#include "../../parallel.h"
#include "sparse_matrix_simd.h"

namespace heed::kernels {

SparseMatrix::SparseMatrix(Index rows, Index columns, Index capacity)
    : rows_(rows),
      columns_(columns),
      begins_(Array::empty({rows + 1}, DType::i64)),
      places_(Array::empty({capacity}, DType::i64)),
      values_(Array::empty({capacity}, DType::f64)),
      begin_(begins_.mutable_data<Index>()),
      place_(places_.mutable_data<Index>()),
      value_(values_.mutable_data<double>()) {
  begin_[0] = 0;
}

SparseMatrix SparseMatrix::transposed() const {
  SparseMatrix out(columns_, rows_, held_);
  // begin_[p + 1] is first where the next number of row p goes, and in the end where p ends.
  std::fill_n(out.begin_, columns_ + 1, Index{0});
  for (Index i = 0; i < held_; ++i) {
    if (place_[i] + 2 <= columns_) ++out.begin_[place_[i] + 2];
  }
  std::partial_sum(out.begin_, out.begin_ + columns_ + 1, out.begin_);
  for (Index r = 0; r < rows_; ++r) {
    for (Index i = begin_[r]; i < begin_[r + 1]; ++i) {
      const Index to = out.begin_[place_[i] + 1]++;
      out.place_[to] = r;
      out.value_[to] = value_[i];
    }
  }
  out.held_ = held_;
  out.written_ = columns_;
  return out;
}

Array matmul(const SparseMatrix& a, const Array& b) {
  if (b.rank() != 2 || b.size(0) != a.columns()) {
    throw ShapeError(fmt::format("matmul: a sparse [{}, {}] takes b of [{}, n], not {}", a.rows(),
                                 a.columns(), a.columns(), describe(b)));
  }
  if (!is_computed(b.dtype())) {
    throw DTypeError(fmt::format("matmul: b must be f32 or f64, not {}", describe(b)));
  }
  const Array from = b.contiguous();
  const Index n = b.size(1);
  Array out = Array::empty({a.rows(), n}, b.dtype());
  // Some 2^17 multiplications a chunk.
  const Index row_work = std::max<Index>(1, a.held() * n / std::max<Index>(1, a.rows()));
  const Index grain = std::max<Index>(1, (Index{1} << 17) / row_work);
  const auto run = [&]<class T>(T* to) {
    parallel_for(a.rows(), grain, [&](Index begin, Index end) {
      simd::sparse<T>().rows({a.begins(), a.places(), a.values()}, begin, end, from.data<T>(), n,
                             to);
    });
  };
  b.dtype() == DType::f32 ? run(out.mutable_data<float>()) : run(out.mutable_data<double>());
  return out;
}

}  // namespace heed::kernels
