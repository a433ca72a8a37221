// Begun by mpirun, any number of times: every process runs all tests, the first one prints.
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <string>

#include "world_here.h"

namespace heed::distributed {
namespace {

const World* current = nullptr;

// What a process other than the first has to say: its failures.
class Failures : public testing::EmptyTestEventListener {
 public:
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "process %d: %s:%d: %s\n", static_cast<int>(current->rank()),
                 result.file_name(), result.line_number(), result.message());
  }
};

int run(int argc, char** argv) {
  // Each process would draw an order of its own, and wait for others that are in another test.
#ifdef GTEST_FLAG_SET
  GTEST_FLAG_SET(shuffle, false);
#else  // before GoogleTest 1.12
  testing::GTEST_FLAG(shuffle) = false;
#endif
  const World all(argc, argv);
  current = &all;
  if (all.rank() > 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures);
  }
  const int failed = RUN_ALL_TESTS();
  int any = 0;
  for (const std::string& each : all.gather(std::string(1, failed == 0 ? '0' : '1')))
    any |= each == "1";
  return any;
}

}  // namespace

const World& world() { return *current; }

}  // namespace heed::distributed

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    return heed::distributed::run(argc, argv);
  } catch (const std::exception& error) {  // with --gtest_catch_exceptions=0, past the world
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
