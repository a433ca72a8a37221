#include "../../../data/tokenizers/bpe_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

using Merges = std::vector<std::string>;
nlohmann::json model_of(const std::vector<std::string>& texts, const BpeTraining& options) {
  return nlohmann::json::parse(train_bpe(texts, options))["model"];
}
Merges merges_of(const std::vector<std::string>& texts, Index min_count) {
  return model_of(texts, {.size = 1000, .min_count = min_count})["merges"].get<Merges>();
}

// What is joined takes from the counts of its neighbours: (b, c) comes five times, then twice.
TEST(BpeTraining, CountsAnewWhatStandsBesideWhatWasJoined) {
  const std::vector<std::string> texts = {"abc", "abc", "abc", "bc", "bc", "ab", "ab", "ab", "ab"};
  EXPECT_EQ(merges_of(texts, 2), (Merges{"a b", "ab c", "b c"}));
  EXPECT_EQ(merges_of(texts, 3), (Merges{"a b", "ab c"}));
  EXPECT_EQ(merges_of({"abcx", "abcy"}, 2), (Merges{"a b", "ab c"}));  // of words that come once
  EXPECT_EQ(merges_of({"aaaa", "aaaa"}, 1), (Merges{"a a", "aa aa"}));
}

TEST(BpeTraining, OfPairsThatComeAsOftenTakesThatOfTheSmallestNumbers) {
  EXPECT_EQ(merges_of({"cd", "ab", "cd", "ab", "ac", "ac"}, 2), (Merges{"a b", "a c", "c d"}));
}

TEST(BpeTraining, KeepsTheMostFrequentLettersInTheirOrder) {
  const auto vocabulary = model_of(
      {"zzyyx", "zb", "aa", "za"},
      {.kind = BpeKind::byte_fallback, .size = 1000, .min_count = 100, .max_letters = 3})["vocab"];
  EXPECT_EQ(vocabulary.size(), 262U);  // three special ones, the bytes
  EXPECT_EQ(vocabulary["a"], 259);     // three times
  EXPECT_EQ(vocabulary["z"], 260);     // four times, as blanks
  EXPECT_EQ(vocabulary["\u2581"], 261);
}

TEST(BpeTraining, OfLettersThatComeAsOftenKeepsTheFirst) {
  const auto vocabulary =
      model_of({"cab"}, {.kind = BpeKind::byte_fallback, .size = 1000, .max_letters = 2})["vocab"];
  EXPECT_EQ(vocabulary["a"], 259);
  EXPECT_EQ(vocabulary["b"], 260);
  EXPECT_EQ(vocabulary.size(), 261U);
}

TEST(BpeTraining, PassesOverLettersThatItDoesNotKeep) {
  const auto model =
      model_of({"axb", "ab", "ab"},
               {.kind = BpeKind::byte_fallback, .size = 1000, .min_count = 3, .max_letters = 3});
  EXPECT_EQ(model["merges"].get<Merges>(), (Merges{"a b", "\u2581 ab"}));
}

TEST(BpeTraining, JoinsNothingOverBlanks) {
  const auto vocabulary =
      model_of({"ab ab ab ab ab ab"}, {.kind = BpeKind::byte_fallback, .size = 1000})["vocab"];
  EXPECT_TRUE(vocabulary.contains("\u2581ab"));
  for (const auto& [token, number] : vocabulary.items())
    EXPECT_TRUE(token.size() < 4 || token.find("\u2581", 1) == std::string::npos) << token;
}

TEST(BpeTraining, HasNoMoreTokensThanItsSize) {
  EXPECT_EQ(trained({.size = 257}).size(), 257);
  for (const Index size : {5, 6, 9, 17})
    EXPECT_EQ(trained({.kind = BpeKind::word_piece, .size = size}).size(), size);
  EXPECT_EQ(
      trained({.kind = BpeKind::word_piece, .size = 7, .min_count = 1, .max_letters = 1}).size(),
      7);
}

