// Whether the allocator keeps what is given back. Built with AddressSanitizer it keeps nothing, so
// that every overrun is seen; HEED_CACHING=0 says the same. Of allocator.cpp alone.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define HEED_CACHING 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEED_CACHING 0
#endif
#endif
#ifndef HEED_CACHING
#define HEED_CACHING 1
#endif

namespace heed {

inline constexpr bool kCaching = HEED_CACHING != 0;

}  // namespace heed
