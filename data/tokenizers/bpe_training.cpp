#include "bpe_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <queue>
#include <set>
#include <string_view>
#include <unordered_map>

#include "../../core/error.h"
#include "bpe_kinds.h"
#include "model.h"
#include "normalisers.h"
#include "pre_tokenisers.h"

namespace heed::data {
namespace {

using namespace tokenizers;
using Json = nlohmann::ordered_json;

std::string letter_token(char32_t letter, std::string_view prefix) {
  return std::string(prefix) + utf8({{letter, 0, 0}});
}

struct Vocabulary {
  Index size() const { return std::ssize(names); }
  Index id(const std::string& token) const {
    const auto found = numbers.find(token);
    return found == numbers.end() ? -1 : found->second;
  }
  // Two pairs may become the same token.
  Index add(const std::string& token) {
    const auto [place, fresh] = numbers.emplace(token, size());
    if (fresh) names.push_back(token);
    return place->second;
  }
  std::vector<std::string> names = {};
  std::unordered_map<std::string, Index> numbers = {};
};

// Words as the kind cuts texts into them, and how often they come.
std::map<std::u32string, Index> words_of(const std::vector<std::string>& texts, const Json& parts,
                                         BpeKind kind) {
  Json own = {{"normalizer", parts["normalizer"]}, {"pre_tokenizer", parts["pre_tokenizer"]}};
  if (kind == BpeKind::byte_fallback) {  // nothing is joined over blanks
    own["pre_tokenizer"] = {{"type", "Split"},
                            {"pattern", {{"String", kBlank}}},
                            {"behavior", "MergedWithNext"},
                            {"invert", false}};
  }
  const std::string path = "train_bpe";
  const JsonTree tree = JsonTree::parse(own.dump(), path);
  const JsonView view(tree, path);
  const Normaliser normaliser = read_normaliser(view["normalizer"]);
  const PreTokeniser pre_tokeniser = read_pre_tokeniser(view["pre_tokenizer"]);
  std::map<std::u32string, Index> out;
  for (const std::string& text : texts) {
    Text all = characters(text);
    normaliser(all);
    std::vector<Text> words{std::move(all)};
    pre_tokeniser(words);
    for (const Text& word : words) {
      std::u32string codes;
      for (const Char& each : word) codes += each.code;
      if (!codes.empty()) ++out[codes];
    }
  }
  return out;
}

// Words as numbers of tokens; the pair that comes most often becomes one, of equals that of the
// smallest numbers.
class Learner {
 public:
  Learner(Vocabulary& vocabulary, const std::map<std::u32string, Index>& words,
          std::string_view prefix)
      : vocabulary_(vocabulary), prefix_(prefix) {
    for (const auto& [codes, count] : words) {
      Word word{.count = count};
      for (std::size_t i = 0; i < codes.size(); ++i) {
        const Index letter = vocabulary_.id(letter_token(codes[i], i > 0 ? prefix : ""));
        if (letter >= 0) word.tokens.push_back(letter);  // a rare letter is unknown
      }
      words_.push_back(std::move(word));
      for (std::size_t i = 0; i + 1 < words_.back().tokens.size(); ++i)
        add(words_.size() - 1, words_.back().tokens[i], words_.back().tokens[i + 1], count);
    }
    for (const auto& [pair, found] : pairs_) open_.push({found.count, pair});
  }

  void learn(Index size, Index min_count) {
    while (vocabulary_.size() < size && !open_.empty()) {
      const Candidate best = open_.top();
      open_.pop();
      Found& found = pairs_.at(best.pair);
      if (found.count != best.count) {  // fewer than they were
        if (found.count >= min_count) open_.push({found.count, best.pair});
        continue;
      }
      if (best.count < min_count) return;
      join(best.pair, std::move(found.words));
    }
  }

  Json merges = Json::array();

 private:
  using Pair = std::pair<Index, Index>;
  struct Word {
    Index count;
    std::vector<Index> tokens = {};
  };
  struct Found {
    Index count = 0;
    std::vector<std::size_t> words = {};  // some more than once
  };
  struct Candidate {
    Index count;
    Pair pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  void add(std::size_t word, Index left, Index right, Index count) {
    Found& found = pairs_[{left, right}];
    found.count += count;
    if (count > 0 && (found.words.empty() || found.words.back() != word))
      found.words.push_back(word);
  }

