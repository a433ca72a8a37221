// A training whose disk fails, or that is killed in a save, goes on to the same bits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "../command.h"

namespace {

using heed::Command;
using heed::Outcome;
using heed::Running;

class FailingDisk : public Command, public testing::WithParamInterface<const char*> {
 protected:
  FailingDisk() : Command(HEED_DOCUMENT_CLASSIFIER) {}

  // Call number `at` on what is in the test's folder fails (tests/torture/system_calls.cpp).
  Outcome run_failing(const std::string& arguments, const std::string& at) const {
    Running running("env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD='" HEED_FAILING_CALLS
                    "' HEED_FAULT_FOLDER='" +
                    path("") + "' HEED_FAULT=" + GetParam() + " HEED_FAULT_AT=" + at + " " +
                    line(arguments));
    return running.end(0);
  }
};

TEST_P(FailingDisk, ATrainingGoesOnToTheSameBits) {
  const std::string flags =
      " --documents 30 --epochs 3 --embedding 7 --hidden 5 --threads 1 --show 1 --out ";
  const std::string whole = path("whole"), parts = path("parts");
  expect_success("train" + flags + whole);
  int failed = 0;
  for (int at = 1; at < 400; at += 61) {
    SCOPED_TRACE(std::string(GetParam()) + " from call " + std::to_string(at));
    const Outcome outcome = run_failing("train" + flags + parts, std::to_string(at) + "+");
    ASSERT_TRUE(outcome.code == 0 || outcome.code == 2 || outcome.code == 128 + SIGKILL)
        << outcome.code << "\n"
        << outcome.output;
    failed += outcome.code != 0;
    const bool begun = std::filesystem::exists(parts);
    expect_success((begun ? "train --resume" : "train") + flags + parts);
    expect_same_training(whole, parts, {"rounds", "batches.loader"});
    std::filesystem::remove_all(parts);
  }
  EXPECT_GT(failed, 2);
}

INSTANTIATE_TEST_SUITE_P(DocumentClassifier, FailingDisk, testing::Values("enospc", "eio", "kill"));

}  // namespace
