#include "patience.h"

#include <sys/resource.h>

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

// Times that the kernel took the processor from this thread while it had work.
long preemptions() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

thread_local long t_preemptions = 0;
thread_local long long t_calm_until = 0;

}  // namespace

bool Patience::lasts() {
  pause();
  if (++turns_ % kTurns != 0) return true;
  const long long time = now();
  if (turns_ == kTurns) {
    begin_ = time;
    if (const long count = preemptions(); count != t_preemptions) {
      t_preemptions = count;
      t_calm_until = time + kCalm;
    }
    return time >= t_calm_until;
  }
  return time - begin_ < kSpin;
}

}  // namespace heed::detail
