#include "bpe_kinds.h"

#include <nlohmann/json.hpp>

namespace heed::data::tokenizers {

using Json = nlohmann::ordered_json;

std::string without_model(BpeKind kind) {
  Json out = {{"version", "1.0"},
              {"truncation", nullptr},
              {"padding", nullptr},
              {"added_tokens", Json::array()}};
  switch (kind) {
    case BpeKind::byte_level:
      out["normalizer"] = nullptr;
      out["pre_tokenizer"] = {{"type", "ByteLevel"},
                              {"add_prefix_space", false},
                              {"trim_offsets", true},
                              {"use_regex", true}};
      out["post_processor"] = {{"type", "ByteLevel"},
                               {"add_prefix_space", true},
                               {"trim_offsets", false},
                               {"use_regex", true}};
      out["decoder"] = {{"type", "ByteLevel"},
                        {"add_prefix_space", true},
                        {"trim_offsets", true},
                        {"use_regex", true}};
      break;
    case BpeKind::byte_fallback: {
      const auto replace = [](const char* pattern, const char* by) {
        return Json{{"type", "Replace"}, {"pattern", {{"String", pattern}}}, {"content", by}};
      };
      out["normalizer"] = {
          {"type", "Sequence"},
          {"normalizers", {{{"type", "Prepend"}, {"prepend", kBlank}}, replace(" ", kBlank)}}};
      out["pre_tokenizer"] = nullptr;
      out["post_processor"] = nullptr;
      out["decoder"] = {{"type", "Sequence"},
                        {"decoders",
                         {replace(kBlank, " "),
                          {{"type", "ByteFallback"}},
                          {{"type", "Fuse"}},
                          {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}};
      break;
    }
    case BpeKind::word_piece: {
      const auto slot = [](const char* kind_of, const char* id, int type) {
        return Json{{kind_of, {{"id", id}, {"type_id", type}}}};
      };
      const auto mark = [](const char* id, int number) {
        return Json{{"id", id}, {"ids", {number}}, {"tokens", {id}}};
      };
      out["normalizer"] = {{"type", "BertNormalizer"},
                           {"clean_text", true},
                           {"handle_chinese_chars", true},
                           {"strip_accents", nullptr},
                           {"lowercase", true}};
      out["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
      const Json begin = slot("SpecialToken", "[CLS]", 0), end = slot("SpecialToken", "[SEP]", 0),
                 first = slot("Sequence", "A", 0);
      out["post_processor"] = {
          {"type", "TemplateProcessing"},
          {"single", {begin, first, end}},
          {"pair", {begin, first, end, slot("Sequence", "B", 1), slot("SpecialToken", "[SEP]", 1)}},
          {"special_tokens", {{"[CLS]", mark("[CLS]", 2)}, {"[SEP]", mark("[SEP]", 3)}}}};
      out["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
    }
  }
  return out.dump();
}

std::vector<std::string> special_tokens(BpeKind kind) {
  if (kind == BpeKind::byte_level) return {"<|endoftext|>"};
  if (kind == BpeKind::byte_fallback) return {"<unk>", "<s>", "</s>"};
  return {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
}

std::string added_token(Index id, const std::string& content, bool special) {
  const Json out = {{"id", id},          {"content", content}, {"single_word", false},
                    {"lstrip", false},   {"rstrip", false},    {"normalized", false},
                    {"special", special}};
  return out.dump();
}

}  // namespace heed::data::tokenizers
