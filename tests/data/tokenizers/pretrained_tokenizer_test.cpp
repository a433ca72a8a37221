#include "../../../data/tokenizers/pretrained_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../support/throws.h"
#include "../temporary_file.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using Tokens = std::vector<std::string>;

PretrainedTokenizer made(const std::string& parts) {
  return PretrainedTokenizer::parse("{" + parts + "}", "f");
}

// GPT-2's kind: bytes that are shown, "hello" and " world" as whole words.
const std::string kBytes =
    R"("pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
       "post_processor": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false},
       "decoder": {"type": "ByteLevel"},
       "model": {"type": "BPE", "dropout": null, "unk_token": null, "vocab":
         {"h": 0, "e": 1, "l": 2, "o": 3, "w": 4, "r": 5, "d": 6, "Ġ": 7, "!": 8, "he": 9, "ll": 10, "hell": 11,
          "hello": 12, "Ġw": 13, "or": 14, "ld": 15, "Ã": 16, "¼": 17, "Ġwor": 18},
        "merges": ["h e", "l l", "he ll", "hell o", "Ġ w", "o r", ["l", "d"], ["Ġw", "or"]]})";

TEST(PretrainedTokenizer, ReadsGpt2sKind) {
  const PretrainedTokenizer tokenizer = made(
      kBytes +
      R"(, "added_tokens": [{"id": 19, "content": "<|end|>", "special": true, "normalized": false}])");
  const TokenizedText text = tokenizer.encode("hello world!ü<|end|>hell");
  EXPECT_EQ(text.tokens, (Tokens{"hello", "Ġwor", "ld", "!", "Ã", "¼", "<|end|>", "hell"}));
  EXPECT_THAT(text.ids, ElementsAre(12, 18, 15, 8, 16, 17, 19, 11));
  EXPECT_THAT(text.offsets, ElementsAre(std::pair(0, 5), std::pair(5, 9), std::pair(9, 11),
                                        std::pair(11, 12), std::pair(12, 14), std::pair(12, 14),
                                        std::pair(14, 21), std::pair(21, 25)));
  EXPECT_EQ(tokenizer.decode(text.ids), "hello world!ühell");
  EXPECT_EQ(tokenizer.decode(text.ids, true), "hello world!ü<|end|>hell");
  EXPECT_EQ(tokenizer.size(), 20);
  EXPECT_EQ(tokenizer.id("<|end|>"), 19);
  EXPECT_EQ(tokenizer.id("nothing"), -1);
  EXPECT_ERROR_WITH(ValueError, "no token has the number 20", tokenizer.decode({20}));
  EXPECT_TRUE(tokenizer.encode("").ids.empty());
}

TEST(PretrainedTokenizer, ReadsBertsKind) {
  const PretrainedTokenizer tokenizer = made(
      R"("normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                        "strip_accents": null, "lowercase": true},
         "pre_tokenizer": {"type": "BertPreTokenizer"},
         "post_processor": {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
            "pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                     {"SpecialToken": {"id": "[SEP]", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}},
                     {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
            "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]},
                               "[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]}}},
         "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
         "added_tokens": [{"id": 0, "content": "[UNK]", "special": true}, {"id": 1, "content": "[CLS]", "special": true},
                          {"id": 2, "content": "[SEP]", "special": true}],
         "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                   "max_input_chars_per_word": 9, "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "un": 3, "##aff": 4,
                   "##able": 5, "cafe": 6, "!": 7, "中": 8}})");
  const TokenizedText text = tokenizer.encode("Unaffable Café!\t中 [SEP]x");
  EXPECT_EQ(text.tokens, (Tokens{"[CLS]", "un", "##aff", "##able", "cafe", "!", "中", "[SEP]",
                                 "[UNK]", "[SEP]"}));
  EXPECT_EQ(text.offsets[4], std::pair(std::size_t{10}, std::size_t{15}));
  EXPECT_EQ(text.special, (std::vector<bool>{true, false, false, false, false, false, false, false,
                                             false, true}));
  EXPECT_EQ(tokenizer.decode(text.ids), "unaffable cafe! 中");
  EXPECT_EQ(tokenizer.encode("unaffableun", false).tokens,
            Tokens{"[UNK]"});  // more than 9 characters
  const TokenizedText pair = tokenizer.encode_pair("un", "cafe");
  EXPECT_THAT(pair.ids, ElementsAre(1, 3, 2, 6, 2));
  EXPECT_THAT(pair.types, ElementsAre(0, 0, 0, 1, 1));
}

