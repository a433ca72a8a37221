// Waiting for another thread: spinning, which answers within a tenth of a microsecond but takes a
// processor, for a bounded time; where other work wants the processors, for hardly any.
//
// That it does is seen by how often the kernel takes the processor from a thread that has work:
// once now and then on any machine, every few milliseconds on a crowded one.
#pragma once

namespace heed::detail {

/// Nanoseconds that this thread has run; what it waited for a processor does not count.
long long time_run();

/// Whether other work has lately wanted this thread's processor.
bool crowded();

/// One look at the clock between many looks at what is awaited.
class Patience {
 public:
  /// Whether to go on spinning, after a pause of the processor.
  bool lasts();

 private:
  int turns_ = 0;
  long long begin_ = 0;  // ns
};

/// Spins until ready() or until patience ends; returns whether it was ready.
template <class Ready>
bool spin_until(const Ready& ready) {
  for (Patience patience; patience.lasts();) {
    if (ready()) return true;
  }
  return false;
}

}  // namespace heed::detail
