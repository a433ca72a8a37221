#include <algorithm>
#include <map>
#include <span>

#include "../utf8.h"
#include "model.h"
#include "number_map.h"
#include "trie.h"

namespace heed::data::tokenizers {
namespace {

// Neighbours become one, the pair that was learned first before others (Sennrich et al. 2016).
class Bpe final : public Model {
 public:
  explicit Bpe(const JsonView& json)
      : prefix_(json.text("continuing_subword_prefix", "")),
        suffix_(json.text("end_of_word_suffix", "")),
        fuses_(json.truth("fuse_unk", false)),
        bytes_(json.truth("byte_fallback", false)),
        whole_(json.truth("ignore_merges", false)),
        kinds_(json) {
    if (json.has("dropout") && json["dropout"].number() != 0) json["dropout"].fail("is not known");
    read_vocabulary(json["vocab"]);
    unknown_ = named(json, "unk_token");
    lacks_unknown_ = json.has("unk_token") && !unknown_;
    for (int byte = 0; byte < 256; ++byte)
      byte_ids_[byte] = id(name_of_byte(static_cast<unsigned char>(byte)));
    for (const auto& [token, number] : ids()) {
      const Text text = characters(token);
      if (kinds_.defined.contains(number)) defined_.add(text, number);
      if (text.size() == 1 && !kinds_.reserved.contains(number))
        letters_.emplace(text[0].code, number);
    }
    read_merges(json["merges"]);
  }

  std::vector<Part> operator()(const Text& word) const override {
    if (word.empty()) return {};
    if (whole_) {
      if (const auto found = id(utf8(word))) return {{*found, 0, word.size()}};
    }
    std::vector<Part> parts = letters(word);
    // What no token holds side by side is never joined: the pieces between such places are words of
    // their own.
    Work work;
    for (std::size_t begin = 0, end = 0; begin < parts.size(); begin = end) {
      for (end = begin + 1; end < parts.size(); ++end) {
        if (!may_meet(word, parts[end - 1], parts[end])) break;
      }
      if (end > begin + 1) join(std::span(parts).subspan(begin, end - begin), work);
    }
    std::erase_if(parts, [](const Part& part) { return part.id < 0; });
    if (work.apart.empty()) return parts;
    std::vector<Part> out;
    for (const Part& part : parts) put_apart(part, work.apart, out);
    return out;
  }

 private:
  static std::uint64_t pair(Index left, Index right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
  }

