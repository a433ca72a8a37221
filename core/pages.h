// Pages from the system, in which the allocator's blocks live.
#pragma once

#include <cstddef>

namespace heed {

/// `bytes` zeroed bytes, or null when the system has none; large ones lie on huge pages where it
/// has them: the first touch of a fresh page costs more than all the writing that follows.
void* map_pages(std::size_t bytes);
/// Gives back what map_pages() gave.
void unmap_pages(void* pages, std::size_t bytes) noexcept;

}  // namespace heed
