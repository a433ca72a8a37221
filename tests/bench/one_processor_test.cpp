#include "../../bench/one_processor.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "../../bench/process.h"

namespace {

// Of the thread that asks.
cpu_set_t allowed() {
  cpu_set_t out;
  CPU_ZERO(&out);
  EXPECT_EQ(sched_getaffinity(0, sizeof out, &out), 0);
  return out;
}
bool equal(const cpu_set_t& x, const cpu_set_t& y) { return CPU_EQUAL(&x, &y); }

// What is held is the thread that asks for it: each test has one of its own.
template <class Body>
void in_a_thread(const Body& body) {
  std::thread(body).join();
}

TEST(OneProcessor, HoldsProgramsOfOneThreadAsLongAsItLives) {
  in_a_thread([] {
    const cpu_set_t before = allowed();
    {
      const bench::OneProcessor held(1);
      const cpu_set_t one = allowed();
      EXPECT_EQ(CPU_COUNT(&one), 1);
      for (int i = 0; i < CPU_SETSIZE; ++i) {
        EXPECT_LE(CPU_ISSET(i, &one), CPU_ISSET(i, &before)) << "processor " << i;
      }
    }
    EXPECT_TRUE(equal(allowed(), before));
  });
}

TEST(OneProcessor, LeavesProgramsOfSeveralThreadsAlone) {
  in_a_thread([] {
    const cpu_set_t before = allowed();
    const bench::OneProcessor held(2);
    EXPECT_TRUE(equal(allowed(), before));
  });
}

TEST(OneProcessor, HoldsWhatIsStartedMeanwhile) {
  in_a_thread([] {
    const bench::OneProcessor held(1);
    bench::Process program({"/bin/sh", "-c",
                            "echo ready; while read -r line; do "
                            "env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc; done"});
    EXPECT_EQ(program.ask("how many"), "1");
  });
}

}  // namespace
