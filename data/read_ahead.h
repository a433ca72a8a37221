// Threads that make things ahead in several lanes, of each lane in order and at most so many. Which
// thread makes what is chance; what is made is not. Where a thread cannot begin, those that could do
// the work.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "../core/shape.h"
#include "made_ahead.h"

namespace heed::data {

template <class T>
class ReadAhead {
 public:
  /// make(lane) is called by one thread at a time for a lane, until last(what it made); with no
  /// threads by take() itself. It must not throw.
  ReadAhead(Index lanes, Index threads, std::size_t most, std::function<T(Index lane)> make,
            std::function<bool(const T&)> last)
      : most_(most), make_(std::move(make)), last_(std::move(last)) {
    for (Index i = 0; i < lanes; ++i) lanes_.emplace_back(most);
    try {
      for (Index i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
    } catch (const std::exception&) {  // no thread or no memory for it
    }
  }
  /// Waits for what is being made.
  ~ReadAhead() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// The lane's next, as soon as it is made. Must not be called after the last.
  T take(Index lane) {
    if (threads_.empty()) return make_(lane);
    std::unique_lock lock(mutex_);
    MadeAhead<T>& ready = lanes_[static_cast<std::size_t>(lane)].ready;
    changed_.wait(lock, [&] { return !ready.empty(); });
    T out = ready.pop();
    lock.unlock();
    changed_.notify_all();
    return out;
  }

 private:
  struct Lane {
    explicit Lane(std::size_t most) : ready(most) {}
    MadeAhead<T> ready;
    bool busy = false, ended = false;
  };

  // The one of which least is ready; negative where none wants more.
  Index wanting() const {
    Index out = -1;
    std::size_t least = most_;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const Lane& lane = lanes_[i];
      if (lane.busy || lane.ended || lane.ready.size() >= least) continue;
      least = lane.ready.size();
      out = static_cast<Index>(i);
    }
    return out;
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Index which = -1;
      changed_.wait(lock, [&] { return stop_ || (which = wanting()) >= 0; });
      if (stop_) return;
      Lane& lane = lanes_[static_cast<std::size_t>(which)];
      lane.busy = true;
      lock.unlock();
      T made = make_(which);
      lock.lock();
      lane.busy = false;
      lane.ended = last_(made);
      lane.ready.push(std::move(made));
      changed_.notify_all();
    }
  }

  std::size_t most_;
  std::function<T(Index)> make_;
  std::function<bool(const T&)> last_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Lane> lanes_;
  bool stop_ = false;
  std::vector<std::thread> threads_;  // last: the others are there when they begin
};

}  // namespace heed::data
