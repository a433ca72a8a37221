#include "../../../data/tokenizers/bpe_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../../data/tokenizers/pretrained_tokenizer.h"
#include "../../support/throws.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using Tokens = std::vector<std::string>;

const std::vector<std::string> kTexts = {"low low low low low", "lower lower",
                                         "newest newest newest newest newest newest",
                                         "widest widest widest"};

PretrainedTokenizer trained(BpeTraining options) {
  return PretrainedTokenizer::parse(train_bpe(kTexts, options), "f");
}

TEST(BpeTraining, JoinsWhatComesMostOften) {
  // The example of Sennrich et al. 2016: es and est (9 times), then lo and low (7 times).
  const auto tokenizer = trained({.kind = BpeKind::word_piece, .size = 30});
  EXPECT_EQ(tokenizer.encode("lowest", false).tokens, (Tokens{"low", "##est"}));
  EXPECT_EQ(tokenizer.encode("LOWER x").tokens,
            (Tokens{"[CLS]", "low", "##e", "##r", "[UNK]", "[SEP]"}));
  EXPECT_EQ(tokenizer.size(), 30);
  EXPECT_THAT(tokenizer.encode_pair("low", "low").types, ElementsAre(0, 0, 0, 1, 1));
}

TEST(BpeTraining, OfBytesDecodesToEveryText) {
  const auto tokenizer = trained({.size = 263});
  const std::string text = "lowest \xE4\xB8\xAD\xE6\x96\x87  \xF0\x9F\x98\x80\n";
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text).ids), text);
  EXPECT_EQ(tokenizer.size(), 263);
  EXPECT_EQ(tokenizer.id("<|endoftext|>"), 0);
  EXPECT_LT(tokenizer.encode("lowest").ids.size(), 6u);
}

TEST(BpeTraining, OfCharactersFallsBackOnBytes) {
  const auto tokenizer = trained({.kind = BpeKind::byte_fallback, .size = 281, .max_letters = 5});
  const std::string text = "low wide \xC3\xBC";
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text).ids), text);
  EXPECT_GE(tokenizer.id("<0xC3>"), 0);
  EXPECT_EQ(tokenizer.id("r"), -1) << "rarer than five others";
}

TEST(BpeTraining, StopsWherePairsAreRare) {
  EXPECT_EQ(trained({.size = 1000, .min_count = 100}).size(), 257);
  EXPECT_GT(trained({.size = 1000, .min_count = 6}).size(), 257);
}

TEST(BpeTraining, RefusesOptionsWithoutRoom) {
  EXPECT_ERROR_WITH(ValueError, "train_bpe: a size of 256: special tokens and bytes are 257",
                    train_bpe(kTexts, {.size = 256}));
  EXPECT_ERROR_WITH(ValueError, "size 0, min_count 2 and max_letters 1000 must be positive",
                    train_bpe(kTexts, {.size = 0}));
  EXPECT_ERROR_WITH(ValueError, "min_count 0", train_bpe(kTexts, {.min_count = 0}));
  EXPECT_ERROR_WITH(ValueError, "max_letters -1", train_bpe(kTexts, {.max_letters = -1}));
}

}  // namespace
}  // namespace heed::data
