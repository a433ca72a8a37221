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
  /// What becomes true where a scope of it ends, but by an exception; null: nobody asks.
  std::atomic<bool>* worked_ = nullptr;
  friend class Scope;
};

namespace detail {
inline constinit thread_local const Scope* t_scope = nullptr;
}

class Scope {
 public:
  explicit Scope(const Part& part) : part_(part), outer_(detail::t_scope) {
    if (observed()) [[unlikely]]
      detail::tell_entered(*this);
    detail::t_scope = this;
  }
  ~Scope() {
    if (observed()) [[unlikely]]
      detail::tell_left(*this);
    if (part_.worked_ != nullptr && std::uncaught_exceptions() == 0) [[unlikely]]
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
  const Part& part_;
  const Scope* outer_;
};

}  // namespace heed
