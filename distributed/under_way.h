// Buckets of gradients that are under way while the process computes on: a thread of its own asks
// MPI now and then, which does nothing by itself, adds up what has come, and sends the sums back.
// Internal to distributed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "bucket.h"

namespace heed::distributed {

class UnderWay {
 public:
  /// In the order in which they will start, on all processes. No thread begins before the first
  /// does, and none where MPI takes calls of one thread alone.
  UnderWay(const World& world, std::vector<Bucket> buckets);
  /// Waits for no bucket.
  ~UnderWay();
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  std::vector<Bucket>& buckets() { return buckets_; }
  /// The one that start() is to take; nullptr after the last.
  const Bucket* next() const { return started_ < buckets_.size() ? &buckets_[started_] : nullptr; }
  /// Throws Error while another's are under way in this world, and what the thread came upon.
  void start(const std::vector<GradientTree>& trees);
  /// Whether a thread sees to them, until finish().
  bool seen_to() const { return thread_.joinable(); }
  /// How many have been summed up here, and sent on.
  std::size_t told() const;
  /// Once all have started: sums are there or on their way to all. Throws what the thread came
  /// upon.
  void finish();

 private:
  void begin_thread();
  void end_thread();
  void see_to_them();
  void go_on();

  const World& world_;
  std::vector<Bucket> buckets_;
  std::size_t started_ = 0, told_ = 0;  // how many
  bool ended_ = false;
  std::exception_ptr error_;
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace heed::distributed
