// For tests of what the allocator keeps: under AddressSanitizer it keeps nothing.
#pragma once

#include <gtest/gtest.h>

#if defined(__SANITIZE_ADDRESS__)
#define HEED_NO_CACHE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEED_NO_CACHE 1
#endif
#endif
#ifdef HEED_NO_CACHE
#define SKIP_WITHOUT_CACHE() GTEST_SKIP() << "nothing is cached under AddressSanitizer"
#else
#define SKIP_WITHOUT_CACHE() (void)0
#endif
