#include "parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "error.h"
#include "patience.h"
#include "processors.h"
#include "thread_pool.h"

namespace heed {
namespace {

constinit std::atomic<int> g_threads = 0;  // 0: nobody has asked yet

}  // namespace

int num_threads() {
  int threads = g_threads.load(std::memory_order_relaxed);
  if (threads == 0) {
    const int fresh = detail::default_threads();
    if (g_threads.compare_exchange_strong(threads, fresh, std::memory_order_relaxed)) return fresh;
  }
  return threads;
}

void set_num_threads(int threads) {
  if (threads < 1 || threads > detail::kMostThreads) {
    throw ValueError(
        fmt::format("set_num_threads: {} is not in [1, {}]", threads, detail::kMostThreads));
  }
  g_threads.store(threads, std::memory_order_relaxed);
}

namespace detail {
namespace {

// Each thread begins in a part of its own, the same one from call to call, so that what it used
// last is still in its cache; then it helps with the others' parts.
class Chunks {
 public:
  Chunks(Index count, Index grain, Index chunks, int threads, ChunkBody body, void* context)
      : count_(count),
        grain_(grain),
        ways_(std::min(threads, kMostParts)),
        failed_(chunks),
        body_(body),
        context_(context) {
    for (int p = 0; p < ways_; ++p) {
      parts_[p].next.store(chunks * p / ways_, std::memory_order_relaxed);
      parts_[p].end = chunks * (p + 1) / ways_;
    }
  }

  void work(int place) {
    for (int turn = 0; turn < ways_; ++turn) {
      Part& part = parts_[(place + turn) % ways_];
      for (Index c; (c = part.next.fetch_add(1, std::memory_order_relaxed)) < part.end;) call(c);
    }
  }

  /// Place 0's work for as long as it pays to do it alone; whether that was all.
  bool alone() {
    constexpr long long kAlone = 4'000'000;  // ns: what a thread may wait that the kernel let go of
    const ThreadPool::Inside scope;
    const long long end = time_run() + kAlone;
    for (int p = 0; p < ways_; ++p) {
      for (Index c; (c = parts_[p].next.fetch_add(1, std::memory_order_relaxed)) < parts_[p].end;) {
        call(c);
        if (time_run() >= end) return false;
      }
    }
    return true;
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  static constexpr int kMostParts = 64;
  struct alignas(64) Part {
    std::atomic<Index> next;
    Index end;
  };

  void call(Index c) {
    try {
      body_(context_, c * grain_, std::min(count_, (c + 1) * grain_));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (c < failed_) {
        failed_ = c;
        error_ = std::current_exception();
      }
    }
  }

  Part parts_[kMostParts];
  Index count_, grain_;
  int ways_;
  std::mutex mutex_;
  std::exception_ptr error_;
  Index failed_;
  ChunkBody body_;
  void* context_;
};

}  // namespace

void run_chunks(Index count, Index grain, ChunkBody body, void* context) {
  if (grain < 1) throw ValueError(fmt::format("parallel_for: grain {} must be positive", grain));
  const Index number = (count - 1) / grain + 1;
  const int threads =
      ThreadPool::inside() ? 1 : static_cast<int>(std::min<Index>(number, num_threads()));
  if (threads == 1) {
    for (Index c = 0; c < number; ++c) body(context, c * grain, std::min(count, (c + 1) * grain));
    return;
  }
  Chunks chunks(count, grain, number, threads, body, context);
  // Where others want the processors, a thread that has taken a piece may not get on with it for
  // milliseconds: short work is not shared.
  if (crowded() && chunks.alone()) return chunks.rethrow();
  ThreadPool::instance().run(
      threads, [](void* all, int place) { static_cast<Chunks*>(all)->work(place); }, &chunks);
  chunks.rethrow();
}

}  // namespace detail
}  // namespace heed
