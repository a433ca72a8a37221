// Reference counting inside the object: Ref<T> is one pointer wide, and the last owner is
// recognised without an atomic write, which matters where an operator costs tens of nanoseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace heed {

/// Base of what Ref points to. T says how it is destroyed: static void T::destroy(T*).
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const { count_.fetch_add(1, std::memory_order_relaxed); }
  /// True when the caller held the last reference.
  bool release() const {
    if (count_.load(std::memory_order_acquire) == 1) return true;
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  bool unique() const { return count_.load(std::memory_order_acquire) == 1; }

 private:
  mutable std::atomic<std::uint32_t> count_{1};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  /// Takes over the reference that a new object is born with.
  static Ref adopt(T* object) { return Ref(object); }
  /// Adds a reference.
  static Ref share(T* object) {
    if (object) object->retain();
    return Ref(object);
  }
  Ref(const Ref& other) : object_(other.object_) {
    if (object_) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(const Ref& other) {
    Ref(other).swap(*this);
    return *this;
  }
  Ref& operator=(Ref&& other) noexcept {
    Ref(std::move(other)).swap(*this);
    return *this;
  }
  ~Ref() {
    if (object_ && object_->release()) T::destroy(object_);
  }

  void swap(Ref& other) noexcept { std::swap(object_, other.object_); }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  explicit Ref(T* object) : object_(object) {}
  T* object_ = nullptr;
};

}  // namespace heed
