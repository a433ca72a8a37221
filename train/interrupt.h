// Ctrl-C that lets the training loop finish its step, save the best model and leave. The first
// SIGINT or SIGTERM is only remembered; a second one ends the process at once.
//
//   train::InterruptGuard guard;
//   for (...) { ...; if (train::interrupted()) break; }
#pragma once

namespace heed::train {

/// Catches the two signals while alive; puts back what was there before. Guards may nest, and
/// several threads may have one.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// True after a first signal, until the outermost guard is gone.
bool interrupted();

}  // namespace heed::train
