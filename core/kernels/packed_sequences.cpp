#include "packed_sequences.h"

#include <algorithm>

#include "../parallel.h"

namespace heed::kernels {
namespace {

// So many rows are copied by one task.
Index row_grain(Index numbers) { return std::max<Index>(1, 32768 / std::max<Index>(1, numbers)); }

}  // namespace

PackedSequences::PackedSequences(Index batch, Index steps, const std::vector<Index>& lengths,
                                 Index block_rows)
    : steps_(steps) {
  for (Index i = 0; i < batch; ++i) {
    const Index length = lengths.empty() ? steps : lengths[static_cast<std::size_t>(i)];
    rows_.push_back({i, length, tokens_});
    tokens_ += length;
  }
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return a.length > b.length; });
  for (Index first = 0; first < batch; first += block_rows) {
    blocks_.push_back({first, std::min(block_rows, batch - first)});
  }
}

Index PackedSequences::active(const Block& block, Index t) const {
  const auto begin = rows_.begin() + block.first;
  return std::partition_point(begin, begin + block.rows,
                              [t](const Row& row) { return row.length > t; }) -
         begin;
}

Array PackedSequences::pack(const Array& x) const {
  const Array dense = x.contiguous();
  const Index width = x.size(2);
  if (full()) return dense.reshape(Shape{tokens_, width});
  Array out = Array::empty(Shape{tokens_, width}, x.dtype());
  visit_floating("pack", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const from = dense.data<T>();
    T* const to = out.mutable_data<T>();
    parallel_for(batch(), row_grain(steps_ * width), [&](Index begin, Index end) {
      for (Index place = begin; place < end; ++place) {
        const Row& r = row(place);
        std::copy_n(from + r.index * steps_ * width, r.length * width, to + r.token * width);
      }
    });
  });
  return out;
}

Array PackedSequences::unpack(const Array& packed) const {
  const Index width = packed.size(1);
  const Shape shape{batch(), steps_, width};
  if (full()) return packed.reshape(shape);
  Array out = Array::empty(shape, packed.dtype());
  visit_floating("unpack", packed.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const from = packed.data<T>();
    T* const to = out.mutable_data<T>();
    parallel_for(batch(), row_grain(steps_ * width), [&](Index begin, Index end) {
      for (Index place = begin; place < end; ++place) {
        const Row& r = row(place);
        T* const line = to + r.index * steps_ * width;
        std::copy_n(from + r.token * width, r.length * width, line);
        std::fill_n(line + r.length * width, (steps_ - r.length) * width, T{0});
      }
    });
  });
  return out;
}

}  // namespace heed::kernels
