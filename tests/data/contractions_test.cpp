#include "../../data/contractions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../data/tokenizer.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Contractions, AreTakenApartAsInThePennTreebank) {
  EXPECT_THAT(split_contractions(tokenize("It's what we'll say: I didn't, can't, I'd've.")),
              ElementsAre("it", "'s", "what", "we", "'ll", "say", ":", "i", "did", "n't", ",", "ca",
                          "n't", ",", "i'd", "'ve", "."));
  // Nothing before the mark, nothing behind it, or more than a contraction.
  EXPECT_THAT(split_contractions({"'s", "cooks'", "o'clock", "'", "n't"}),
              ElementsAre("'s", "cooks", "o'clock", "'", "n", "'t"));
  EXPECT_THAT(split_contractions({}), IsEmpty());
}

}  // namespace
}  // namespace heed::data
