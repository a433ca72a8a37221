// The threads that help with parallel regions: one pool for the whole process, started as they are
// first needed. A thread that has nothing to do spins for a moment and then blocks; the caller of a
// region works like the others, never waits for one that the kernel has not scheduled, and blocks
// rather than spins for what others have begun. Regions of several user threads share the pool.
#pragma once

#include <atomic>
#include <cstdint>

namespace heed::detail {

/// What all threads of a region call, each with a place of its own in [0, 1024); the caller has
/// place 0. It takes pieces of work until none are left to begin, and must not throw.
using RegionWork = void (*)(void* context, int place);

class ThreadPool {
 public:
  /// The pool of this process. A child after fork() gets a new one, as threads do not follow it.
  static ThreadPool& instance();
  /// Whether this thread is inside of a region.
  static bool inside();
  /// That it is, for a caller that works alone.
  struct Inside {
    Inside();
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
  };

  /// Calls work(context, 0) and, on up to `threads` - 1 others as they come, work(context, place);
  /// returns when all who began have ended. All regions together use no more than num_threads()
  /// threads, or one each where there are more regions than that.
  void run(int threads, RegionWork work, void* context);

 private:
  static constexpr int kRegions = 16;  // at once; who finds none free works alone

  struct alignas(64) Region {
    std::atomic<std::uint32_t> state{0};
    RegionWork work = nullptr;
    void* context = nullptr;
  };

  void start(int helpers);
  void serve(int place);
  bool help(int place);
  Region* take();

  Region regions_[kRegions];
  alignas(64) std::atomic<std::uint32_t> posts_{0};  // counts the regions opened
  alignas(64) std::atomic<int> running_{0};          // threads inside of regions
  alignas(64) std::atomic<int> sleeping_{0};         // threads that wait for posts_ to change
  alignas(64) std::atomic<int> helpers_{0};          // threads started
};

}  // namespace heed::detail