  void read_merges(const JsonView& json) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      const JsonView each = json[i];
      std::string left, right;
      if (each.is_text()) {  // "left right"
        const std::string& text = each.text();
        const std::size_t space = text.find(' ');
        if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
          each.fail("must be two tokens with a space between them");
        }
        left = text.substr(0, space);
        right = text.substr(space + 1);
      } else {
        if (each.size() != 2) each.fail("must be two tokens");
        left = each[0].text();
        right = each[1].text();
      }
      const bool continues = !prefix_.empty() && right.starts_with(prefix_);
      const auto a = id(left), b = id(right),
                 both = id(left + (continues ? right.substr(prefix_.size()) : right));
      if (!a || !b || !both) each.fail("joins tokens that are not there");
      if (!ranks_.insert(pair(*a, *b), static_cast<std::uint32_t>(i))) each.fail("is there twice");
      joined_.push_back(*both);
      const Text whole = characters(*token(*both));
      for (std::size_t k = 0; k + 1 < whole.size(); ++k)
        neighbours_.insert(std::uint64_t{whole[k].code} << 32 | whole[k + 1].code, 0);
    }
  }

  std::optional<Index> letter_id(const Text& word, std::size_t i) const {
    if (prefix_.empty() && suffix_.empty()) {
      const auto found = letters_.find(word[i].code);
      return found == letters_.end() ? std::nullopt : std::optional(found->second);
    }
    return id((i > 0 ? prefix_ : "") + utf8(word, i, i + 1) +
              (i + 1 == word.size() ? suffix_ : ""));
  }

  std::vector<Part> letters(const Text& word) const {
    std::vector<Part> out;
    bool after_unknown = false;
    for (std::size_t i = 0; i < word.size(); ++i) {
      Part whole{-1, i, i};  // the longest that a user defined
      if (!kinds_.defined.empty())
        defined_.at(word, i, [&](std::size_t end, Index id) { whole = {id, i, end}; });
      if (whole.id >= 0) {
        out.push_back(whole);
        after_unknown = false;
        i = whole.end - 1;
        continue;
      }
      if (const auto found = letter_id(word, i)) {
        out.push_back({*found, i, i + 1});
        after_unknown = false;
        continue;
      }
      const std::string letter = utf8(word, i, i + 1);
      if (bytes_ && std::all_of(letter.begin(), letter.end(), [this](char byte) {
            return byte_ids_[static_cast<unsigned char>(byte)].has_value();
          })) {
        for (const char byte : letter)
          out.push_back({*byte_ids_[static_cast<unsigned char>(byte)], i, i + 1});
        after_unknown = false;
        continue;
      }
      if (lacks_unknown_) fail_unknown(letter, "unk_token");
      if (!unknown_) continue;
      if (fuses_ && after_unknown) {
        out.back().end = i + 1;
      } else {
        out.push_back({*unknown_, i, i + 1});
      }
      after_unknown = true;
    }
    return out;
  }

  struct Candidate {
    std::uint32_t rank, left;
    std::uint64_t pair;
    bool operator<(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };
  struct Work {
    std::vector<std::uint32_t> next, before;
    std::vector<Candidate> open;
    std::map<Index, std::pair<Index, Index>> apart;  // what the unused came from
  };

  // An unused token as what it came from.
  void put_apart(const Part& part, const std::map<Index, std::pair<Index, Index>>& apart,
                 std::vector<Part>& out) const {
    for (std::vector<Part> todo{part}; !todo.empty();) {
      const Part each = todo.back();
      todo.pop_back();
      const auto found = apart.find(each.id);
      if (found == apart.end()) {
        out.push_back(each);
        continue;
      }
      const auto [left, right] = found->second;
      // A byte's name is longer than what it stands for.
      const std::size_t middle =
          std::min(each.begin + characters(*token(left)).size(), each.end - 1);
      todo.push_back({right, middle, each.end});
      todo.push_back({left, each.begin, std::max(middle, each.begin + 1)});
    }
  }

  bool may_meet(const Text& word, const Part& left, const Part& right) const {
    const char32_t a = word[left.begin].code, b = word[right.begin].code;
    const auto is_letter = [this](Index id, char32_t code) {
      const auto found = letters_.find(code);
      return found != letters_.end() && found->second == id;
    };
    return neighbours_.find(std::uint64_t{a} << 32 | b) != nullptr || !is_letter(left.id, a) ||
           !is_letter(right.id, b);
  }

  // Best pairs first, the leftmost of equals; parts are a list whose gaps are passed over, and are
  // nobody's at last.
  void join(std::span<Part> parts, Work& work) const {
    const auto count = static_cast<std::uint32_t>(parts.size()), none = count;
    std::vector<std::uint32_t>&next = work.next, &before = work.before;
    std::vector<Candidate>& open = work.open;
    next.resize(count);
    before.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      next[i] = i + 1;
      before[i] = i == 0 ? none : i - 1;
    }
    const auto look = [&](std::uint32_t left) {
      if (left == none || next[left] == none) return false;
      const std::uint64_t both = pair(parts[left].id, parts[next[left]].id);
      const std::uint32_t* const rank = ranks_.find(both);
      if (rank == nullptr) return false;
      open.push_back({*rank, left, both});
      if (kinds_.unused.empty()) return true;
      const Index whole = joined_[*rank], a = parts[left].id, b = parts[next[left]].id;
      const auto is_part = [&](Index id) { return token(id)->size() < token(whole)->size(); };
      if (kinds_.unused.contains(whole) && is_part(a) && is_part(b)) work.apart[whole] = {a, b};
      return true;
    };
    for (std::uint32_t i = 0; i < count; ++i) look(i);
    std::make_heap(open.begin(), open.end());
    while (!open.empty()) {
      std::pop_heap(open.begin(), open.end());
      const Candidate best = open.back();
      open.pop_back();
      const std::uint32_t right = next[best.left];
      // Either may have become another since, or gone.
      if (right == none || pair(parts[best.left].id, parts[right].id) != best.pair) continue;
      parts[best.left].id = joined_[best.rank];
      parts[best.left].end = parts[right].end;
      parts[right].id = -1;
      next[best.left] = next[right];
      if (next[right] != none) before[next[right]] = best.left;
      if (look(before[best.left])) std::push_heap(open.begin(), open.end());
      if (look(best.left)) std::push_heap(open.begin(), open.end());
    }
  }

  std::string prefix_, suffix_;
  bool fuses_, bytes_, whole_;
  PieceKinds kinds_;
  Trie defined_;
  std::optional<Index> unknown_;
  bool lacks_unknown_;                           // one is named that is no token
  std::unordered_map<char32_t, Index> letters_;  // tokens of one character
  std::optional<Index> byte_ids_[256];
  NumberMap neighbours_;       // characters side by side in what is joined
  NumberMap ranks_;            // of pairs
  std::vector<Index> joined_;  // what the pair of a rank becomes
};

}  // namespace

std::unique_ptr<Model> read_bpe(const JsonView& json) { return std::make_unique<Bpe>(json); }

}  // namespace heed::data::tokenizers
