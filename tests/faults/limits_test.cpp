// Memory that ends at a limit instead of at a chosen allocation: set_memory_limit(), and the
// process's own (ulimit -v) in a child.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/allocator.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../core/parallel.h"
#include "../../data/idx.h"
#include "../../data/prefetch.h"
#include "../../data/read_ahead.h"
#include "../../data/text_file.h"
#include "../../nn/gru.h"
#include "../../nn/linear.h"
#include "../../optim/adam.h"
#include "../io/temporary_folder.h"
#include "../support/gzip.h"
#include "../support/zstd.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_UNDER_SANITIZERS() GTEST_SKIP() << "sanitizers keep memory of their own"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SKIP_UNDER_SANITIZERS() GTEST_SKIP() << "sanitizers keep memory of their own"
#endif
#endif
#ifndef SKIP_UNDER_SANITIZERS
#define SKIP_UNDER_SANITIZERS() (void)0
#endif

// Nothing tells what that limit refuses from what a test's own does.
#define SKIP_WHERE_LIMITED() \
  if (address_limit().rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "the process has a limit"

namespace heed {
namespace {

using testing::HasSubstr;

struct Model : nn::Module {
  nn::GRU& gru = child<nn::GRU>("gru", nn::GRUOptions{.input = 61, .hidden = 67});
  nn::Linear& out = child<nn::Linear>("out", 67, 53);
};

class Training {
 public:
  Training() : x_(Generator(3).normal({31, 37, 61}, 0, 1)) {}
  void step() {
    adam_.zero_grad();
    mean(square(model_.out(model_.gru(x_).output))).backward();
    adam_.step();
  }
  void forget() { adam_.zero_grad(); }
  std::vector<float> weights() const {
    std::vector<float> all;
    for (const Tensor& parameter : model_.parameters()) {
      for (const float x : parameter.array().to_vector<float>()) all.push_back(x);
    }
    return all;
  }

 private:
  Model model_;
  optim::Adam adam_{model_.parameters()};
  Tensor x_;
};

// Every limit from what is held up to what a step needs, a chunk at a time.
TEST(MemoryLimit, EndsStepsBeforeTheyBegin) {
  SKIP_UNDER_SANITIZERS();
  manual_seed(5);
  Training undisturbed;
  undisturbed.step();
  manual_seed(5);
  Training training;
  const std::vector<float> weights = training.weights();
  release_cached_memory();
  const MemoryStats before = memory_stats();
  int refused = 0;
  for (std::int64_t limit = before.reserved_bytes + 1;; limit += 1 << 18) {
    set_memory_limit(limit);
    try {
      training.step();
      break;
    } catch (const OutOfMemory& error) {
      EXPECT_THAT(error.what(), HasSubstr("would pass the limit of " + std::to_string(limit)));
      ++refused;
    }
    training.forget();
    EXPECT_LE(memory_stats().reserved_bytes, limit);
    EXPECT_EQ(memory_stats().live_bytes, before.live_bytes);
    EXPECT_EQ(training.weights(), weights);
    release_cached_memory();
  }
  set_memory_limit(0);
  EXPECT_GT(refused, 5);
  EXPECT_EQ(training.weights(), undisturbed.weights());
}

std::int64_t address_space() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

rlimit address_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  return limit;
}

// The limit that may be raised again, by any user.
bool set_limit(rlim_t bytes) {
  const rlimit limit{bytes, address_limit().rlim_max};
  return ::setrlimit(RLIMIT_AS, &limit) == 0;
}
bool allow(std::int64_t bytes) { return set_limit(static_cast<rlim_t>(bytes)); }
bool allow_all() { return set_limit(address_limit().rlim_max); }

// Not what a process that ran tests ends with.
enum Ending { kDone = 40, kRefused, kChanged, kOther };

// What a step comes to in a process that may have `more` bytes than it has.
Ending step_within(std::int64_t more) {
  Training training;
  const std::vector<float> weights = training.weights();
  if (!allow(address_space() + more)) return kOther;
  Ending out = kDone;
  try {
    training.step();
  } catch (const OutOfMemory&) {
    out = kRefused;
  } catch (const std::bad_alloc&) {
    out = kRefused;
  }
  if (!allow_all()) return kOther;  // looking at it takes memory too
  if (out == kRefused) {
    training.forget();
    if (training.weights() != weights) return kChanged;
  }
  training.step();  // still usable
  return out;
}

// What reading comes to, true where all was read, in a process that may have `more` bytes than it
// has and nothing left of those.
Ending reading_within(std::int64_t more, const std::function<bool()>& read) {
  const std::int64_t held = address_space();
  if (!allow(held)) return kOther;
  for (std::size_t bytes = 1 << 17; bytes >= 64; bytes /= 2) {
    // Never given back: who does this ends.
    while (static_cast<volatile void*>(std::malloc(bytes)) != nullptr) {
    }
  }
  if (!allow(held + more)) return kOther;
  try {
    return read() ? kDone : kChanged;
  } catch (const OutOfMemory&) {
    return kRefused;
  } catch (const std::bad_alloc&) {
    return kRefused;
  }
}

// How `work` ends in a child. An exception that came out of it would let the child run the other
// tests.
int ending_of(const std::function<Ending()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(300);  // what spins for ever ends as a failure
    Ending out = kOther;
    try {
      out = work();
    } catch (...) {
      out = kOther;
    }
    ::_exit(out);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return kOther;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(AddressSpace, EndsStepsBeforeTheyBegin) {
  SKIP_UNDER_SANITIZERS();
  SKIP_WHERE_LIMITED();
  const int threads = num_threads();
  set_num_threads(1);  // a child has none of its parent's threads
  Training().step();   // OpenBLAS has its buffer, which is larger than all the rest
  release_cached_memory();
  int refused = 0, done = 0;
  for (std::int64_t more = 0; done < 3; more += 1 << 19) {
    const int ending = ending_of([&] { return step_within(more); });
    ASSERT_TRUE(ending == kDone || ending == kRefused) << ending << " with " << more << " bytes";
    (ending == kDone ? done : refused) += 1;
  }
  EXPECT_GT(refused, 3);
  set_num_threads(threads);
}

// zlib and zstd ask for memory of their own: that they get none says nothing about the file.
TEST(AddressSpace, EndsReadingWithoutBlamingTheFile) {
  SKIP_UNDER_SANITIZERS();
  SKIP_WHERE_LIMITED();
  TemporaryFolder folder;
  const std::string path = folder / "file", images("\0\0\x08\1\0\0\0\3abc", 11);
  const auto expect_refused_or_read = [&](const std::string& content,
                                          const std::function<bool()>& read) {
    TemporaryFolder::put(path, content);
    int refused = 0, done = 0;
    for (std::int64_t more = 0; done < 3; more += 1 << 14) {
      const int ending = ending_of([&] { return reading_within(more, read); });
      ASSERT_TRUE(ending == kDone || ending == kRefused) << ending << " with " << more << " bytes";
      (ending == kDone ? done : refused) += 1;
    }
    EXPECT_GT(refused, 0);
  };
  const auto read_line = [&] {
    data::TextFile file(path);
    std::string line;
    return file.next(line) && line == "one two";
  };
  const auto read_images = [&] { return data::read_idx(path).bytes.size() == 3; };
  for (const std::string& content :
       {std::string("one two\n"), gzip("one two\n"), zstd("one two\n")}) {
    expect_refused_or_read(content, read_line);
  }
  for (const std::string& content : {images, gzip(images), zstd(images)}) {
    expect_refused_or_read(content, read_images);
  }
}

// A thread's stack alone is larger than what is left.
TEST(AddressSpace, ThreadsThatCannotBeginLeaveTheWorkToOthers) {
  SKIP_UNDER_SANITIZERS();
  SKIP_WHERE_LIMITED();
  const auto count = [](Index lane) { return lane; };
  const auto last = [](const Index&) { return false; };
  EXPECT_EQ(ending_of([&] {
              if (!allow(address_space() + (1 << 20))) return kOther;
              data::ReadAhead<Index> lanes(3, 5, 2, count, last);
              data::Prefetch<Index> ahead(
                  2, [] { return Index{7}; }, last);
              for (const Index lane : {2, 0, 1}) {
                for (int i = 0; i < 5; ++i) {
                  if (lanes.take(lane) != lane || ahead.take() != 7) return kChanged;
                }
              }
              return kDone;
            }),
            kDone);
}

TEST(OutOfMemory, SaysWhatWasAskedWhatIsHeldAndWhatRefused) {
  SKIP_UNDER_SANITIZERS();
  SKIP_WHERE_LIMITED();
  const int threads = num_threads();
  set_num_threads(1);
  const auto message = [](std::size_t bytes) {
    try {
      free_block(allocate_block(bytes, BlockKind::storage), bytes, BlockKind::storage);
    } catch (const OutOfMemory& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(message(SIZE_MAX / 2),
              testing::MatchesRegex(
                  "allocate: the system has no 9223372036854775807 bytes more: [0-9]+ held"));
  ASSERT_TRUE(allow(address_space() + (1 << 20)));
  const std::string refused = message(104 << 20);
  ASSERT_TRUE(allow_all());
  EXPECT_THAT(refused, testing::MatchesRegex("allocate: the system has no 109051904 bytes more: "
                                             "[0-9]+ held, the process may have [0-9]+ "
                                             "\\(ulimit -v\\)"));
  set_num_threads(threads);
}

}  // namespace
}  // namespace heed
