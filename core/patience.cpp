#include "patience.h"

#include <sys/resource.h>
#include <time.h>

#include <chrono>

namespace heed::detail {
namespace {

constexpr int kTurns = 32;               // pauses between two looks at the clock
constexpr long long kSpin = 1'000'000;   // ns
constexpr long long kCalm = 20'000'000;  // ns without spinning after the processor was taken

long long now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

// What a thread knows of the times that the kernel took its processor while it had work.
struct Preemptions {
  long count = 0;
  long long last = -kCalm, calm_until = 0;

  bool many(long long time) {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    const long more = usage.ru_nivcsw - count;
    if (more == 0) return time < calm_until;
    if (more > 1 || time - last < kCalm) calm_until = time + kCalm;
    count = usage.ru_nivcsw;
    last = time;
    return time < calm_until;
  }
};

thread_local Preemptions t_preemptions;

}  // namespace

long long time_run() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

bool crowded() {
  if (t_preemptions.calm_until == 0) return false;
  const long long time = now();
  if (time < t_preemptions.calm_until || t_preemptions.many(time)) return true;
  t_preemptions.calm_until = 0;
  return false;
}

bool Patience::lasts() {
  pause();
  if (++turns_ % kTurns != 0) return true;
  const long long time = now();
  if (turns_ == kTurns) {
    begin_ = time;
    return !t_preemptions.many(time);
  }
  return time - begin_ < kSpin;
}

}  // namespace heed::detail
