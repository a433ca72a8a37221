#include "../../core/fnv.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

std::uint64_t sum_of(const std::string& text) {
  return Fnv().add(std::as_bytes(std::span(text))).sum();
}

// The figures of the authors' own test vectors.
TEST(Fnv, HasThePublishedSums) {
  EXPECT_EQ(sum_of(""), 0xcbf29ce484222325U);
  EXPECT_EQ(sum_of("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(sum_of("foobar"), 0x85944171f73967e8U);
}

TEST(Fnv, GoesOnWhereItEnded) {
  const std::string first = "foo", then = "bar";
  const std::uint64_t sum =
      Fnv().add(std::as_bytes(std::span(first))).add(std::as_bytes(std::span(then))).sum();
  EXPECT_EQ(sum, sum_of("foobar"));
}

// A byte above 127 is itself, whatever the sign of char.
TEST(Fnv, TakesBytesAsTheyAre) {
  EXPECT_EQ(sum_of("\xff"), (0xcbf29ce484222325U ^ 0xffU) * 0x100000001b3U);
}

}  // namespace
}  // namespace heed
