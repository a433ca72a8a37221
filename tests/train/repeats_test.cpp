#include "../../train/repeats.h"

#include <gtest/gtest.h>

namespace heed::train {
namespace {

TEST(Repeats, AreWordsThatComeMoreOftenThanTheyShould) {
  EXPECT_EQ(repeated_words({"obi", ",", "zora", ",", "obi", "obi", "won", ","},
                           {"obi", ",", "ula", ",", "zora", "won"}),
            3);  // obi twice more, a comma once more
  EXPECT_EQ(repeated_words({"a", "b"}, {}), 0);
  EXPECT_EQ(repeated_words({"a", "a"}, {}), 1);
  EXPECT_EQ(repeated_words({}, {"a", "a"}), 0);
}

}  // namespace
}  // namespace heed::train
