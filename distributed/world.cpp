#include "world.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <numeric>
#include <thread>

#include "../core/kernels/elementwise/copy.h"
#include "alike-inl.h"
#include "handles-inl.h"

namespace heed::distributed {
namespace {

// Whether any thread may call, one at a time.
bool begin(int* argc, char*** argv) {
  int begun = 0;
  check("MPI_Initialized", MPI_Initialized(&begun));
  if (begun) throw Error("world: there is one already; a process has one in its life");
  int got = 0;
  check("MPI_Init_thread", MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &got));
  if (got < MPI_THREAD_FUNNELED) throw Error("world: this MPI knows no threads");
  return got >= MPI_THREAD_SERIALIZED;
}

Index size_of(MPI_Comm which) {
  int size = 0;
  check("MPI_Comm_size", MPI_Comm_size(which, &size));
  return size;
}

constexpr Index kAtOnce = Index{1} << 30;  // bytes

}  // namespace

void check_process(const char* op, Index process, Index size) {
  if (process >= 0 && process < size) return;
  throw ValueError(fmt::format("{}: process {} of {}", op, process, size));
}

World::World() : World(0, nullptr) {}

World::World(int argc, char** argv)
    : exceptions_(std::uncaught_exceptions()), handles_(std::make_unique<Handles>()) {
  handles_->threads = begin(argv == nullptr ? nullptr : &argc, argv == nullptr ? nullptr : &argv);
  for (MPI_Comm* each : handles_->all()) {
    check("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, each));
    check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(*each, MPI_ERRORS_RETURN));
  }
  size_ = size_of(handles_->talk);
  int rank = 0;
  check("MPI_Comm_rank", MPI_Comm_rank(handles_->talk, &rank));
  rank_ = rank;
  MPI_Comm here = MPI_COMM_NULL;
  check("MPI_Comm_split_type",
        MPI_Comm_split_type(handles_->talk, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here));
  size_here_ = size_of(here);
  check("MPI_Comm_free", MPI_Comm_free(&here));
}

World::World(const World& whole, Alone) : ends_(false), handles_(std::make_unique<Handles>()) {
  static_cast<void>(whole);
  const std::lock_guard lock(one_at_a_time);
  for (MPI_Comm* each : handles_->all()) {
    check("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_SELF, each));
    check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(*each, MPI_ERRORS_RETURN));
  }
}

World::~World() {
  // The others would wait for what this process no longer does, and it for them in MPI_Finalize.
  if (ends_ && size_ > 1 && std::uncaught_exceptions() > exceptions_) {
    fail("an exception went past the World: catch it while that lives, and say it by fail()");
  }
  const std::lock_guard lock(one_at_a_time);
  for (MPI_Comm* each : handles_->all()) MPI_Comm_free(each);
  if (ends_) MPI_Finalize();
}

void World::barrier() const {
  await("MPI_Ibarrier", [&](MPI_Request* at) { return MPI_Ibarrier(handles_->talk, at); });
}

std::string World::broadcast(const std::string& bytes, Index from) const {
  std::int64_t size = static_cast<std::int64_t>(bytes.size());
  check_process("broadcast", from, size_);
  const auto send = [&](void* what, int count, MPI_Datatype type) {
    await("MPI_Ibcast", [&](MPI_Request* at) {
      return MPI_Ibcast(what, count, type, static_cast<int>(from), handles_->talk, at);
    });
  };
  send(&size, 1, MPI_INT64_T);
  std::string out = rank_ == from ? bytes : std::string();
  out.resize(static_cast<std::size_t>(size));
  for (Index at = 0; at < size; at += kAtOnce) {
    send(out.data() + at, static_cast<int>(std::min(kAtOnce, size - at)), MPI_BYTE);
  }
  return out;
}

std::vector<std::string> World::gather(const std::string& bytes) const {
  const auto mine = static_cast<std::int64_t>(bytes.size());
  const auto all = static_cast<std::size_t>(size_);
  std::vector<std::int64_t> sizes(all);
  await("MPI_Iallgather", [&](MPI_Request* at) {
    return MPI_Iallgather(&mine, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, handles_->talk, at);
  });
  std::vector<std::string> out(all);
  if (std::accumulate(sizes.begin(), sizes.end(), Index{0}) > kAtOnce) {
    for (Index r = 0; r < size_; ++r) {
      out[static_cast<std::size_t>(r)] = broadcast(r == rank_ ? bytes : std::string(), r);
    }
    return out;
  }
  const std::vector<int> counts(sizes.begin(), sizes.end());
  std::vector<int> begins(all);
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  std::string joined(static_cast<std::size_t>(begins.back() + counts.back()), '\0');
  await("MPI_Iallgatherv", [&](MPI_Request* at) {
    return MPI_Iallgatherv(bytes.data(), counts[static_cast<std::size_t>(rank_)], MPI_BYTE,
                           joined.data(), counts.data(), begins.data(), MPI_BYTE, handles_->talk,
                           at);
  });
  for (std::size_t r = 0; r < all; ++r) {
    out[r] =
        joined.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(counts[r]));
  }
  return out;
}

