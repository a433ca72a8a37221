#include "allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "block_sizes.h"
#include "caching.h"
#include "error.h"
#include "memory_budget.h"
#include "no_memory.h"
#include "pages.h"
#include "process_lock.h"
#include "refuse_block.h"

namespace heed {
namespace {

constexpr std::size_t kChunk = 262144;      // small blocks are carved from chunks of this size
constexpr std::size_t kListBytes = 262144;  // a thread keeps about this much of each small class

struct FreeBlock {
  FreeBlock* next;
};

// Counters of one thread: written by it alone, read by anyone.
struct Counters {
  std::atomic<std::int64_t> live_bytes{0};
  std::atomic<std::int64_t> live[kBlockKinds] = {};

  static void add(std::atomic<std::int64_t>& counter, std::int64_t amount) {
    counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  void count(std::int64_t bytes, BlockKind kind, std::int64_t blocks) {
    add(live_bytes, bytes);
    add(live[static_cast<std::size_t>(kind)], blocks);
  }
};

struct ThreadCache {
  FreeBlock* lists[kSmallClasses] = {};
  std::size_t counts[kSmallClasses] = {};
  Counters counters;
};

class Central;
Central& central();

class Central {
 public:
  void* take_large(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    make_room();
    // The class itself, or one at most an eighth larger.
    auto place = lower(bytes);
    if (place != cached_.end() && place->bytes <= bytes + bytes / 8) {
      void* block = place->block;
      sizes_in_use(block, place->bytes);
      cached_bytes_ -= place->bytes;
      cached_.erase(place);
      return block;
    }
    void* block = from_system(bytes);
    sizes_in_use(block, bytes);
    return block;
  }

  void give_large(void* block) noexcept {
    const std::lock_guard lock(mutex_);
    const auto place = std::lower_bound(in_use_.begin(), in_use_.end(), block,
                                        [](const Block& b, void* p) { return b.block < p; });
    const std::size_t bytes = place->bytes;
    in_use_.erase(place);
    live_large_ -= bytes;
    cached_.insert(lower(bytes), Block{block, bytes, ++given_});  // there is room
    cached_bytes_ += bytes;
    // Batches of ever new sizes must not pile up blocks: keep no more idle than was ever in use.
    while (cached_bytes_ > std::max<std::size_t>(peak_large_, std::size_t{256} << 20)) {
      const auto oldest = std::min_element(
          cached_.begin(), cached_.end(),
          [](const Block& a, const Block& b) { return a.idle_since < b.idle_since; });
      drop(static_cast<std::size_t>(oldest - cached_.begin()));
    }
  }

  // Small blocks of one class, as a list.
  FreeBlock* take_small(std::size_t index, std::size_t bytes, std::size_t want, std::size_t* got) {
    const std::lock_guard lock(mutex_);
    FreeBlock*& list = small_[index];
    if (!list) refill(list, bytes);
    FreeBlock* head = list;
    FreeBlock* last = head;
    *got = 1;
    while (*got < want && last->next) {
      last = last->next;
      ++*got;
    }
    list = last->next;
    last->next = nullptr;
    return head;
  }

  void give_small(std::size_t index, FreeBlock* head, FreeBlock* last) noexcept {
    const std::lock_guard lock(mutex_);
    last->next = small_[index];
    small_[index] = head;
  }

