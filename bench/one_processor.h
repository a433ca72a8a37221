// Programs of one thread that are compared share a processor: of those of a shared machine one may
// be slower than another, and each program would stay where it began.
#pragma once

#include <sched.h>

namespace bench {

class OneProcessor {
 public:
  /// Where `threads` is 1, holds this thread to the processor that it runs on, and so what it
  /// starts, as long as this lives.
  explicit OneProcessor(int threads);
  ~OneProcessor();
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  bool held_ = false;
  cpu_set_t before_{};
};

}  // namespace bench
