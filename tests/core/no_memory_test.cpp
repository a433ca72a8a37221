// The message of memory that could not be had, with the process's own limit and without one.
#include "../../core/no_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <stdexcept>
#include <string>

#include "../../core/error.h"
#include "../../core/refuse_block.h"
#include "../../core/storage.h"
#include "../support/throws.h"

namespace heed {
namespace {

TEST(NoMemory, SaysWhatWasAskedForAndWhatIsHeld) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &limit), 0);
  if (limit.rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "this process has a limit";
  EXPECT_ERROR(OutOfMemory, "allocate: the system has no 30 bytes more: 17 held",
               throw_no_memory(30, 17));
}

TEST(NoMemory, NamesTheLimitOfTheProcess) {
  const rlim_t bytes = rlim_t{1} << 46;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  if (before.rlim_max < bytes) GTEST_SKIP() << "this process has a lower limit";
  const pid_t pid = fork();
  if (pid == 0) {
    const rlimit limit{bytes, before.rlim_max};
    rlimit kept{};
    if (setrlimit(RLIMIT_AS, &limit) != 0 || getrlimit(RLIMIT_AS, &kept) != 0 ||
        kept.rlim_cur != bytes) {
      _exit(2);
    }
    try {
      throw_no_memory(30, 17);
    } catch (const OutOfMemory& error) {
      const std::string expected =
          "allocate: the system has no 30 bytes more: 17 held, the process may have " +
          std::to_string(bytes) + " (ulimit -v)";
      _exit(error.what() == expected ? 0 : 1);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
    GTEST_SKIP() << "a limit of address space is not kept here, as in an emulator";
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(NoMemory, OfWhatIsNoArrayIsNamedToo) {
  EXPECT_ERROR(OutOfMemory, "op: 3 things do not fit into memory",
               fitting("op", 3, "things", [] { throw std::bad_alloc(); }));
  EXPECT_ERROR(OutOfMemory, "op: 5 things do not fit into memory",
               fitting("op", 5, "things", [] { throw std::length_error("vector"); }));
  EXPECT_ERROR(ValueError, "its own",
               fitting("op", 5, "things", [] { throw ValueError("its own"); }));
  EXPECT_EQ(fitting("op", 2, "things", [] { return std::string("xy"); }), "xy");
}

int g_let_go = 0;

// What another holds is let go once where there is no memory to stand around it.
TEST(NoMemory, LetsGoOfWhatItCannotStandAround) {
  double number = 0;
  const auto around = [&] {
    Storage::around(
        reinterpret_cast<std::byte*>(&number), sizeof number, [](void*) { ++g_let_go; }, nullptr);
  };
  const MemoryStats before = memory_stats();
  detail::set_refuse_block([](std::size_t) { return true; });
  EXPECT_THROW(around(), OutOfMemory);
  EXPECT_THROW(allocate_block(64, BlockKind::node), OutOfMemory);
  detail::set_refuse_block(nullptr);
  EXPECT_EQ(g_let_go, 1);
  around();
  EXPECT_EQ(g_let_go, 2);
  EXPECT_EQ(memory_stats().live_storages, before.live_storages);
  EXPECT_EQ(memory_stats().live_nodes, before.live_nodes);
}

}  // namespace
}  // namespace heed
