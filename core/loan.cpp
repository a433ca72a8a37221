#include "loan.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "parallel.h"
#include "process_lock.h"

namespace heed {
namespace {

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // a product by it loses nothing
constexpr Index kChunk = 1 << 18;                   // bytes

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * kOdd;
  return hash ^ (hash >> 29);
}

// Four sums that do not wait for each other.
std::uint64_t hash_of(const std::byte* at, Index bytes) {
  std::uint64_t sums[4] = {1, 2, 3, 4};
  Index i = 0;
  for (; i + 32 <= bytes; i += 32) {
    std::uint64_t words[4];
    std::memcpy(words, at + i, sizeof(words));
    for (int k = 0; k < 4; ++k) sums[k] = mixed(sums[k], words[k]);
  }
  for (; i < bytes; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + i, static_cast<std::size_t>(std::min<Index>(8, bytes - i)));
    sums[0] = mixed(sums[0], word);
  }
  return mixed(mixed(mixed(sums[0], sums[1]), sums[2]), sums[3]);
}

std::uint64_t hash_of_block(const std::byte* at, Index bytes) {
  if (bytes <= kChunk) return hash_of(at, bytes);
  std::vector<std::uint64_t> parts(static_cast<std::size_t>((bytes + kChunk - 1) / kChunk));
  parallel_for(static_cast<Index>(parts.size()), 4, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      parts[static_cast<std::size_t>(i)] =
          hash_of(at + i * kChunk, std::min(kChunk, bytes - i * kChunk));
    }
  });
  return hash_of(reinterpret_cast<const std::byte*>(parts.data()),
                 static_cast<Index>(parts.size() * sizeof(parts[0])));
}

std::uint64_t hash_along(const Array& x, Index axis, const std::byte* at) {
  const auto size = static_cast<Index>(size_of(x.dtype()));
  if (axis == x.rank()) return hash_of(at, size);
  const Index count = x.shape()[axis], step = x.strides()[axis];
  if (step == 0) return hash_along(x, axis + 1, at);  // the same again
  if (axis + 1 == x.rank() && step == 1) return hash_of_block(at, count * size);
  std::uint64_t sum = 1;
  for (Index i = 0; i < count; ++i) {
    sum = mixed(sum, hash_along(x, axis + 1, at + i * step * size));
  }
  return sum;
}

std::mutex& loans_mutex() { return process_lock(ProcessLock::loans); }

}  // namespace

std::uint32_t fingerprint(const Array& x) {
  if (!x.defined() || x.numel() == 0) return 1;
  const std::uint64_t hash =
      x.is_contiguous() ? hash_of_block(x.raw(), x.numel() * static_cast<Index>(size_of(x.dtype())))
                        : hash_along(x, 0, x.raw());
  const auto folded = static_cast<std::uint32_t>(hash ^ (hash >> 32));
  return folded != 0 ? folded : 1;
}

Loan::Loan(const Array& x, bool kept)
    : array_(x), seal_(kept ? fingerprint(x) : 0), version_(x.version()) {
  if (!x.defined()) return;
  const std::lock_guard<std::mutex> lock(loans_mutex());
  Storage& storage = *array_.storage();
  next_ = storage.loans_.load(std::memory_order_relaxed);
  storage.loans_.store(this, std::memory_order_relaxed);
}

Loan::~Loan() {
  if (!array_.defined()) return;
  const std::lock_guard<std::mutex> lock(loans_mutex());
  Storage& storage = *array_.storage();
  look();
  storage.forget_finite();
  Loan* const first = storage.loans_.load(std::memory_order_relaxed);
  if (first == this) {
    storage.loans_.store(next_, std::memory_order_relaxed);
    return;
  }
  Loan* before = first;
  while (before->next_ != this) before = before->next_;
  before->next_ = next_;
}

// Who wrote in place here, and said so, has made all that was kept before too old already.
void Loan::look() {
  if (seal_ == 0) return;
  const std::uint32_t now = fingerprint(array_);
  if (now != seal_ && version_ == array_.version()) array_.bump_version();
  seal_ = now;
  version_ = array_.version();
}

void Loan::notice_writes(Storage& storage) {
  const std::lock_guard<std::mutex> lock(loans_mutex());
  const std::uint32_t before = storage.version();
  for (Loan* loan = storage.loans_.load(std::memory_order_relaxed); loan != nullptr;
       loan = loan->next_) {
    loan->look();
  }
  if (storage.version() == before) return;
  for (Loan* loan = storage.loans_.load(std::memory_order_relaxed); loan != nullptr;
       loan = loan->next_) {
    loan->version_ = storage.version();  // all have just been looked at
  }
}

}  // namespace heed