TEST(BpeTraining, LongWordsAreUnknownAsToBert) {
  const auto tokenizer = trained({.kind = BpeKind::word_piece, .size = 40});
  const std::string word(100, 'w');
  EXPECT_EQ(tokenizer.encode(word, false).tokens.size(), 100U);
  EXPECT_EQ(tokenizer.encode(word + "w", false).tokens, Tokens{"[UNK]"});
}

// The parts of their tokenizer.json that stand around the model are those of these models.
TEST(BpeTraining, IsAsGpt2sAndLlamasAndBertsFilesHaveIt) {
  const auto parts = [](BpeKind kind) {
    auto out = nlohmann::json::parse(train_bpe(kTexts, {.kind = kind, .size = 300}));
    out.erase("model");
    out.erase("added_tokens");
    return out;
  };
  EXPECT_EQ(parts(BpeKind::byte_level), nlohmann::json::parse(R"({"version": "1.0",
      "truncation": null, "padding": null, "normalizer": null,
      "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true,
                        "use_regex": true},
      "post_processor": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false,
                         "use_regex": true},
      "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true,
                  "use_regex": true}})"));
  EXPECT_EQ(parts(BpeKind::byte_fallback), nlohmann::json::parse(R"({"version": "1.0",
      "truncation": null, "padding": null,
      "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
          {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
      "pre_tokenizer": null, "post_processor": null,
      "decoder": {"type": "Sequence", "decoders": [
          {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
          {"type": "ByteFallback"}, {"type": "Fuse"},
          {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}})"));
  EXPECT_EQ(parts(BpeKind::word_piece), nlohmann::json::parse(R"({"version": "1.0",
      "truncation": null, "padding": null,
      "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                     "strip_accents": null, "lowercase": true},
      "pre_tokenizer": {"type": "BertPreTokenizer"},
      "post_processor": {"type": "TemplateProcessing",
          "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                     {"Sequence": {"id": "A", "type_id": 0}},
                     {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
          "pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                   {"Sequence": {"id": "A", "type_id": 0}},
                   {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
                   {"Sequence": {"id": "B", "type_id": 1}},
                   {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
          "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                             "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}},
      "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true}})"));
  auto model = model_of(kTexts, {.size = 300});
  model.erase("vocab");
  model.erase("merges");
  EXPECT_EQ(model, nlohmann::json::parse(R"({"type": "BPE", "dropout": null, "unk_token": null,
      "continuing_subword_prefix": null, "end_of_word_suffix": null, "fuse_unk": false,
      "byte_fallback": false, "ignore_merges": false})"));
  const auto added = nlohmann::json::parse(train_bpe(kTexts, {}))["added_tokens"];
  EXPECT_EQ(added, nlohmann::json::parse(R"([{"id": 0, "content": "<|endoftext|>",
      "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
      "special": true}])"));
}

TEST(BpeTraining, StopsWherePairsAreRare) {
  EXPECT_EQ(trained({.size = 1000, .min_count = 100}).size(), 257);
  EXPECT_GT(trained({.size = 1000, .min_count = 6}).size(), 257);
}

TEST(BpeTraining, RefusesOptionsWithoutRoom) {
  EXPECT_ERROR_WITH(ValueError, "train_bpe: a size of 256: special tokens and bytes are 257",
                    train_bpe(kTexts, {.size = 256}));
  EXPECT_ERROR_WITH(ValueError, "train_bpe: a size of 1: ", train_bpe(kTexts, {.size = 1}));
  EXPECT_ERROR_WITH(ValueError, "size 0, min_count 2 and max_letters 1000 must be positive",
                    train_bpe(kTexts, {.size = 0}));
  EXPECT_ERROR_WITH(ValueError, "min_count 0", train_bpe(kTexts, {.min_count = 0}));
  EXPECT_ERROR_WITH(ValueError, "max_letters -1", train_bpe(kTexts, {.max_letters = -1}));
}

}  // namespace
}  // namespace heed::data
