// Observer: is told, while it is installed, what every thread does: which parts of a program (see
// scope.h) begin and end, which operators are called on what, which derivatives run. The profiler
// and the summary of a model are observers. While none is installed, each place that would tell one
// costs a branch on a relaxed load.
//
// Time: an operator begins at `begins` and ends at `called`; what ends at `wrapped` instead was
// computed outside of the list of operators (a comparison, random numbers).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "array.h"

namespace heed {

class Part;
class Scope;

/// One call of an operator. Inputs that are undefined, or sparse, stand as undefined arrays.
struct Call {
  const char* op;
  std::span<const Array> inputs;
  std::span<const Array> results;
  /// Part of a derivative that is running, not a call of its own.
  bool in_derivative;
};

/// A derivative about to run: of which call (0 where nobody was told of it), and of which inputs.
struct Derivative {
  const char* op;
  std::uint32_t call;
  std::span<const bool> wanted;
};

class Observer {
 public:
  /// An operator looks at its operands.
  virtual void begins() {}
  /// Numbers became a tensor.
  virtual void wrapped() {}
  /// An operator is done. What is returned is remembered on the tape, for its Derivative.
  virtual std::uint32_t called(const Call&) { return 0; }
  virtual void derivative_begins(const Derivative&) {}
  virtual void derivative_ends() {}
  /// `entered` before the scope counts as open, `left` while it does. What they throw is dropped
  /// where a scope ends.
  virtual void entered(const Scope&) {}
  virtual void left(const Scope&) {}
  /// What a part gives to its caller.
  virtual void returned(const Part&, const Array&) {}

  /// While it lives, `observer` is told. Throws ValueError where another one is.
  class Installed {
   public:
    explicit Installed(Observer& observer);
    ~Installed();
    Installed(const Installed&) = delete;
    Installed& operator=(const Installed&) = delete;
  };

 protected:
  ~Observer() = default;
};

namespace detail {
inline constinit std::atomic<bool> g_observed{false};

// observer.cpp. Nothing happens where the observer has gone meanwhile; one thread at a time.
void tell_begins();
void tell_wrapped();
std::uint32_t tell_called(const Call& call);
void tell_derivative(const Derivative& derivative);
void tell_derivative_ends() noexcept;
void tell_entered(const Scope& scope);
void tell_left(const Scope& scope) noexcept;
void tell_returned(const Part& part, const Array& output);
}  // namespace detail

/// True while an Observer is installed.
inline bool observed() { return detail::g_observed.load(std::memory_order_relaxed); }

}  // namespace heed
