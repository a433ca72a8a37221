// The caching allocator. Freed blocks are kept and given out again: on these machines writing fresh
// pages costs ten times what writing warm memory costs. Small blocks come from lists of the thread
// that asks, without a lock; large ones from one locked table of size classes.
//
// Built with AddressSanitizer it caches nothing, so that every overrun is seen.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed {

/// What a block is for: the counters are kept apart.
enum class BlockKind : std::uint8_t { storage, tensor, node };
inline constexpr std::size_t kBlockKinds = 3;

/// Every block begins at a multiple of this.
inline constexpr std::size_t kBlockAlignment = 64;

/// At least `bytes` bytes, uninitialised. Throws OutOfMemory, which says how much was asked for,
/// how much is held and what refused it: the limit set here, the system, or the process's own limit
/// (ulimit -v).
void* allocate_block(std::size_t bytes, BlockKind kind);
/// `bytes` and `kind` must be those of the allocation.
void free_block(void* block, std::size_t bytes, BlockKind kind) noexcept;

struct MemoryStats {
  std::int64_t live_bytes = 0;  ///< in blocks that are held now, rounded up to their size classes
  std::int64_t live_storages = 0;  ///< blocks that hold numbers
  std::int64_t live_tensors = 0;
  std::int64_t live_nodes = 0;           ///< operators on the tape
  std::int64_t reserved_bytes = 0;       ///< taken from the system: live and cached
  std::int64_t peak_reserved_bytes = 0;  ///< the largest reserved_bytes so far
  std::int64_t system_allocations = 0;   ///< times that the system was asked
};

/// A snapshot over all threads.
MemoryStats memory_stats();

/// Upper bound for reserved_bytes; 0 (the default) means none. Throws ValueError when negative.
void set_memory_limit(std::int64_t bytes);

/// Gives cached large blocks back to the system.
void release_cached_memory();

}  // namespace heed
