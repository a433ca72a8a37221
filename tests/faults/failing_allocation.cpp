#include "failing_allocation.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "../../core/refuse_block.h"

namespace heed {
namespace {

constinit std::atomic<bool> g_armed = false;
constinit std::atomic<bool> g_stays_out = false;
constinit std::atomic<std::int64_t> g_left = 0;

bool fails() {
  if (!g_armed.load(std::memory_order_relaxed)) return false;
  const std::int64_t left = --g_left;
  return left == 0 || (left < 0 && g_stays_out.load(std::memory_order_relaxed));
}

}  // namespace

FailingAllocation::FailingAllocation(std::int64_t n, Then then) {
  g_left = n;
  g_stays_out = then == Then::stay_out;
  detail::set_refuse_block([](std::size_t) { return fails(); });
  g_armed = true;
}

FailingAllocation::~FailingAllocation() {
  g_armed = false;
  detail::set_refuse_block(nullptr);
}

bool FailingAllocation::reached() const { return g_left.load() <= 0; }

bool counts_allocations() {
  const FailingAllocation failing(1000, FailingAllocation::Then::recover);
  ::operator delete(::operator new(1));
  return g_left.load() == 999;
}

namespace {

void* checked(void* block) {
  if (!block) throw std::bad_alloc();
  return block;
}

void* aligned(std::size_t bytes, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(to, (bytes + to - 1) / to * to + to);
}

// Apart, or the compiler sees free() meet operator new.
[[gnu::noinline]] void give_back(void* block) noexcept { std::free(block); }

}  // namespace
}  // namespace heed

void* operator new(std::size_t bytes) {
  return heed::checked(heed::fails() ? nullptr : std::malloc(bytes > 0 ? bytes : 1));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return heed::checked(heed::fails() ? nullptr : heed::aligned(bytes, alignment));
}
// Those of a sanitizer would meet our delete.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return heed::fails() ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return heed::fails() ? nullptr : heed::aligned(bytes, alignment);
}
void operator delete(void* block) noexcept { heed::give_back(block); }
void operator delete(void* block, std::size_t) noexcept { heed::give_back(block); }
void operator delete(void* block, std::align_val_t) noexcept { heed::give_back(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  heed::give_back(block);
}
