// For tests: an allocator that fails when it is told to.
#pragma once

#include <cstddef>

namespace heed::detail {

/// Asked before each block; where it says true the system seems to have none. Null (the default)
/// for no such thing.
using RefuseBlock = bool (*)(std::size_t bytes);
void set_refuse_block(RefuseBlock refuse);

}  // namespace heed::detail
