// Philox4x32-10 (Salmon et al. 2011), many blocks at a time: the same numbers as Random123's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::kernels::simd {

/// Blocks first, first + 1, ... of the stream of `seed`: to[4 i + k] is number k of block first +
/// i.
void philox(std::uint64_t seed, std::uint64_t first, std::size_t blocks, std::uint32_t* to);

}  // namespace heed::kernels::simd
