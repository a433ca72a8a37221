#include "../../examples/shared_out.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace command_line {
namespace {

// This program is built without MPI.
TEST(SharedOut, IsRefusedWithoutMpi) {
  CLI::App app;
  SharedOut shared;
  shared.add_flags(app);
  bool ran = false;
  const auto body = [&] { ran = true; };
  app.parse("", false);
  shared.run("program", body);
  EXPECT_TRUE(ran);
  ran = false;
  app.parse("--distributed", false);
  EXPECT_ERROR_WITH(heed::ValueError, "--distributed: the library was built without MPI",
                    shared.run("program", body));
  EXPECT_FALSE(ran);
}

TEST(SharedOut, WhatOnlySharingHasIsRefusedWithoutIt) {
  CLI::App app;
  SharedOut shared;
  shared.add_flags(app);
  EXPECT_THROW(app.parse("--pieces 3", false), CLI::RequiresError);
  EXPECT_THROW(app.parse("--plain-sums", false), CLI::RequiresError);
  EXPECT_NO_THROW(app.parse("--distributed --pieces 3 --plain-sums", false));
}

TEST(SharedOut, SeveralThatDoNotShareAreRefused) {
  const SharedOut alone;
  ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  EXPECT_ERROR_WITH(heed::ValueError, "mpirun began several of these", alone.run("program", [] {}));
  ::unsetenv("OMPI_COMM_WORLD_SIZE");
}

}  // namespace
}  // namespace command_line
