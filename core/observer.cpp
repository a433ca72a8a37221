#include "observer.h"

#include <mutex>

#include "error.h"
#include "process_lock.h"

namespace heed {
namespace {

// Operators on several threads tell in turn: what is counted needs no locks of its own, and nobody
// is told of anything once it is uninstalled.
std::mutex& mutex() { return process_lock(ProcessLock::observer); }
constinit Observer* g_observer = nullptr;

template <class Tell>
void tell(const Tell& what) {
  const std::lock_guard lock(mutex());
  if (g_observer) what(*g_observer);
}

}  // namespace

Observer::Installed::Installed(Observer& observer) {
  const std::lock_guard lock(mutex());
  if (g_observer) throw ValueError("observer: another profiler or summary is at work");
  g_observer = &observer;
  detail::g_observed.store(true, std::memory_order_relaxed);
}

Observer::Installed::~Installed() {
  const std::lock_guard lock(mutex());
  g_observer = nullptr;
  detail::g_observed.store(false, std::memory_order_relaxed);
}

namespace detail {

void tell_begins() {
  tell([](Observer& to) { to.begins(); });
}
void tell_wrapped() {
  tell([](Observer& to) { to.wrapped(); });
}
std::uint32_t tell_called(const Call& call) {
  std::uint32_t number = 0;
  tell([&](Observer& to) { number = to.called(call); });
  return number;
}
void tell_derivative(const Derivative& derivative) {
  tell([&](Observer& to) { to.derivative_begins(derivative); });
}
void tell_derivative_ends() noexcept try {
  tell([](Observer& to) { to.derivative_ends(); });
} catch (...) {
}
void tell_entered(const Scope& scope) {
  tell([&](Observer& to) { to.entered(scope); });
}
void tell_left(const Scope& scope) noexcept try {
  tell([&](Observer& to) { to.left(scope); });
} catch (...) {
}
void tell_returned(const Part& part, const Array& output) {
  tell([&](Observer& to) { to.returned(part, output); });
}

}  // namespace detail
}  // namespace heed
