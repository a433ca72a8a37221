#include "sentencepiece_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "../../core/error.h"
#include "../../core/protobuf.h"
#include "../../core/quoted.h"
#include "../utf8.h"
#include "bpe_kinds.h"
#include "charsmap.h"

namespace heed::data::tokenizers {
namespace {

using Json = nlohmann::ordered_json;

enum Type : std::uint64_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};

struct Piece {
  std::string text = {};
  float score = 0;
  std::uint64_t type = normal;
};

struct Model {
  std::vector<Piece> pieces = {};
  std::uint64_t type = 1;  // of the model: 1 Unigram, 2 BPE
  bool byte_fallback = false, suffix = false;
  std::string charsmap = {};
  bool dummy_prefix = true, remove_extra = true, escape = true;
};

// In bytes: the ways in which a piece comes from two others are looked for at each of its places.
constexpr std::size_t kLongestPiece = 1024;

Piece read_piece(ProtobufMessage message, const std::string& path, std::size_t place) {
  Piece out;
  for (ProtobufField field; message.next(field);) {
    if (field.number == 1) message.want(field, 2, "a piece"), out.text = field.bytes;
    if (field.number == 2) {
      message.want(field, 5, "a piece's score");
      out.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    }
    if (field.number == 3) message.want(field, 0, "a piece's type"), out.type = field.value;
  }
  if (out.text.empty() || !is_valid_utf8(out.text))
    throw FormatError(path, place, "a piece that is empty or no UTF-8");
  if (out.text.size() > kLongestPiece) {
    throw FormatError(path, place, fmt::format("a piece of {} bytes", out.text.size()));
  }
  if (!std::isfinite(out.score)) throw FormatError(path, place, "a score that is no number");
  if (out.type < normal || out.type > byte)
    throw FormatError(path, place, fmt::format("a piece of type {}", out.type));
  return out;
}

Model read_model(std::string_view bytes, const std::string& path) {
  Model out;
  ProtobufMessage message(bytes, path);
  for (ProtobufField field; message.next(field);) {
    if (field.number < 1 || field.number > 3) continue;
    message.want(field, 2, "a part of the model");
    ProtobufMessage own(field.bytes, path, field.place);
    if (field.number == 1) {
      out.pieces.push_back(read_piece(own, path, field.place));
      continue;
    }
    for (ProtobufField part; own.next(part);) {
      const auto truth = [&](bool& to) { own.want(part, 0, "an option"), to = part.value != 0; };
      if (field.number == 2) {
        if (part.number == 3) own.want(part, 0, "the model's type"), out.type = part.value;
        if (part.number == 24) truth(out.suffix);
        if (part.number == 35) truth(out.byte_fallback);
      } else {
        if (part.number == 2)
          own.want(part, 2, "the table of characters"), out.charsmap = part.bytes;
        if (part.number == 3) truth(out.dummy_prefix);
        if (part.number == 4) truth(out.remove_extra);
        if (part.number == 5) truth(out.escape);
      }
    }
  }
  if (out.type != 1 && out.type != 2) {
    throw FormatError(
        path, 0, fmt::format("a model of type {}: Unigram (1) and BPE (2) are known", out.type));
  }
  if (out.suffix || !out.escape)
    throw FormatError(path, 0, "blanks that follow words, or stay blanks, are not known");
  if (out.pieces.empty()) throw FormatError(path, 0, "there are no pieces");
  return out;
}

Json replace(Json pattern, const char* by) {
  return {{"type", "Replace"}, {"pattern", std::move(pattern)}, {"content", by}};
}

// The ways in which a piece comes from two others, the best piece first. What users defined is
// never joined, and what is reserved is no text.
Json merges_of(const std::vector<Piece>& pieces,
               const std::unordered_map<std::string_view, std::size_t>& numbers, bool for_others) {
  const auto joins = [&](std::size_t i) {
    return for_others || pieces[i].type == normal || pieces[i].type == unused;
  };
  struct Merge {
    float score;
    std::size_t left, right;
  };
  std::vector<Merge> all;
  for (const Piece& piece : pieces) {
    const bool made = for_others ? piece.type == normal || piece.type == user_defined
                                 : piece.type == normal || piece.type == unused;
    if (!made) continue;
    const std::string_view text = piece.text;
    for (std::size_t i = 1; i < text.size(); ++i) {
      const auto left = numbers.find(text.substr(0, i)), right = numbers.find(text.substr(i));
      if (left != numbers.end() && right != numbers.end() && joins(left->second) &&
          joins(right->second))
        all.push_back({piece.score, left->second, right->second});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Merge& a, const Merge& b) { return a.score > b.score; });
  Json out = Json::array();
  for (const Merge& each : all) out.push_back({pieces[each.left].text, pieces[each.right].text});
  return out;
}

// The parts of others that come nearest: the shortest rule of a grapheme counts, and what users
// defined cuts a text in several.
Json normaliser_for_others(const Model& model) {
  Json all = Json::array();
  if (!model.charsmap.empty()) {
    all.push_back({{"type", "Precompiled"}, {"precompiled_charsmap", to_base64(model.charsmap)}});
  }
  if (model.remove_extra) {
    all.push_back({{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}});
    all.push_back(replace({{"Regex", " {2,}"}}, " "));
  }
  if (model.dummy_prefix) all.push_back({{"type", "Prepend"}, {"prepend", kBlank}});
  all.push_back(replace({{"String", " "}}, kBlank));
  return {{"type", "Sequence"}, {"normalizers", std::move(all)}};
}

Json own_normaliser(const Model& model) {
  Json out = {{"type", "Sentencepiece"},
              {"add_dummy_prefix", model.dummy_prefix},
              {"remove_extra_whitespaces", model.remove_extra},
              {"user_defined", Json::array()}};
  if (!model.charsmap.empty()) out["precompiled_charsmap"] = to_base64(model.charsmap);
  for (const Piece& piece : model.pieces) {
    if (piece.type == user_defined) out["user_defined"].push_back(piece.text);
  }
  return out;
}

// What PieceKinds reads, and that what no piece stands for vanishes.
void put_kinds(const std::vector<Piece>& pieces, Json& to) {
  for (const char* const key : {"user_defined", "unused", "reserved"}) to[key] = Json::array();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::uint64_t type = pieces[i].type;
    if (type == normal) continue;
    to[type == user_defined ? "user_defined" : type == unused ? "unused" : "reserved"].push_back(i);
  }
  to["drops_unknown"] = true;
}

}  // namespace

