// What options are where nobody names them. A default is a promise, as a signature is: to change one
// changes the models of everybody who left it out, and is seen here first.
#pragma once

#include <gtest/gtest.h>

/// Of `Options o{}` the condition holds.
#define EXPECT_DEFAULTS(Options, condition) \
  {                                         \
    const Options o{};                      \
    EXPECT_TRUE(condition) << #Options;     \
  }
