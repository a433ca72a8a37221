#include "memory.h"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define HEED_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEED_ASAN 1
#endif
#endif

#ifdef HEED_ASAN
// Of the sanitizer's library, g++'s and clang++'s; only the latter brings the header.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*,
                                                                  std::size_t),
                                                         void (*)(const volatile void*));
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void*);
#else
#include <malloc.h>
#endif

namespace heed::fuzz {
namespace {

std::atomic<std::size_t> live{0}, peak{0};

void count(std::size_t bytes) {
  const std::size_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::size_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

void discount(std::size_t bytes) {
  // What was taken before counting began is given back too.
  std::size_t now = live.load(std::memory_order_relaxed);
  while (!live.compare_exchange_weak(now, now - (now < bytes ? now : bytes),
                                     std::memory_order_relaxed)) {
  }
}

}  // namespace

#ifdef HEED_ASAN
PeakMemory::PeakMemory() {
  static const int hooks = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void* block, std::size_t) { count(__sanitizer_get_allocated_size(block)); },
      [](const volatile void* block) {
        if (block) discount(__sanitizer_get_allocated_size(block));
      });
  static_cast<void>(hooks);
  before_ = live;
  peak = before_;
}
#else
PeakMemory::PeakMemory() : before_(live) { peak = before_; }
#endif

std::size_t PeakMemory::bytes() const { return peak - before_; }

}  // namespace heed::fuzz

#ifndef HEED_ASAN
void* operator new(std::size_t bytes) {
  void* block = std::malloc(bytes > 0 ? bytes : 1);
  if (block == nullptr) throw std::bad_alloc();
  heed::fuzz::count(malloc_usable_size(block));
  return block;
}
void operator delete(void* block) noexcept {
  heed::fuzz::discount(malloc_usable_size(block));
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
#endif