void World::broadcast(Array& numbers, Index from) const {
  check_calls_alike("broadcast", *this,
                    {.name = fmt::format("broadcast from {}", from), .tensors = describe(numbers)});
  check_process("broadcast", from, size_);
  spread(*this, numbers, from);
}

void spread(const World& world, Array& numbers, Index from) {
  Array whole = numbers.contiguous();
  const Index bytes = whole.numel() * static_cast<Index>(size_of(whole.dtype()));
  const std::lock_guard lock(one_at_a_time);
  for (Index at = 0; at < bytes; at += kAtOnce) {
    const int count = static_cast<int>(std::min(kAtOnce, bytes - at));
    check("MPI_Bcast", MPI_Bcast(whole.mutable_raw() + at, count, MPI_BYTE, static_cast<int>(from),
                                 world.handles().talk));
  }
  if (!whole.shares_storage(numbers)) kernels::copy_into(numbers, whole);
  numbers.bump_version();
}

Array World::all_gather(const Array& numbers) const {
  const Array mine = numbers.contiguous();
  std::vector<Index> sizes{size_};
  for (Index axis = 0; axis < mine.rank(); ++axis) sizes.push_back(mine.size(axis));
  Array out = Array::empty(Shape(sizes), mine.dtype());
  const int count = count_of("all_gather", mine.numel());
  const std::lock_guard lock(one_at_a_time);
  check("MPI_Allgather", MPI_Allgather(mine.raw(), count, type_of(mine.dtype()), out.mutable_raw(),
                                       count, type_of(mine.dtype()), handles_->talk));
  return out;
}

Array World::all_to_all(const Array& numbers) const {
  const Array mine = numbers.contiguous();
  if (mine.rank() == 0 || mine.size(0) != size_) {
    throw ShapeError(
        fmt::format("all_to_all: {} has no row for each of {} processes", describe(mine), size_));
  }
  Array out = Array::empty(mine.shape(), mine.dtype());
  const int count = count_of("all_to_all", mine.numel() / size_);
  const std::lock_guard lock(one_at_a_time);
  check("MPI_Alltoall", MPI_Alltoall(mine.raw(), count, type_of(mine.dtype()), out.mutable_raw(),
                                     count, type_of(mine.dtype()), handles_->talk));
  return out;
}

Array World::exchange(const Array& numbers, Index to, Index from) const {
  for (const Index each : {to, from}) check_process("exchange", each, size_);
  const Array mine = numbers.contiguous();
  Array out = Array::empty(mine.shape(), mine.dtype());
  const int count = count_of("exchange", mine.numel());
  const MPI_Datatype type = type_of(mine.dtype());
  MPI_Status status;
  const std::lock_guard lock(one_at_a_time);
  const int code = MPI_Sendrecv(mine.raw(), count, type, static_cast<int>(to), 0, out.mutable_raw(),
                                count, type, static_cast<int>(from), 0, handles_->talk, &status);
  int kind = MPI_SUCCESS, got = count;
  MPI_Error_class(code, &kind);
  if (kind != MPI_ERR_TRUNCATE) {
    check("MPI_Sendrecv", code);
    check("MPI_Get_count", MPI_Get_count(&status, type, &got));
  }
  if (kind == MPI_ERR_TRUNCATE || got != count) {
    throw ShapeError(fmt::format("exchange: process {} sends {} numbers than {}", from,
                                 kind == MPI_ERR_TRUNCATE ? "more" : "fewer", describe(mine)));
  }
  return out;
}

void World::fail(const std::string& why) const {
  std::fflush(stdout);
  std::this_thread::sleep_for(std::chrono::milliseconds(300) * std::min<Index>(rank_, 5));
  if (size_ > 1) {
    fmt::print(stderr, "process {} of {}: {}\n", rank_, size_, why);
  } else {
    fmt::print(stderr, "{}\n", why);
  }
  std::fflush(stderr);
  const std::unique_lock lock(one_at_a_time, std::try_to_lock);  // it ends one way or the other
  MPI_Abort(MPI_COMM_WORLD, 2);
  std::abort();
}

}  // namespace heed::distributed
