#include "packed_sequences.h"

#include <algorithm>

#include "../../parallel.h"

namespace heed::kernels {
namespace {

// So many rows are copied by one task.
Index row_grain(Index numbers) { return std::max<Index>(1, 32768 / std::max<Index>(1, numbers)); }

std::size_t bytes(Index steps, std::size_t step) { return static_cast<std::size_t>(steps) * step; }

}  // namespace

PackedSequences::PackedSequences(Index batch, Index steps, const std::vector<Index>& lengths,
                                 Index block_rows)
    : steps_(steps) {
  for (Index i = 0; i < batch; ++i) {
    const Index length = lengths.empty() ? steps : lengths[static_cast<std::size_t>(i)];
    rows_.push_back({i, length, tokens_, i * steps, steps - length});
    tokens_ += length;
  }
  sort(block_rows);
}

PackedSequences::PackedSequences(const std::vector<Index>& offsets, Index block_rows)
    : steps_(-1), tokens_(offsets.back()) {
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    rows_.push_back(
        {static_cast<Index>(i), offsets[i + 1] - offsets[i], offsets[i], offsets[i], 0});
  }
  sort(block_rows);
}

void PackedSequences::sort(Index block_rows) {
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return a.length > b.length; });
  for (Index first = 0; first < batch(); first += block_rows) {
    blocks_.push_back({first, std::min(block_rows, batch() - first)});
  }
}

Shape PackedSequences::shape(Index width) const {
  return is_packed() ? Shape{tokens_, width} : Shape{batch(), steps_, width};
}

Index PackedSequences::active(const Block& block, Index t) const {
  const auto begin = rows_.begin() + block.first;
  return std::partition_point(begin, begin + block.rows,
                              [t](const Row& row) { return row.length > t; }) -
         begin;
}

Array PackedSequences::pack(const Array& x) const {
  const Array dense = x.contiguous();
  const Index width = x.size(-1);
  if (full()) return dense.reshape(Shape{tokens_, width});
  Array out = Array::empty(Shape{tokens_, width}, x.dtype());
  const std::size_t step = static_cast<std::size_t>(width) * size_of(x.dtype());
  parallel_for(batch(), row_grain(steps_ * width), [&](Index begin, Index end) {
    for (Index at = begin; at < end; ++at) {
      const Row& r = row(at);
      std::copy_n(dense.raw() + bytes(r.place, step), bytes(r.length, step),
                  out.mutable_raw() + bytes(r.token, step));
    }
  });
  return out;
}

Array PackedSequences::unpack(const Array& packed) const {
  const Index width = packed.size(1);
  if (full()) return packed.reshape(shape(width));
  Array out = Array::empty(shape(width), packed.dtype());
  const Array dense = packed.contiguous();
  const std::size_t step = static_cast<std::size_t>(width) * size_of(packed.dtype());
  parallel_for(batch(), row_grain(steps_ * width), [&](Index begin, Index end) {
    for (Index at = begin; at < end; ++at) {
      const Row& r = row(at);
      const auto behind = std::copy_n(dense.raw() + bytes(r.token, step), bytes(r.length, step),
                                      out.mutable_raw() + bytes(r.place, step));
      std::fill_n(behind, bytes(r.padding, step), std::byte{0});
    }
  });
  return out;
}

}  // namespace heed::kernels
