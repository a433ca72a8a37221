#include "thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "parallel.h"
#include "patience.h"
#include "process_lock.h"

namespace heed::detail {
namespace {

// The state of a region: taken by a caller, open to helpers, and how many of these are inside.
constexpr std::uint32_t kFree = 0, kTaken = 1, kOpen = 2, kHelper = 4;

constinit std::atomic<ThreadPool*> g_pool = nullptr;
constinit thread_local bool t_inside = false;

// A child of fork() has none of its threads.
[[maybe_unused]] const int g_forked =
    pthread_atfork(nullptr, nullptr, [] { g_pool.store(nullptr, std::memory_order_relaxed); });

}  // namespace

bool ThreadPool::inside() { return t_inside; }
ThreadPool::Inside::Inside() { t_inside = true; }
ThreadPool::Inside::~Inside() { t_inside = false; }

// Never destroyed: its threads wait in it until the process ends.
ThreadPool& ThreadPool::instance() {
  if (ThreadPool* pool = g_pool.load(std::memory_order_acquire)) return *pool;
  const std::lock_guard lock(process_lock(ProcessLock::pool));
  if (!g_pool.load(std::memory_order_relaxed)) {
    g_pool.store(new ThreadPool, std::memory_order_release);
  }
  return *g_pool.load(std::memory_order_relaxed);
}

void ThreadPool::start(int helpers) {
  const std::lock_guard lock(process_lock(ProcessLock::pool));
  for (int place = helpers_.load(std::memory_order_relaxed) + 1; place <= helpers; ++place) {
    try {
      std::thread([this, place] { serve(place); }).detach();
    } catch (const std::exception&) {
      return;  // no thread or no memory for it: those that are there do the work
    }
    helpers_.store(place, std::memory_order_relaxed);
  }
}

ThreadPool::Region* ThreadPool::take() {
  for (Region& region : regions_) {
    std::uint32_t free = kFree;
    if (region.state.load(std::memory_order_relaxed) == kFree &&
        region.state.compare_exchange_strong(free, kTaken, std::memory_order_acquire)) {
      return &region;
    }
  }
  return nullptr;
}

void ThreadPool::run(int threads, RegionWork work, void* context) {
  if (helpers_.load(std::memory_order_relaxed) < threads - 1) start(threads - 1);
  Region* const region = take();
  t_inside = true;
  if (!region) {
    work(context, 0);
    t_inside = false;
    return;
  }
  const int running = running_.fetch_add(1, std::memory_order_relaxed) + 1;
  region->work = work;
  region->context = context;
  region->state.store(kTaken | kOpen, std::memory_order_release);
  // Either this thread sees who sleeps, or who is about to sleep sees that posts_ has changed.
  posts_.fetch_add(1);
  if (const int sleeping = sleeping_.load(); sleeping > 0) {
    const int wanted = std::min(threads, num_threads() - running + 1) - 1;
    if (wanted >= sleeping) {
      posts_.notify_all();
    } else {
      for (int i = 0; i < wanted; ++i) posts_.notify_one();
    }
  }
  work(context, 0);
  t_inside = false;
  running_.fetch_sub(1, std::memory_order_relaxed);
  std::uint32_t state = region->state.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  const auto ended = [&] {
    state = region->state.load(std::memory_order_acquire);
    return state == kTaken;
  };
  if (state != kTaken && !spin_until(ended)) {
    while (!ended()) region->state.wait(state, std::memory_order_acquire);
  }
  region->state.store(kFree, std::memory_order_release);
}

bool ThreadPool::help(int place) {
  bool helped = false;
  for (Region& region : regions_) {
    std::uint32_t state = region.state.load(std::memory_order_relaxed);
    if ((state & kOpen) == 0) continue;
    if (running_.fetch_add(1, std::memory_order_relaxed) < num_threads()) {
      while ((state & kOpen) != 0) {
        if (!region.state.compare_exchange_weak(state, state + kHelper,
                                                std::memory_order_acquire)) {
          continue;
        }
        region.work(region.context, place);
        // From here on the region is its caller's again, or already another's.
        if (region.state.fetch_sub(kHelper, std::memory_order_acq_rel) == kTaken + kHelper) {
          region.state.notify_one();
        }
        helped = true;
        break;
      }
    }
    running_.fetch_sub(1, std::memory_order_relaxed);
  }
  return helped;
}

void ThreadPool::serve(int place) {
  t_inside = true;
  std::uint32_t seen = 0;
  const auto helped = [&] {
    const std::uint32_t posts = posts_.load(std::memory_order_acquire);
    if (posts == seen) return false;
    seen = posts;
    return help(place);
  };
  for (;;) {
    // Posts that this thread is not wanted for do not keep it awake.
    if (spin_until(helped)) continue;
    sleeping_.fetch_add(1);
    posts_.wait(seen);
    sleeping_.fetch_sub(1);
  }
}

}  // namespace heed::detail
