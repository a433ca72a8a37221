// For tests of what the allocator keeps: under AddressSanitizer, and built with HEED_CACHING off, it
// keeps nothing.
#pragma once

#include <gtest/gtest.h>

#include "../../core/allocator.h"

namespace heed {

inline bool allocator_keeps_blocks() {
  void* block = allocate_block(64, BlockKind::storage);
  const bool keeps = memory_stats().reserved_bytes > 0;
  free_block(block, 64, BlockKind::storage);
  return keeps;
}

}  // namespace heed

#define SKIP_WITHOUT_CACHE() \
  if (!::heed::allocator_keeps_blocks()) GTEST_SKIP() << "nothing is cached in this build"