  void join(Pair pair, std::vector<std::size_t> places) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    const auto& [left, right] = pair;
    const std::string &first = vocabulary_.names[static_cast<std::size_t>(left)],
                      second = vocabulary_.names[static_cast<std::size_t>(right)];
    merges.push_back(first + ' ' + second);
    // What is no word's first has the prefix.
    const Index both = vocabulary_.add(first + second.substr(prefix_.size()));
    std::set<Pair> changed;
    for (const std::size_t place : places) {
      Word& word = words_[place];
      const auto count_all = [&](Index sign) {
        for (std::size_t i = 0; i + 1 < word.tokens.size(); ++i) {
          add(place, word.tokens[i], word.tokens[i + 1], sign * word.count);
          if (sign > 0) changed.emplace(word.tokens[i], word.tokens[i + 1]);
        }
      };
      count_all(-1);
      std::size_t to = 0;
      for (std::size_t i = 0; i < word.tokens.size(); ++to) {
        const bool here =
            word.tokens[i] == left && i + 1 < word.tokens.size() && word.tokens[i + 1] == right;
        word.tokens[to] = here ? both : word.tokens[i];
        i += here ? 2 : 1;
      }
      word.tokens.resize(to);
      count_all(1);
    }
    for (const Pair& each : changed) {
      if (each.first == both || each.second == both) open_.push({pairs_.at(each).count, each});
    }
  }

  Vocabulary& vocabulary_;
  std::string prefix_;
  std::vector<Word> words_;
  struct Hash {
    std::size_t operator()(const Pair& pair) const {
      return static_cast<std::size_t>(pair.first) * 0x9E3779B97F4A7C15u ^
             static_cast<std::size_t>(pair.second);
    }
  };
  std::unordered_map<Pair, Found, Hash> pairs_;
  std::priority_queue<Candidate> open_;
};

// The letters of the words, the most frequent if there are too many, in the order of their code
// points.
std::vector<char32_t> letters_of(const std::map<std::u32string, Index>& words, Index most) {
  std::map<char32_t, Index> counts;
  for (const auto& [word, count] : words) {
    for (const char32_t letter : word) counts[letter] += count;
  }
  std::vector<char32_t> out;
  out.reserve(counts.size());
  for (const auto& [letter, count] : counts) out.push_back(letter);
  if (std::ssize(out) > most) {
    std::stable_sort(out.begin(), out.end(),
                     [&](char32_t a, char32_t b) { return counts[a] > counts[b]; });
    out.resize(static_cast<std::size_t>(most));
    std::sort(out.begin(), out.end());
  }
  return out;
}

}  // namespace

std::string train_bpe(const std::vector<std::string>& texts, const BpeTraining& options) {
  if (options.size < 1 || options.min_count < 1 || options.max_letters < 1) {
    throw ValueError(
        fmt::format("train_bpe: size {}, min_count {} and max_letters {} must be positive",
                    options.size, options.min_count, options.max_letters));
  }
  Json out = Json::parse(without_model(options.kind));
  Vocabulary vocabulary;
  for (const std::string& token : special_tokens(options.kind)) {
    out["added_tokens"].push_back(Json::parse(added_token(vocabulary.size(), token, true)));
    vocabulary.add(token);
  }
  for (int byte = 0; byte < 256; ++byte) {
    const auto own = static_cast<unsigned char>(byte);
    if (options.kind == BpeKind::byte_level) vocabulary.add(letter_token(shown_byte(own), ""));
    if (options.kind == BpeKind::byte_fallback) vocabulary.add(name_of_byte(own));
  }
  if (vocabulary.size() > options.size) {
    throw ValueError(fmt::format("train_bpe: a size of {}: special tokens and bytes are {}",
                                 options.size, vocabulary.size()));
  }
  const std::string prefix = options.kind == BpeKind::word_piece ? "##" : "";
  const auto words = words_of(texts, out, options.kind);
  for (const char32_t letter : letters_of(words, options.max_letters)) {
    for (const std::string& token : {letter_token(letter, ""), letter_token(letter, prefix)}) {
      if (vocabulary.size() < options.size) vocabulary.add(token);
    }
  }
  Learner learner(vocabulary, words, prefix);
  learner.learn(options.size, options.min_count);
  Json numbers = Json::object();
  for (std::size_t i = 0; i < vocabulary.names.size(); ++i) {
    // Not through [], which looks at all that are there.
    numbers.get_ref<Json::object_t&>().Json::object_t::Container::emplace_back(vocabulary.names[i],
                                                                               i);
  }
  if (options.kind == BpeKind::word_piece) {
    out["model"] = {{"type", "WordPiece"},
                    {"unk_token", "[UNK]"},
                    {"continuing_subword_prefix", prefix},
                    {"max_input_chars_per_word", 100},
                    {"vocab", std::move(numbers)}};
  } else {
    const bool fallback = options.kind == BpeKind::byte_fallback;
    out["model"] = {{"type", "BPE"},
                    {"dropout", nullptr},
                    {"unk_token", fallback ? Json("<unk>") : Json(nullptr)},
                    {"continuing_subword_prefix", nullptr},
                    {"end_of_word_suffix", nullptr},
                    {"fuse_unk", fallback},
                    {"byte_fallback", fallback},
                    {"ignore_merges", false},
                    {"vocab", std::move(numbers)},
                    {"merges", std::move(learner.merges)}};
  }
  return out.dump() + '\n';
}

}  // namespace heed::data
