#include "one_processor.h"

namespace bench {

OneProcessor::OneProcessor(int threads) {
  const int here = sched_getcpu();
  if (threads != 1 || here < 0 || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(here), &one);
  held_ = sched_setaffinity(0, sizeof one, &one) == 0;
}

OneProcessor::~OneProcessor() {
  if (held_) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace bench
