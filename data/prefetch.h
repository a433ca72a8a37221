// A thread that makes things ahead of the one that takes them, at most so many, in order. Where it
// cannot begin, they are made when they are taken.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "../core/shape.h"
#include "made_ahead.h"

namespace heed::data {

template <class T>
class Prefetch {
 public:
  /// make() is called in the thread, until last(what it made). It must not throw.
  Prefetch(Index most, std::function<T()> make, std::function<bool(const T&)> last)
      : most_(static_cast<std::size_t>(most)),
        make_(std::move(make)),
        last_(std::move(last)),
        ready_(most_) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::exception&) {  // no thread or no memory for it
    }
  }
  /// Waits for what is being made.
  ~Prefetch() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  /// The next, as soon as it is made. Must not be called after the last.
  T take() {
    if (!thread_.joinable()) return make_();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty(); });
    T out = ready_.pop();
    lock.unlock();
    changed_.notify_all();
    return out;
  }

 private:
  void run() {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stop_ || ready_.size() < most_; });
        if (stop_) return;
      }
      T made = make_();
      const bool last = last_(made);
      {
        const std::lock_guard lock(mutex_);
        ready_.push(std::move(made));
      }
      changed_.notify_all();
      if (last) return;
    }
  }

  std::size_t most_;
  std::function<T()> make_;
  std::function<bool(const T&)> last_;
  std::mutex mutex_;
  std::condition_variable changed_;
  MadeAhead<T> ready_;
  bool stop_ = false;
  std::thread thread_;  // last: the others are there when it begins
};

/// Throws the error again, of the same type where it is one of ours, with the batch in front.
[[noreturn]] void rethrow_named(const std::exception_ptr& error, Index batch, Index pass);

}  // namespace heed::data
