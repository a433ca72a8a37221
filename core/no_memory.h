// What an allocator says when the system refuses.
#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>

#include "shape.h"

namespace heed {

/// Throws OutOfMemory: `bytes` were asked for, `held` are held, and what the process may have in
/// all, where that is limited.
[[noreturn]] void throw_no_memory(std::size_t bytes, std::size_t held);
/// Throws OutOfMemory: so many of them, in the name of `op`.
[[noreturn]] void throw_no_memory(const char* op, Index count, const char* what);

/// make(), which lays out `count` of something in memory of its own, no array's. Throws OutOfMemory
/// where there is none, and where they are more than a vector may hold.
template <class Make>
auto fitting(const char* op, Index count, const char* what, const Make& make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    throw_no_memory(op, count, what);
  } catch (const std::length_error&) {
    throw_no_memory(op, count, what);
  }
}

}  // namespace heed
