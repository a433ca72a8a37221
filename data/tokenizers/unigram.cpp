#include <algorithm>
#include <limits>

#include "model.h"
#include "trie.h"

namespace heed::data::tokenizers {
namespace {

// The likeliest tokens that make up the word (Kudo 2018), by Viterbi.
class Unigram final : public Model {
 public:
  explicit Unigram(const JsonView& json)
      : bytes_(json.truth("byte_fallback", false)),
        drops_unknown_(json.truth("drops_unknown", false)) {
    const JsonView list = json["vocab"];
    const PieceKinds kinds(json);
    double least = std::numeric_limits<double>::infinity(),
           most = std::numeric_limits<float>::min();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const JsonView entry = list[i];
      if (entry.size() != 2) entry.fail("must be a token and its score");
      const JsonView word = entry[0];
      const std::string& token = word.text();
      add(entry, token, static_cast<std::int64_t>(i));
      scores_.push_back(entry[1].number());
      const auto number = static_cast<Index>(i);
      const bool reserved = kinds.reserved.contains(number);
      if (!reserved && !kinds.unused.contains(number)) tokens_.add(characters(token), number);
      if (reserved || kinds.unused.contains(number) || kinds.defined.contains(number)) continue;
      least = std::min(least, scores_.back());
      most = std::max(most, scores_.back());
    }
    // As good as the best piece for each of its bytes, less a little. sentencepiece looks for the
    // best from the least positive number on, so that scores below 0, as all usually are, count as
    // that.
    for (const Index number : kinds.defined) {
      const std::string* const own = token(number);
      if (own == nullptr) json["user_defined"].fail("has nobody's number");
      scores_[static_cast<std::size_t>(number)] = static_cast<double>(own->size()) * most - 0.1;
    }
    if (json.has("unk_id")) {
      unknown_ = json["unk_id"].integer();
      if (token(*unknown_) == nullptr) json["unk_id"].fail("is nobody's number");
    }
    constexpr double kPenalty = 10;
    unknown_score_ = std::min(least, most) - kPenalty;  // `most`: no token is common
    for (int byte = 0; byte < 256; ++byte)
      byte_ids_[byte] = id(name_of_byte(static_cast<unsigned char>(byte)));
  }

  std::vector<Part> operator()(const Text& word) const override {
    struct Best {
      double score = -std::numeric_limits<double>::infinity();
      std::size_t begin = 0;
      Index id = -1;  // -1: unknown
    };
    std::vector<Best> best(word.size() + 1);
    best[0].score = 0;
    for (std::size_t begin = 0; begin < word.size(); ++begin) {
      const auto offer = [&](std::size_t end, double score, Index token) {
        const double sum = best[begin].score + score;
        if (!(sum > best[end].score)) return;
        if (token < 0 && !unknown_ && !drops_unknown_)
          fail_unknown(utf8(word, begin, end), "unk_id");
        best[end] = {sum, begin, token};
      };
      tokens_.at(word, begin, [&](std::size_t end, Index token) {
        offer(end, scores_[static_cast<std::size_t>(token)], token);
      });
      offer(begin + 1, unknown_score_, -1);  // any token of one character is better
    }
    std::vector<Part> out;
    for (std::size_t end = word.size(); end > 0; end = best[end].begin) {
      out.push_back({best[end].id, best[end].begin, end});
    }
    std::reverse(out.begin(), out.end());
    return known(word, out);
  }

 private:
  // What is unknown, side by side, is one; or its bytes.
  std::vector<Part> known(const Text& word, const std::vector<Part>& parts) const {
    std::vector<Part> out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].id >= 0) {
        out.push_back(parts[i]);
        continue;
      }
      Part whole = parts[i];
      while (i + 1 < parts.size() && parts[i + 1].id < 0) whole.end = parts[++i].end;
      const std::string text = utf8(word, whole.begin, whole.end);
      if (bytes_ && std::all_of(text.begin(), text.end(), [this](char byte) {
            return byte_ids_[static_cast<unsigned char>(byte)].has_value();
          })) {
        for (const char byte : text) {
          out.push_back({*byte_ids_[static_cast<unsigned char>(byte)], whole.begin, whole.end});
        }
      } else if (unknown_) {
        out.push_back({*unknown_, whole.begin, whole.end});
      }
    }
    return out;
  }

  bool bytes_;
  bool drops_unknown_;  // as sentencepiece, where no piece stands for it
  std::vector<double> scores_;
  Trie tokens_;
  std::optional<Index> unknown_;
  double unknown_score_ = 0;
  std::optional<Index> byte_ids_[256];
};

}  // namespace

std::unique_ptr<Model> read_unigram(const JsonView& json) {
  return std::make_unique<Unigram>(json);
}

}  // namespace heed::data::tokenizers
