// Fixtures whose members are drawn: the seed is set before the first of them, which a constructor's
// body would be too late for.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "../../core/generator.h"

namespace heed {

template <std::uint64_t kSeed>
class SeededTest : public testing::Test {
 protected:
  SeededTest() { manual_seed(kSeed); }
};

template <std::uint64_t kSeed, class Parameter>
class SeededTestWithParam : public testing::TestWithParam<Parameter> {
 protected:
  SeededTestWithParam() { manual_seed(kSeed); }
};

}  // namespace heed
