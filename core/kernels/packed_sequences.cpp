#include "packed_sequences.h"

#include <algorithm>
#include <numeric>

#include "../parallel.h"

namespace heed::kernels {
namespace {

// Rows of this many numbers are copied by one task.
Index row_grain(Index numbers) { return std::max<Index>(1, 32768 / std::max<Index>(1, numbers)); }

// copy(block, row in the block) for all rows.
template <class Copy>
void each_row(const PackedSequences& sequences, Index width, const Copy& copy) {
  if (sequences.batch() == 0) return;
  const Index block_rows = sequences.blocks().front().rows;
  parallel_for(sequences.batch(), row_grain(sequences.steps() * width), [&](Index begin, Index end) {
    for (Index place = begin; place < end; ++place) {
      copy(sequences.blocks()[static_cast<std::size_t>(place / block_rows)], place % block_rows);
    }
  });
}

}  // namespace

PackedSequences::PackedSequences(Index batch, Index steps, const std::vector<Index>& lengths,
                                 Index block_rows)
    : batch_(batch), steps_(steps), rows_(static_cast<std::size_t>(batch)) {
  std::iota(rows_.begin(), rows_.end(), Index{0});
  if (lengths.empty()) {
    lengths_.assign(rows_.size(), steps);
  } else {
    const auto of = [&](Index row) { return lengths[static_cast<std::size_t>(row)]; };
    std::stable_sort(rows_.begin(), rows_.end(), [&](Index a, Index b) { return of(a) > of(b); });
    for (const Index row : rows_) lengths_.push_back(of(row));
  }
  for (Index first = 0; first < batch; first += block_rows) {
    Block block{first, std::min(block_rows, batch - first), {tokens_}};
    Index running = block.rows;
    for (Index t = 0; t < length(first); ++t) {
      while (length(first + running - 1) <= t) --running;
      block.start.push_back(tokens_ += running);
    }
    blocks_.push_back(std::move(block));
  }
}

Array PackedSequences::pack(const Array& x) const {
  const Index width = x.size(2);
  Array out = Array::empty(Shape{tokens_, width}, x.dtype());
  const Array dense = x.contiguous();
  visit_floating("pack", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const from = dense.data<T>();
    T* const to = out.mutable_data<T>();
    each_row(*this, width, [&](const Block& block, Index i) {
      for (Index t = 0; t < length(block.first + i); ++t) {
        std::copy_n(from + (row(block.first + i) * steps_ + t) * width, width,
                    to + block.token(i, t) * width);
      }
    });
  });
  return out;
}

Array PackedSequences::unpack(const Array& packed, Index width) const {
  Array out = Array::empty(Shape{batch_, steps_, width}, packed.dtype());
  const Index step = packed.size(1);
  visit_floating("unpack", packed.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const from = packed.data<T>();
    T* const to = out.mutable_data<T>();
    each_row(*this, width, [&](const Block& block, Index i) {
      T* const line = to + row(block.first + i) * steps_ * width;
      const Index steps = length(block.first + i);
      for (Index t = 0; t < steps; ++t) {
        std::copy_n(from + block.token(i, t) * step, width, line + t * width);
      }
      std::fill_n(line + steps * width, (steps_ - steps) * width, T{0});
    });
  });
  return out;
}

}  // namespace heed::kernels
