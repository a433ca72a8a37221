// What an allocator says when the system refuses.
#pragma once

#include <cstddef>

namespace heed {

/// Throws OutOfMemory: `bytes` were asked for, `held` are held, and what the process may have in
/// all, where that is limited.
[[noreturn]] void throw_no_memory(std::size_t bytes, std::size_t held);

}  // namespace heed