std::string from_sentencepiece(std::string_view bytes, const std::string& path, bool for_others) {
  const Model model = read_model(bytes, path);
  std::unordered_map<std::string_view, std::size_t> numbers;
  Json added = Json::array(), vocabulary = Json::array(), unknown_token = nullptr,
       unknown_id = nullptr;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const Piece& piece = model.pieces[i];
    if (!numbers.emplace(piece.text, i).second)
      throw FormatError(path, 0, in_quotes(piece.text) + " is there twice");
    if (piece.type == unknown) unknown_token = piece.text, unknown_id = i;
    const bool special = piece.type == unknown || piece.type == control;
    if (special || (for_others && piece.type == user_defined)) {
      added.push_back(Json::parse(added_token(static_cast<Index>(i), piece.text, special)));
      if (!for_others) added.back()["in_texts"] = false;
    }
    vocabulary.push_back({piece.text, piece.score});
  }
  Json decoders = {
      replace({{"String", kBlank}}, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}};
  if (model.dummy_prefix)
    decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  Json out = {{"version", "1.0"},
              {"truncation", nullptr},
              {"padding", nullptr},
              {"added_tokens", std::move(added)},
              {"normalizer", for_others ? normaliser_for_others(model) : own_normaliser(model)},
              {"pre_tokenizer", nullptr},
              {"post_processor", nullptr},
              {"decoder", {{"type", "Sequence"}, {"decoders", decoders}}}};
  if (model.type == 1) {
    out["model"] = {{"type", "Unigram"},
                    {"unk_id", unknown_id},
                    {"byte_fallback", model.byte_fallback},
                    {"vocab", std::move(vocabulary)}};
  } else {
    Json all = Json::object();
    // Not through [], which looks at all that are there.
    Json::object_t::Container& entries = all.get_ref<Json::object_t&>();
    for (std::size_t i = 0; i < model.pieces.size(); ++i) {
      entries.emplace_back(model.pieces[i].text, i);
    }
    out["model"] = {{"type", "BPE"},
                    {"dropout", nullptr},
                    {"unk_token", unknown_token},
                    {"continuing_subword_prefix", nullptr},
                    {"end_of_word_suffix", nullptr},
                    {"fuse_unk", true},
                    {"byte_fallback", model.byte_fallback},
                    {"vocab", std::move(all)},
                    {"merges", merges_of(model.pieces, numbers, for_others)}};
  }
  if (!for_others) put_kinds(model.pieces, out["model"]);
  return out.dump();
}

}  // namespace heed::data::tokenizers