TEST(PretrainedTokenizer, ReadsT5sKind) {
  const PretrainedTokenizer tokenizer = made(
      R"("pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true},
         "decoder": {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true},
         "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -2], ["▁a", -3], ["b", -3.5],
                   ["ab", -4], ["▁ab", -5.5], ["c", -1]]})");
  // "▁ab" at -5.5 is better than "▁a" and "b" at -6.5 or "▁" and "ab" at -6; x and y are one
  // unknown.
  const TokenizedText text = tokenizer.encode("ab cxy");
  EXPECT_EQ(text.tokens, (Tokens{"▁ab", "▁", "c", "<unk>"}));
  EXPECT_THAT(text.offsets,
              ElementsAre(std::pair(0, 2), std::pair(2, 3), std::pair(3, 4), std::pair(4, 6)));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("ab c").ids), "ab c");
}

TEST(PretrainedTokenizer, ReadsLlamasKind) {
  const PretrainedTokenizer tokenizer = made(
      R"("normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
                        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
         "decoder": {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                     {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
         "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true,
                   "vocab": {"<unk>": 0, "<0xC3>": 1, "<0xBC>": 2, "▁": 3, "a": 4, "b": 5, "▁a": 6},
                   "merges": ["▁ a"]})");
  const TokenizedText text = tokenizer.encode("ab üxy a");
  EXPECT_EQ(text.tokens, (Tokens{"▁a", "b", "▁", "<0xC3>", "<0xBC>", "<unk>", "▁a"}));
  EXPECT_EQ(tokenizer.decode({6, 5, 3, 1, 2, 6}), "ab ü a");
  EXPECT_EQ(tokenizer.decode({6, 1, 6}), "a\xEF\xBF\xBD a");
}

TEST(PretrainedTokenizer, OffsetsMayLeaveOutBlanksAtTheEnds) {
  const auto places = [](const std::string& trims) {
    const PretrainedTokenizer tokenizer =
        made(R"("post_processor": {"type": "ByteLevel", "trim_offsets": )" + trims +
             R"(}, "model": {"type": "WordLevel", "vocab": {" \t\r\nab \n\r\t": 0, " \t": 1}})");
    return std::pair(tokenizer.encode(" \t\r\nab \n\r\t").offsets, tokenizer.encode(" \t").offsets);
  };
  const auto [trimmed, nothing] = places("true");
  EXPECT_THAT(trimmed, ElementsAre(std::pair(4, 6)));
  EXPECT_THAT(nothing, ElementsAre(std::pair(2, 2)));
  EXPECT_THAT(places("false").first, ElementsAre(std::pair(0, 10)));
}

// What a token begins and ends with, not its bytes of the text: a line's end is shown as a letter.
TEST(PretrainedTokenizer, OffsetsLeaveOutBlanksOfTheToken) {
  const auto places = [](const std::string& text, const std::string& prefix) {
    return made(R"("pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": )" + prefix + R"(},
                   "post_processor": {"type": "ByteLevel", "add_prefix_space": )" +
                prefix + R"(},
                   "model": {"type": "BPE", "merges": ["Ġ a", "Ġ Ġ"],
                             "vocab": {"Ġ": 0, "a": 1, "Ċ": 2, "Ġa": 3, "ĠĠ": 4}})")
        .encode(text)
        .offsets;
  };
  EXPECT_THAT(places("a\n a   a", "false"),
              ElementsAre(std::pair(0, 1), std::pair(1, 2), std::pair(3, 4), std::pair(6, 6),
                          std::pair(7, 8)));
  EXPECT_THAT(places("a a", "true"), ElementsAre(std::pair(0, 1), std::pair(2, 3)));
  EXPECT_THAT(places(" a", "true"), ElementsAre(std::pair(0, 2)));  // a single one of the first
  EXPECT_THAT(places(" a", "false"), ElementsAre(std::pair(1, 2)));
}

// Of ASCII: a letter on one side says nothing of the other.
TEST(PretrainedTokenizer, OffsetsLeaveOutBlanksOnEitherSide) {
  const PretrainedTokenizer tokenizer =
      made(R"("post_processor": {"type": "ByteLevel", "add_prefix_space": false},
              "model": {"type": "WordLevel",
                        "vocab": {" a": 0, "a ": 1, "a": 2, " ": 3, "b\u3000": 4}})");
  EXPECT_THAT(tokenizer.encode(" a").offsets, ElementsAre(std::pair(1, 2)));
  EXPECT_THAT(tokenizer.encode("a ").offsets, ElementsAre(std::pair(0, 1)));
  EXPECT_THAT(tokenizer.encode("a").offsets, ElementsAre(std::pair(0, 1)));
  EXPECT_THAT(tokenizer.encode(" ").offsets, ElementsAre(std::pair(1, 1)));
  EXPECT_THAT(tokenizer.encode("b\u3000").offsets, ElementsAre(std::pair(0, 1)));
  const PretrainedTokenizer nothing = made(R"("post_processor": {"type": "ByteLevel"},
              "model": {"type": "BPE", "unk_token": "", "vocab": {"": 0}, "merges": []})");
  EXPECT_THAT(nothing.encode("x").offsets, ElementsAre(std::pair(0, 1)));
}

// The first token, and those that stand for the text's first character: a single blank is theirs.
TEST(PretrainedTokenizer, OffsetsKeepTheBlankThatWasPutBefore) {
  const std::string processor = R"("post_processor": {"type": "ByteLevel"}, "model": {
      "type": "WordLevel", "vocab": {" a": 0, "x": 1, " b": 2}})";
  const auto first = made(R"("normalizer": {"type": "Sequence", "normalizers": [
      {"type": "Strip"}, {"type": "Prepend", "prepend": " "}]}, )" +
                          processor);
  EXPECT_THAT(first.encode("  a").offsets, ElementsAre(std::pair(2, 3)));
  const auto others = made(R"("normalizer": {"type": "Prepend", "prepend": "x "},
      "pre_tokenizer": {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithNext"},
      )" + processor);
  EXPECT_THAT(others.encode("a b").offsets,
              ElementsAre(std::pair(0, 1), std::pair(0, 1), std::pair(2, 3)));
}

