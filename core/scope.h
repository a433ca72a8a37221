// Scope: says that what this thread does until it ends is the work of one part of the program, such
// as a layer. Errors that are thrown meanwhile begin with the part's path, and profiles count by
// it:
//
//   Tensor Linear::operator()(const Tensor& x) const {
//     const Scope scope(*this);  // ShapeError: encoder.layers.2.linear1: linear: inner sizes ...
//     return forwarded(linear(x, weight, bias));
//   }
#pragma once

#include <atomic>
#include <exception>
#include <string>

#include "observer.h"

namespace heed {

/// What has a place in a program: nn::Module is one.
class Part {
 public:
  /// "encoder.layers.2"; empty for the whole. Of a part with several places, the one in the scopes
  /// that are open on this thread.
  virtual std::string path() const = 0;
  /// "Linear"; for the eye.
  virtual std::string class_name() const = 0;

 protected:
  ~Part() = default;
  /// What becomes true where a scope of it ends, but by an exception or unhooked; null: nobody
  /// asks.
  std::atomic<bool>* worked_ = nullptr;
  friend class Scope;
};

namespace detail {
inline constinit thread_local const Scope* t_scope = nullptr;
}

class Scope {
 public:
  /// Of what is not the part's result but prepares it, such as a memory: no forward hook expects to
  /// be called for it.
  struct Unhooked {};
  static constexpr Unhooked unhooked{};

  explicit Scope(const Part& part) : Scope(part, true) {}
  Scope(const Part& part, Unhooked) : Scope(part, false) {}
  ~Scope() {
    if (observed()) [[unlikely]]
      detail::tell_left(*this);
    if (part_.worked_ != nullptr && hooked_ && std::uncaught_exceptions() == 0) [[unlikely]]
      part_.worked_->store(true, std::memory_order_relaxed);
    detail::t_scope = outer_;
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  const Part& part() const { return part_; }
  const Scope* outer() const { return outer_; }
  /// The innermost on this thread; null outside of all.
  static const Scope* current() { return detail::t_scope; }
  /// The path of the innermost part that has one; empty outside of all.
  static std::string path();

 private:
  Scope(const Part& part, bool hooked) : part_(part), outer_(detail::t_scope), hooked_(hooked) {
    if (observed()) [[unlikely]]
      detail::tell_entered(*this);
    detail::t_scope = this;
  }

  const Part& part_;
  const Scope* outer_;
  bool hooked_;
};

}  // namespace heed
