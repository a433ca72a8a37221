// Tracing: an Observer that traces is told more than what was called on what. Operators say of
// themselves what beside their operands decides their result:
//
//   say("axis", axis, "keepdim", keepdim);  // before record(), by operators that have such
//
// those that have no derivative, as comparisons, tell of their calls through computed()
// (autograd/computed.h), and fused ones for which no reader has a word ask traced() and give way to
// their definitions. It concerns the thread that traces alone; elsewhere, and while nobody traces,
// each of these is a branch on a relaxed load.
#pragma once

#include <type_traits>
#include <variant>
#include <vector>

#include "observer.h"

namespace heed {

/// What an operator says of itself, {"axis", 2}, or an operand that gets no gradient and is none of
/// its inputs, {"condition", ..}.
struct Said {
  using Value = std::variant<Index, double, std::vector<Index>, Array>;
  const char* name;
  Value value;
};

/// An Observer that traces.
class Tracer : public Observer {
 public:
  /// A result without a derivative.
  virtual void computed(const Call& call) = 0;

  /// While it lives, `tracer` is told of what this thread does. Throws ValueError where another
  /// observer is.
  class Installed {
   public:
    explicit Installed(Tracer& tracer);
    ~Installed();
    Installed(const Installed&) = delete;
    Installed& operator=(const Installed&) = delete;

   private:
    Observer::Installed observer_;
  };

 protected:
  ~Tracer() = default;
  /// What was said for the call that is being told of; forgets it.
  static std::vector<Said> take_said();
};

namespace detail {
inline constinit thread_local Tracer* t_tracer = nullptr;
void tell_said(const char* name, Said::Value value);
}  // namespace detail

/// True while this thread is traced.
inline bool traced() { return observed() && detail::t_tracer != nullptr; }

/// Names and values.
template <class T, class... More>
void say(const char* name, const T& value, const More&... more) {
  if (!traced()) [[likely]]
    return;
  if constexpr (std::is_floating_point_v<T>) {
    detail::tell_said(name, static_cast<double>(value));
  } else if constexpr (std::is_integral_v<T>) {
    detail::tell_said(name, static_cast<Index>(value));
  } else {
    detail::tell_said(name, value);
  }
  if constexpr (sizeof...(more) > 0) say(more...);
}

}  // namespace heed