TEST(PretrainedTokenizer, WithoutAPostProcessorATextIsItsTokens) {
  const TokenizedText text =
      made(R"("model": {"type": "WordLevel", "vocab": {"a": 5}})").encode("a");
  EXPECT_THAT(text.types, ElementsAre(0));
  EXPECT_EQ(text.special, std::vector<bool>{false});
}

TEST(PretrainedTokenizer, TypesAreThePostProcessorsWithItsTokensOrWithout) {
  const auto types = [](const std::string& processor, bool special) {
    return made(R"("model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "c": 2, "d": 3}})" +
                processor)
        .encode_pair("a", "b", special);
  };
  const std::string marks = R"("sep": ["c", 2], "cls": ["d", 3]})";
  EXPECT_THAT(types("", true).types, ElementsAre(0, 1));
  EXPECT_THAT(types("", false).types, ElementsAre(0, 1));
  const std::string bert = R"(, "post_processor": {"type": "BertProcessing", )" + marks,
                    roberta = R"(, "post_processor": {"type": "RobertaProcessing", )" + marks;
  EXPECT_THAT(types(bert, false).types, ElementsAre(0, 1));
  EXPECT_THAT(types(roberta, true).types, ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(types(roberta, false).types, ElementsAre(0, 0));
  const std::string turned = R"(, "post_processor": {"type": "TemplateProcessing",
      "single": [{"Sequence": {"id": "A", "type_id": 3}}, {"SpecialToken": {"id": "c"}}],
      "pair": [{"Sequence": {"id": "B", "type_id": 2}}, {"SpecialToken": {"id": "c"}}, {"Sequence": {"id": "A", "type_id": 5}}],
      "special_tokens": {"c": {"ids": [2]}}})";
  const TokenizedText plain = types(turned, false);
  EXPECT_THAT(plain.ids, ElementsAre(1, 0));
  EXPECT_THAT(plain.types, ElementsAre(2, 5));
  EXPECT_THAT(types(turned, true).ids, ElementsAre(1, 2, 0));
  const PretrainedTokenizer one =
      made(R"("model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "c": 2}})" + turned);
  EXPECT_THAT(one.encode("a", false).types, ElementsAre(3));
  EXPECT_THAT(one.encode("a", false).ids, ElementsAre(0));
  const PretrainedTokenizer few = made(R"("model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1}},
      "post_processor": {"type": "TemplateProcessing",
          "single": [{"SpecialToken": {"id": "b"}}], "pair": [{"Sequence": {"id": "B"}}],
          "special_tokens": {"b": {"ids": [1]}}})");
  EXPECT_THAT(few.encode("a").ids, ElementsAre(1));
  EXPECT_TRUE(few.encode("a", false).ids.empty());
  EXPECT_THAT(few.encode_pair("a", "b").ids, ElementsAre(1));
  const PretrainedTokenizer other = made(R"("model": {"type": "WordLevel", "vocab": {"a": 0}},
      "post_processor": {"type": "TemplateProcessing", "special_tokens": {}, "pair": [],
                         "single": [{"Sequence": {"id": "A", "type_id": 1}}]})");
  EXPECT_THAT(other.encode("a").types, ElementsAre(1));
}