  // Null where there is no memory for one: the thread does without.
  ThreadCache* open_cache() noexcept {
    const std::lock_guard lock(mutex_);
    try {
      auto cache = std::make_unique<ThreadCache>();
      caches_.push_back(cache.get());
      return cache.release();
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  void close_cache(ThreadCache* cache) noexcept {
    for (std::size_t i = 0; i < kSmallClasses; ++i) {
      FreeBlock* head = cache->lists[i];
      if (!head) continue;
      FreeBlock* last = head;
      while (last->next) last = last->next;
      give_small(i, head, last);
    }
    const std::lock_guard lock(mutex_);
    retired_.count(cache->counters.live_bytes, BlockKind::storage, 0);
    for (std::size_t k = 0; k < kBlockKinds; ++k) {
      Counters::add(retired_.live[k], cache->counters.live[k]);
    }
    caches_.erase(std::find(caches_.begin(), caches_.end(), cache));
    delete cache;
  }

  // For blocks freed after their thread's cache is gone.
  void count_retired(std::int64_t bytes, BlockKind kind, std::int64_t blocks) noexcept {
    const std::lock_guard lock(mutex_);
    retired_.count(bytes, kind, blocks);
  }

  MemoryStats stats() {
    const std::lock_guard lock(mutex_);
    std::int64_t bytes = retired_.live_bytes;
    std::int64_t live[kBlockKinds];
    for (std::size_t k = 0; k < kBlockKinds; ++k) live[k] = retired_.live[k];
    for (const ThreadCache* cache : caches_) {
      bytes += cache->counters.live_bytes.load(std::memory_order_relaxed);
      for (std::size_t k = 0; k < kBlockKinds; ++k) {
        live[k] += cache->counters.live[k].load(std::memory_order_relaxed);
      }
    }
    return {.live_bytes = bytes,
            .live_storages = live[0],
            .live_tensors = live[1],
            .live_nodes = live[2],
            .reserved_bytes = static_cast<std::int64_t>(reserved_),
            .peak_reserved_bytes = static_cast<std::int64_t>(peak_reserved_),
            .system_allocations = system_allocations_};
  }

  void set_limit(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
  }

  void release_cached() {
    const std::lock_guard lock(mutex_);
    while (!cached_.empty()) drop(cached_.size() - 1);
  }

 private:
  struct Block {
    void* block;
    std::size_t bytes;
    std::uint64_t idle_since = 0;  // of a cached one, in blocks given back
  };

  std::vector<Block>::iterator lower(std::size_t bytes) {
    return std::lower_bound(cached_.begin(), cached_.end(), bytes,
                            [](const Block& b, std::size_t n) { return b.bytes < n; });
  }

  // For one block more, in use or idle: what is written down about blocks later must not fail.
  void make_room() {
    if (in_use_.size() == in_use_.capacity()) in_use_.reserve(2 * in_use_.size() + 64);
    const std::size_t blocks = in_use_.size() + cached_.size() + 1;
    if (cached_.capacity() < blocks) cached_.reserve(2 * blocks);
  }

  void sizes_in_use(void* block, std::size_t bytes) {
    const auto place = std::lower_bound(in_use_.begin(), in_use_.end(), block,
                                        [](const Block& b, void* p) { return b.block < p; });
    in_use_.insert(place, Block{block, bytes, 0});
    live_large_ += bytes;
    peak_large_ = std::max(peak_large_, live_large_);
  }

  void drop(std::size_t index) noexcept {
    const Block gone = cached_[index];
    cached_.erase(cached_.begin() + static_cast<std::ptrdiff_t>(index));
    cached_bytes_ -= gone.bytes;
    reserved_ -= gone.bytes;
    unmap_pages(gone.block, gone.bytes);
  }

  void* from_system(std::size_t bytes) {
    if (limit_ != 0 && reserved_ + bytes > limit_) {
      while (!cached_.empty() && reserved_ + bytes > limit_) drop(cached_.size() - 1);
      if (reserved_ + bytes > limit_) {
        throw OutOfMemory(fmt::format("allocate: {} bytes more would pass the limit of {}: {} held",
                                      bytes, limit_, reserved_));
      }
    }
    void* mapped = map_pages(bytes);
    while (!mapped && !cached_.empty()) {  // idle blocks of other sizes may make room
      drop(cached_.size() - 1);
      mapped = map_pages(bytes);
    }
    if (!mapped) throw_no_memory(bytes, reserved_);
    reserved_ += bytes;
    peak_reserved_ = std::max(peak_reserved_, reserved_);
    ++system_allocations_;
    return mapped;
  }

  void refill(FreeBlock*& list, std::size_t bytes) {
    auto* chunk = static_cast<std::byte*>(from_system(kChunk));
    for (std::size_t at = kChunk / bytes; at-- > 0;) {
      list = ::new (chunk + at * bytes) FreeBlock{list};
    }
  }

  std::mutex& mutex_ = process_lock(ProcessLock::memory);
  std::vector<Block> cached_;  // idle large blocks, by size
  std::vector<Block> in_use_;  // held large blocks, by address
  FreeBlock* small_[kSmallClasses] = {};
  std::vector<ThreadCache*> caches_;
  Counters retired_;
  std::size_t limit_ = 0, reserved_ = 0, peak_reserved_ = 0;
  std::size_t live_large_ = 0, peak_large_ = 0, cached_bytes_ = 0;
  std::uint64_t given_ = 0;
  std::int64_t system_allocations_ = 0;
};

// Never destroyed: objects of static life may free after main().
Central& central() {
  alignas(Central) static std::byte place[sizeof(Central)];
  static Central* const instance = ::new (place) Central;
  return *instance;
}
// Before there is a second thread, while which makes it the first could fork().
[[maybe_unused]] const Central& g_made = central();

// A plain pointer, so that reading it costs no guard; the guard object below closes it.
constinit thread_local ThreadCache* t_cache = nullptr;
constinit thread_local bool t_closed = false;

struct CacheGuard {
  ~CacheGuard() {
    if (t_cache) central().close_cache(t_cache);
    t_cache = nullptr;
    t_closed = true;
  }
};

ThreadCache* open_thread_cache() {
  if (t_closed) return nullptr;
  thread_local CacheGuard guard;
  (void)guard;
  t_cache = central().open_cache();
  return t_cache;
}

inline ThreadCache* thread_cache() { return t_cache ? t_cache : open_thread_cache(); }

constinit std::atomic<detail::RefuseBlock> g_refuse = nullptr;

[[noreturn]] void throw_no_block(std::size_t bytes) {
  throw_no_memory(bytes, static_cast<std::size_t>(central().stats().reserved_bytes));
}

void count(ThreadCache* cache, std::size_t bytes, BlockKind kind, std::int64_t sign) {
  const std::int64_t amount = sign * static_cast<std::int64_t>(bytes);
  if (cache) {
    cache->counters.count(amount, kind, sign);
  } else {
    central().count_retired(amount, kind, sign);
  }
}

}  // namespace

void* allocate_block(std::size_t bytes, BlockKind kind) {
  const detail::RefuseBlock refuse = g_refuse.load(std::memory_order_relaxed);
  if (refuse && refuse(bytes)) [[unlikely]]
    throw_no_block(bytes);
  ThreadCache* cache = thread_cache();
  if constexpr (!kCaching) {
    MemoryBudget::ask(bytes);
    // Where AddressSanitizer cannot serve it ends the program: what no machine has is refused
    // before.
    if (bytes > std::size_t{1} << 39) throw_no_block(bytes);
    void* block = ::operator new (std::max<std::size_t>(bytes, 1),
                                  std::align_val_t{kBlockAlignment}, std::nothrow);
    if (!block) throw_no_block(bytes);
    count(cache, bytes, kind, 1);
    return block;
  }
  if (bytes > kLargestSmall) {
    MemoryBudget::ask(bytes);
    if (bytes > SIZE_MAX / 4) throw_no_block(bytes);
    const std::size_t rounded = large_bytes(bytes);
    void* block = central().take_large(rounded);
    count(cache, rounded, kind, 1);
    return block;
  }
  const SmallClass size = small_class(bytes);
  if (!cache) {
    std::size_t got = 0;
    void* block = central().take_small(size.index, size.bytes, 1, &got);
    count(cache, size.bytes, kind, 1);
    return block;
  }
  FreeBlock*& list = cache->lists[size.index];
  if (!list) {
    MemoryBudget::ask(size.bytes);
    const std::size_t want = std::max<std::size_t>(kListBytes / 2 / size.bytes, 1);
    list = central().take_small(size.index, size.bytes, want, &cache->counts[size.index]);
  }
  FreeBlock* block = list;
  list = block->next;
  --cache->counts[size.index];
  cache->counters.count(static_cast<std::int64_t>(size.bytes), kind, 1);
  return block;
}

void free_block(void* block, std::size_t bytes, BlockKind kind) noexcept {
  ThreadCache* cache = thread_cache();
  if constexpr (!kCaching) {
    ::operator delete (block, std::align_val_t{kBlockAlignment});
    count(cache, bytes, kind, -1);
    return;
  }
  if (bytes > kLargestSmall) {
    count(cache, large_bytes(bytes), kind, -1);
    central().give_large(block);
    return;
  }
  const SmallClass size = small_class(bytes);
  count(cache, size.bytes, kind, -1);
  auto* freed = ::new (block) FreeBlock{nullptr};
  if (!cache) {
    central().give_small(size.index, freed, freed);
    return;
  }
  freed->next = cache->lists[size.index];
  cache->lists[size.index] = freed;
  const std::size_t kept = ++cache->counts[size.index];
  if (kept * size.bytes <= kListBytes) return;
  // Too many: half of them go to the others.
  FreeBlock* last = freed;
  const std::size_t surplus = (kept + 1) / 2;
  for (std::size_t i = 1; i < surplus; ++i) last = last->next;
  FreeBlock* rest = last->next;
  central().give_small(size.index, freed, last);
  cache->lists[size.index] = rest;
  cache->counts[size.index] = kept - surplus;
}

MemoryStats memory_stats() { return central().stats(); }

std::int64_t detail::live_bytes_of_thread() noexcept {
  const ThreadCache* cache = thread_cache();
  return cache ? cache->counters.live_bytes.load(std::memory_order_relaxed) : 0;
}

void set_memory_limit(std::int64_t bytes) {
  if (bytes < 0) throw ValueError(fmt::format("set_memory_limit: {} is negative", bytes));
  central().set_limit(static_cast<std::size_t>(bytes));
}

void release_cached_memory() { central().release_cached(); }

void detail::set_refuse_block(RefuseBlock refuse) { g_refuse = refuse; }

}  // namespace heed
