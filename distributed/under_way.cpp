#include "under_way.h"

#include <chrono>
#include <mutex>
#include <system_error>
#include <utility>

#include "../autograd/grad_mode.h"
#include "handles-inl.h"

namespace heed::distributed {
namespace {

// From one look at what has come to the next. A network of 10 Gbit/s brings 600 kB meanwhile.
constexpr std::chrono::microseconds kPause{500};

}  // namespace

UnderWay::UnderWay(const World& world, std::vector<Bucket> buckets)
    : world_(world), buckets_(std::move(buckets)) {}

UnderWay::~UnderWay() {
  end_thread();
  if (started_ > 0) world_.handles().under_way = false;
}

void UnderWay::start(const std::vector<GradientTree>& trees) {
  {
    const std::lock_guard lock(one_at_a_time);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if (started_ == 0 && std::exchange(world_.handles().under_way, true)) {
      throw Error("distributed: another sum's gradients are on their way: finish() it first");
    }
    buckets_[started_].start(trees);
    ++started_;
    if (!thread_.joinable()) go_on();
  }
  if (started_ == 1 && world_.handles().threads) begin_thread();
}

std::size_t UnderWay::told() const {
  const std::lock_guard lock(one_at_a_time);
  return told_;
}

// Where none is to be had, buckets go on as others start.
void UnderWay::begin_thread() {
  try {
    thread_ = std::thread([this] { see_to_them(); });
  } catch (const std::system_error&) {
  }
}

void UnderWay::end_thread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(one_at_a_time);
    ended_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void UnderWay::see_to_them() {
  const NoGrad scope;
  std::unique_lock lock(one_at_a_time);
  while (!ended_) {
    try {
      go_on();
    } catch (...) {
      error_ = std::current_exception();
      return;
    }
    wake_.wait_for(lock, kPause);
  }
}

// Sums set out in the buckets' order, as all processes have it.
void UnderWay::go_on() {
  for (; told_ < started_ && buckets_[told_].here(); ++told_) buckets_[told_].tell();
  if (told_ > 0) buckets_[told_ - 1].here();
}

void UnderWay::finish() {
  end_thread();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  const std::lock_guard lock(one_at_a_time);
  for (; told_ < started_; ++told_) buckets_[told_].tell();
}

}  // namespace heed::distributed