TEST(PretrainedTokenizer, ABatchIsEachOfItsTexts) {
  const PretrainedTokenizer tokenizer = made(kBytes);
  std::vector<std::string> texts;
  for (int i = 0; i < 67; ++i)
    texts.push_back("hello" + std::string(static_cast<std::size_t>(i), '!'));
  const auto all = tokenizer.encode(texts);
  ASSERT_EQ(all.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(all[i].ids, tokenizer.encode(texts[i]).ids);
}

TEST(PretrainedTokenizer, IsReadFromAFileOfAnySize) {
  const std::string whole = "{" + kBytes + "}";
  for (const std::size_t size : {whole.size(), std::size_t{1} << 16, std::size_t{200003}}) {
    const TemporaryFile file(whole + std::string(size - whole.size(), ' '));
    EXPECT_EQ(PretrainedTokenizer::read(file.path()).size(), 19) << size;
  }
}

TEST(PretrainedTokenizer, IsReadStrictly) {
  const auto refuses = [](const std::string& parts, const std::string& message) {
    EXPECT_ERROR_WITH(FormatError, message, made(parts)) << parts;
  };
  const auto bpe = [](const std::string& vocabulary, const std::string& merges) {
    return R"("model": {"type": "BPE", "vocab": {)" + vocabulary + R"(}, "merges": [)" + merges +
           "]}";
  };
  refuses("", "model is missing");
  refuses(R"("model": {"type": "Other"})", "model.type is \"Other\", which is not known");
  refuses(bpe(R"("a": 0, "b": 0)", ""), "model.vocab.b has the number 0 as another has");
  refuses(bpe(R"("a": -1)", ""), "has the number -1");
  refuses(bpe(R"("a": 9223372036854775807)", ""), "has the number 9223372036854775807");
  refuses(bpe(R"("a": 0, "a": 1)", ""), "\"a\" is there twice");
  refuses(bpe(R"("a": 0)", R"("a b")"), "model.merges[0] joins tokens that are not there");
  refuses(bpe(R"("a": 0)", R"("ab")"), "must be two tokens with a space");
  refuses(bpe(R"("a": 0, "aa": 1)", R"("a a", "a a")"), "model.merges[1] is there twice");
  refuses(bpe(R"("a": "x")", ""), "model.vocab.a must be an integer");
  refuses(R"("normalizer": {"type": "Magic"}, )" + bpe("", ""), "normalizer.type is \"Magic\"");
  refuses(
      R"("pre_tokenizer": {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated"}, )" +
          bpe("", ""),
      "the expression \"(\": missing closing parenthesis");
  refuses(
      R"("added_tokens": [{"id": 1, "content": "a"}, {"id": 1, "content": "b"}], )" + bpe("", ""),
      "added_tokens[1].id 1 is there twice");
  refuses(R"("added_tokens": [{"id": 9223372036854775807, "content": "a"}], )" + bpe("", ""),
          "added_tokens[0].id is 9223372036854775807");
  refuses(bpe(R"("a": 1073741825)", ""), "has the number 1073741825");
  EXPECT_EQ(made(bpe("", "")).size(), 0);
  refuses(R"("post_processor": {"type": "BertProcessing", "sep": ["x", 7], "cls": ["y", 8]}, )" +
              bpe("", ""),
          "which is nobody's number");
  refuses(R"("model": {"type": "Unigram", "user_defined": [3], "vocab": [["a", 0]]})",
          "model.user_defined has nobody's number");
  refuses(R"("model": {"type": "Unigram", "unk_id": 3, "vocab": [["a", 0]]})",
          "model.unk_id is nobody's number");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += R"({"type": "Sequence", "normalizers": [)";
  refuses("\"normalizer\": " + deep, "");
  EXPECT_THROW(PretrainedTokenizer::read("/nowhere"), IoError);
}

TEST(PretrainedTokenizer, AnExpressionThatNeverEndsIsStopped) {
  const PretrainedTokenizer tokenizer = made(
      R"("pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated"},
         "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []})");
  std::string endless(4000, 'a');
  endless.push_back('b');
  EXPECT_ERROR_WITH(ValueError, "takes too long", tokenizer.encode(endless));
}

}  // namespace
}  // namespace heed::data
