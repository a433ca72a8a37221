#include "scored_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>

#include "../core/error.h"
#include "../data/utf8.h"
#include "../io/byte_cursor.h"
#include "../io/file.h"

namespace heed::pretrained {

ScoredTokens::ScoredTokens(const std::string& path, Index count) : bytes_(256, -1) {
  const std::string content = io::read_file(path);
  io::ByteCursor file(content, path);
  const auto longest = file.number<std::int32_t>("the longest token's length");
  for (Index i = 0; i < count; ++i) {
    scores_.push_back(file.number<float>("a token's score"));
    const auto length = file.number<std::int32_t>("a token's length");
    if (length < 0 || length > longest) {
      file.fail(fmt::format("token {} has {} bytes, the longest {}", i, length, longest));
    }
    texts_.emplace_back(file.take(static_cast<std::size_t>(length), "a token"));
    sorted_.emplace_back(texts_.back(), i);
  }
  if (file.left() != 0) file.fail(fmt::format("{} bytes behind {} tokens", file.left(), count));
  std::sort(sorted_.begin(), sorted_.end());
  for (Index byte = 0; byte < 256; ++byte) {
    bytes_[static_cast<std::size_t>(byte)] = find(fmt::format("<0x{:02X}>", byte));
  }
}

Index ScoredTokens::find(const std::string& text) const {
  const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(text, Index{0}));
  return at != sorted_.end() && at->first == text ? at->second : -1;
}

std::vector<Index> ScoredTokens::encode(const std::string& text, bool first) const {
  if (!data::is_valid_utf8(text)) throw ValueError("tokens: the text is not UTF-8");
  std::vector<Index> out;
  if (text.empty()) return out;
  const std::string spaced = first ? " " + text : text;
  for (std::size_t at = 0; at < spaced.size();) {
    std::size_t end = at + 1;
    while (end < spaced.size() && (static_cast<unsigned char>(spaced[end]) & 0xC0) == 0x80) ++end;
    const Index token = find(spaced.substr(at, end - at));
    if (token >= 0) {
      out.push_back(token);
    } else {
      for (std::size_t i = at; i < end; ++i) {
        const Index byte = bytes_[static_cast<unsigned char>(spaced[i])];
        if (byte < 0) throw ValueError("tokens: a character that is no token, and has no bytes");
        out.push_back(byte);
      }
    }
    at = end;
  }
  join(out);
  return out;
}

// Best pairs first, the leftmost of equals; tokens are a list whose gaps are passed over.
void ScoredTokens::join(std::vector<Index>& tokens) const {
  struct Candidate {
    float score;
    std::size_t left;
    Index left_token, right_token, joined;
    bool operator<(const Candidate& other) const {
      return score != other.score ? score < other.score : left > other.left;
    }
  };
  const std::size_t none = tokens.size();
  std::vector<std::size_t> next(none), before(none);
  for (std::size_t i = 0; i < none; ++i) {
    next[i] = i + 1;
    before[i] = i == 0 ? none : i - 1;
  }
  std::priority_queue<Candidate> open;
  const auto look = [&](std::size_t left) {
    if (left == none || next[left] == none) return;
    const Index a = tokens[left], b = tokens[next[left]];
    const Index joined =
        find(texts_[static_cast<std::size_t>(a)] + texts_[static_cast<std::size_t>(b)]);
    if (joined < 0) return;
    const float score = scores_[static_cast<std::size_t>(joined)];
    // Neither NaN nor minus infinity is better than nothing.
    if (score > -std::numeric_limits<float>::infinity()) open.push({score, left, a, b, joined});
  };
  for (std::size_t i = 0; i < none; ++i) look(i);
  while (!open.empty()) {
    const Candidate best = open.top();
    open.pop();
    const std::size_t left = best.left, right = next[left];
    // Of tokens that have been joined otherwise meanwhile.
    if (right == none || tokens[left] != best.left_token || tokens[right] != best.right_token) {
      continue;
    }
    tokens[left] = best.joined;
    tokens[right] = -1;
    next[left] = next[right];
    if (next[left] != none) before[next[left]] = left;
    look(before[left]);
    look(left);
  }
  std::erase(tokens, -1);
}

std::string ScoredTokens::decode(Index before, Index token) const {
  if (token < 0 || token >= size()) {
    throw IndexError(fmt::format("tokens: {} of {}", token, size()));
  }
  const std::string& text = texts_[static_cast<std::size_t>(token)];
  if (token == kBegin || token == kEnd) return "";
  const auto byte = std::find(bytes_.begin(), bytes_.end(), token);
  if (byte != bytes_.end()) return std::string(1, static_cast<char>(byte - bytes_.begin()));
  return before == kBegin && text.starts_with(' ') ? text.substr(1) : text;
}

std::string ScoredTokens::decode(const std::vector<Index>& tokens) const {
  std::string out;
  Index before = kBegin;
  for (const Index token : tokens) {
    out += decode(before, token);
    before = token;
  }
  return out;
}

}  // namespace heed::pretrained
