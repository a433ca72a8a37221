#include "attention_dropout.h"

#include "../../parallel.h"

namespace heed::kernels {

Index attention_dropout_blocks(const Shape& weights) {
  const Index rank = weights.rank(), Q = weights[rank - 2], K = weights[rank - 1];
  return dropout_blocks(Q * K == 0 ? 0 : weights.numel() / (Q * K), Q, K);
}

Kept attention_kept(const Shape& weights, double dropout, const Generator::State& draws) {
  const DropoutBound drop(dropout);
  const Index Q = weights[weights.rank() - 2], K = weights[weights.rank() - 1];
  Array kept = Array::empty(weights, DType::boolean);
  bool* const to = kept.mutable_data<bool>();
  const Index blocks = (Q + kDropoutRows - 1) / kDropoutRows;  // of rows
  const Index all = Q * K == 0 ? 0 : weights.numel() / (Q * K) * blocks;
  parallel_for(all, 4096 / std::max<Index>(K, 1) + 1, [&](Index begin, Index end) {
    std::vector<std::uint32_t> numbers(static_cast<std::size_t>(4 * K));
    for (Index block = begin; block < end; ++block) {
      simd::philox(draws.seed, draws.offset + static_cast<std::uint64_t>(block * K),
                   static_cast<std::size_t>(K), numbers.data());
      const auto* const halves = reinterpret_cast<const std::byte*>(numbers.data());
      const Index first = block % blocks * kDropoutRows;
      for (Index i = first; i < std::min(first + kDropoutRows, Q); ++i) {
        bool* const row = to + (block / blocks * Q + i) * K;
        for (Index j = 0; j < K; ++j) {
          std::uint16_t number = 0;
          std::memcpy(&number, halves + 16 * j + 2 * (i - first), 2);
          row[j] = number < drop.bound;
        }
      }
    }
  });
  return {kept, drop.scale};
}

}  // namespace heed::kernels
